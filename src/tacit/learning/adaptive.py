"""Gradient descent whose clipping bound follows a quantile of the gradients' norms.

What the bound is, how it moves and what that costs is `tacit.learning.quantile_bound`; this learns
from people with one example each, and sums everybody's terms in one backward pass.
`tacit.federated.AdaptiveTraining` does the same with what devices compute.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PyTree

from tacit.argument import got, is_made, refuse_not_counted, single
from tacit.learning import progress
from tacit.learning.clipping import clipped
from tacit.learning.gradient_terms import GradientTerms
from tacit.learning.progress import Progress
from tacit.learning.quantile_bound import QuantileBound, within
from tacit.learning.rates import Rate, as_rate
from tacit.learning.terms import Joined, Numbers
from tacit.models.bookkeeping import Loss
from tacit.question.participation import Participation
from tacit.question.sums import Mean


class AdaptiveProgress(eqx.Module):
    """The public state of training, and the bound that the next round's gradients are cut to."""

    training: Progress
    bound: Float[Array, ""]


@final
class AdaptiveDescent(eqx.Module):
    """Learns `model` from people with one example each; nobody has to guess a clipping bound.

    **Guarantee**: the learner's own. Every term is in the shape that `question` asks for, whatever
    the gradient and the bound are.

    Args:
      model: where training starts; its arrays of real numbers are the parameters.
      loss: of a model on one example.
      optimizer: any of Optax; answers are mean clipped gradients.
      clip: where the bound starts, and what it follows.
      average_from: the first round whose parameters are averaged.
      rate: what the optimiser's steps are multiplied by: a number, or a schedule of
        `tacit.learning.rates`; traced, so trying others compiles once.
    """

    model: PyTree
    loss: Loss = eqx.field(static=True)
    optimizer: optax.GradientTransformation = eqx.field(static=True)
    clip: QuantileBound = eqx.field(default_factory=QuantileBound)
    average_from: int = 0
    rate: Rate = eqx.field(converter=as_rate, default=1.0)

    def __check_init__(self):
        progress.refuse_untrainable(self.model, self.optimizer)
        refuse_not_counted("average_from", single(self.average_from), 0)
        if not is_made(self.clip, QuantileBound):
            raise ValueError(
                f"clip must be a QuantileBound, such as QuantileBound(0.1), got {got(self.clip)}"
            )

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return progress.size(self.model)

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` rounds."""
        return Mean(self.clip.shape(self.dim), participation, rounds, people)

    def init(self) -> AdaptiveProgress:
        return AdaptiveProgress(progress.begun(self.model, self.optimizer), self.clip.start)

    def ask(self, state: AdaptiveProgress, person: PyTree) -> Float[Array, " numbers"]:
        model = self.at(state.training.parameters)
        gradient = progress.joined(eqx.filter_grad(self.loss)(model, person), self.dim)
        return self.clip.term(gradient, state.bound)

    def terms(self, state: AdaptiveProgress, people: PyTree) -> Joined:
        """Everybody's, from one backward pass."""
        model = self.at(state.training.parameters)
        gradients = clipped(self.loss, model, people, _ToUnit(state.bound))
        lengths = jnp.linalg.norm(gradients.lengths, axis=1)
        bits = Numbers(within(lengths, state.bound))
        return Joined((GradientTerms(gradients, self.dim), bits))

    def tell(self, state: AdaptiveProgress, answer: Float[Array, " numbers"]) -> AdaptiveProgress:
        gradient, bound = self.clip.told(state.bound, answer)
        training = progress.moved(
            state.training, gradient, self.optimizer, self.rate, self.average_from
        )
        return AdaptiveProgress(training, bound)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return progress.flat(self.model)[1](parameters)

    def released(self, state: AdaptiveProgress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.at(state.training.average)


@final
class _ToUnit(eqx.Module):
    """Divides by the bound, or by the norm where that is larger."""

    bound: Float[Array, ""]

    @property
    def sensitivity(self) -> float:
        return 1.0

    def weights(self, norms: Float[Array, "batch parts"]) -> Float[Array, "batch parts"]:
        whole = jnp.linalg.norm(norms, axis=1, keepdims=True)
        return jnp.broadcast_to(1 / jnp.maximum(whole, self.bound), norms.shape)
