"""Linear regression of every trust: by which method, and its line in the data's own units.

A curator solves for the minimum of Huber's loss in one release, or descends, whichever is foreseen
to lose least (`settings.regressed`). Of everybody else, and where a penalty is given, the method is
second moments (`moments`). Which, and what it promises, follows from public numbers alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.estimators import reading
from tacit.estimators.asking import asked_under
from tacit.estimators.declared import Box, box_before, box_of, target_box_of
from tacit.estimators.fit_plan import PublicNumbers, told
from tacit.estimators.linear import AskedLine, settled
from tacit.estimators.moments import AskedMoments
from tacit.estimators.release import LabelledRows, Terms
from tacit.estimators.remarked import at_target_bound, few_people, of_moments
from tacit.estimators.settings import RegressionSettings, loss_of, regressed
from tacit.estimators.trusts import EVERY
from tacit.population.release import Release
from tacit.trust.central import Central
from tacit.trust.people import people_of


@final
@dataclass(frozen=True)
class FittedRegression:
    """A line that was learnt, in the data's own units.

    Args:
      coefficients: one for each feature.
      intercept: the target where all features are zero.
      box: into which rows are brought.
      settings: what was used.
      release: what was run.
      remarks: what may not be what was meant.
    """

    coefficients: Float[np.ndarray, " features"]
    intercept: float
    box: Box
    settings: RegressionSettings
    release: Release
    remarks: tuple[str, ...]


def before_targets(
    asking: Any, features: int | Sequence[str], people: int | None, allowed: tuple[type, ...]
) -> PublicNumbers:
    """What a regression was told of its people before there are any.

    Args:
      asking: the estimator.
      features: how many columns, or their names.
      people: how many there are, if the estimator was not told.
      allowed: the trust models that it knows.

    Raises:
      ValueError: if bounds, people or trust were not declared, or are not of their kind.
    """
    trust = asked_under(asking, allowed)
    many, own = told(features, people, asking.people, trust)
    box_before(asking.bounds, many)
    box_before(asking.target_bounds, 1, "target_bounds")
    return PublicNumbers(trust, many, own)


def asked_regression(known: PublicNumbers, penalty: float | None) -> AskedLine | AskedMoments:
    """The line of so many features, by the method that follows from public numbers.

    Raises:
      ValueError: if the penalty is negative, or the noise not known beforehand.
    """
    if penalty is None and isinstance(known.trust, Central):
        settings = regressed(known.trust, known.features, known.people)
        return settled(known, loss_of(settings), settings)
    return AskedMoments.of(known, 0.0 if penalty is None else penalty)


def fitted(asking: Any, X: Any, y: Any, penalty: float | None) -> FittedRegression:
    """The line that is learnt from people's rows `X` and their targets `y`, charged to them.

    Args:
      asking: the estimator.
      X: a row of each person.
      y: a target of each.
      penalty: as of `asked_regression`.
    """
    terms = Terms.of(asking, EVERY)
    X, y = reading.measured(asking, X, y, terms.trust)
    people = people_of(asking.people, terms.trust, len(X))
    box = box_of(asking.bounds, X, terms.trust)
    targets = target_box_of(asking.target_bounds, y, terms.trust)
    asked = asked_regression(PublicNumbers(terms.trust, X.shape[1], people), penalty)
    numbers = targets.cube(y[:, None])[:, 0].astype(np.float32)
    weights, made = asked.released(terms, LabelledRows(lambda: box.ball(X), numbers))
    line, names = (
        targets.units(*box.line(weights, box.shrink)),
        getattr(asking, "feature_names_in_", ()),
    )
    remarks = _remarks(asked, made, float(weights[-1]), people, names)
    return FittedRegression(*line, box, asked.settings, made, remarks)


def _remarks(
    asked: AskedLine | AskedMoments, made: Release, middle: float, people: int, names: Sequence[Any]
) -> tuple[str, ...]:
    """Of what was declared and released alone."""
    if isinstance(asked, AskedMoments):
        return of_moments(np.asarray(made.state.matrix, np.float64), asked.noise, people, names)
    return few_people(asked, people) + at_target_bound(middle, asked.settings.lost)
