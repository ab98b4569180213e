"""What theorems ask of an optimiser besides its steps: to stay in a set, and to keep an average.

Each wraps any optimiser of Optax, and is one itself. `schedules` says which average has a theorem.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Int, PyTree

from tacit.argument import got, is_number

Project = Callable[[PyTree], PyTree]


def projected(
    optimizer: optax.GradientTransformation, project: Project
) -> optax.GradientTransformation:
    """The optimiser, and after each of its steps the nearest point of a convex set.

    Weights that start in the set stay in it, but for the rounding of one difference and one sum;
    also at a learner's `rate` of at most one, which goes a part of the way between two points.

    Args:
      project: onto the set, of the parameters as the optimiser gets them: one vector, in `Descent`
        (`optax.projections` has balls, boxes and the simplex).
    """

    def update(updates: PyTree, state: PyTree, params: PyTree = None):
        steps, state = optimizer.update(updates, state, params)
        nearest = project(optax.apply_updates(params, steps))
        return jax.tree.map(jnp.subtract, nearest, params), state

    return optax.GradientTransformation(optimizer.init, update)


class Averaged(NamedTuple):
    """An optimiser's state, the mean of the points so far, and how many they are."""

    optimizer: PyTree
    average: PyTree
    rounds: Int[Array, ""]


def averaged(optimizer: optax.GradientTransformation, power: int) -> optax.GradientTransformation:
    """The optimiser, whose state has the `average` of the points at which it got gradients.

    The t-th of them has a weight of t (t + 1) ... (t + power - 1): 0 is the plain mean, 1 has
    weights t. Of a run of `Descent` it is `learner.at(state.optimizer.average)`; what `released`
    gives is the plain mean of the points after each round.

    Raises:
      ValueError: if `power` is negative.
    """
    if not (is_number(power) and power >= 0):
        raise ValueError(f"power must be at least zero, got {got(power)}")

    def init(params: PyTree) -> Averaged:
        return Averaged(optimizer.init(params), params, jnp.zeros((), jnp.int32))

    def update(updates: PyTree, state: PyTree, params: PyTree = None):
        steps, inner = optimizer.update(updates, state.optimizer, params)
        rounds = state.rounds + 1
        part = (power + 1) / (rounds + power)
        average = jax.tree.map(lambda mean, own: mean + part * (own - mean), state.average, params)
        return steps, Averaged(inner, average, rounds)

    return optax.GradientTransformation(init, update)
