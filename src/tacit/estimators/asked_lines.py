"""Lines as they are asked for: a minimum in one release, or gradient rounds from zero.

Each says of itself which way it is, and what is known of its noise where nobody foresaw what is
lost by it.
"""

import math
from dataclasses import dataclass
from typing import Self, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from tacit.argument import refuse_not_counted, refuse_not_positive
from tacit.contribution import Ball
from tacit.estimators import gradients
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.release import LabelledRows, Terms, Weights
from tacit.estimators.settings import GradientRounds, Penalised, foreseen, gentle
from tacit.estimators.words_of_lines import noise_of_rounds, rounds_in_words
from tacit.learning.classifiers import minimum_of
from tacit.learning.descent import Descent
from tacit.learning.labelled_rows import labelled
from tacit.models.layers import Dense
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.solve.losses import Loss
from tacit.statistics.answers import Answers


@final
@dataclass(frozen=True)
class AskedRounds:
    """Descent as it was asked for: what is None is chosen from public numbers.

    Args:
      batch: how many people a round expects; None for everybody.
      rounds: how many.
      rate: the step.
      clip: the longest gradient of one person.
      penalty: per person, at least zero.

    Raises:
      ValueError: if the rounds are no whole number of at least one, or the rate is not positive.
    """

    batch: int | None
    rounds: int
    rate: float | None
    clip: float | None
    penalty: float

    def __post_init__(self):
        refuse_not_counted("rounds", self.rounds)
        if self.rate is not None:
            refuse_not_positive("rate", self.rate)


@final
@dataclass(frozen=True)
class AskedMinimum:
    """The minimum of a loss with a penalty, in one release, for a curator.

    Args:
      settings: of which loss, and the penalty.
      features: how many a row has, a constant apart.
      plan: what is promised.
    """

    settings: Penalised
    features: int
    plan: Plan

    @property
    def loss(self) -> Loss:
        return self.settings.loss

    @classmethod
    def of(cls, known: PublicNumbers, settings: Penalised) -> Self:
        """By these settings."""
        rows = Ball(known.features + 1, REACH)
        question = minimum_of(settings.loss, settings.penalty, rows, known.people)
        return cls(settings, known.features, known.trust.plan(question))

    @property
    def way(self) -> str:
        asked, used = self.settings.penalty, self.plan.server.facts.penalty
        minimum = f"minimum of {self.loss.words} with a penalty of {asked:.3g} a person"
        if used is None:
            return f"the exact {minimum}"
        more = f", which the promise raises to {used:.3g}" * (used > asked)
        return f"the {minimum}{more}, by objective perturbation in one release"

    @property
    def known(self) -> str:
        return "not foreseen, as the penalty was given: what it and the noise cost is the data's"

    def released(self, terms: Terms, examples: LabelledRows) -> tuple[Weights, Release]:
        """The weights of rows and of the constant after them, charged to these people."""
        shape = self.features + 1, *self.loss.outputs
        learner = Answers(1, shape=(math.prod(shape),))
        made = terms.released(
            self.plan, learner, lambda: labelled(examples.rows(), examples.labels)
        )
        return np.asarray(made.answer[0], np.float64).reshape(shape), made


@final
@dataclass(frozen=True, eq=False)
class AskedDescent:
    """Gradient rounds of a `Dense` layer from zero.

    Args:
      settings: how many rounds, and their rate and clip.
      loss: of the layer's scores.
      learner: who asks.
      plan: what is promised.
    """

    settings: GradientRounds
    loss: Loss
    learner: Descent
    plan: Plan

    @classmethod
    def of(cls, known: PublicNumbers, loss: Loss, steps: AskedRounds) -> Self:
        """By these steps; the rate is the one foreseen to be best, if none is given."""
        clip = gentle(loss).lipschitz(REACH) if steps.clip is None else steps.clip
        first, model = 1.0 if steps.rate is None else steps.rate, zero(known.features, loss)
        learner = gradients.descent(model, loss, clip, first, steps.penalty, steps.rounds)
        plan = gradients.planned(known, learner, steps.batch, steps.rounds)
        settings = GradientRounds(steps.rounds, first, clip)
        if steps.rate is None:
            settings = foreseen(plan, settings, loss, known.features)
            learner = eqx.tree_at(lambda own: own.rate, learner, jnp.asarray(settings.rate))
        return cls(settings, loss, learner, plan)

    @property
    def way(self) -> str:
        own = self.settings
        return f"{rounds_in_words(own.rounds, own.rate, own.clip)}, of {self.loss.words}"

    @property
    def known(self) -> str:
        return noise_of_rounds(self.plan)

    def released(self, terms: Terms, examples: LabelledRows) -> tuple[Weights, Release]:
        """The weights of rows and of the constant after them, charged to these people."""
        asking = gradients.of_any_numbers(self.learner)
        made = terms.released(self.plan, asking, examples.narrow)
        layer = self.learner.released(made.state)
        whole = np.concatenate([layer.weight, layer.bias[None]]).astype(np.float64)
        return whole.reshape(-1, *self.loss.outputs), made


def zero(features: int, loss: Loss) -> Dense:
    """A layer of zeros."""
    return Dense.at_zero(features, loss.outputs[0] if loss.outputs else 1)
