"""A plan: what will be computed on each device and at the server, and what it promises.

A private mean is made of three parts, and every method in this library is a choice of them:

* `device`: a randomiser run on one person's term before it leaves them;
* `collect`: the set every report is projected to before reports are summed (`Sum`), or that a
  curator needs the rows themselves (`Gather`);
* `server`: what is done to the sum (noise, division) before anybody sees it.

Three known methods, as recombinations:

* *The Gaussian mechanism, DP-SGD*: the device part is the identity, reports are collected in
  the ball of the clipping norm C, the server adds N(0, (z C)^2) and divides by the expected
  cohort. Composing the sampled Gaussian event over the rounds is the whole proof.
* *Locally private learning (PrivUnit)*: the device randomises the direction and the magnitude,
  the server only averages. What leaves the device is already private, so anything after it is
  post-processing.
* *Private federated learning*: both. The reports are bounded (a PrivUnit report has one exact
  norm), so the server's noise is scaled to the smaller of that bound and the projection
  radius: two promises, one against the server and one against the public.

A plan is public. It is made from a question alone, before any data is read, and it spends
nothing; the `grant` of a population is what charges for it.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
import numpy as np
from jaxtyping import Array, Bool, Int64, Num, PRNGKeyArray, PyTree

from tacit.accounting.guarantee import Guarantee
from tacit.argument import refuse_no_name
from tacit.contribution import Contribution
from tacit.contribution.contrasts import Contrasts
from tacit.facts import NoiseFacts, ReportFacts
from tacit.ledger.records import Charge
from tacit.noise.fixed import FixedPoint, Tall
from tacit.page import Page
from tacit.question.sums import Mean, Question
from tacit.question.words import in_words

FLOAT_BITS = 32  # Of a number in a report that nothing rounds: it is sent as a float32.


class Device(Protocol):
    """A randomiser of one person's term, run on a batch of people at once."""

    @property
    def facts(self) -> ReportFacts:
        """What is known of one report; it follows from the device's numbers."""
        ...

    def sample(
        self, key: PRNGKeyArray, terms: Num[Array, "people *shape"]
    ) -> PyTree[Num[Array, "people *report"]]:
        """One report a person, independent between people."""
        ...


class Server(Protocol):
    """What is done to the sum of the reports before anybody sees it."""

    @property
    def grid(self) -> PyTree:
        """The public step that sums are whole multiples of; one for each part of a product."""
        ...

    @property
    def facts(self) -> NoiseFacts:
        """What is known of a round's noise; it follows from the server's numbers."""
        ...

    def init(self) -> PyTree:
        """What the server remembers between rounds."""
        ...

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Num[Array, "*shape"], Bool[Array, ""] | None]:
        """Turns the sum of a round's reports into the round's answer.

        The last part says whether this answer was the last; None where no answer ever ends a run.
        """
        ...


@runtime_checkable
class Comparing(Protocol):
    """A server that compares sums: they come from any number of people, and must not wrap."""

    def brought(self, total: Tall) -> FixedPoint:
        """A sum of any size in two limbs; neighbours' sums are no farther apart for it."""
        ...


@runtime_checkable
class InWholeSteps(Protocol):
    """A server whose noisy sums can be had as they are, in whole steps, before any division."""

    def noisy(self, key: PRNGKeyArray, total: PyTree[FixedPoint]) -> PyTree[FixedPoint]:
        """The sums with their noise: what `step` divides, for the same key."""
        ...


@runtime_checkable
class Choosing(Protocol):
    """A server that chooses which keys are released, by how many people have each."""

    @property
    def most(self) -> int:
        """How many are released, at most: of more, the first in the order of their names."""
        ...

    def kept(
        self, key: PRNGKeyArray, people: Int64[np.ndarray, " keys"]
    ) -> Bool[np.ndarray, " keys"]:
        """Whether each key is, drawn on the host."""
        ...


