"""Linear models: which mechanism fits them from all rows, and what it promises the public."""

from dataclasses import dataclass
from typing import final

from jaxtyping import ArrayLike, Float32, PRNGKeyArray
from numpy import ndarray

from tacit.accounting import events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import BELOW_DELTA, Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.mechanisms.rows.last_iterate import LastIterateDescent
from tacit.mechanisms.rows.objective_perturbation import ObjectivePerturbation
from tacit.question.linear_models import LastIterate, LinearModel
from tacit.question.rows import OfRows
from tacit.solve.objective import Objective


@final
@dataclass(frozen=True)
class Labelled:
    """A mechanism on rows whose last number is the label."""

    mechanism: ObjectivePerturbation | LastIterateDescent

    def sample(self, key: PRNGKeyArray, rows: Float32[ndarray, "people numbers"]) -> ArrayLike:
        return self.mechanism.sample(key, rows[:, :-1], rows[:, -1])


def _refuse_unproved(budget: Budget, asked: LinearModel) -> None:
    """Raises a ValueError for descent under a budget that it is not proved for."""
    if isinstance(asked, LastIterate) and budget.relation is Relation.ADD_REMOVE:
        # A step on more than twice the declared people is no contraction, and nobody may tell.
        raise ValueError(
            "LastIterate is proved for replace-one and zero-out, where the number of people is "
            "public, not for add/remove"
        )
    if isinstance(asked, LastIterate) and budget.delta == 0:
        raise ValueError("noise of descent is Gaussian: its promise needs a delta above 0, got 0")


def linear_model(
    budget: Budget, question: OfRows, asked: LinearModel
) -> tuple[Labelled, Guarantee]:
    """The mechanism for what is `asked`, and its promise.

    Raises:
      ValueError: if a constant of the loss is missing, delta is too small for the samplers, or the
        relation is one that the mechanism is not proved for.
    """
    _refuse_unproved(budget, asked)
    ball = question.features
    objective = Objective(asked.loss, asked.penalty, ball.radius, question.people, ball.dim)

    def make(epsilon: float, delta: float) -> tuple[Labelled, DpEvent, float]:
        mechanism, event = _made(objective, asked, epsilon, delta, budget.relation)
        return Labelled(mechanism), event, mechanism.tv_distance

    return within_delta(budget, make, spared=0.0)


def _made(
    objective: Objective,
    asked: LinearModel,
    epsilon: float,
    delta: float,
    relation: Relation,
) -> tuple[ObjectivePerturbation | LastIterateDescent, DpEvent]:
    if isinstance(asked, LastIterate):
        descent = asked.radius, asked.steps
        made = LastIterateDescent.calibrate(objective, *descent, epsilon, delta, relation)
        return made, made.event
    if delta == 0:
        pure = ObjectivePerturbation.pure(objective, epsilon, relation)
        return pure, events.k_norm(pure.epsilon)
    made = ObjectivePerturbation.gaussian(objective, epsilon, delta * BELOW_DELTA, relation)
    return made, made.event
