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
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import BELOW_DELTA, Budget, promised, pure
from tacit.contribution import Interval, Outer
from tacit.facts import NoiseFacts
from tacit.mechanisms.rows.bingham import BinghamDirection
from tacit.mechanisms.rows.minimum_distance import MinimumDistance
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.mechanisms.rows.propose_test_release import ProposeTestReleaseQuantile
from tacit.mechanisms.rows.sample_and_aggregate import BlockMean, SampleAndAggregate
from tacit.mechanisms.rows.smooth_quantile import SmoothSensitivityQuantile
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace, SmoothNoise
from tacit.mechanisms.rows.smooth_trimmed_mean import SmoothTrimmedMean
from tacit.question.blocks import BlockMeans, BlockMedians, OfBlocks
from tacit.question.concepts import Concept
from tacit.question.databases import Database
from tacit.question.laws import NearestLaw
from tacit.question.linear_models import LinearModel
from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.question.rows import LeadingDirection, OfRows, Statistic
from tacit.server.by_rank import one_by_rank, several_by_rank
from tacit.server.concepts import UNSURE, learnt
from tacit.server.databases import made
from tacit.server.linear_model import Labelled, linear_model


@final
@dataclass(frozen=True)
class Whole:
    """One mechanism's answer from all rows; NaN where it refuses.

    Args:
      mechanism: its numbers are public.
      function: what it asks of blocks of rows; None for mechanisms that ask nothing.
      size: how many numbers it answers.
      off: by how many ranks one of several quantiles is predicted to be off.
      known: in words, how wrong a concept or a database may be.
    """

    mechanism: Any
    function: Callable | None = field(metadata={"recorded": False})
    size: int
    off: float | None = None
    known: str | None = None

    @property
    def grid(self) -> float:
        return 0.0

    @property
    def facts(self) -> NoiseFacts:
        own = self.mechanism.mechanism if isinstance(self.mechanism, Labelled) else self.mechanism
        far = own.error_bound(UNSURE) if isinstance(own, MinimumDistance) else None
        used = own.raised if isinstance(own, ObjectivePerturbation) else None
        how = {"drawn_by": type(own).__name__, "known": self.known, "penalty": used}
        return NoiseFacts(None, None, ranks=self.off, distance=far, **how)

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: Float32[np.ndarray, "people *shape"]
    ) -> tuple[None, Float[Array, " size"], None]:
        asked = () if self.function is None else (self.function,)
        answer = self.mechanism.sample(key, *asked, total)
        shown = np.full(self.size, np.nan) if answer is None else answer
        return carry, jnp.asarray(shown, jnp.float32).reshape(self.size), None


def fitted(budget: Budget, question: OfRows) -> tuple[Whole, Guarantee]:
    """The server part that answers from all rows, and its promise.

    Raises:
      ValueError: if the statistic is not proved under the promise's relation, or needs a delta.
    """
    statistic, shape = question.statistic, question.contribution
    if isinstance(statistic, LinearModel):
        return _model(budget, question, statistic)
    if isinstance(statistic, Quantile | Quantiles) and isinstance(shape, Interval):
        return _by_rank(budget, shape, statistic, question.people)
    if isinstance(statistic, Concept):
        return _concept(budget, statistic, question.people)
    if isinstance(statistic, Database):
        return _database(budget, statistic, question.people)
    if isinstance(statistic, NearestLaw):
        return _nearest(budget, statistic, question.people)
    if isinstance(statistic, LeadingDirection) and isinstance(shape, Outer):
        return _direction(budget, shape, question.people)
    mechanism, guarantee = _replacing(budget, question)
    return Whole(mechanism, _asked(statistic), question.size), guarantee


def _asked(statistic: Statistic) -> Callable | None:
    return statistic.function if isinstance(statistic, OfBlocks) else None


def _model(budget: Budget, question: OfRows, statistic: LinearModel) -> tuple[Whole, Guarantee]:
    model, guarantee = linear_model(budget, question, statistic)
    return Whole(model, None, question.size), guarantee


def _concept(budget: Budget, concept: Concept, people: int) -> tuple[Whole, Guarantee]:
    mechanism, event, known = learnt(budget, concept, people)
    return Whole(mechanism, None, concept.size, known=known), pure(event, budget.relation, 0.0)


