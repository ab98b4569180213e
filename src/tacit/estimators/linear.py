"""Linear classifiers of every trust: rows in the ball, a loss, and the lines that come of it.

A curator solves for the minimum in one release (`convex`); where people randomise, everybody's
gradient is asked for once, in one of several rounds (`gradients`), from weights of zero. No
gradient of these losses is longer than their Lipschitz constant, and that is the clip, so nothing
is cut.
"""

from dataclasses import dataclass
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from tacit.estimators import convex, gradients
from tacit.estimators.release import Terms
from tacit.estimators.trusts import CURATED
from tacit.learning.descent import Descent
from tacit.models.layers import Dense
from tacit.population.release import Release
from tacit.question.participation import Once
from tacit.question.sums import Mean
from tacit.solve.losses import Loss
from tacit.statistics.answers import Answers

Weights = Float[np.ndarray, "with_constant *outputs"]


@final
@dataclass(frozen=True)
class Examples:
    """Rows in the ball, the numbers of their classes, and the public number of people."""

    rows: Float[np.ndarray, "people features"]
    labels: Int[np.ndarray, " people"]
    people: int


def weights_of(
    terms: Terms, examples: Examples, loss: Loss, penalty: float, rounds: int, rate: float
) -> tuple[Weights, Release]:
    """The weights of rows and of the constant after them, and the release they are.

    Args:
      terms: on which people are asked.
      examples: the people.
      loss: of one score if there are two classes.
      penalty: per person.
      rounds, rate: where people randomise.
    """
    if isinstance(terms.trust, CURATED):
        return minimised(terms, examples, loss, penalty)
    clip = loss.lipschitz(convex.REACH)
    model = zero(examples.rows.shape[1], loss)
    learner = gradients.descent(model, loss, clip, rate, penalty, rounds)
    question = learner.question(Once(), rounds, examples.people)
    return descended(terms, examples, loss, question, learner)


def descended(
    terms: Terms, examples: Examples, loss: Loss, question: Mean, learner: Descent
) -> tuple[Weights, Release]:
    """The same by gradient rounds of a learner of a `Dense` layer."""
    plan = terms.trust.plan(question)
    labels = convex.signed(examples.labels, loss)
    data = examples.rows.astype(np.float32), labels
    made = terms.released(plan, learner, data)
    layer = learner.released(made.state)
    whole = np.concatenate([layer.weight, layer.bias[None]]).astype(np.float64)
    return whole.reshape(-1, *loss.outputs), made


def zero(features: int, loss: Loss) -> Dense:
    """A layer of zeros."""
    layer = Dense(features, loss.outputs[0] if loss.outputs else 1, jax.random.key(0))
    return eqx.tree_at(lambda own: own.weight, layer, jnp.zeros_like(layer.weight))


def minimised(
    terms: Terms, examples: Examples, loss: Loss, penalty: float
) -> tuple[Weights, Release]:
    """The same in one release, for a curator."""
    dim = examples.rows.shape[1] + 1
    question = convex.asked(loss, penalty, dim, examples.people)
    plan = convex.planned(terms.trust, question)
    data = convex.table(examples.rows, convex.signed(examples.labels, loss))
    learner = Answers(1, shape=(question.size,))
    made = terms.released(plan, learner, data)
    weights = np.asarray(made.state[0][0], np.float64)
    return weights.reshape(dim, *loss.outputs), made
