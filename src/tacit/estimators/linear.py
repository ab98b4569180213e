"""Linear classifiers of every trust: rows in the ball, a loss, and the lines that come of it.

A curator solves for the minimum in one release, or descends where that is foreseen to be better
(`settings`). What is minimised is the mean loss over people plus penalty/2 times the squared
weights, the constant feature's too: what is not penalised is not strongly convex, and privacy rests
on that. Where people randomise, gradients are asked for in several rounds, from weights of zero:
everybody's once where the device's budget is the only one, or else in every round (`gradients`).
"""

from dataclasses import dataclass
from typing import cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from tacit.contribution import Ball
from tacit.estimators import gradients
from tacit.estimators.declared import REACH
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
from tacit.models.layers import Dense
from tacit.population.release import Release
from tacit.solve.losses import Loss
from tacit.statistics.answers import Answers

Fitted = tuple[Weights, Settings, Release]


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


def weights_of(
    terms: Terms,
    examples: LabelledRows,
    loss: Loss,
    penalty: float | None,
    steps: AskedRounds,
) -> Fitted:
    """The weights of rows and of the constant after them, by what settings, and the release.

    Args:
      terms: on which people are asked.
      examples: the people.
      loss: of one score if there are two classes.
      penalty: a curator's, per person; None for what is foreseen to be best.
      steps: where people randomise.
    """
    if isinstance(terms.trust, CURATED):
        return curated(terms, examples, loss, penalty)
    return stepped(terms, examples, loss, steps)


def curated(terms: Terms, examples: LabelledRows, loss: Loss, penalty: float | None) -> Fitted:
    """The same for a curator, with a penalty or by the settings foreseen to be best."""
    if penalty is not None:
        return minimised(terms, examples, Penalised(loss, penalty))
    trust = cast(Curator, terms.trust)
    return settled(terms, examples, loss, chosen(trust, loss, examples.features, examples.people))


def settled(terms: Terms, examples: LabelledRows, loss: Loss, settings: Settings) -> Fitted:
    """The same by these settings; rounds are of `loss`."""
    if isinstance(settings, Penalised):
        return minimised(terms, examples, settings)
    steps = AskedRounds(None, settings.rounds, settings.rate, settings.clip, 0.0)
    weights, _, made = stepped(terms, examples, loss, steps)
    return weights, settings, made


def stepped(terms: Terms, examples: LabelledRows, loss: Loss, steps: AskedRounds) -> Fitted:
    """The same by gradient rounds, of a `Dense` layer from zero."""
    trust, features, people = terms.trust, examples.features, examples.people
    clip = gentle(loss).lipschitz(REACH) if steps.clip is None else steps.clip
    model = zero(features, loss)
    first = 1.0 if steps.rate is None else steps.rate
    learner = gradients.descent(model, loss, clip, first, steps.penalty, steps.rounds)
    who = gradients.participation(trust, steps.batch, people)
    plan = trust.plan(learner.question(who, steps.rounds, people))
    settings = GradientRounds(steps.rounds, first, clip)
    if steps.rate is None:
        settings = foreseen(plan, settings, loss, features)
        learner = eqx.tree_at(lambda own: own.rate, learner, jnp.asarray(settings.rate))
    made = terms.released(plan, gradients.of_any_numbers(learner), examples.narrow)
    layer = learner.released(made.state)
    whole = np.concatenate([layer.weight, layer.bias[None]]).astype(np.float64)
    return whole.reshape(-1, *loss.outputs), settings, made


def zero(features: int, loss: Loss) -> Dense:
    """A layer of zeros."""
    return Dense.at_zero(features, loss.outputs[0] if loss.outputs else 1)


def minimised(terms: Terms, examples: LabelledRows, settings: Penalised) -> Fitted:
    """The same in one release, for a curator."""
    loss, dim = settings.loss, examples.features + 1
    question = minimum_of(loss, settings.penalty, Ball(dim, REACH), examples.people)
    plan = terms.trust.plan(question)
    learner = Answers(1, shape=(question.size,))
    made = terms.released(plan, learner, lambda: labelled(examples.rows(), examples.labels))
    weights = np.asarray(made.answer[0], np.float64)
    return weights.reshape(dim, *loss.outputs), settings, made
