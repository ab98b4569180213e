"""Points of an interval that everybody knows, for numbers of the host: equal steps, ends included.

A number counts as the nearest point, a monotone map of each number alone, so neighbours stay
neighbours and the order stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float64, Int64

# With both ends 2^30 points, as many as `IntervalChoice` takes.
MOST_CELLS = 2**30 - 1


@final
@dataclass(frozen=True)
class PublicGrid:
    """The points `lower` + y (`upper` - `lower`) / `cells` for y from 0 to `cells`.

    | number | counts as |
    | --- | --- |
    | outside of the interval, or infinite | the nearer end |
    | NaN | `lower` |
    | between two points | the nearer one |

    Args:
      lower, upper: finite.
      cells: from 1 to 2^30 - 1.
    """

    lower: float
    upper: float
    cells: int

    def __post_init__(self):
        if not 0 < self.upper - self.lower < math.inf:
            raise ValueError(
                f"lower must be below upper, both finite, got {self.lower} and {self.upper}"
            )
        if not (1 <= self.cells <= MOST_CELLS and self.cells == int(self.cells)):
            raise ValueError(f"cells must be a whole number from 1 to 2^30 - 1, got {self.cells}")

    def points(self, values: ArrayLike) -> Int64[np.ndarray, " n"]:
        """Of each number its point.

        Raises:
          ValueError: if `values` is not a vector.
        """
        held = np.asarray(values, np.float64)
        if held.ndim != 1:
            raise ValueError(f"values must be a vector, got shape {held.shape}")
        # Of a number and a NaN this is the number.
        share = np.fmin(np.fmax(held, self.lower), self.upper)
        share -= self.lower
        share /= self.upper - self.lower
        share *= self.cells
        return np.rint(share, out=share).astype(np.int64)

    def numbers(self, points: ArrayLike) -> Float64[np.ndarray, " m"]:
        """Of each point its number, within the interval."""
        share = np.asarray(points, np.float64) / self.cells
        return np.clip(self.lower + share * (self.upper - self.lower), self.lower, self.upper)
