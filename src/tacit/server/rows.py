"""Statistics of all rows at once: which mechanism answers, and what it promises the public.

The curator's own: rows leave the compiled round for the host, where the mechanisms draw their noise
exactly, in whole numbers and fractions of any length. The whole promise goes to the one answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float32, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.calibration import even_share
from tacit.accounting.relation import Relation
from tacit.contribution import Interval
from tacit.mechanisms.rows import propose_test_release, quantile, smooth_quantile
from tacit.mechanisms.rows.sample_and_aggregate import BlockMean, SampleAndAggregate
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace, SmoothNoise
from tacit.mechanisms.rows.smooth_trimmed_mean import SmoothTrimmedMean
from tacit.plan import Guarantee
from tacit.promise import SPARED, Promise, Pure, kept
from tacit.question.rows import (
    OF_BLOCKS,
    OF_LABELLED,
    BlockMeans,
    BlockMedians,
    Fit,
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.server.linear_model import linear_model


@final
@dataclass(frozen=True)
class Whole:
    """One mechanism's answer from all rows; NaN where it refuses.

    Args:
      mechanism: its numbers are public.
      function: what it asks of blocks of rows; None for mechanisms that ask nothing.
      size: how many numbers it answers.
    """

    mechanism: Any
    function: Callable | None = field(metadata={"recorded": False})
    size: int

    @property
    def grid(self) -> float:
        return 0.0

    @property
    def noise(self) -> float:
        return 0.0

    @property
    def error(self) -> float:
        return 0.0

    @property
    def distance(self) -> float:
        return 0.0

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: Float32[np.ndarray, "people *shape"]
    ) -> tuple[None, Float[Array, " size"], None]:
        asked = () if self.function is None else (self.function,)
        answer = self.mechanism.sample(key, *asked, total)
        shown = np.full(self.size, np.nan) if answer is None else answer
        return carry, jnp.asarray(shown, jnp.float32).reshape(self.size), None


def fitted(promise: Promise, question: Fit) -> tuple[Whole, Guarantee]:
    """The server part that answers from all rows, and its promise.

    Raises:
      ValueError: if the statistic is not proved under the promise's relation, or needs a delta.
    """
    statistic, shape = question.statistic, question.contribution
    if isinstance(statistic, OF_LABELLED):
        model, guarantee = linear_model(promise, question, statistic)
        return Whole(model, None, question.size), guarantee
    if isinstance(statistic, Quantile) and isinstance(shape, Interval):
        mechanism = _by_rank(promise, shape, statistic)
    elif promise.relation is not Relation.REPLACE_ONE:
        raise ValueError(
            f"{type(statistic).__name__} is proved for replace-one, not for "
            f"{promise.relation.value}"
        )
    else:
        mechanism = _replacing(promise, question)
    blocks = isinstance(statistic, OF_BLOCKS)
    function = statistic.function if blocks else None
    return Whole(mechanism, function, question.size), _guarantee(promise, mechanism)


def _by_rank(promise: Promise, shape: Interval, statistic: Quantile) -> quantile.Quantile:
    arguments = statistic.share, promise.epsilon, shape.lower, shape.upper, statistic.cells
    # A person who is zeroed is replaced; only one who comes or goes moves all ranks one way.
    if promise.relation is Relation.ADD_REMOVE:
        return quantile.Quantile.add_remove(*arguments)
    return quantile.Quantile.replace_one(*arguments)


def _replacing(promise: Promise, question: Fit) -> Any:
    delta = _spent(promise)
    match question.contribution, question.statistic:
        case Interval(lower=lower, upper=upper), SmoothQuantile(share=share):
            noise = _smooth(promise.epsilon, delta)
            return smooth_quantile.SmoothQuantile(noise, lower, upper, share)
        case Interval(lower=lower, upper=upper), TrimmedMean(trim=trim):
            noise = _smooth(promise.epsilon, delta)
            return SmoothTrimmedMean(noise, lower, upper, trim)
        case Interval(lower=lower, upper=upper), ProposedQuantile(bound=bound, share=share):
            if not promise.delta > 0:
                raise ValueError("a test of the data's sensitivity needs a delta above 0, got 0")
            budget = promise.epsilon, delta
            return propose_test_release.ProposedQuantile(*budget, bound, lower, upper, share)
        case _, BlockMeans(blocks=blocks, outputs=outputs):
            own = even_share(promise.epsilon, len(outputs))
            means = tuple(BlockMean(own, each.lower, each.upper) for each in outputs)
            return SampleAndAggregate(blocks, means)
        case _, BlockMedians(blocks=blocks, outputs=outputs):
            noise = _smooth(even_share(promise.epsilon, len(outputs)), delta / len(outputs))
            medians = tuple(
                smooth_quantile.SmoothQuantile(noise, each.lower, each.upper) for each in outputs
            )
            return SampleAndAggregate(blocks, medians)


def _smooth(epsilon: float, delta: float) -> SmoothNoise:
    """Pure Cauchy noise has no mean; with a delta, Laplace noise has every moment."""
    return SmoothLaplace(epsilon, delta) if delta > 0 else SmoothCauchy(epsilon)


def _spent(promise: Promise) -> float:
    """The delta a mechanism gets: a little less, for an accountant's grid."""
    return promise.delta * (1 - SPARED)


def _guarantee(promise: Promise, mechanism: Any) -> Guarantee:
    """The samplers of these are exact."""
    if isinstance(mechanism, quantile.Quantile) or mechanism.delta == 0:
        pure = Pure(mechanism.epsilon, promise.relation)
        return kept(pure, events.k_norm(mechanism.epsilon), 0.0)
    return kept(promise, events.epsilon_delta(mechanism.epsilon, mechanism.delta), 0.0)
