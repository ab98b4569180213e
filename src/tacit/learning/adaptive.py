"""Gradient descent whose clipping bound follows a quantile of the gradients' norms.

A fixed bound has to be guessed before anything is known about gradients, and they shrink as
training goes on. Here the bound C is public state. Besides the clipped gradient, each person says
in one bit whether their gradient was within C; if more than the wanted fraction were, C is too
large. With b the noisy fraction of gradients within C and q the wanted one,

    C <- C exp(-pace (b - q)),

so C moves by factors, finds its scale from anywhere, and rests where b = q: at the q-quantile of
the norms.

**One question.** A person's term is `(clip(g, C) / C, ±1/2)`: a vector of the unit ball and a
number of [-1/2, 1/2], whatever C is. So the shape, the noise and the promise stay the same in all
rounds, there is one charge for both, and following the quantile spends a public share of it
(`Product`). Centred bits move the sum by 1/2 and not by 1. The answer is multiplied by C
afterwards, as C is public.

**Error**: with Gaussian noise of multiplier z the noise of a mean gradient grows by a factor of
`1/sqrt(1 - share)`, and that of b has deviation `z / (2 sqrt(share) cohort)`; Poisson cohorts add
`1 / (2 sqrt(cohort))` of their own at most (deviations add as squares).

References:
    Andrew, Thakkar, McMahan, Ramaswamy. Differentially private learning with adaptive clipping.
        NeurIPS 2021, Algorithm 1.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PyTree

from tacit.contribution import Ball, Interval, Product
from tacit.learning import progress
from tacit.learning.clipping import LARGEST, SMALLEST, clipped
from tacit.learning.gradient_terms import GradientTerms
from tacit.learning.progress import Progress
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

    | example | its term |
    | --- | --- |
    | a gradient of norm at most C | the gradient over C, and 1/2 |
    | a longer one | its direction, and -1/2 |
    | one that is not finite | that of a gradient of zeros |

    Args:
      model: where training starts; its arrays of real numbers are the parameters.
      loss: of a model on one example.
      optimizer: any of Optax; answers are mean clipped gradients.
      start: the first round's bound.
      quantile: the fraction of gradients to leave as they are, in (0, 1).
      pace: a round changes the bound by a factor of e^pace at most, noise aside; in (0, 1].
      share: of the budget, for the bits, in (0, 1).
      average_from: the first round whose parameters are averaged.
      rate: what the optimiser's steps are multiplied by: a number, or a schedule of
        `tacit.learning.rates`; traced, so trying others compiles once.

    Raises:
      ValueError: if a number is outside its range.
    """

    model: PyTree
    loss: Loss = eqx.field(static=True)
    optimizer: optax.GradientTransformation = eqx.field(static=True)
    start: float = 0.1
    quantile: float = 0.5
    pace: float = 0.2
    share: float = eqx.field(static=True, default=0.01)
    average_from: int = 0
    rate: Rate = eqx.field(converter=as_rate, default=1.0)

    def __check_init__(self):
        if not SMALLEST <= self.start <= LARGEST:
            raise ValueError(
                f"a bound must start between {SMALLEST:g} and {LARGEST:g}, got {self.start}"
            )
        if not 0 < self.quantile < 1:
            raise ValueError(f"quantile must be between 0 and 1, got {self.quantile}")
        if not 0 < self.pace <= 1:
            raise ValueError(f"pace must be above 0 and at most 1, got {self.pace}")
        if not 0 < self.share < 1:
            raise ValueError(f"share must be between 0 and 1, got {self.share}")

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return progress.size(self.model)

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` rounds."""
        shares = (1 - self.share, self.share)
        shape = Product(Ball(self.dim, 1.0), Interval(-0.5, 0.5), shares=shares)
        return Mean(shape, participation, rounds, people)

    def init(self) -> AdaptiveProgress:
        return AdaptiveProgress(progress.begun(self.model, self.optimizer), jnp.array(self.start))

    def ask(self, state: AdaptiveProgress, person: PyTree) -> Float[Array, " numbers"]:
        model = self.at(state.training.parameters)
        tree = eqx.filter_grad(self.loss)(model, person)
        gradient = progress.joined(tree, self.dim)
        squared = jnp.sum(jnp.square(gradient))
        gradient = jnp.where(jnp.isfinite(squared), gradient, 0)
        norm = jnp.sqrt(jnp.where(jnp.isfinite(squared), squared, 0))
        bit = jnp.where(norm <= state.bound, 0.5, -0.5)
        return jnp.append(gradient / jnp.maximum(norm, state.bound), bit)

    def terms(self, state: AdaptiveProgress, people: PyTree) -> Joined:
        """Everybody's, from one backward pass."""
        model = self.at(state.training.parameters)
        gradients = clipped(self.loss, model, people, _ToUnit(state.bound))
        lengths = jnp.linalg.norm(gradients.lengths, axis=1)
        bits = Numbers(jnp.where(lengths <= state.bound, 0.5, -0.5))
        return Joined((GradientTerms(gradients, self.dim), bits))

    def tell(self, state: AdaptiveProgress, answer: Float[Array, " numbers"]) -> AdaptiveProgress:
        gradient, within = state.bound * answer[:-1], answer[-1] + 0.5
        training = progress.moved(
            state.training, gradient, self.optimizer, self.rate, self.average_from
        )
        return AdaptiveProgress(training, followed(state.bound, within, self.quantile, self.pace))

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return progress.flat(self.model)[1](parameters)

    def released(self, state: AdaptiveProgress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.at(state.training.average)


def followed(
    bound: Float[Array, ""], within: Float[Array, ""], quantile: float, pace: float
) -> Float[Array, ""]:
    """The next bound, after one that a fraction `within` of the norms, noise included, kept to.

    Noise may carry it anywhere, so it is kept to the bounds that clipping can keep.
    """
    return jnp.clip(bound * jnp.exp(-pace * (within - quantile)), SMALLEST, LARGEST)


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
