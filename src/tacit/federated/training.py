"""Training a model by asking people for updates: one learner for every trust model.

The question of each round is the mean of the people's update vectors; the answer, however it
was made private, goes to the server's optimiser as if it were a gradient. Nothing here knows
about privacy: the learner is the same, to the letter, without any and under each model.
"""

from collections.abc import Callable
from typing import Any, final

import equinox as eqx
import jax
import optax
from jaxtyping import Array, Float, PyTree

from tacit.contribution import Ball
from tacit.federated.updates import Update
from tacit.learning import progress
from tacit.learning.progress import Progress
from tacit.learning.rates import Rate, as_rate
from tacit.question.participation import Participation
from tacit.question.sums import Mean

Loss = Callable[[Any, PyTree], Float[Array, ""]]


@final
class Training(eqx.Module):
    """Learns `model` from people's updates.

    Args:
      model: where training starts; its arrays of real numbers are the parameters.
      loss: the loss of a model on one person's data.
      update: what a device computes.
      optimizer: what the server does with the mean update.
      average_from: the first round whose parameters are averaged.
      rate: what the optimiser's steps are multiplied by: a number, or a schedule of
        `tacit.learning.rates`; traced, so trying others compiles once.
    """

    model: PyTree
    loss: Loss = eqx.field(static=True)
    update: Update
    optimizer: optax.GradientTransformation = eqx.field(static=True)
    average_from: int = 0
    rate: Rate = eqx.field(converter=as_rate, default=1.0)

    def __check_init__(self):
        progress.refuse_untrainable(self.model, self.optimizer)

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return progress.size(self.model)

    def question(
        self, participation: Participation, rounds: int, people: int, *, bound: float
    ) -> Mean:
        """What this asks of `people` people over `rounds` rounds.

        Args:
          participation: who is asked in a round.
          rounds: how many.
          people: likewise.
          bound: the norm that updates are shortened to: it is the question's, as the promise is.
        """
        return Mean(Ball(self.dim, bound), participation, rounds, people)

    def init(self) -> Progress:
        return progress.begun(self.model, self.optimizer)

    def ask(self, state: Progress, person: PyTree) -> Float[Array, " dim"]:
        arrays, rest = eqx.partition(self.at(state.parameters), eqx.is_inexact_array)

        def loss(arrays, records):
            return self.loss(eqx.combine(arrays, rest), records)

        return progress.joined(self.update(jax.grad(loss), arrays, person), self.dim)

    def tell(self, state: Progress, answer: Float[Array, " dim"]) -> Progress:
        return progress.moved(state, answer, self.optimizer, self.rate, self.average_from)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return progress.flat(self.model)[1](parameters)

    def released(self, state: Progress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.at(state.average)
