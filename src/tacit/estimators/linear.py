"""Linear classifiers of every trust: rows in the ball, a loss, and the lines that come of it.

A curator solves for the minimum in one release, or descends where that is foreseen to be better
(`settings`). What is minimised is the mean loss over people plus penalty/2 times the squared
weights, the constant feature's too: what is not penalised is not strongly convex, and privacy rests
on that. Where people randomise, gradients are asked for in several rounds, from weights of zero:
everybody's once where the device's budget is the only one, or else in every round (`gradients`).

What is asked follows from public numbers alone, before there are people: a `plan` prints it, and a
`fit` charges for the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float

from tacit.estimators import reading
from tacit.estimators.asked_lines import AskedDescent, AskedMinimum, AskedRounds
from tacit.estimators.asking import charged_to
from tacit.estimators.classifiers_before import PublicRows, before_rows
from tacit.estimators.declared import REACH, Box, box_of, classes_of, numbers_of
from tacit.estimators.fit_plan import FitPlan, PublicNumbers
from tacit.estimators.release import LabelledRows, Terms
from tacit.estimators.remarked import few_people
from tacit.estimators.settings import (
    Penalised,
    Settings,
    chosen,
)
from tacit.estimators.trusts import EVERY
from tacit.estimators.words_of_lines import line_foreseen
from tacit.learning.labelled_rows import signed
from tacit.population.release import Release
from tacit.solve.losses import Logistic, Loss, Multinomial
from tacit.trust.people import Curated, people_of

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
      remarks: what may not be what was meant.
    """

    coefficients: Float[np.ndarray, "lines features"]
    intercepts: Float[np.ndarray, " lines"]
    classes: np.ndarray
    box: Box
    settings: Settings
    release: Release
    remarks: tuple[str, ...]


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
    lines = np.atleast_2d(coefficients), intercepts
    remarks = few_people(asked, people)
    return FittedLines(*lines, classes, box, asked.settings, made, remarks)


def lines_before(
    asking: Any,
    features: int | Sequence[str],
    people: int | None,
    asked_of: Callable[[PublicRows], AskedLine],
) -> FitPlan:
    """What a fit of such lines would be, whoever the people are; as of `LogisticRegression`."""
    known = before_rows(asking, features, people, EVERY)
    return line_foreseen(asked_of(known), charged_to(asking))


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
    if isinstance(known.trust, Curated):
        return curated(known, loss, penalty)
    return AskedDescent.of(known, loss, steps)


def curated(known: PublicNumbers, loss: Loss, penalty: float | None) -> AskedLine:
    """The same of a curator, with a penalty or by the settings foreseen to be best."""
    if penalty is not None:
        return AskedMinimum.of(known, Penalised(loss, penalty))
    trust = cast(Curated, known.trust)
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
