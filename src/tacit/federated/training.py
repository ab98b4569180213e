"""Training a model by asking people for updates: one learner for every trust model.

The question of each round is the mean of the people's update vectors; the answer, however it
was made private, goes to the server's optimiser as if it were a gradient. Nothing here knows
about privacy: the learner is the same, to the letter, without any and under each model.
"""

from collections.abc import Callable
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, PyTree

from tacit.federated.updates import Update

Loss = Callable[[Any, PyTree], Float[Array, ""]]


class Progress(eqx.Module):
    """The public state of training: parameters, optimiser, and the running average."""

    parameters: Float[Array, " dim"]
    optimizer: PyTree
    average: Float[Array, " dim"]
    rounds: Int[Array, ""]


@final
class Training(eqx.Module):
    """Learns `model` from people's updates.

    The released model is the average of the parameters after each round from `average_from`
    on (Polyak and Juditsky): averaging costs no privacy and removes most of the noise of the
    last steps.

    Args:
      model: where training starts; its arrays are the parameters.
      loss: the loss of a model on one person's data.
      update: what a device computes.
      optimizer: what the server does with the mean update.
      average_from: the first round whose parameters are averaged.
      rate: the optimiser's steps are multiplied by it; traced, so trying rates compiles once.
    """

    model: PyTree
    loss: Loss = eqx.field(static=True)
    update: Update
    optimizer: optax.GradientTransformation = eqx.field(static=True)
    average_from: int = 0
    rate: Float[Array, ""] = eqx.field(converter=jnp.asarray, default=1.0)

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(self.model, eqx.is_array)))

    def init(self) -> Progress:
        parameters, _ = self._flat()
        return Progress(
            parameters, self.optimizer.init(parameters), parameters, jnp.zeros((), jnp.int32)
        )

    def ask(self, state: Progress, person: PyTree) -> Float[Array, " dim"]:
        arrays, rest = eqx.partition(self.at(state.parameters), eqx.is_array)

        def loss(arrays):
            return self.loss(eqx.combine(arrays, rest), person)

        return _joined(self.update(jax.grad(loss), arrays), self.dim)

    def tell(self, state: Progress, answer: Float[Array, " dim"]) -> Progress:
        step, optimizer = self.optimizer.update(answer, state.optimizer, state.parameters)
        parameters = state.parameters + self.rate * jnp.asarray(step)
        rounds = state.rounds + 1
        weight = 1.0 / jnp.maximum(rounds - self.average_from, 1)
        average = state.average + weight * (parameters - state.average)
        return Progress(parameters, optimizer, average, rounds)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return self._flat()[1](parameters)

    def released(self, state: Progress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.at(state.average)

    def _flat(self) -> tuple[Float[Array, " dim"], Callable[[Float[Array, " dim"]], PyTree]]:
        arrays, rest = eqx.partition(self.model, eqx.is_array)
        parameters, unravel = ravel_pytree(arrays)
        return parameters, lambda flat: eqx.combine(unravel(flat), rest)


def _joined(tree: PyTree[Array], dim: int) -> Float[Array, " dim"]:
    """The leaves as one vector, in the order of `ravel_pytree`.

    Written part by part: XLA on CPUs merges one concatenation of everything with the arithmetic
    around it into a loop that asks of each number which leaf it comes from, and takes up to 70 ms
    for three million parameters where copying takes 5.
    """
    vector, start = jnp.zeros(dim), 0
    for leaf in jax.tree.leaves(tree):
        vector = jax.lax.dynamic_update_slice(vector, leaf.reshape(-1), (start,))
        start += leaf.size
    return vector