def _database(budget: Budget, database: Database, people: int) -> tuple[Whole, Guarantee]:
    mechanism, guarantee, known = made(budget, database, people)
    return Whole(mechanism, None, database.size, known=known), guarantee


def _nearest(budget: Budget, law: NearestLaw, people: int) -> tuple[Whole, Guarantee]:
    mechanism = MinimumDistance(law.units, law.digest, budget.epsilon, people)
    event = events.permute_and_flip(mechanism.choice.epsilon)
    return Whole(mechanism, None, 1), pure(event, budget.relation, 0.0)


def _direction(budget: Budget, shape: Outer, people: int) -> tuple[Whole, Guarantee]:
    """What a sum of squares moves by is as far apart, along two directions, as its nuclear norm."""
    moved = round(shape.nuclear_sensitivity(budget.relation) / shape.bound)
    own = shape.dim, shape.radius, shape.levels
    mechanism = BinghamDirection(*own, budget.epsilon, moved)
    short = mechanism.shortfall(people, UNSURE) / people * shape.bound
    known = f"along it a mean square within {short:.3g} of the most, 95 times of 100"
    event = events.exponential_mechanism(budget.epsilon)
    guarantee = pure(event, budget.relation, mechanism.tv_distance)
    return Whole(mechanism, None, shape.dim, known=known), guarantee


def _by_rank(
    budget: Budget, shape: Interval, statistic: Quantile | Quantiles, people: int
) -> tuple[Whole, Guarantee]:
    if isinstance(statistic, Quantile):
        server = Whole(one_by_rank(budget, shape, statistic), None, 1)
    else:
        mechanism = several_by_rank(budget, shape, statistic, people)
        server = Whole(mechanism, None, statistic.size, mechanism.predicted(people))
    return server, pure(events.k_norm(server.mechanism.epsilon), budget.relation, 0.0)


def _replacing(budget: Budget, question: OfRows) -> tuple[Any, Guarantee]:
    """Its samplers are exact, so nothing is reserved."""
    if budget.relation is not Relation.REPLACE_ONE:
        name = type(question.statistic).__name__
        raise ValueError(f"{name} is proved for replace-one, not for {budget.relation.value}")
    mechanism = _mechanism(question, budget.epsilon, budget.delta * BELOW_DELTA)
    if mechanism.delta == 0:
        return mechanism, pure(events.k_norm(mechanism.epsilon), budget.relation, 0.0)
    event = events.epsilon_delta(mechanism.epsilon, mechanism.delta)
    return mechanism, promised(event, budget.relation, budget.delta, 0.0)


def _mechanism(question: OfRows, epsilon: float, delta: float) -> Any:
    match question.contribution, question.statistic:
        case Interval(lower=lower, upper=upper), SmoothQuantile(share=share):
            noise = _smooth(epsilon, delta)
            return SmoothSensitivityQuantile(noise, lower, upper, share)
        case Interval(lower=lower, upper=upper), TrimmedMean(trim=trim):
            noise = _smooth(epsilon, delta)
            return SmoothTrimmedMean(noise, lower, upper, trim)
        case Interval(lower=lower, upper=upper), ProposedQuantile(bound=bound, share=share):
            if not delta > 0:
                raise ValueError("a test of the data's sensitivity needs a delta above 0, got 0")
            budget = epsilon, delta
            return ProposeTestReleaseQuantile(*budget, bound, lower, upper, share)
        case _, BlockMeans(blocks=blocks, outputs=outputs):
            own = even_share(epsilon, len(outputs))
            means = tuple(BlockMean(own, each.lower, each.upper) for each in outputs)
            return SampleAndAggregate(blocks, means)
        case _, BlockMedians(blocks=blocks, outputs=outputs):
            noise = _smooth(even_share(epsilon, len(outputs)), delta / len(outputs))
            medians = tuple(
                SmoothSensitivityQuantile(noise, each.lower, each.upper) for each in outputs
            )
            return SampleAndAggregate(blocks, medians)


def _smooth(epsilon: float, delta: float) -> SmoothNoise:
    """Pure Cauchy noise has no mean; with a delta, Laplace noise has every moment."""
    return SmoothLaplace(epsilon, delta) if delta > 0 else SmoothCauchy(epsilon)
