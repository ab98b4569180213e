"""The share that one noisy sum has of two, with its limits: Fieller's argument.

With sums A and B, noise a and b, and C = A + a + B + b as the count, p = A/(A + B) satisfies

    (A + a) - p C = (1 - p) a - p b,

so |(A + a) - p C| <= q(1 - p, p) but for a stated chance, where q(v, w) is what |v a - w b| exceeds
with that chance at most, and rises in v and w.

1. With p in [v, w] the right side is q(1 - v, w) at most: begin with [0, 1], and repeat.
2. What is left is cut into pieces, and a p in one of them is refuted where it is farther off than
   that of its own piece: pieces are so short that q is nearly that of p alone.
3. Refuting more of them at once costs nothing, since only the true p may not be.

References:
    Fieller 1954, "Some problems in interval estimation".
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

# Limits outside of which no value between two others is true.
Near = Callable[[float, float], tuple[float, float]]
# Of step 2: an eighth of what is left is so short that q is nearly that of p alone.
_PIECES = 8


def share_of(
    upper: float, count: float, reach: Callable[[tuple[float, float]], float]
) -> tuple[float, float, float]:
    """The share, its lower and its upper limit.

    | the noisy count | share | limits |
    | --- | --- | --- |
    | above zero | `upper` of it, in [0, 1] | as proved |
    | zero or below | one half | 0 and 1 |

    Args:
      upper: the noisy sum whose share it is.
      count: both noisy sums together.
      reach: q of the proof, of both weights.
    """
    if not count > 0:
        return 0.5, 0.0, 1.0

    def near(v: float, w: float) -> tuple[float, float]:
        far = reach((1 - v, w))
        return (upper - far) / count, (upper + far) / count

    low, high = left(near, *narrowed(near, 0.0, 1.0))
    return min(max(upper / count, 0.0), 1.0), low, high


def narrowed(near: Near, low: float, high: float) -> tuple[float, float]:
    """What is left between these if values are refuted all at once, and those left once more."""
    for _ in range(2):
        low, high = (min(max(limit, low), high) for limit in near(low, high))
    return low, high


def left(near: Near, low: float, high: float) -> tuple[float, float]:
    """What is left between these if every piece is refuted by itself, from both ends inwards.

    Args:
      near: limits outside of which no value between its arguments is true.
    """
    pieces = pairwise(low + (high - low) * i / _PIECES for i in range(_PIECES + 1))
    rising = [each for each in pieces if each[0] < each[1]]
    least = next(_kept(near, rising, 0), low)
    return least, max(next(_kept(near, rising[::-1], 1), high), least)


def _kept(near: Near, pieces: list[tuple[float, float]], end: int) -> Iterator[float]:
    """The ends of what is left of each piece that is not refuted."""
    for low, high in pieces:
        limits = near(low, high)
        if limits[0] <= high and limits[1] >= low:
            yield (max(limits[0], low), min(limits[1], high))[end]
