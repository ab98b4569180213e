"""The shuffled model: local reports, mixed before anybody analyses them.

A report hides among the others once nobody can tell whose it is. Two bounds say how well:

* A question of one round gives everybody the same epsilon0-local randomiser, so each report is in
  part drawn from a law that depends on nobody: the privacy blanket, exactly.
* In a question of many rounds the randomiser may depend on all earlier answers. With all n people
  in one secret, uniformly random order the whole transcript is still far more private than epsilon0
  (Feldman, McMillan, Talwar 2021, Theorem 3.1, evaluated exactly on their clone pair). That theorem
  is about a sequence, so where each person reports once all n people hide one another, not only
  those of one round.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from tacit.accounting import calibration, events
from tacit.accounting.pairs.blanket import binary_response
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import within_delta
from tacit.argument import got, is_number, keep_pythons, refuse_not_positive
from tacit.borrowed import DpEvent
from tacit.device.choose import Maker, devices
from tacit.device.upload import refuse_no_upload
from tacit.device.workload import OnWorkload, fits, response_blanket
from tacit.plan import Device, Plan, Sum
from tacit.question.linear import Linear
from tacit.question.participation import AtMost
from tacit.question.sums import Mean, Question, refuse_no_question
from tacit.record import plain
from tacit.server.means import plain_mean
from tacit.trust.local import promise
from tacit.trust.sums import (
    answered,
    mean_squared_error,
    refuse_curated,
    refuse_uneven,
    refuse_worst,
)

# Between what local epsilons one is looked for.
_LEAST, _MOST = 1e-6, 50.0


@final
@dataclass(frozen=True)
class Shuffled:
    """(epsilon, delta)-privacy of the shuffled reports, and the local privacy underneath.

    **Guarantee**: (epsilon, delta)-DP against the server that gets the shuffled reports, and so
    against the public, for one person replaced by another, if the shuffler is honest and all n
    people report; against the shuffler itself, the epsilon0-local privacy found for that target,
    once for each pass.

    **Error**: that of the local model at epsilon0, of the local report with the least of them: each
    may go as far as its own blanket hides it.

    Args:
      epsilon, delta: of the shuffled reports.
      upload: how many bytes a report of a vector may have (`device.upload`); None for any number.

    References: Balle, Bell, Gascon, Nissim, "The privacy blanket of the shuffle model" (CRYPTO
    2019); Feldman, McMillan, Talwar, "Hiding among the clones" (FOCS 2021), Theorem 3.1. The
    stronger bounds of their later work are not used: they hold for some randomisers only.
    """

    epsilon: float
    delta: float
    upload: int | None = None

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta", "upload")
        refuse_not_positive("epsilon", self.epsilon)
        if not (is_number(self.delta) and 0 < self.delta < 1):
            raise ValueError(f"delta must lie strictly between 0 and 1, got {got(self.delta)}")
        refuse_no_upload(self.upload)

    @property
    def relation(self) -> Relation:
        return Relation.REPLACE_ONE

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under this promise."""
        _refuse(question)
        sums = question.sums
        device, hidden = within_delta(self, partial(self._made, question))
        server = answered(question, plain_mean(device, sums), device)
        return Plan(
            plain(self),
            question,
            device,
            Sum(device.facts.report_set),
            server,
            (hidden, replace(hidden, observer="server"), promise("shuffler", device, sums)),
            mean_squared_error(question, device, server),
        )

    def _made(
        self, question: Question, epsilon: float, delta: float
    ) -> tuple[Device, DpEvent, float]:
        """What people report with, its event, and how far all samplers are off their laws."""
        sums, device = question.sums, self._device(question, epsilon, delta)
        event = _event(sums, device.facts.epsilon, device.facts.blanket)
        return device, event, sums.people * sums.times * device.facts.tv_distance

    def _device(self, question: Question, epsilon: float, delta: float) -> Device:
        if isinstance(question, Linear) and fits(question.workload):
            return _on_workload(question, epsilon, delta)
        return _device(question.sums, epsilon, delta, self.upload)


