"""A model as one vector, and how answers move it: what every trained model has in common.

The vector holds the model's arrays of real numbers in the order of its leaves. Each answer is
handed to an Optax optimiser as if it were a gradient, whatever made it private, so everything here
is post-processing.

The released model is the average of the parameters after each round from some round on (Polyak and
Juditsky): averaging costs no privacy and removes most of the noise of the last steps.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, PyTree

from tacit.argument import got
from tacit.learning.rates import Rate, length

Vector = Float[Array, " dim"]


class Progress(eqx.Module):
    """The public state of training: parameters, optimiser, and the running average."""

    parameters: Vector
    optimizer: PyTree
    average: Vector
    rounds: Int[Array, ""]


def size(model: PyTree) -> int:
    """How many parameters a model has."""
    return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(model, eqx.is_inexact_array)))


def refuse_untrainable(model: PyTree, optimizer: Any) -> None:
    """Raises a ValueError of a model without parameters, or an optimiser that is none."""
    if not size(model):
        raise ValueError(
            "a model must have an array of real numbers, for these are its parameters and whole "
            f"numbers are none, got {got(model)} without one"
        )
    if isinstance(optimizer, type) or not all(
        callable(getattr(optimizer, name, None)) for name in ("init", "update")
    ):
        raise ValueError(
            f"optimizer must be one of Optax, such as optax.sgd(1.0), got {got(optimizer)}"
        )


def flat(model: PyTree) -> tuple[Vector, Callable[[Vector], PyTree]]:
    """A model's parameters as a vector, and how to make a model of such a vector.

    What is learnt of a model of half precision is in single precision: a step much smaller than a
    number would be lost beside it. The model is rounded from that.
    """
    arrays, rest = eqx.partition(model, eqx.is_inexact_array)
    parameters, unravel = ravel_pytree(arrays)
    kind = parameters.dtype
    learnt = parameters.astype(jnp.result_type(jnp.float32, kind))
    return learnt, lambda vector: eqx.combine(unravel(vector.astype(kind)), rest)


def joined(tree: PyTree[Array], dim: int) -> Vector:
    """The leaves as one vector, in the order of `flat`.

    Written part by part: XLA on CPUs merges one concatenation of everything with the arithmetic
    around it into a loop that asks of each number which leaf it comes from, and takes many times as
    long as copying.

    Raises:
      ValueError: if they are not `dim` numbers: one would be written over another.
    """
    leaves = jax.tree.leaves(tree)
    if (numbers := sum(leaf.size for leaf in leaves)) != dim:
        raise ValueError(f"a model of {dim} parameters has as many numbers, got {numbers}")
    kind = jnp.result_type(jnp.float32, *leaves)
    vector, start = jnp.zeros(dim, kind), 0
    for leaf in leaves:
        vector = jax.lax.dynamic_update_slice(vector, leaf.reshape(-1).astype(kind), (start,))
        start += leaf.size
    return vector


def begun(model: PyTree, optimizer: optax.GradientTransformation) -> Progress:
    """Before the first round."""
    parameters, _ = flat(model)
    return Progress(parameters, optimizer.init(parameters), parameters, jnp.zeros((), jnp.int32))


def moved(
    state: Progress,
    answer: Vector,
    optimizer: optax.GradientTransformation,
    rate: Rate,
    average_from: int,
) -> Progress:
    """After one more answer: the optimiser's step times `rate`, and the average so far.

    Args:
      state: before the answer.
      answer: in the place of a gradient.
      optimizer: any of Optax.
      rate: what its steps are multiplied by, also by the rounds done.
      average_from: the first round, counted from zero, whose parameters are averaged.
    """
    step, memory = optimizer.update(answer, state.optimizer, state.parameters)
    parameters = state.parameters + length(rate, state.rounds) * jnp.asarray(step)
    rounds = state.rounds + 1
    weight = 1.0 / jnp.maximum(rounds - average_from, 1)
    average = state.average + weight * (parameters - state.average)
    return Progress(parameters, memory, average, rounds)
