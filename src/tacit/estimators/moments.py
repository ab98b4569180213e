"""Linear regression of every trust: one question of second moments, and its line.

Rows are in the ball with a constant after them, targets in [-1, 1], so that a person's term has a
public bound. A penalty is added to the moments that were released, which is the same as to the
objective; the ridge that noise needs is whatever is still missing then.
"""

import math
from dataclasses import dataclass
from typing import final

import equinox as eqx
import numpy as np
from jaxtyping import Float

from tacit.estimators.convex import REACH
from tacit.estimators.declared import Box, with_constant
from tacit.estimators.release import Terms
from tacit.learning.sufficient_statistics import Moments, SufficientStatistics
from tacit.population.release import Release
from tacit.question.participation import Everyone, Once
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled


@final
@dataclass(frozen=True)
class Examples:
    """People with the boxes they are brought into, and their public number."""

    box: Box
    target_box: Box
    rows: Float[np.ndarray, "people features"]
    targets: Float[np.ndarray, " people"]
    people: int


def fitted(
    terms: Terms, examples: Examples, penalty: float
) -> tuple[Float[np.ndarray, " features"], float, Release]:
    """Coefficients and intercept in the data's own units, and the release they are from.

    Raises:
      ValueError: if the penalty is negative, or the noise not known beforehand.
    """
    if not 0 <= penalty < math.inf:
        raise ValueError(f"penalty must be at least 0 and finite, got {penalty}")
    box, targets = examples.box, examples.target_box
    learner = SufficientStatistics(examples.rows.shape[1] + 1, REACH, 1.0)
    once = isinstance(terms.trust, Local | Shuffled)
    question = learner.question(Once() if once else Everyone(), 1, examples.people)
    size = math.prod(question.contribution.shape)
    plan = terms.trust.plan(question)
    if plan.error is None:
        raise ValueError("the noise of these reports is not known: leave the radius infinite")
    data = (
        with_constant(box.ball(examples.rows)),
        targets.cube(examples.targets[:, None])[:, 0].astype(np.float32),
    )
    made = terms.released(plan, learner, data)
    noise = math.sqrt(plan.error / size)
    weights = learner.coefficients(_penalised(made.state, penalty / REACH**2), noise)
    return *targets.units(*box.line(weights, box.shrink)), made


def _penalised(state: Moments, penalty: float) -> Moments:
    """With so much more on the features' own moments, in the units of the learner."""
    size = len(state.matrix)
    more = np.diag(np.append(np.full(size - 1, penalty), 0.0)).astype(np.float32)
    return eqx.tree_at(lambda own: own.matrix, state, state.matrix + more)
