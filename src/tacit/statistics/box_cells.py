"""How many people are in each cell of a box: one question of a histogram, whatever it is used for.

A box of few dimensions is cut into cells, nearly cubes, and everybody's is counted. A person is in
one cell, so that noise on a cell does not grow with how many there are. From the noisy counts
clusters can be found as often as one likes: nobody is asked again.

**Error.** Of k clusters each holds a k-th of the people and of the cells. Its centre is off by

* its cells' noise: a k-th of all cells, of deviation v of a share each, as far from the middle as
  `reach_of` says: squared, k v² cells reach². Counts of less than `COUNTED_FROM` deviations are
  held to be of nobody, and what noise is above that does not cancel: v is taken `UNCANCELLED`
  times as large;
* what is not known of people within a cell of sides w: the sum of w²/12, squared. It is not that
  large, as most of it cancels among the people of a cluster; whom cells put into the wrong cluster
  does not.

Finer cells have more of the one and less of the other: `cells_of` takes those of the least sum.

References:
    Su, Cao, Li, Bertino and Jin 2016, "Differentially private k-means clustering" (EUGkM).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float, Int32

from tacit.contribution import OneHot
from tacit.facts import stated
from tacit.plan import Plan
from tacit.statistics.one_round import one_round
from tacit.trust.people import Trust

# Cells along the longest side that are tried, and how many there may be in all.
TRIED = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128)
MOST_CELLS = 2**14
COUNTED_FROM, UNCANCELLED = 2.0, 2.0


@final
@dataclass(frozen=True)
class BoxCells:
    """Cells of a box about zero to be counted: `plan` and `error` are known before the data.

    Args:
      trust: whom people trust; one of those who count categories.
      people: about how many they are; exactly, where that is public.
      sides: half of each side of the box.
      along: cells along the longest side.
    """

    trust: Trust
    people: int
    sides: tuple[float, ...]
    along: int

    @property
    def grid(self) -> tuple[int, ...]:
        """How many cells along each side."""
        longest = max(self.sides)
        return tuple(max(1, round(self.along * side / longest)) for side in self.sides)

    @property
    def cells(self) -> int:
        return math.prod(self.grid)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return one_round(self.trust, OneHot(self.cells), self.people)

    @property
    def noise(self) -> float:
        """The deviation of the noise on a cell's share of people."""
        return math.sqrt(stated(self.plan.error) / self.cells)

    def error(self, clusters: int, noise: float) -> float:
        """The predicted mean squared distance of a cluster's centre, with such noise on a cell."""
        within = math.fsum(
            (2 * side / many) ** 2 / 12 for side, many in zip(self.sides, self.grid, strict=True)
        )
        return within + self.by_noise(clusters, UNCANCELLED * noise)

    def by_noise(self, clusters: int, noise: float) -> float:
        """The squared distance that such noise moves the middle of people who fill a k-th of all
        cells evenly, where it leaves them all their cells."""
        return clusters * noise**2 * self.cells * reach_of(clusters, self.dim) ** 2

    @property
    def dim(self) -> int:
        return len(self.sides)

    def numbers(self, rows: Float[np.ndarray, "people dim"]) -> Int32[np.ndarray, " people"]:
        """Each person's cell."""
        return cell_of(rows, self.sides, self.grid)

    def held(
        self, answer: Float[np.ndarray, " cells"], least: int
    ) -> tuple[Float[np.ndarray, "held dim"], Float[np.ndarray, " held"]]:
        """The middles of cells that are held to have people, at least so many, and their shares.

        Of the noisy answer alone: those of the largest shares make up the number.
        """
        shares = np.asarray(answer, np.float64)
        enough = min(COUNTED_FROM * self.noise, np.sort(shares)[-min(least, self.cells)])
        where = np.flatnonzero(shares >= enough)
        return self.middles[where], np.maximum(shares[where], 1e-12)

    @property
    def middles(self) -> Float[np.ndarray, "cells dim"]:
        axes = [
            side * ((2 * np.arange(many) + 1) / many - 1)
            for side, many in zip(self.sides, self.grid, strict=True)
        ]
        return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)


def cell_of(
    rows: Float[Any, "*people dim"], sides: Iterable[Any], grid: tuple[int, ...]
) -> Int32[Any, " *people"]:
    """The number of the cell that a row is in; of one beyond the box, of that at its side.

    Of arrays of NumPy and inside a compiled program; a row with a NaN has no cell, and some number.
    """
    found = np.int32(0)
    for column, side, many in zip(rows.T, sides, grid, strict=True):
        place = (column / side + 1) / 2 * many
        found = found * many + place.clip(0, many - 1).astype(np.int32)
    return cast(Any, found)


def reach_of(clusters: int, dim: int) -> float:
    """How far from their middles people are in a k-th of a box of half diagonal one, if they may be
    anywhere in it (root mean square): k^(-1/d)/sqrt(3)."""
    return clusters ** (-1 / dim) / math.sqrt(3)


def cells_of(
    trust: Trust, people: int, sides: tuple[float, ...], clusters: int
) -> tuple[BoxCells, float] | None:
    """The cells of the least predicted error for so many clusters, and that; None if all are too
    many.

    A curator's noise on a cell does not depend on how many there are, that of reports by no more
    than a few times: that of the fewest stands for all, then that of the cells found by it.
    """
    tried = [BoxCells(trust, people, sides, along) for along in TRIED]
    usable = [each for each in tried if max(clusters, 2) <= each.cells <= MOST_CELLS]
    if not usable:
        return None
    best = usable[0]
    for _ in range(2):
        noise = best.noise
        best = min(usable, key=lambda each: each.error(clusters, noise))
    return best, best.error(clusters, best.noise)
