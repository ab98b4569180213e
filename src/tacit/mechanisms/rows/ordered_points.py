"""People's points in order, of which only those at some ranks are looked at.

A grid's points are a monotone map of numbers. So numbers are sorted as they are, in their own type,
and mapped where a rank is near to what is sought: of many people, sorting is most of the work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from jaxtyping import ArrayLike, Int64, Shaped

from tacit.mechanisms.rows.public_grid import PublicGrid


class InOrder(Protocol):
    """Points, in order: how many, and those from one place to another; an array is one, too."""

    def __len__(self) -> int: ...

    def __getitem__(self, where: slice, /) -> Int64[np.ndarray, " some"]: ...


@final
@dataclass(frozen=True, eq=False)
class OrderedPoints:
    """Of numbers in order their points, each found when it is looked at.

    Args:
      grid: of the points.
      numbers: in order, none of them NaN; secret.
    """

    grid: PublicGrid
    numbers: Shaped[np.ndarray, " people"]

    @classmethod
    def of(cls, grid: PublicGrid, values: ArrayLike) -> OrderedPoints:
        """Of values in any order; NaN is the first.

        Raises:
          ValueError: if `values` is not a vector.
        """
        held = np.asarray(values)
        own = held if held.dtype.kind == "f" else held.astype(np.float64)
        if own.ndim != 1:
            raise ValueError(f"values must be a vector, got shape {own.shape}")
        numbers = np.fmax(own, own.dtype.type(-np.inf))
        numbers.sort()
        return cls(grid, numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, where: slice) -> Int64[np.ndarray, " some"]:
        return self.grid.points(self.numbers[where])


def ends_from(ordered: InOrder, rank: int, many: int, past: int) -> Int64[np.ndarray, " ends"]:
    """The points below and above ranks: those of the people at `rank` - 1 and `many` - 1 more.

    Before everybody is -1, and after them `past`, as often as there is nobody.
    """
    first = rank - 1
    own = ordered[max(first, 0) : max(first + many, 0)]
    before = min(max(-first, 0), many)
    ends = [-1] * before, own, [past] * (many - before - len(own))
    return np.concatenate(ends).astype(np.int64)
