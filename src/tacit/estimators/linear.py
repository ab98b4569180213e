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
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tacit.contribution import Ball
from tacit.estimators import gradients, reading
from tacit.estimators.classifiers_before import PublicRows
from tacit.estimators.declared import REACH, Box, box_of, classes_of, numbers_of
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
from tacit.estimators.trusts import CURATED, EVERY
from tacit.learning.classifiers import labelled, minimum_of, signed
from tacit.learning.descent import Descent
from tacit.models.layers import Dense
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.solve.losses import Logistic, Loss, Multinomial
from tacit.statistics.answers import Answers
from tacit.trust.people import people_of


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


@final
@dataclass(frozen=True)
class FittedLines:
    """Lines that were learnt, in the data's own units: of two classes one, else one of each.

    Args:
      coefficients: one for each feature.
      intercepts: the score where all features are zero.
      classes: the labels, in the order of their numbers.
      box: into which rows are brought.
      settings: what was used.
      release: what was run.
    """

    coefficients: Float[np.ndarray, "lines features"]
    intercepts: Float[np.ndarray, " lines"]
    classes: np.ndarray
    box: Box
    settings: Settings
    release: Release


def fitted(asking: Any, X: Any, y: Any, asked_of: Callable[[PublicRows], AskedLine]) -> FittedLines:
    """The lines that are learnt from people's rows `X` and their labels `y`, charged to them.

    Args:
      asking: the estimator.
      X: a row of each person.
      y: a label of each.
      asked_of: what is asked of people of whom so much is public.
    """
    terms = Terms.of(asking, EVERY)
    X, y = reading.labelled(asking, X, y, terms.trust)
    people = people_of(asking.people, terms.trust, len(X))
    box, classes = box_of(asking.bounds, X, terms.trust), classes_of(asking.classes, y, terms.trust)
    numbers = numbers_of(y, classes)
    asked = asked_of(PublicRows(terms.trust, people, box, None, classes))
    examples = LabelledRows(lambda: box.ball(X), signed(numbers, asked.loss))
    weights, made = asked.released(terms, examples)
    coefficients, intercepts = map(np.atleast_1d, box.line(weights, box.shrink))
    return FittedLines(np.atleast_2d(coefficients), intercepts, classes, box, asked.settings, made)


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
    """The same by settings that were chosen; a penalty's have their own loss, and rounds are of
    `loss`, and of everybody."""
    if isinstance(settings, Penalised):
        return AskedMinimum.of(known, settings)
    steps = AskedRounds(None, settings.rounds, settings.rate, settings.clip, 0.0)
    return replace(AskedDescent.of(known, loss, steps), settings=settings)


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
