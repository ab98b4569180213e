"""Linear regression of every trust: one question of second moments, and its line.

Rows are in the ball with a constant after them, targets in [-1, 1], so that a person's term has a
public bound. What is released is the matrix of moments with noise: of p features, symmetric, of
deviation s on its diagonal and s/sqrt(2) off it. The eigenvalues of such noise alone fill a
semicircle of radius s sqrt(2p) (Wigner), so their size is 4/(3 pi) of that in the mean, f. **An
eigenvalue v of the released matrix below 2f is raised to f + v²/4f**, to f if it is negative; above
it nothing is added and there is no bias. A theorem's ridge (`SufficientStatistics.ridge`) keeps
clear of the largest that the noise might be with chance 0.95, and adds it to all directions: that
explains up to 0.2 less of R² (`bench/ridge.py`). A penalty comes on top, which is the same as
adding it to the objective.

The matrix's noise is multiplied by the weights: of length |w| in units of the ball, they add s²/2
|w|² to the variance of what the products' own noise is, and |w|² grows with the number of features.
A curator's other methods have no such noise, and do better on all of `bench/ridge.py`; so this is
for people who trust no curator, and for whom it is asked (`regression`).
"""

import math
from dataclasses import dataclass
from typing import Self, cast, final

import numpy as np
from jaxtyping import Float

from tacit.argument import refuse_negative
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.release import LabelledRows, Terms, Weights
from tacit.estimators.settings import SecondMoments
from tacit.learning.labelled_rows import with_constant
from tacit.learning.sufficient_statistics import SufficientStatistics
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.trust.people import Reported

# Eigenvalues of a float32 answer below this part of the largest are its rounding.
_ROUNDING = 1e-6


@final
@dataclass(frozen=True, eq=False)
class AskedMoments:
    """Second moments of rows, a constant and a target, in one release.

    Args:
      settings: the penalty.
      learner: who asks.
      plan: what is promised.
      noise: the deviation of the released moments' noise, on the diagonal.
    """

    settings: SecondMoments
    learner: SufficientStatistics
    plan: Plan
    noise: float

    @classmethod
    def of(cls, known: PublicNumbers, penalty: float) -> Self:
        """Of these people, for a line of this penalty.

        Raises:
          ValueError: if the penalty is negative, or the noise not known beforehand.
        """
        refuse_negative("penalty", penalty)
        learner = SufficientStatistics(known.features + 1, REACH, 1.0)
        who = Once() if isinstance(known.trust, Reported) else Everyone()
        plan = known.trust.plan(learner.question(who, 1, known.people))
        return cls(SecondMoments(penalty), learner, plan, diagonal_noise(plan))

    @property
    def way(self) -> str:
        own = self.settings.penalty
        beside = f", with a penalty of {own:.3g} a person beside what noise needs" * (own > 0)
        return f"the line of one release of all second moments{beside}"

    @property
    def known(self) -> str:
        if self.noise == 0:
            return "there is no noise"
        return (
            f"noise of {self.noise:.3g} (standard deviation) on each mean square, of rows no "
            "longer than one and targets in [-1, 1]; what a line loses by it depends on the data"
        )

    def released(self, terms: Terms, examples: LabelledRows) -> tuple[Weights, Release]:
        """The weights of rows and of the constant after them, charged to these people."""

        def data() -> tuple[np.ndarray, np.ndarray]:
            return with_constant(examples.rows()), examples.labels

        made = terms.released(self.plan, self.learner, data)
        matrix = np.asarray(made.state.matrix, np.float64)
        return coefficients(matrix, self.noise, self.settings.penalty), made


def diagonal_noise(plan: Plan) -> float:
    """The deviation of the released moments' noise, on the diagonal.

    Raises:
      ValueError: if it is not known beforehand.
    """
    if plan.error is None:
        raise ValueError("the noise of these reports is not known: leave the radius infinite")
    return math.sqrt(plan.error / math.prod(cast(Mean, plan.question).contribution.shape))


def floor_of(noise: float, size: int) -> float:
    """The mean size of the eigenvalues of such noise: a symmetric matrix of this many rows."""
    return 4 / (3 * math.pi) * noise * math.sqrt(2 * size)


def coefficients(
    moments: Float[np.ndarray, "size size"], noise: float, penalty: float
) -> Float[np.ndarray, " features"]:
    """The line of second moments of features in a ball of `REACH` and a label, in units of these.

    Without noise and penalty they are the shortest least squares.

    Args:
      moments: of both together, noise included; the label is last.
      noise: its deviation on the diagonal.
      penalty: at least zero.
    """
    values, vectors = np.linalg.eigh(moments[:-1, :-1])
    floor = floor_of(noise, len(values) + 1)
    # f + v²/4f = v + (2f - v)²/4f, which also holds where nothing is left of 2f - v.
    short = np.clip(2 * floor - values, 0, 2 * floor)
    raised = np.maximum(values, 0) + short**2 / (4 * floor or 1) + penalty / REACH**2
    usable = raised > _ROUNDING * max(raised[-1], _ROUNDING)
    inverse = np.where(usable, 1 / np.where(usable, raised, 1), 0)
    return vectors @ (inverse * (vectors.T @ moments[:-1, -1])) / REACH
