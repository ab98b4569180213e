"""Products of two numbers' places between their bounds, and the covariance that follows.

Let p and q be places from 0 to 1. A row gives pq, p(1 - q), (1 - p)q and (1 - p)(1 - q), which are
not negative and add up to one: so a row moves all four sums together by its one part, and no budget
is divided between moments. Of one place with itself the two in the middle are alike and are one
sum, of 2p(1 - p). With noisy sums A, B, B', D and their sum C, the means are (A + B)/C and
(A + B')/C, and A/C less their product is the covariance.

**Its interval.** Let m, n be the true means, v the covariance and z the noise.

1. The weights

       w = ((1 - m)(1 - n), -(1 - m) n, -m (1 - n), m n)

   give the sums of rows times v, exactly: so their noisy sum is C v + <w - v, z>, and over C it is
   the released covariance plus (m' - m)(n' - n), for the released means m', n' (by multiplying
   out).
2. With s = (m + n)/2 and d = (1 + m - n)/2, which are places from 0 to 1 as well, that product is

       (m' - m)(n' - n) = (s' - s)² - (d' - d)²,

   of which one square can only lower the released covariance, and the other only raise it.
3. Hence

       v - released lies between -t/C - (d' - d)² and t/C + (s' - s)²,

   where t is the reach of the fixed weights w - v, but for a part of the chance to miss. The rest,
   `_FOR_MEANS` of it, is for limits of s and d (`statistics.fieller`): both are shares of C,
   s' = (A + (B + B')/2)/C and d' = (B + (A + D)/2)/C. No distance of one mean times the other's is
   in this: that both are as far off as they may be at once is hardly ever so. Of one place with
   itself d is one half, known without noise.
4. A covariance is refuted where it is farther off than that for all s and d within their limits:
   both are cut into pieces. In each, m, n and v are between ends of their own, and weights are
   linear in each of the three. So the reach of any of them is at most the largest at the corners
   (step 4 of `corners`).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple, final

import numpy as np

from tacit.contribution.tally import MOST_IN_A_CELL, MOST_IN_ALL
from tacit.statistics.fieller import left, narrowed, share_of
from tacit.tables.caps import Caps
from tacit.tables.corners import Reach, Sizes

# So that a row's part, a product, fits a cell as often as a person's rows may; and where fewer may.
MOST_LEVELS = 2**9
FINEST = 2**12
MOST_ROWS = 64
_FOR_MEANS = 0.05
# Limits of s are cut into so many pieces of one place, and of two, where those of d are as well.
_PIECES = 8, 4
# What of each sum goes into C s and C d.
_S, _D = (1.0, 0.5, 0.5, 0.0), (0.5, 1.0, 0.0, 0.5)
# What two places' covariance is at most.
_MOST = 0.25


class Limited(NamedTuple):
    """A number with its limits."""

    estimate: float
    low: float
    high: float


@final
@dataclass(frozen=True)
class Products:
    """The noisy sums of one group.

    Args:
      sums: four of two places; of one place three, the middle one twice p(1 - p).
      reach: of noise on them.
    """

    sums: tuple[float, ...]
    reach: Reach

    @property
    def alone(self) -> bool:
        """Whether it is one place with itself."""
        return len(self.sums) == 3

    @property
    def mean(self) -> Limited:
        """The first place's by itself, with all of the chance to miss."""
        return self._share((1.0, 1.0, 0.0, 0.0), 1.0)

    @cached_property
    def turned(self) -> tuple[Limited, Limited]:
        """s and d of the proof."""
        if self.alone:
            return self._share(_S, _FOR_MEANS), Limited(0.5, 0.5, 0.5)
        return self._share(_S, _FOR_MEANS / 2), self._share(_D, _FOR_MEANS / 2)

    @property
    def covariance(self) -> Limited:
        """As proved; all that it can be where the count is not above zero."""
        least, count = 0.0 if self.alone else -_MOST, sum(self.sums)
        if not count > 0:
            return Limited(0.0, least, _MOST)
        a, b, c, _ = self._four
        released = a / count - (a + b) * (a + c) / count**2
        more, less = self._off(0, _S) ** 2, 0.0 if self.alone else self._off(1, _D) ** 2

        def near(low: float, high: float) -> tuple[float, float]:
            far = self._far((low, high)) / count
            return released - far - less, released + far + more

        low, high = left(near, *narrowed(near, least, _MOST))
        return Limited(_held(released, low, high), low, high)

    @property
    def _four(self) -> tuple[float, float, float, float]:
        if self.alone:
            a, b, d = self.sums
            return a, b / 2, b / 2, d
        a, b, c, d = self.sums
        return a, b, c, d

    def _share(self, ends: Sizes, part: float) -> Limited:
        """Of all sums, what so much of each of them comes to."""

        def reach(weights: tuple[float, float]) -> float:
            shares = 1 - weights[0], weights[1]
            corners = [tuple(end - p for end in ends) for p in shares]
            return self.reach(part, [self._own(corners)])

        return Limited(*share_of(self._sum(ends), sum(self.sums), reach))

    def _sum(self, ends: Sizes) -> float:
        return sum(own * end for own, end in zip(self._four, ends, strict=True))

    def _off(self, which: int, ends: Sizes) -> float:
        """How far s, or d, as it came out, is from the true one at most."""
        (_, low, high), raw = self.turned[which], self._sum(ends) / sum(self.sums)
        return max(abs(raw - low), abs(high - raw))

    def _far(self, values: tuple[float, float]) -> float:
        """t, for a covariance within these."""
        weights = [
            [
                tuple(w - v for w in ((1 - m) * (1 - n), (m - 1) * n, m * (n - 1), m * n))
                for m, n, v in product(*piece, values)
            ]
            for piece in self._pieces
        ]
        return self.reach(1 - _FOR_MEANS, list(map(self._own, weights)))

    @cached_property
    def _pieces(self) -> list[tuple[Sizes, Sizes]]:
        """Of both means, in those of s and d."""
        s, d = self.turned
        many = (_PIECES[0], 1) if self.alone else (_PIECES[1], _PIECES[1])
        several = map(_cut, (s, d), many)
        return [_means(*piece) for piece in product(*several)]

    def _own(self, corners: list[Sizes]) -> list[Sizes]:
        """Of the sums that there are."""
        return [(a, (b + c) / 2, d) for a, b, c, d in corners] if self.alone else corners


