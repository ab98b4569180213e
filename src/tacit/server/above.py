"""Which sums of a stream reach a threshold, paid for by the number that do.

The sparse-vector technique, on exact sums. With a delta, Laplace noise on the sums alone may be
less than a pure mechanism's two noises; the smaller margin of error is taken. Who takes part in
which round does not amplify it: the promise is for all rounds together, for whoever is in some.
"""

from typing import final

import equinox as eqx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.contribution import Grid, Interval
from tacit.mechanisms.selection.above_threshold import AboveThreshold, Carry, Stream
from tacit.noise.fixed import Fixed, Tall, step_for
from tacit.plan import Guarantee
from tacit.promise import ROUNDING, SPARED, Promise, kept, refuse_unless_pure
from tacit.question.sums import Above

# A margin of error is compared at this chance of any wrong answer.
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
    def noise(self) -> float:
        return 0.0

    @property
    def error(self) -> float:
        return 0.0

    @property
    def distance(self) -> float:
        return self.mechanism.distance(self.rounds)

    def margin(self, beta: float) -> float:
        """With probability 1 - `beta` all answers on means farther from the threshold are right."""
        return (self.mechanism.error(self.rounds, beta) + self.rounding) / self.divisor

    def init(self) -> Carry:
        return self.mechanism.init()

    def brought(self, total: Tall) -> Fixed:
        return total.cut()

    def step(
        self, carry: Carry, key: PRNGKeyArray, total: Fixed
    ) -> tuple[Carry, Float[Array, ""], Bool[Array, ""]]:
        return self.mechanism.step(carry, key, total)


def alarm(promise: Promise, question: Above) -> tuple[Alarm, Guarantee]:
    """The server part that answers a stream, and what it promises the public."""
    sums = question.sums
    sums.refuse_unproved(promise.relation)
    cuts, spared = overflow_delta(promise.epsilon, sums.overflow()), SPARED * promise.delta
    if promise.delta > 0 and not cuts + spared < promise.delta:
        raise ValueError(f"delta must exceed {cuts:.3g}, the cost of overflowing cohorts")
    stream = _stream(question, promise.relation)
    made = [_pure(promise, question, stream)]
    if promise.delta > 0:
        left = promise.delta - cuts - spared
        made.append(AboveThreshold.concentrated(promise.epsilon, left, question.positives, stream))
    best = min(made, key=lambda mechanism: mechanism.error(sums.rounds, BETA))
    rounding = 0.0 if stream.step <= sums.contribution.unit else sums.capacity * stream.step
    server = Alarm(best, sums.cohort, sums.rounds, rounding)
    spill = cuts + overflow_delta(promise.epsilon, server.distance)
    if promise.delta > 0 and not spill <= cuts + spared:
        raise ValueError(
            f"delta must exceed {spill / SPARED:.3g}, for samplers so many rounds long"
        )
    refuse_unless_pure(promise, sums.overflow() + server.distance)
    return server, kept(promise, best.event, spill)


def _pure(promise: Promise, question: Above, stream: Stream) -> AboveThreshold:
    """Noise on threshold and sums; less of it where one person moves all sums the same way."""
    arguments = promise.epsilon, question.positives, stream, question.sums.rounds
    if promise.relation is not Relation.REPLACE_ONE and _one_signed(question.number):
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
