"""Linear classifiers of every trust: rows in the ball, a loss, and the lines that come of it.

A curator solves for the minimum in one release, or descends where that is foreseen to be better
(`settings`). What is minimised is the mean loss over people plus penalty/2 times the squared
weights, the constant feature's too: what is not penalised is not strongly convex, and privacy rests
on that. Where people randomise, gradients are asked for in several rounds, from weights of zero:
everybody's once where the device's budget is the only one, or else in every round (`gradients`).

What is asked follows from public numbers alone, before there are people: a `plan` prints it, and a
`fit` charges for the same.
"""

import math
from dataclasses import dataclass
from typing import Any, Self, cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from tacit.contribution import Ball
from tacit.estimators import gradients
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.release import LabelledRows, Terms, Weights
from tacit.estimators.settings import (
    Curator,
    GradientRounds,
    Penalised,
    Settings,
    chosen,
    foreseen,
    gentle,
)
from tacit.estimators.trusts import CURATED
from tacit.learning.classifiers import labelled, minimum_of
from tacit.learning.descent import Descent
from tacit.models.layers import Dense
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.solve.losses import Logistic, Loss, Multinomial
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
    """

    batch: int | None
    rounds: int
    rate: float | None
    clip: float | None
    penalty: float


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

    def released(self, terms: Terms, examples: LabelledRows) -> tuple[Weights, Release]:
        """The weights of rows and of the constant after them, charged to these people."""
        asking = gradients.of_any_numbers(self.learner)
        made = terms.released(self.plan, asking, examples.narrow)
        layer = self.learner.released(made.state)
        whole = np.concatenate([layer.weight, layer.bias[None]]).astype(np.float64)
        return whole.reshape(-1, *self.loss.outputs), made


AskedLine = AskedMinimum | AskedDescent


def asked_line(
    known: PublicNumbers, loss: Loss, penalty: float | None, steps: AskedRounds
) -> AskedLine:
    """A line of this loss.

    Args:
      known: of whom.
      loss: of one score if there are two classes.
      penalty: a curator's, per person; None for what is foreseen to be best.
      steps: where people randomise.
    """
    if isinstance(known.trust, CURATED):
        return curated(known, loss, penalty)
    return AskedDescent.of(known, loss, steps)


def curated(known: PublicNumbers, loss: Loss, penalty: float | None) -> AskedLine:
    """The same of a curator, with a penalty or by the settings foreseen to be best."""
    if penalty is not None:
        return AskedMinimum.of(known, Penalised(loss, penalty))
    trust = cast(Curator, known.trust)
    return settled(known, loss, chosen(trust, loss, known.features, known.people))


def settled(known: PublicNumbers, loss: Loss, settings: Settings) -> AskedLine:
    """The same by settings that were chosen; rounds are of `loss`, and of everybody."""
    if isinstance(settings, Penalised):
        return AskedMinimum.of(known, settings)
    steps = AskedRounds(None, settings.rounds, settings.rate, settings.clip, 0.0)
    found = AskedDescent.of(known, loss, steps)
    return AskedDescent(settings, loss, found.learner, found.plan)


def steps_of(asking: Any, loss: Loss) -> AskedRounds:
    """Those of an estimator of which everybody is in each, or in one: none of its gradients is
    longer than the clip."""
    penalty = 0.0 if asking.penalty is None else asking.penalty
    return AskedRounds(None, asking.rounds, asking.rate, loss.lipschitz(REACH), penalty)


def log_loss(classes: int) -> Loss:
    """The logistic loss of so many classes: of one score if there are two."""
    return Logistic() if classes == 2 else Multinomial(classes)


def zero(features: int, loss: Loss) -> Dense:
    """A layer of zeros."""
    return Dense.at_zero(features, loss.outputs[0] if loss.outputs else 1)
