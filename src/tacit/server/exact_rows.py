"""Statistics of all rows as they are: what privacy is measured against. **Guarantee**: none.

Rows are brought into the question's shape, as they are for a mechanism, so that what differs is the
noise alone.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol, cast, final

import numpy as np
from jaxtyping import ArrayLike, Float, Int32, PRNGKeyArray

from tacit.contribution import Interval
from tacit.mechanisms.rows.last_iterate import descended
from tacit.mechanisms.rows.minimum_distance import PairSets
from tacit.mechanisms.rows.sample_and_aggregate import SampleAndAggregate
from tacit.mechanisms.rows.smooth_quantile import rank_of
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.concepts import Concept
from tacit.question.databases import Database
from tacit.question.laws import NearestLaw
from tacit.question.linear_models import LastIterate, Minimiser
from tacit.question.order_statistics import Quantiles, TrimmedMean
from tacit.question.rows import LeadingDirection, OfRows
from tacit.server.databases import without_noise
from tacit.server.exact_concepts import exactly
from tacit.server.rows import Whole
from tacit.solve.losses import Loss
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

Numbers = Float[np.ndarray, " people"]
Labelled = Float[np.ndarray, "people numbers"]
# Of the mean gradient, where no noise hides what is left of it.
_TOLERANCE = 1e-9


class Exact(Protocol):
    """A statistic, sampled like a mechanism: the key is not used."""

    def sample(self, key: PRNGKeyArray, rows: Any) -> ArrayLike: ...


@final
@dataclass(frozen=True)
class ExactQuantile:
    """The value that a `share` of all numbers are at most."""

    share: float

    def sample(self, key: PRNGKeyArray, rows: Numbers) -> float:
        return float(ExactQuantiles((self.share,)).sample(key, rows)[0])


@final
@dataclass(frozen=True)
class ExactQuantiles:
    """The values that each of several shares of all numbers are at most; of no numbers, NaN."""

    shares: tuple[float, ...]

    def sample(self, key: PRNGKeyArray, rows: Numbers) -> Numbers:
        del key
        if not len(rows):
            return np.full(len(self.shares), np.nan)
        return np.sort(rows)[[rank_of(share, len(rows)) - 1 for share in self.shares]]


@final
@dataclass(frozen=True)
class ExactTrimmedMean:
    """The mean of all numbers but a `trim` of them at each end."""

    trim: float

    def sample(self, key: PRNGKeyArray, rows: Numbers) -> float:
        del key
        ends = math.floor(self.trim * len(rows))
        return float(np.mean(np.sort(rows.astype(np.float64))[ends : len(rows) - ends]))


@final
@dataclass(frozen=True)
class ExactMean:
    """The mean of the blocks' answers, each brought into the interval."""

    outputs: Interval

    epsilon, delta = math.inf, 0.0

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float:
        del key
        return float(np.mean(_within(self.outputs, values)))


@final
@dataclass(frozen=True)
class ExactMedian:
    """The median of the blocks' answers, each brought into the interval."""

    outputs: Interval

    epsilon, delta = math.inf, 0.0

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float:
        return ExactQuantile(0.5).sample(key, _within(self.outputs, values))


@final
@dataclass(frozen=True)
class ExactNearest:
    """The law of least distance from people's counts, the first of several."""

    law: NearestLaw
    people: int

    def sample(self, key: PRNGKeyArray, rows: Int32[np.ndarray, " people"]) -> int:
        del key
        return int(np.argmin(PairSets(self.law.units).steps_off(rows)))

    def error_bound(self, chance: float) -> float:
        """As of `MinimumDistance`, of which what is drawn is left."""
        return 2 * PairSets(self.law.units).drawn_off(self.people, chance)


@final
@dataclass(frozen=True)
class ExactDirection:
    """The direction of most squares; of the opposite ones, either."""

    def sample(self, key: PRNGKeyArray, rows: Labelled) -> Numbers:
        del key
        return np.linalg.eigh(rows.T.astype(np.float64) @ rows)[1][:, -1]


@final
@dataclass(frozen=True)
class ExactMinimum:
    """The minimum of a linear model's objective."""

    objective: Objective

    def sample(self, key: PRNGKeyArray, rows: Labelled) -> Float[np.ndarray, " dim *outputs"]:
        del key
        examples = cut(self.objective, rows[:, :-1], rows[:, -1])
        return minimise(self.objective, examples, _TOLERANCE * self.objective.people).point


@final
@dataclass(frozen=True)
class ExactDescent:
    """Where projected gradient descent on that objective is after so many steps."""

    objective: Objective
    radius: float
    steps: int

    def sample(self, key: PRNGKeyArray, rows: Labelled) -> Float[np.ndarray, " dim *outputs"]:
        del key
        examples = cut(self.objective, rows[:, :-1], rows[:, -1])
        return descended(self.objective, examples, self.radius, self.steps)


def exact(question: OfRows) -> Whole:
    """The server part that answers with the statistic itself."""
    function = getattr(question.statistic, "function", None)
    asked = question.statistic
    if isinstance(asked, Concept):
        return Whole(exactly(asked), None, question.size)
    if isinstance(asked, LeadingDirection):
        return Whole(ExactDirection(), None, question.size)
    if isinstance(asked, Database):
        return Whole(without_noise(asked, question.people), None, question.size)
    if isinstance(asked, NearestLaw):
        return Whole(ExactNearest(asked, question.people), None, question.size)
    return Whole(_statistic(question), function, question.size)


def _statistic(question: OfRows) -> Any:
    match question.statistic:
        case BlockMeans(blocks=blocks, outputs=outputs):
            return SampleAndAggregate(blocks, tuple(map(ExactMean, outputs)))
        case BlockMedians(blocks=blocks, outputs=outputs):
            return SampleAndAggregate(blocks, tuple(map(ExactMedian, outputs)))
        case Quantiles(shares=shares):
            return ExactQuantiles(shares)
        case TrimmedMean(trim=trim):
            return ExactTrimmedMean(trim)
        case Minimiser(loss=loss, penalty=penalty):
            return ExactMinimum(_objective(question, loss, penalty))
        case LastIterate(loss=loss, penalty=penalty, radius=radius, steps=steps):
            return ExactDescent(_objective(question, loss, penalty), radius, steps)
    return ExactQuantile(cast(Any, question.statistic).share)


def _within(outputs: Interval, values: ArrayLike) -> Numbers:
    held = np.nan_to_num(np.asarray(values, np.float64), nan=outputs.lower)
    return np.clip(held, outputs.lower, outputs.upper)


def _objective(question: OfRows, loss: Loss, penalty: L2) -> Objective:
    ball = question.features
    return Objective(loss, penalty, ball.radius, question.people, ball.dim)