def finest(caps: Caps, pairs: int) -> int:
    """Of how many levels products of so many pairs of numbers fit their cells, and all of them.

    The fewer rows of one person count, the nearer levels are to their numbers.
    """
    squares = min(MOST_IN_A_CELL // caps.each, MOST_IN_ALL // (caps.rows * pairs))
    return min(max(math.isqrt(squares), MOST_LEVELS), FINEST)


def refuse_more_rows(what: str, caps: Caps) -> None:
    """Raises a ValueError if a person's products would not fit a cell."""
    if not caps.each <= MOST_ROWS:
        raise ValueError(
            f"a {what} is of at most {MOST_ROWS} rows of one person in a group, got {caps.each}: "
            f"say rows_per_group={MOST_ROWS}"
        )


def _cut(mean: Limited, pieces: int) -> list[tuple[float, float]]:
    """What is between its limits, in pieces."""
    return list(pairwise(np.linspace(mean.low, mean.high, pieces + 1).tolist()))


def _means(s: tuple[float, float], d: tuple[float, float]) -> tuple[Sizes, Sizes]:
    """The least and largest of either, for these s and d."""
    one = s[0] + d[0] - 0.5, s[1] + d[1] - 0.5
    other = s[0] - d[1] + 0.5, s[1] - d[0] + 0.5
    held = [tuple(_held(mean, 0.0, 1.0) for mean in ends) for ends in (one, other)]
    return held[0], held[1]


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
