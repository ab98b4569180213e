"""Directions about the mean: what is asked for them, what is foreseen, and how an answer is read.

All of it but the answer is of public numbers, so that a fit and whoever looks before it see the
same. In rounds, rows begin with a constant, and mean and directions come of the same answer
(`tacit.learning.subspace`).
"""

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.estimators.declared import Box
from tacit.estimators.directions import (
    FoundDirections,
    largest_noise,
    matrix_noise,
    refuse_no_count,
    refuse_unknown_noise,
    row_of,
)
from tacit.estimators.in_rounds import lost_in_rounds, lost_to, search_of
from tacit.learning.subspace import Subspace
from tacit.learning.subspace_rounds import SubspaceRounds
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.statistics.average import Average
from tacit.statistics.between import refuse_no_square
from tacit.statistics.covariances import CONSTANT, BoundedCovariance
from tacit.trust.people import Trust, relation_of

# The longest row with its constant, a half diagonal being one; and what its constant squares to.
_REACH = math.hypot(1.0, CONSTANT)
_CONSTANT_LEVEL = CONSTANT**2 / _REACH**2

Rows = Float[np.ndarray, "people dim"]


@final
@dataclass(frozen=True)
class CentredMatrix:
    """One covariance.

    Args:
      asked: for it.
      box: of people's rows.
      wanted: how many directions, or which share they explain.
      why: it is asked for, in words.
    """

    asked: BoundedCovariance
    box: Box
    wanted: float | None
    why: str

    @property
    def plan(self) -> Plan:
        return self.asked.plan

    @property
    def longest(self) -> float:
        """The square of the longest row."""
        return self.box.half_diagonal**2

    @property
    def noise(self) -> float | None:
        """About the largest variance that noise alone makes along some direction, foreseen; None
        if that is not known."""
        return largest_noise(self.asked.rmse, self.plan)

    def lost(self, part: float) -> float | None:
        """The share of a direction that is foreseen to be lost, of people whose squares are this
        part of the longest; None if that is not known."""
        rmse = self.asked.rmse
        if rmse is None:
            return None
        return lost_to(row_of(rmse) / (part * self.longest), self.wanted, self.asked.columns)

    def learner(self) -> Average:
        return Average(self.plan.sums.contribution.answer_shape)

    def terms(self, rows: Rows) -> Float[np.ndarray, "people z"]:
        """What each person gives."""
        return self.asked.terms(rows)

    def found(self, release: Release) -> FoundDirections:
        """Of what was released."""
        made = self.asked.read(release, ())
        noise = matrix_noise(made.covariance_rmse, self.plan)
        return FoundDirections.of_matrix(made.covariance, noise, self.wanted, made.mean)


@final
@dataclass(frozen=True)
class CentredRounds:
    """Rounds, of rows that begin with a constant.

    Args:
      rounds: that find directions.
      box: of people's rows.
      why: they are asked for, in words.
    """

    rounds: SubspaceRounds
    box: Box
    why: str

    @property
    def wanted(self) -> int:
        return self.rounds.many

    @property
    def plan(self) -> Plan:
        return self.rounds.plan

    @property
    def longest(self) -> float:
        """The square of the longest row."""
        return self.box.half_diagonal**2

    @property
    def noise(self) -> float:
        """As of a matrix, if all who were declared are there."""
        return self._own(_CONSTANT_LEVEL) * self.rounds.largest_noise

    def lost(self, part: float) -> float:
        """As of a matrix."""
        return lost_in_rounds(self.rounds, part * (1 - _CONSTANT_LEVEL))

    def learner(self) -> Subspace:
        return self.rounds.learner()

    def terms(self, rows: Rows) -> Rows:
        """What each person gives."""
        return with_constant(rows, self.box)

    def found(self, release: Release) -> FoundDirections:
        """Of what was released, in the data's own units."""
        directions, squares = self.rounds.learner().found(release.state, self.rounds.many)
        first = np.asarray(release.state.answer, np.float64)[:, 0]
        # The share of people that there are of those declared, as it is asked for where it is none.
        share = _CONSTANT_LEVEL
        if relation_of(self.rounds.trust) in (Relation.ADD_REMOVE, None):
            share = max(first[0], share / self.rounds.people)
        own, size = self._own(share), self.box.half_diagonal
        mean = size * CONSTANT * first[1:] / share + self.box.middle
        noise = own * self.rounds.largest_noise
        return FoundDirections(directions, own * squares, None, noise, mean, None)

    def _own(self, share: float) -> float:
        """What a square of one is in the data's units, where constants square to this."""
        return self.longest * CONSTANT**2 / share


def centred(trust: Trust, people: int, box: Box, wanted: Any) -> CentredMatrix | CentredRounds:
    """What is asked for directions about the mean, of public numbers alone.

    Args:
      people: how many they are.
      box: of their rows.
      wanted: how many directions, as `PCA` is told.

    Raises:
      ValueError: if there may not be so many, or the trust model has no plan for it.
    """
    columns = len(box.lower)
    refuse_no_count(wanted, columns)
    search = search_of(trust, people, columns + 1, 1, wanted)
    if search.rounds is not None:
        refuse_no_square("the bounds' half diagonal", box.half_diagonal)
        return CentredRounds(search.rounds, box, search.why)
    asked = BoundedCovariance((box.lower, box.upper), columns, trust, people)
    refuse_unknown_noise(wanted, asked.plan)
    return CentredMatrix(asked, box, wanted, search.why)


def with_constant(rows: Rows, box: Box) -> Rows:
    """A constant and the places in the box, over the longest that they can be together."""
    made = np.empty((len(rows), rows.shape[1] + 1), np.float32)
    made[:, 0], made[:, 1:] = CONSTANT, box.placed(rows)
    made /= _REACH
    return made
