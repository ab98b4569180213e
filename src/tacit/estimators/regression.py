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

from tacit.estimators.classifiers_before import columns_told
from tacit.estimators.declared import Box, box_before
from tacit.estimators.fit_plan import PublicNumbers, told
from tacit.estimators.linear import AskedLine, settled
from tacit.estimators.moments import AskedMoments
from tacit.estimators.release import LabelledRows, Terms
from tacit.estimators.settings import RegressionSettings, loss_of, regressed
from tacit.estimators.trusts import declared_trust
from tacit.population.release import Release
from tacit.trust.central import Central


@final
@dataclass(frozen=True)
class RegressionData:
    """People with the boxes they are brought into."""

    box: Box
    target_box: Box
    rows: Float[np.ndarray, "people features"]
    targets: Float[np.ndarray, " people"]

    @property
    def examples(self) -> LabelledRows:
        """Rows in the ball and targets in [-1, 1]."""
        targets = self.target_box.cube(self.targets[:, None])[:, 0].astype(np.float32)
        return LabelledRows(lambda: self.box.ball(self.rows), targets)


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
    trust = declared_trust(asking.trust, allowed)
    many, own = told(columns_told(features)[0], people, asking.people, trust)
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


def fitted(
    terms: Terms, asked: AskedLine | AskedMoments, data: RegressionData
) -> tuple[Float[np.ndarray, " features"], float, RegressionSettings, Release]:
    """Coefficients and intercept in the data's own units, by what settings, and the release."""
    weights, made = asked.released(terms, data.examples)
    line = data.target_box.units(*data.box.line(weights, data.box.shrink))
    return *line, asked.settings, made
