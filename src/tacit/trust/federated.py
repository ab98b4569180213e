"""The federated model: devices randomise their updates, the server adds noise to the sum.

Two promises with two budgets. What a device sends is locally private, with a budget large
enough to learn from and small enough to stop anybody reconstructing the data; what the server
publishes is centrally private, with noise scaled to the smaller of the reports' exact bound
and a projection radius. A curious server meets the first, the public meets the second.

**Who is zeroed still reports.** So neighbours under zero-out differ in two reports, and noise is
scaled to how far apart any two are. Where a secret coin says who comes (`Poisson`) that hides
neither who came nor what they sent, and it is refused:

1. Who does not come adds nothing, and a report need not be near that: those of numbers from 100 to
   101 are two apart and a hundred from zero. Then the sum shows who came, and the coin hides none.
2. Of reports r and r' around zero the rounds (1 - q) N(0) + q N(r) and (1 - q) N(0) + q N(r') are
   at every epsilon >= 0 no further apart than those of one who comes or goes, which are accounted.
   At epsilon < 0 they are, for an outcome may be as much likelier under either. So many rounds do
   not compose like those: two of q = 0.9 and a noise multiplier of 0.7 have more delta.

Under add/remove who goes sends nothing, and noise is scaled to how far a report is from zero.

**Means that are added up** (`Running`) get noise that is correlated between rounds, as in the
central model: all that its proof takes of a sum is how far one person moves it in each round they
join, and a report moves it by no more than its bound, or twice that if it is another one.
"""

import math
from dataclasses import dataclass
from typing import cast, final

import equinox as eqx

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.argument import got, is_number, keep_pythons
from tacit.contribution import Ball, Contribution, Cube, Interval, SparseBall
from tacit.device.choose import Split, devices_for
from tacit.device.few_numbers import Compressing
from tacit.device.product import JointReports
from tacit.device.upload import refuse_no_upload
from tacit.facts import NoiseFacts
from tacit.plan import Device, Plan, Server, Sum
from tacit.question.dropouts import whom_asks
from tacit.question.participation import Poisson
from tacit.question.running import Running
from tacit.question.sums import Mean, Question, refuse_no_question
from tacit.question.uneven import Uneven
from tacit.record import plain
from tacit.server.correlated import running_mean
from tacit.server.noisy_mean import noisy_mean
from tacit.server.uneven import uneven_mean
from tacit.trust.central import Central
from tacit.trust.local import promise
from tacit.trust.sums import answered, mean_squared_error, refuse_curated, refuse_worst


