"""Models learnt by gradient rounds: who takes part when, and what each round does.

| trust | participation |
| --- | --- |
| `Local`, `Shuffled` | `Once`: everybody reports once, in one secret round |
| any other, `batch` at least all people | `Everyone` |
| any other under add/remove or zero-out | `Poisson`, of so many expected |
| any other | `Fixed`, of exactly so many |

The optimiser is plain descent; the model released is the average over the later half of the rounds.
A penalty acts on the public parameters after each answer, not on people's gradients, so it costs
nothing of the clip.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import equinox as eqx
import optax
from jaxtyping import Array, Float, PyTree

from tacit.accounting.relation import Relation
from tacit.estimators.trusts import Trust, relation_of
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.question.participation import Everyone, Fixed, Once, Participation, Poisson
from tacit.solve.losses import Loss
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled


@final
@dataclass(frozen=True)
class OnExample:
    """A loss of scores as one of a model and an example, (row, label)."""

    loss: Loss

    def __call__(self, model: Any, example: PyTree[Array]) -> Float[Array, ""]:
        row, label = example
        return self.loss.value(model(row).reshape(self.loss.outputs), label)


def participation(trust: Trust, batch: int, people: int) -> Participation:
    """Who takes part when.

    Raises:
      ValueError: if the batch is not at least one.
    """
    if not batch >= 1:
        raise ValueError(f"batch must be at least 1, got {batch}")
    if isinstance(trust, Local | Shuffled):
        return Once()
    if batch >= people:
        return Everyone()
    if relation_of(trust) in (Relation.ADD_REMOVE, Relation.ZERO_OUT):
        return Poisson(batch / people)
    return Fixed(batch)


def descent(
    model: eqx.Module, loss: Loss, clip: float, rate: float, penalty: float, rounds: int
) -> Descent:
    """Descent from `model`.

    Args:
      model: of one row.
      loss: of its scores.
      clip: the longest gradient of one person.
      rate: the step.
      penalty: per person, at least zero.
      rounds: how many.

    Raises:
      ValueError: if a number is out of its range.
    """
    if not 0 < rate < math.inf:
        raise ValueError(f"rate must be positive and finite, got {rate}")
    if not 0 <= penalty < math.inf:
        raise ValueError(f"penalty must be at least 0 and finite, got {penalty}")
    optimizer, later = _optimizer(float(penalty)), rounds // 2
    return Descent(model, OnExample(loss), Flat(clip), optimizer, later, rate)


@lru_cache
def _optimizer(penalty: float) -> optax.GradientTransformation:
    # One object for each penalty: a compiled round is found by it again.
    return optax.chain(optax.add_decayed_weights(penalty), optax.sgd(1.0))