@final
class Identity(eqx.Module):
    """The device part of the central model: the term itself, un-randomised."""

    shape: Contribution

    @property
    def facts(self) -> ReportFacts:
        bits = FLOAT_BITS * math.prod(self.shape.shape)
        return ReportFacts(math.inf, self.shape, worst_error=0.0, report_bits=bits, blanket=0.0)

    def sample(
        self, key: PRNGKeyArray, terms: Num[Array, "people *shape"]
    ) -> Num[Array, "people *shape"]:
        del key
        return terms


@final
@dataclass(frozen=True)
class Sum:
    """Reports are projected to a set and added up, exactly, on the server's grid."""

    within: Contribution


@final
@dataclass(frozen=True)
class Gather:
    """Rows reach the server one by one, in one place: only a curator can do that.

    Args:
      numbers: how many the server answers with.
      repeatable: whether the server does the same with the same rows and key; a function of
        somebody's own may not.
    """

    numbers: int
    repeatable: bool


@final
@dataclass(frozen=True)
class Plan:
    """A question answered under one trust model: parts, promises and predicted error.

    Args:
      trust: the trust model and its budget, as plain values.
      question: what is asked, of whom, how often.
      device, collect, server: the three parts.
      guarantees: every promise, one for each observer x unit x relation.
      error: the predicted mean squared error of one answer about its cohort's own sum over the
        expected cohort, at the worst admissible terms; None if it depends on the data (reports
        are cut by the projection).
    """

    trust: dict[str, Any]
    question: Question
    device: Device
    collect: Sum | Gather
    server: Server
    guarantees: tuple[Guarantee, ...]
    error: float | None

    def __str__(self) -> str:
        """The plan as a page: the question in words, the noise, the error and every promise."""
        return str(self.page)

    @property
    def page(self) -> Page:
        """What the plan's page says; of contrasts, in units of the longest that one record has."""
        shape = self.sums.contribution
        one = shape.bound if isinstance(shape, Contrasts) else 1.0
        known, report = self.server.facts, self.device.facts
        loud = None if known.noise is None else known.noise / one
        noise = loud, known.drawn_by, known.ranks, known.distance, known.known
        least = known.of_least, known.worst_of_least, known.queries
        error = None if self.error is None else self.error / one**2
        reports = report.worst_error, report.typical_error
        errors = reports, (error, self.typical_error), report.shared_error
        sent = self.upload_bytes, self.download_bytes
        return Page(
            in_words(self.question), self.trust, *noise, *least, *errors, *sent, self.guarantees
        )

    @property
    def sums(self) -> Mean:
        """What is summed: of whom, of what, how often."""
        return self.question.sums

    @property
    def typical_error(self) -> float | None:
        """`error` if every term has the declared typical norm; None without one."""
        report = self.device.facts
        if self.error is None or report.typical_error is None:
            return None
        own = (report.worst_error - report.typical_error) / self.sums.cohort
        return self.error - own - (report.shared_error - report.typical_shared_error)

    @property
    def upload_bytes(self) -> int:
        """What one person sends in one round."""
        return -(-self.device.facts.report_bits // 8)

    @property
    def download_bytes(self) -> int | None:
        """What tells one person a round's projected answer; None if it is not projected."""
        bits = self.device.facts.answer_bits
        return None if bits is None else -(-bits // 8)

    def charges(self, part: str | None = None) -> list[Charge]:
        """What a release charges the people's ledger; for those of one part, if it is named."""
        return [Charge(guarantee, part) for guarantee in self.guarantees]

    def per(self, unit: str) -> "Plan":
        """The same promises, to units of another name: households, or days of persons.

        What is bounded, and hidden by noise, is what one row of a population gives; whether that is
        a person's is for the population to say, and only it takes a plan of its own unit.
        """
        refuse_no_name("unit", unit)
        return replace(self, guarantees=tuple(replace(each, unit=unit) for each in self.guarantees))

    @property
    def private(self) -> bool:
        """Whether anything at all is promised."""
        return bool(self.guarantees)
