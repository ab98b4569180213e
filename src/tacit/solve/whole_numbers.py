"""Whole numbers next to given ones, by which few sums move little.

1. Counts x >= 0 have m sums Kx. Where more than m counts are not whole, their columns of K depend
   on one another: there is a direction in which they can move with no sum moving.
2. Along it they go until one is whole, and so on, until at most m are left that are not. Those are
   rounded to the nearest.

So

* every count is its own whole part, or one more, hence not negative;
* the counts' L1 distance from ones with the very sums of x is at most m/2: so much, or less, does
  any table of which each count is in one cell move by.

The same is true of the corners of {x >= 0 : Kx = s}, which have at most m counts that are not zero
(Barak et al. 2007 round one); counts that are whole already stay as they are here.

References:
    Beck and Fiala 1981, "'Integer-making' theorems".
    Barak, Chaudhuri, Dwork, Kale, McSherry and Talwar 2007, "Privacy, accuracy, and consistency
        too: a holistic solution to contingency table release".
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int64
from scipy.linalg import null_space

Counts = Float[np.ndarray, " counts"]
Columns = Float[np.ndarray, "sums places"]
Places = Int64[np.ndarray, " places"]

# Nearer to a whole number is one; and numbers of a direction below this are none.
_WHOLE, _NONE = 1e-9, 1e-7


def rounded(
    counts: Counts, columns: Callable[[Places], Float[np.ndarray, "sums places"]]
) -> Counts:
    """Whole numbers, each one of the two next to its own.

    Args:
      counts: none negative.
      columns: of K, at given places.
    """
    floors = np.floor(counts + _WHOLE)
    rest = np.clip(counts - floors, 0.0, 1.0)
    open_ = np.flatnonzero(rest > _WHOLE)
    sums = columns(open_[:1]).shape[0] if len(open_) else 0
    while len(open_) > sums:
        chosen = open_[: 2 * sums]
        rest[chosen] = _settled(rest[chosen], null_space(columns(chosen)))
        left = (rest[open_] > _WHOLE) & (rest[open_] < 1 - _WHOLE)
        if left.all():
            break
        open_ = open_[left]
    return floors + np.rint(rest)


def _settled(rest: Counts, free: Float[np.ndarray, "places directions"]) -> Counts:
    """Shares from 0 to 1, moved along each direction until one of them is 0 or 1."""
    rest = rest.copy()
    while free.shape[1]:
        along, free = free[:, -1], free[:, :-1]
        room = np.where(along > 0, 1 - rest, rest)
        moving = np.abs(along) > _NONE * np.abs(along).max()
        times = np.where(moving, room / np.where(moving, np.abs(along), 1.0), np.inf)
        first = int(np.argmin(times))
        rest = np.clip(rest + times[first] * along, 0.0, 1.0)
        rest[first] = np.rint(rest[first])
        # The rest of the directions leave it where it is.
        free = free - np.outer(along, free[first] / along[first])
    return rest
