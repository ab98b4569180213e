"""Linear models: which mechanism fits them from all rows, and what it promises the public.

Samplers of so many numbers are not always within a negligible distance of their laws. What that
spills into delta is known when a mechanism is made, so a little of delta is set aside at first, and
half of it if that was not enough.
"""

from dataclasses import dataclass
from typing import final

from dp_accounting import DpEvent
from jaxtyping import ArrayLike, Float32, PRNGKeyArray
from numpy import ndarray

from tacit.accounting import events
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.mechanisms.rows import last_iterate
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.plan import Guarantee
from tacit.promise import SPARED, Promise, kept, refuse_unless_pure
from tacit.question.rows import Fit, LastIterate, Minimiser
from tacit.solve.minimise import Objective


@final
@dataclass(frozen=True)
class Labelled:
    """A mechanism on rows whose last number is the label."""

    mechanism: ObjectivePerturbation | last_iterate.LastIterate

    def sample(self, key: PRNGKeyArray, rows: Float32[ndarray, "people numbers"]) -> ArrayLike:
        return self.mechanism.sample(key, rows[:, :-1], rows[:, -1])


def linear_model(
    promise: Promise, question: Fit, asked: Minimiser | LastIterate
) -> tuple[Labelled, Guarantee]:
    """The mechanism for what is `asked`, and its promise.

    Raises:
      ValueError: if a constant of the loss is missing, delta is too small for the samplers, or the
        relation is one that the mechanism is not proved for.
    """
    if isinstance(asked, LastIterate) and promise.relation is Relation.ADD_REMOVE:
        # A step on more than twice the declared people is no contraction, and nobody may tell.
        raise ValueError(
            "LastIterate is proved for replace-one and zero-out, where the number of people is "
            "public, not for add/remove"
        )
    ball = question.features
    objective = Objective(asked.loss, asked.penalty, ball.radius, question.people, ball.dim)
    if promise.delta == 0:
        return _pure(promise, objective, asked)
    for spared in (SPARED * promise.delta, promise.delta / 2):
        mechanism, event = _made(promise, objective, asked, promise.delta - spared)
        spill = overflow_delta(promise.epsilon, mechanism.distance)
        if spill <= spared:
            return Labelled(mechanism), kept(promise, event, spill)
    raise ValueError(
        f"delta must exceed {2 * spill:.3g} at epsilon {promise.epsilon:g}, for the samplers"
    )


def _pure(
    promise: Promise, objective: Objective, asked: Minimiser | LastIterate
) -> tuple[Labelled, Guarantee]:
    if isinstance(asked, LastIterate):
        raise ValueError("noise of descent is Gaussian: its promise needs a delta above 0, got 0")
    mechanism = ObjectivePerturbation.pure(objective, promise.epsilon, promise.relation)
    refuse_unless_pure(promise, mechanism.distance)
    spill = overflow_delta(promise.epsilon, mechanism.distance)
    return Labelled(mechanism), kept(promise, events.k_norm(mechanism.epsilon), spill)


def _made(
    promise: Promise, objective: Objective, asked: Minimiser | LastIterate, delta: float
) -> tuple[ObjectivePerturbation | last_iterate.LastIterate, DpEvent]:
    budget = promise.epsilon, delta, promise.relation
    if isinstance(asked, LastIterate):
        made = last_iterate.LastIterate.calibrate(objective, asked.radius, asked.steps, *budget)
    else:
        made = ObjectivePerturbation.gaussian(objective, *budget)
    return made, made.event
