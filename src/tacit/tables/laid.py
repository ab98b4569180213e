"""Rows laid out in cells in a row, counted in the cells and in groups of them: what is below any.

A row gives a one to the cell it is in, and to every group of cells that the cell is in: one on each
level of a `CellTree`. Levels share one charge, so noise is larger the more there are; but what is
below a place is then few nodes' counts, and least squares make all counts one.

**How many levels, and branches.** Of trees with one, two and three levels, the one whose counts
below a place are predicted to be off least. In a tree of h levels Gaussian noise is sqrt(h) times
what it is in one, pure noise h times; whatever the budget, the caps and the number of groups are,
they make all trees' noise larger alike. So the choice depends on the number of cells alone: what is
made least is the geometric mean of both errors. Few cells have one level: a plain histogram.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.contribution import Contribution
from tacit.statistics.cells import CellTree, sizes_of, split
from tacit.tables.asked import OneOf
from tacit.tables.caps import Caps

# What a tree's noise grows with, by its number of levels: between the root and the first power.
_POWER = 0.75


@final
@dataclass(frozen=True)
class LaidOut:
    """So many cells in a row, of each group.

    Args:
      cells: how many rows may be in; a tree may have some more, in which none is.
    """

    cells: int

    @cached_property
    def tree(self) -> CellTree:
        """How they are counted, with a node's variance taken for one."""
        return _tree(branches_for(self.cells))

    @property
    def nodes(self) -> int:
        return sum(sizes_of(self.tree.branches))

    def ones(self, place: Any) -> list[OneOf]:
        """Where a row is counted, for the engine.

        Args:
          place: the number of its cell; missing where it is in none.
        """
        sizes = sizes_of(self.tree.branches)
        return [OneOf(place // (sizes[-1] // size), size) for size in sizes]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        """A bound on what one person's rows give."""
        return caps.counts(self.nodes * groups, given=self.tree.levels)

    def upto(self, noisy: Float[np.ndarray, "groups nodes"]) -> Float[np.ndarray, "groups cells"]:
        """How many rows are in the cells up to each: a linear function of the counts, unbiased."""
        cells = self.tree.consistent(split(noisy, sizes_of(self.tree.branches)))
        return np.cumsum(cells, axis=-1)[..., : self.cells]

    def rising(self, noisy: Float[np.ndarray, "groups nodes"]) -> Float[np.ndarray, "groups cells"]:
        """The same, rising and not below zero."""
        below = self.tree.below(split(noisy, sizes_of(self.tree.branches)))
        return below[..., 1 : self.cells + 1]

    @cached_property
    def weights(self) -> Float[np.ndarray, "cells nodes"]:
        """Of every node's count in what is up to each cell."""
        return self.upto(np.eye(self.nodes)).T


@lru_cache(maxsize=256)
def branches_for(cells: int) -> tuple[int, ...]:
    """Of a tree with at least so many cells, as few as its branches allow."""
    some: set[tuple[int, ...]] = {(cells,)}
    for first in range(2, math.isqrt(cells) * 2 + 1):
        some.add((first, math.ceil(cells / first)))
    third = round(cells ** (1 / 3))
    for first in range(max(2, third // 2), 2 * third + 2):
        for second in range(max(2, third // 2), 2 * third + 2):
            some.add((first, second, math.ceil(cells / (first * second))))
    able = [each for each in some if min(each) >= 2 or len(each) == 1]
    return min(sorted(able), key=lambda each: len(each) ** _POWER * _tree(each).rmse)


def _tree(branches: tuple[int, ...]) -> CellTree:
    return CellTree(branches, (1.0,) * len(branches), whole=False)