def _on_workload(question: Linear, epsilon: float, delta: float) -> Device:
    """The better of two tables: that of little variance at the local epsilon that every randomiser
    may have, and randomised response, which has a large blanket, at the larger one it may have."""
    sums, workload = question.sums, question.workload
    near = _hidden_by_all(sums, epsilon, delta)

    def hidden(blanket: Callable[[float], float]) -> float:
        return _coarsely(_largest(sums, blanket, epsilon, delta, near))

    ways = [OnWorkload.of(workload, hidden(lambda _: 0.0))]
    if sums.rounds == 1:
        by_response = partial(response_blanket, workload.cells)
        own = OnWorkload.by_response(workload, hidden(by_response))
        # Words may have taken a little of it.
        ways += [own] if own.facts.blanket >= by_response(own.epsilon) else []
    return min(ways, key=lambda way: way.worst_error)


def _coarsely(local: float) -> float:
    """Rounded down to seven digits of two, so that a table that was found serves again."""
    share, power = math.frexp(local)
    return math.ldexp(math.floor(share * 2**7), power - 7)


def _device(sums: Mean, epsilon: float, delta: float, upload: int | None) -> Device:
    """The device of the least error, each with the largest local epsilon it may have.

    All may have that of the least blanket. What more a larger one allows is looked up for the two
    that are best there: it never makes up for more than a few per cent of error.
    """

    near = _hidden_by_all(sums, epsilon, delta)
    least = _largest(sums, lambda _: 0.0, epsilon, delta, near)
    ways = _ways(sums, least, upload)
    if sums.rounds > 1:
        # Clones hide every randomiser alike, whatever its blanket: no epsilon is larger.
        return ways[0](least)

    def hidden(make: Maker) -> Device:
        return make(_largest(sums, lambda local: make(local).facts.blanket, epsilon, delta, least))

    best = [hidden(make) for make in ways[:2]]
    return min(best, key=lambda device: device.facts.compared_at(sums.cohort))


def _refuse(question: Question) -> None:
    """Raises a ValueError for a question that no shuffled reports answer."""
    refuse_no_question(question)
    refuse_curated(question)
    refuse_worst(question)
    refuse_uneven(question)
    if not isinstance(question.sums.participation, AtMost):
        raise ValueError(
            "shuffling hides people who report in a secret order: participation must be "
            f"Once or AtMost, got {type(question.sums.participation).__name__}"
        )


def _largest(
    sums: Mean, blanket: Callable[[float], float], epsilon: float, delta: float, near: float
) -> float:
    """The largest local epsilon of a way to report with such a blanket at each."""

    def event(local: float) -> DpEvent:
        return _event(sums, local, blanket(local))

    return calibration.local_epsilon(event, epsilon, delta, near)


def _hidden_by_all(sums: Mean, epsilon: float, delta: float) -> float:
    """About the local epsilon that so many people hide, with the least blanket: where to look.

    A loss whose standard deviation is √(2 (1 - blanket) (E - 1) / n) in each of a person's passes
    (`blanket.spread`) stays below epsilon but for delta, if it is a Gaussian's: with E = e^result,
    (E - 1)² / (E + 1) = epsilon² n / (4 ln(1/delta)).
    """
    ratio = (epsilon / math.sqrt(sums.times)) ** 2 * sums.people / (4 * math.log(1 / delta))
    growth = (ratio + math.sqrt(ratio * (ratio + 8))) / 2
    return min(max(math.log1p(growth), _LEAST), _MOST)


def _ways(sums: Mean, local: float, upload: int | None) -> list[Maker]:
    """Every way to report that can be shuffled, the best at this epsilon first.

    What can be opened only with its person's number tells whose it is.
    """
    known = [(make(local).facts, make) for make in devices(sums.contribution, upload)]
    shuffled = [way for way in known if not way[0].numbered]
    return [make for _, make in sorted(shuffled, key=lambda way: way[0].compared_at(sums.cohort))]


def _event(sums: Mean, local: float, blanket: float) -> DpEvent:
    """What the shuffled reports show, under the better bound that holds for the question.

    Where all people run the same randomiser, what it reports without looking at the person hides
    the others: its own blanket, or the least that any randomiser of this epsilon has.
    """
    if sums.rounds > 1:
        shuffled = events.shuffled(local, sums.people)
    else:
        shuffled = events.blanket(local, max(blanket, binary_response(local)), sums.people)
    return sums.event(shuffled, Relation.REPLACE_ONE)
