"""Choices of the host in exact proportion to floats, and whole numbers drawn uniformly.

An index is where U times the sum S of all weights falls among the cumulative sums, U uniform on
[0, 1): the i with s_(i-1) <= U S < s_i. Its chance is the weight over the sum, without any error,
as which index that is is found for certain:

1. *In floats.* A sum of n floats, one after another, is right within n 2^-52 of the whole, and U S
   is known within 2^-51 S more from the first 64 bits of U. So where that product is farther than
   (n + 8) 2^-51 S from every sum, it falls where U S does, whatever further bits and digits are.
   Sums below 2^-900 are left to step 2, as floats below 2^-1022 are not as near to what they stand
   for.
2. *In whole numbers*, where floats do not tell: all floats are multiples of 2^-1074, so sums are
   exact, and U S falls between two of them as its whole part does. U has 64 bits more until all
   numbers that begin with its bits fall between the same two.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import numpy as np
from jaxtyping import Float64

# Bits of a random word.
WORD = 64
# Steps 2 and 1: floats are whole multiples of 2^-1074; smaller sums are left to whole numbers.
_DEEPEST, _NORMAL = 1074, 2.0**-900


def chosen(words: Iterator[int], weights: Float64[np.ndarray, " n"]) -> int:
    """An index with probability proportional to its weight: none negative, not all zero.

    Args:
      words: Uniform 64-bit words, as `tacit.noise.exact.stream` gives them.
      weights: Their sum must be a finite float.
    """
    head = next(words)
    ends = np.cumsum(weights)
    total = float(ends[-1])
    if total > _NORMAL:
        # Step 1.
        near, margin = head * 2.0**-WORD * total, (len(ends) + 8) * 2.0**-51 * total
        first, last = np.searchsorted(ends, (near - margin, near + margin), "right")
        if first == last:
            return int(first)
    return _exactly(words, head, weights)


def below(words: Iterator[int], size: int) -> int:
    """A whole number from 0 to `size` - 1, all equally likely; `size` is at most 2^64."""
    most = 2**WORD - 2**WORD % size
    while (word := next(words)) >= most:
        pass
    return word % size


def multiset(words: Iterator[int], points: int, size: int) -> list[int]:
    """`size` of `points` points in order, each such list equally likely; a point may come again.

    Raised by its place each, they are distinct numbers below points + size - 1, drawn by Floyd's
    algorithm (Bentley and Floyd 1987).
    """
    drawn: set[int] = set()
    for most in range(points - 1, points + size - 1):
        one = below(words, most + 1)
        drawn.add(most if one in drawn else one)
    return [one - place for place, one in enumerate(sorted(drawn))]


def _exactly(words: Iterator[int], head: int, weights: Float64[np.ndarray, " n"]) -> int:
    """Step 2, from the first bits on."""
    ends = list(accumulate(map(_units, weights.tolist())))
    total, bits = ends[-1], WORD
    while True:
        first = bisect_right(ends, head * total >> bits)
        last = bisect_right(ends, ((head + 1) * total - 1) >> bits)
        if first == last:
            return first
        head, bits = head << WORD | next(words), bits + WORD


def _units(weight: float) -> int:
    """A float in units of 2^-1074, exactly."""
    up, down = weight.as_integer_ratio()
    return (up << _DEEPEST) // down
