"""Which sums of a stream reach a threshold, paid for by the number that do.

The sparse-vector technique, on exact sums. With a delta, Laplace noise on the sums alone may be
less than a pure mechanism's two noises; the smaller margin is taken. Who takes part in
which round does not amplify it: the promise is for all rounds together, for whoever is in some.
"""

from typing import final

import equinox as eqx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import BELOW_DELTA, Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.contribution import Grid, Interval
from tacit.facts import NoiseFacts
from tacit.mechanisms.selection.above_threshold import AboveThreshold, Carry
from tacit.mechanisms.selection.threshold_noise import Stream
from tacit.noise.fixed import ROUNDING, FixedPoint, Tall, step_for
from tacit.question.sums import Above

# A margin is compared at this chance of any wrong answer: another one might take the other noise
# where both margins are near, under the same promise. A choice, not measured.
BETA = 0.05


@final
class Alarm(eqx.Module):
    """1.0 for a round whose mean reaches the threshold, else 0.0, until the last positive."""

    mechanism: AboveThreshold
    divisor: float
    rounds: int = eqx.field(static=True)
    rounding: float

    @property
    def grid(self) -> float:
        return self.mechanism.stream.step

    @property
    def facts(self) -> NoiseFacts:
        apart = self.mechanism.tv_distance(self.rounds)
        return NoiseFacts(None, None, apart, drawn_by="the sparse vector technique")

    def margin(self, beta: float) -> float:
        """With probability 1 - `beta` all answers on means farther from the threshold are right."""
        return (self.mechanism.margin(self.rounds, beta) + self.rounding) / self.divisor

    def init(self) -> Carry:
        return self.mechanism.init()

    def brought(self, total: Tall) -> FixedPoint:
        return total.cut()

    def step(
        self, carry: Carry, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[Carry, Float[Array, ""], Bool[Array, ""]]:
        return self.mechanism.step(carry, key, total)


def alarm(budget: Budget, question: Above) -> tuple[Alarm, Guarantee]:
    """The server part that answers a stream, and what it promises the public."""
    sums = question.sums
    sums.refuse_unproved(budget.relation)
    stream = _stream(question, budget.relation)
    rounding = 0.0 if stream.step <= sums.contribution.unit else sums.capacity * stream.step

    def make(epsilon: float, delta: float) -> tuple[Alarm, DpEvent, float]:
        made = [_pure(epsilon, budget.relation, question, stream)]
        if delta > 0:
            positives = question.positives
            made.append(
                AboveThreshold.concentrated(epsilon, delta * BELOW_DELTA, positives, stream)
            )
        best = min(made, key=lambda mechanism: mechanism.margin(sums.rounds, BETA))
        server = Alarm(best, sums.cohort, sums.rounds, rounding)
        return server, best.event, sums.overflow() + server.facts.tv_distance

    return within_delta(budget, make, spared=0.0)


def _pure(epsilon: float, relation: Relation, question: Above, stream: Stream) -> AboveThreshold:
    """Noise on threshold and sums; less of it where one person moves all sums the same way."""
    arguments = epsilon, question.positives, stream, question.sums.rounds
    if relation is not Relation.REPLACE_ONE and _one_signed(question.number):
        return AboveThreshold.monotone(*arguments)
    return AboveThreshold.tight(*arguments)


def _stream(question: Above, relation: Relation) -> Stream:
    sums = question.sums
    shape, threshold = sums.contribution, question.threshold * sums.cohort
    moved = shape.sensitivity(relation)
    # Twice the finest step: the threshold itself, not only sums, has to fit the limbs, and a term
    # has fewer than 2^29 steps.
    step = 2 * step_for(shape.bound, sums.capacity, 0.0)
    if not step <= shape.unit:
        moved = (1 + ROUNDING) * moved + step
    return Stream(threshold, moved, step)


def _one_signed(shape: Interval | Grid) -> bool:
    """Whether no two terms have different signs."""
    ends = (shape.lower, shape.upper) if isinstance(shape, Interval) else (shape.least, shape.most)
    return ends[0] >= 0 or ends[1] <= 0