@final
@dataclass(frozen=True)
class Federated:
    """Local privacy of each report, central privacy of everything released.

    **Guarantee**: `central` against the public; against the server, `local` composed over the
    rounds in which one person may report (a sum: the server knows who it asked).

    **Error**: device plus server, if the projection never cuts a report; None where it may, for
    then the answer is biased by an amount that depends on the data.

    Args:
      local: the budget of one report, in each round that a person joins.
      central: the promise to the public over all rounds.
      radius: reports of vectors are projected to this L2 norm; infinite for none.
      upload: how many bytes a report of a vector may have (`device.upload`); None for any number.

    Of all ways to report, that of the least error is taken with the noise on its sum counted.

    References: Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), Section 3 and equation (13).
    """

    local: float | Split
    central: Central
    radius: float = math.inf
    upload: int | None = None

    def __post_init__(self):
        keep_pythons(self, "local", "radius", "upload")
        whole = is_number(self.local) and 0 < cast(float, self.local) < math.inf
        if not (whole or isinstance(self.local, Split)):
            raise ValueError(
                "a local budget must be a Split, or a number that is positive and finite, got "
                f"{got(self.local)}"
            )
        if not isinstance(self.central, Central):
            raise ValueError(f"the promise to the public must be Central, got {got(self.central)}")
        if not (is_number(self.radius) and self.radius > 0):
            raise ValueError(f"a projection radius must be positive, got {got(self.radius)}")
        refuse_no_upload(self.upload)

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under both promises."""
        refuse_no_question(question)
        refuse_curated(question)
        refuse_worst(question)
        sums = question.sums
        self._refuse_coins(sums)
        device = self._least(question)
        reports = device.facts.report_set
        collected = _cut(reports, self.radius)
        server, public = self._means(question, device, collected)
        whole = collected.bound == reports.bound
        return Plan(
            plain(self),
            question,
            device,
            Sum(collected),
            answered(question, server, device),
            (public, promise("server", device, sums)),
            mean_squared_error(question, device, server) if whole else None,
        )

    def _means(
        self, question: Question, device: Device, collected: Contribution
    ) -> tuple[Server, Guarantee]:
        """Noisy means of the reports, and what they promise the public."""
        how = collected, self._between_reports()
        if isinstance(question, Uneven):
            return uneven_mean(self.central, question, *how)
        if not isinstance(question, Running):
            return noisy_mean(self.central, question.sums, *how)
        if isinstance(device, Compressing):
            raise ValueError(
                "noise cancels between rounds if their sums are of the same numbers, and upload="
                f"{self.upload} has every round keep others: ask Mean, or leave upload out"
            )
        return running_mean(self.central, question, *how)

    def _least(self, question: Question) -> Device:
        """The device whose reports and noise have the least error together."""
        shape, cohort = question.sums.contribution, question.sums.cohort
        ways = devices_for(shape, self.local, self.upload)
        sets = [way.facts.report_set for way in ways]
        _refuse_no_numbers(sets, shape)
        if len(ways) == 1:
            return ways[0]
        noises = self._noises(question, ways[0], sets)
        errors = [_error(way, noise, cohort) for way, noise in zip(ways, noises, strict=True)]
        return ways[errors.index(min(errors))]

    def _noises(
        self, question: Question, first: Device, sets: list[Contribution]
    ) -> list[NoiseFacts]:
        """The noise on sums of each of these, calibrated for the first alone.

        It is as large as what it hides: the energy of Gaussian noise is in proportion to the
        numbers of a sum and the square of its reports' bound.
        """
        server, _ = self._means(question, first, sets[0])
        each = server.facts.stated_error / _energy(sets[0], math.inf)
        return [NoiseFacts(None, each * _energy(reports, self.radius)) for reports in sets]

    def _refuse_coins(self, sums: Mean) -> None:
        """Steps 1 and 2."""
        zeroed = self.central.relation is Relation.ZERO_OUT
        if zeroed and isinstance(whom_asks(sums.participation), Poisson):
            raise ValueError(
                "Poisson participation in reports of devices is proved for add/remove, not for "
                "zero-out, where who is zeroed still reports: give another relation, or ask "
                "Everyone()"
            )

    def _between_reports(self) -> Relation:
        """How a report changes: that of a zeroed person is another one, as the opening says."""
        relation = self.central.relation
        return Relation.REPLACE_ONE if relation is Relation.ZERO_OUT else relation


def _refuse_no_numbers(sets: list[Contribution], asked: Contribution) -> None:
    if not all(map(_numbers, sets)):
        raise ValueError(
            "federated reports are numbers or vectors, so that noise can be added to their sum; "
            f"got {type(asked).__name__}"
        )


def _error(device: Device, noise: NoiseFacts, cohort: float) -> float:
    """What devices are compared by."""
    return device.facts.compared_at(cohort) + device.facts.noise_error(noise) / cohort**2


def _numbers(reports: Contribution) -> bool:
    if isinstance(reports, JointReports):
        return all(_numbers(part) for part in reports.parts)
    return isinstance(reports, Ball | Cube | Interval | SparseBall)


def _energy(reports: Contribution, radius: float) -> float:
    """What the energy of noise on a sum of these is in proportion to, vectors cut to a radius."""
    vectors = isinstance(reports, Ball | SparseBall)
    longest = min(reports.bound, radius) if vectors else reports.bound
    return math.prod(reports.answer_shape) * longest**2


def _cut(reports: Contribution, radius: float) -> Contribution:
    """The reports within the radius; of several parts those that are vectors."""
    if radius >= reports.bound:
        return reports
    if isinstance(reports, JointReports) and any(isinstance(p, Ball) for p in reports.parts):
        parts = (_cut(part, radius) if isinstance(part, Ball) else part for part in reports.parts)
        return JointReports(tuple(parts), reports.noise_shares)
    if isinstance(reports, SparseBall):
        return eqx.tree_at(lambda sparse: sparse.numbers.radius, reports, radius)
    if not isinstance(reports, Ball):
        raise ValueError(
            f"only vectors in a Ball are projected, got {type(reports).__name__}; "
            "leave the radius infinite"
        )
    return eqx.tree_at(lambda ball: ball.radius, reports, radius)
