"""Points of an interval that everybody knows, for numbers of the host: equal steps, ends included.

A number counts as the nearest point, a monotone map of each number alone, so neighbours stay
neighbours and the order stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import ArrayLike, Float64, Int64

from tacit.argument import got, is_number, is_whole, listed

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
        ends = self.lower, self.upper
        if not (all(map(is_number, ends)) and 0 < self.upper - self.lower < math.inf):
            raise ValueError(
                f"lower must be below upper, both finite, got {' and '.join(map(got, ends))}"
            )
        if not (is_whole(self.cells) and 1 <= self.cells <= MOST_CELLS):
            raise ValueError(
                f"cells must be a whole number from 1 to 2^30 - 1, got {got(self.cells)}"
            )

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


def refuse_no_shares(shares: Any) -> None:
    """Raises a ValueError unless these are one share or more, in order."""
    many = listed(shares) or []
    if not (many and all(is_number(share) and 0 <= share <= 1 for share in many)):
        said = f"({', '.join(map(got, many))})" if many else got(shares)
        raise ValueError(f"shares must be between 0 and 1, got {said}")
