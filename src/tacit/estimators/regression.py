"""Linear regression of every trust: by which method, and its line in the data's own units.

A curator solves for the minimum of Huber's loss in one release, or descends, whichever is foreseen
to lose least (`settings.regressed`). Of everybody else, and where a penalty is given, the method is
second moments (`moments`).
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.estimators import linear, moments
from tacit.estimators.declared import Box
from tacit.estimators.release import LabelledRows, Terms, Weights
from tacit.estimators.settings import RegressionSettings, SecondMoments, loss_of, regressed
from tacit.population.release import Release
from tacit.trust.central import Central


@final
@dataclass(frozen=True)
class RegressionData:
    """People with the boxes they are brought into, and their public number."""

    box: Box
    target_box: Box
    rows: Float[np.ndarray, "people features"]
    targets: Float[np.ndarray, " people"]
    people: int

    @property
    def examples(self) -> LabelledRows:
        """Rows in the ball and targets in [-1, 1]."""
        targets = self.target_box.cube(self.targets[:, None])[:, 0].astype(np.float32)
        return LabelledRows(
            lambda: self.box.ball(self.rows), self.rows.shape[1], targets, self.people
        )


def fitted(
    terms: Terms, people: RegressionData, penalty: float | None
) -> tuple[Float[np.ndarray, " features"], float, RegressionSettings, Release]:
    """Coefficients and intercept in the data's own units, by what settings, and the release.

    Raises:
      ValueError: if the penalty is negative, or the noise not known beforehand.
    """
    weights, settings, made = _weights(terms, people.examples, penalty)
    line = people.target_box.units(*people.box.line(weights, people.box.shrink))
    return *line, settings, made


def _weights(
    terms: Terms, examples: LabelledRows, penalty: float | None
) -> tuple[Weights, RegressionSettings, Release]:
    settings = SecondMoments(penalty or 0.0)
    if penalty is None and isinstance(terms.trust, Central):
        settings = regressed(terms.trust, examples.features, examples.people)
    if isinstance(settings, SecondMoments):
        weights, made = moments.solved(terms, examples, settings.penalty)
        return weights, settings, made
    return linear.settled(terms, examples, loss_of(settings), settings)
