"""A plan: what will be computed on each device and at the server, and what it promises.

A private mean is made of three parts, and every method in this library is a choice of them:

* `device`: a randomiser run on one person's term before it leaves them;
* `collected`: the set every report is projected to before reports are summed;
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
nothing; `Population.grant` is what charges for it.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
from dp_accounting import DpEvent
from jaxtyping import Array, Bool, Num, PRNGKeyArray, PyTree

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.ledger.records import Charge
from tacit.noise.fixed import Fixed, Tall
from tacit.question.sums import Mean, Question

FLOAT_BITS = 32


@final
@dataclass(frozen=True)
class Guarantee:
    """One promise: against whom, for which unit and neighbours, and how strong.

    **Guarantee**: what `observer` sees is (epsilon, delta)-differentially private when one
    `unit` changes in the sense of `relation`. `epsilon` is a certified upper bound for
    `event`, found by the named `accountant`.
    """

    observer: str
    relation: Relation
    event: DpEvent
    epsilon: float
    delta: float
    accountant: str
    unit: str = "person"
    spill: float = 0.0


class Device(Protocol):
    """A randomiser of one person's term, run on a batch of people at once."""

    @property
    def epsilon(self) -> float:
        """The local privacy of one report; infinite if the device does not randomise."""
        ...

    @property
    def distance(self) -> float:
        """How far one report is from its proved law, in total variation; zero if it is exact."""
        ...

    @property
    def reports(self) -> Contribution:
        """The exact set in which every report lies."""
        ...

    @property
    def worst_error(self) -> float:
        """The largest mean squared error of one report over all admissible terms."""
        ...

    @property
    def report_bits(self) -> int:
        """What one person sends in one round."""
        ...

    @property
    def blanket(self) -> float:
        """The mass of the part of a report's law that depends on nobody: how well it shuffles."""
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
    def noise(self) -> float:
        """The standard deviation of the noise on each coordinate of the sum, the largest one."""
        ...

    @property
    def error(self) -> float:
        """The expected squared L2 distance of the noisy sum from the sum."""
        ...

    @property
    def distance(self) -> float:
        """How far a round's noise is from its proven law, in total variation, at most."""
        ...

    def init(self) -> PyTree:
        """What the server remembers between rounds."""
        ...

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[Fixed]
    ) -> tuple[PyTree, Num[Array, "*shape"], Bool[Array, ""] | None]:
        """Turns the sum of a round's reports into the round's answer.

        The last part says whether this answer was the last; None where no answer ever ends a run.
        """
        ...


@runtime_checkable
class Comparing(Protocol):
    """A server that compares sums: they come from any number of people, and must not wrap."""

    def brought(self, total: Tall) -> Fixed:
        """A sum of any size in two limbs; neighbours' sums are no farther apart for it."""
        ...


@final
class Identity(eqx.Module):
    """The device part of the central model: the term itself, un-randomised."""

    reports: Contribution

    @property
    def epsilon(self) -> float:
        return math.inf

    @property
    def distance(self) -> float:
        return 0.0

    @property
    def worst_error(self) -> float:
        return 0.0

    @property
    def blanket(self) -> float:
        return 0.0

    @property
    def report_bits(self) -> int:
        return FLOAT_BITS * math.prod(self.reports.shape)

    def sample(
        self, key: PRNGKeyArray, terms: Num[Array, "people *shape"]
    ) -> Num[Array, "people *shape"]:
        del key
        return terms


@final
@dataclass(frozen=True)
class Plan:
    """A question answered under one trust model: parts, promises and predicted error.

    Args:
      trust: the trust model and its budget, as plain values.
      question: what is asked, of whom, how often.
      device, collected, server: the three parts.
      guarantees: every promise, one for each observer x unit x relation.
      error: the predicted mean squared error of one answer about its cohort's own sum over the
        expected cohort, at the worst admissible terms; None if it depends on the data (reports
        are cut by the projection).
    """

    trust: dict[str, Any]
    question: Question
    device: Device
    collected: Contribution
    server: Server
    guarantees: tuple[Guarantee, ...]
    error: float | None

    @property
    def sums(self) -> Mean:
        """What is summed: of whom, of what, how often."""
        return self.question.sums

    @property
    def upload_bytes(self) -> int:
        """What one person sends in one round."""
        return -(-self.device.report_bits // 8)

    def charges(self, part: str | None = None) -> list[Charge]:
        """What a release charges the people's ledger; for those of one part, if it is named."""
        return [
            Charge(g.observer, g.unit, g.relation, g.event, g.epsilon, g.delta, g.spill, part)
            for g in self.guarantees
        ]

    @property
    def private(self) -> bool:
        """Whether anything at all is promised."""
        return bool(self.guarantees)


def mean_squared_error(question: Question, device: Device, server: Server) -> float | None:
    """The error of one answer when every report is collected whole: device plus server.

    None for a question whose answer is not a mean.
    """
    if not isinstance(question, Mean):
        return None
    return (question.cohort * device.worst_error + server.error) / question.cohort**2
