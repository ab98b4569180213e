"""Cells in a row that end at public places: who is at or below a place is a whole number of cells.

Cells of one length would cut most places' own cell in two, and people who are exactly at such a
place, as whole years are, would be counted in part. Here each cell holds its upper end, and every
place between the bounds is the upper end of one: that which is nearest to where even cells would
have it and leaves a cell to each place before and after it. Between places cells are even. Places
are public, so who is in which cell is a function of one person's number alone.

| place | who is counted up to it |
| --- | --- |
| below the lower bound | nobody: whoever is below counts as the lower bound |
| at the lower bound | those at it or below |
| at or above the upper bound | everybody who has a number |
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, Int

from tacit.statistics.between import shares_of

Places = Float[np.ndarray, " places"]


@final
@dataclass(frozen=True)
class EndingCells:
    """So many cells between two bounds, which end at places.

    Args:
      places: rising; public.
      bounds: (lower, upper).
      cells: how many; more than there are places.
    """

    places: tuple[float, ...]
    bounds: tuple[float, float]
    cells: int

    @property
    def ends(self) -> Int[np.ndarray, " places"]:
        """How many cells are up to each place."""
        lower, upper = self.bounds
        at = np.array(self.places)
        first, last = np.searchsorted(at, lower, "left"), np.searchsorted(at, upper, "left")
        found = np.where(np.arange(len(at)) < first, 0, self.cells)
        found[first:last] = self._inner(at[first:last])
        return found

    @cached_property
    def _cuts(self) -> tuple[Places, Int[np.ndarray, " places"]]:
        """Where cells are cut, from bound to bound, and how many of them are up to there."""
        lower, upper = self.bounds
        inside = np.array([place for place in self.places if lower <= place < upper])
        return np.array([lower, *inside, upper]), np.array([0, *self._inner(inside), self.cells])

    def shares(self, numbers: Float[np.ndarray, " people"]) -> Float[np.ndarray, " people"]:
        """The middle of each number's cell, from zero to one; NaN stays."""
        clipped = np.clip(numbers, *self.bounds)
        cuts, ends = self._cuts
        part = np.searchsorted(cuts[1:-1], clipped, "left")
        widths, sizes = np.diff(cuts)[part], np.diff(ends)[part]
        along = (clipped - cuts[part]) / np.where(widths > 0, widths, 1.0)
        own = np.clip(np.ceil(along * sizes) - 1, 0, sizes - 1)
        return (ends[part] + own + 0.5) / self.cells

    def _inner(self, inside: Places) -> Int[np.ndarray, " places"]:
        """Of places between the bounds, from one cell on, rising, with cells beyond the last."""
        turn = np.arange(len(inside))
        even = np.round(shares_of(inside, self.bounds) * self.cells).astype(int)
        rising = np.maximum.accumulate(np.maximum(even, 1) - turn) + turn
        return np.minimum(rising, self.cells - len(inside) + turn)
