"""Directions of rows that are not centred: what is asked, what is foreseen, how an answer is read.

All of it but the answer is of public numbers, so that a fit and whoever looks before it see the
same.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float, Float32

from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.estimators.directions import (
    FoundDirections,
    Square,
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
from tacit.server.symmetric import variances_of
from tacit.solve.passes import blocks
from tacit.statistics.average import Average
from tacit.statistics.between import refuse_no_square
from tacit.statistics.one_round import one_round
from tacit.trust.people import Trust

Rows = Float[np.ndarray, "people dim"]


@final
@dataclass(frozen=True)
class PlainMatrix:
    """One mean of all x x'.

    Args:
      plan: what will be promised.
      features: of rows.
      radius: of the longest row.
      wanted: how many directions, or which share they explain.
      why: it is asked for, in words.
    """

    plan: Plan
    features: int
    radius: float
    wanted: float | None
    why: str

    @property
    def longest(self) -> float:
        """The square of the longest row."""
        return self.radius**2

    @property
    def noise(self) -> float | None:
        """About the largest mean square that noise alone makes along some direction; None if that
        is not known."""
        return largest_noise(self._rmse, self.plan)

    def lost(self, part: float) -> float | None:
        """The share of a direction that is foreseen to be lost, of people whose squares are this
        part of the longest; None if that is not known."""
        if self._rmse is None:
            return None
        return lost_to(row_of(self._rmse) / (part * self.longest), self.wanted, self.features)

    def learner(self) -> Average:
        return Average(self.plan.sums.contribution.answer_shape)

    def terms(self, rows: Rows) -> Rows:
        """What each person gives."""
        return shortened(rows, self.radius, 1.0)

    def found(self, release: Release) -> FoundDirections:
        """Of what was released."""
        moments, none = np.asarray(release.answer, np.float64), np.zeros(self.features)
        noise = matrix_noise(self._rmse, self.plan)
        return FoundDirections.of_matrix(moments, noise, self.wanted, none)

    @property
    def _rmse(self) -> Square | None:
        """Of each number: twice the variance on the diagonal, as all its noise has; None if it is
        not known."""
        if self.plan.error is None:
            return None
        diagonal = self.plan.error / variances_of(self.features)
        return np.sqrt(diagonal / 2 * (1 + np.eye(self.features)))


@final
@dataclass(frozen=True)
class PlainRounds:
    """Rounds, of rows in units of the radius.

    Args:
      rounds: that find directions.
      radius: of the longest row.
      why: they are asked for, in words.
    """

    rounds: SubspaceRounds
    radius: float
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
        return self.radius**2

    @property
    def noise(self) -> float:
        """As of a matrix."""
        return self.longest * self.rounds.largest_noise

    def lost(self, part: float) -> float:
        """As of a matrix."""
        return lost_in_rounds(self.rounds, part)

    def learner(self) -> Subspace:
        return self.rounds.learner()

    def terms(self, rows: Rows) -> Rows:
        """What each person gives."""
        return shortened(rows, self.radius, self.radius)

    def found(self, release: Release) -> FoundDirections:
        """Of what was released, in the data's own units."""
        directions, squares = self.rounds.learner().found(release.state, self.rounds.many)
        none = np.zeros(self.rounds.dim)
        own = self.longest * squares
        return FoundDirections(directions, own, None, self.noise, none, None)


def plain(
    trust: Trust, people: int, features: int, radius: float, wanted: Any
) -> PlainMatrix | PlainRounds:
    """What is asked for directions of rows that are not centred, of public numbers alone.

    Args:
      people: how many they are.
      features: of their rows, which are no longer than `radius`.
      wanted: how many directions, as `TruncatedSVD` is told.

    Raises:
      ValueError: if there may not be so many, or the trust model has no plan for it.
    """
    refuse_no_count(wanted, features)
    refuse_no_square("radius", radius)
    search = search_of(trust, people, features, 0, wanted)
    if search.rounds is not None:
        return PlainRounds(search.rounds, radius, search.why)
    plan = one_round(trust, Outer(features, radius, levels_for(people)), people)
    refuse_unknown_noise(wanted, plan)
    return PlainMatrix(plan, features, radius, wanted, search.why)


def shortened(rows: Rows, radius: float, unit: float) -> Float32[np.ndarray, "people dim"]:
    """Rows no longer than `radius`, in such units: squares of longer ones may be beyond float32,
    and a row whose are counts as nobody's."""
    made = np.empty(rows.shape, np.float32)
    for where in blocks(slice(0, len(rows)), rows.shape[1]):
        own = rows[where].astype(np.float64)
        largest = np.abs(own).max(axis=1, keepdims=True)
        ways = own / np.where(largest > 0, largest, 1.0)
        lengths = np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1.0)
        made[where] = np.where(largest > radius / lengths, ways * (radius / lengths), own) / unit
    return made
