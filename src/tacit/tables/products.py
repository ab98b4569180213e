"""Products of two numbers' places between their bounds, and the covariance that follows.

Let p and q be places from 0 to 1. A row gives pq, p(1 - q), (1 - p)q and (1 - p)(1 - q), which are
not negative and add up to one: so a row moves all four sums together by its one part, and no budget
is divided between moments. Of one place with itself the two in the middle are alike and are one
sum, of 2p(1 - p). With noisy sums A, B, B', D and their sum C, the means are (A + B)/C and
(A + B')/C, and A/C less their product is the covariance.

**Its interval.** With m, n the true means, v the covariance and z the noise, the weights

    w = ((1 - m)(1 - n), -(1 - m) n, -m (1 - n), m n)

give the sums of rows times v, exactly: so their noisy sum is C v + <w - v, z>, and over C it is the
released covariance plus (m' - m)(n' - n), for the released means m', n' (by multiplying out). Hence
the released covariance is off by at most

    t/C + |m' - m| |n' - n|,

where t is the reach of the fixed weights w - v, but for a part of the chance to miss. The rest,
`_FOR_MEANS` of it, is for limits of the means (`statistics.fieller`). A covariance is refuted where
it is farther off than that for all means within these: both are cut into pieces, in each of which
weights are largest at the corners, as they are linear in each of m, n and v, and a reach rises with
every weight's size. Of one place with itself the last term is a square, and only adds to what is
released.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, product
from typing import NamedTuple, final

import numpy as np

from tacit.server.reach import moves_apart, noise_reach
from tacit.statistics.fieller import left, narrowed, share_of
from tacit.tables.asked import Noisy
from tacit.tables.caps import Caps

# So that a row's part, a product, fits a cell as often as a person's rows may.
MOST_LEVELS = 2**9
MOST_ROWS = 64
_FOR_MEANS = 0.05
# As a share of the largest, weights are rounded up to so many to one: groups share reaches.
_FINE = 128
# Limits of means are cut into so many pieces, of one place and of two.
_PIECES = 8, 4
# What two places' covariance is at most.
_MOST = 0.25

Sizes = tuple[float, ...]
# Of a part of the chance, and the sizes of several sums' weights: how far noise moves any of them.
Reach = Callable[[float, list[Sizes]], float]


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

    @cached_property
    def means(self) -> tuple[Limited, Limited]:
        """Of both places."""
        a, b, c, _ = self._four
        if self.alone:
            one = self._mean(a + b, (1, 1, 0, 0), _FOR_MEANS)
            return one, one
        part = _FOR_MEANS / 2
        return self._mean(a + b, (1, 1, 0, 0), part), self._mean(a + c, (1, 0, 1, 0), part)

    def mean_alone(self, which: int) -> Limited:
        """One of the means by itself, with all of the chance to miss."""
        a, b, c, _ = self._four
        upper, ends = ((a + b, (1, 1, 0, 0)), (a + c, (1, 0, 1, 0)))[which]
        return self._mean(upper, ends, 1.0)

    @property
    def covariance(self) -> Limited:
        """As proved; all that it can be where the count is not above zero."""
        least, count = 0.0 if self.alone else -_MOST, sum(self.sums)
        if not count > 0:
            return Limited(0.0, least, _MOST)
        a, b, c, _ = self._four
        released = a / count - (a + b) * (a + c) / count**2
        off = math.prod(self._off(raw / count, i) for i, raw in enumerate((a + b, a + c)))

        def near(low: float, high: float) -> tuple[float, float]:
            far = self._far((low, high)) / count
            return released - far - (0.0 if self.alone else off), released + far + off

        low, high = left(near, *narrowed(near, least, _MOST))
        return Limited(_held(released, low, high), low, high)

    @property
    def _four(self) -> tuple[float, float, float, float]:
        if self.alone:
            a, b, d = self.sums
            return a, b / 2, b / 2, d
        a, b, c, d = self.sums
        return a, b, c, d

    def _mean(self, upper: float, ends: tuple[int, ...], part: float) -> Limited:
        """Of one place, whose upper end's sums are those marked."""

        def reach(weights: tuple[float, float]) -> float:
            shares = 1 - weights[0], weights[1]
            corners = [tuple(end - p for end in ends) for p in shares]
            return self.reach(part, [self._sizes(corners)])

        return Limited(*share_of(upper, sum(self.sums), reach))

    def _off(self, raw: float, which: int) -> float:
        """How far a released mean, as it came out, is from the true one at most."""
        _, low, high = self.means[which]
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
        return self.reach(1 - _FOR_MEANS, list(map(self._sizes, weights)))

    @cached_property
    def _pieces(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """Of both means: of one place with itself they are one."""
        one, other = (_cut(mean, _PIECES[0 if self.alone else 1]) for mean in self.means)
        return list(zip(one, one, strict=True)) if self.alone else list(product(one, other))

    def _sizes(self, corners: list[Sizes]) -> Sizes:
        """Those of weights that are no smaller than at any corner."""
        if self.alone:
            corners = [(a, (b + c) / 2, d) for a, b, c, d in corners]
        return tuple(max(map(abs, own)) for own in zip(*corners, strict=True))


def reach_of(noisy: Noisy) -> Reach:
    """Of the noise on one aggregate's sums: each weights' reach is found once.

    Where noise moves all sums alike, see `sums_reach`, they share one: of weights that are, the
    largest of each sum first, no smaller than any's.
    """
    apart = moves_apart(noisy.noise)

    @cache
    def own(part: float, weights: Sizes) -> float:
        return noise_reach(noisy.noise, part * noisy.chance, weights)

    def reach(part: float, sums: list[Sizes]) -> float:
        falling = [tuple(sorted(sizes, reverse=True)) for sizes in sums]
        each = falling if apart else [tuple(map(max, zip(*falling, strict=True)))]
        return max(sizes[0] * own(part, _rounded(sizes)) for sizes in each if sizes[0] > 0)

    return reach


def _rounded(falling: Sizes) -> Sizes:
    """As shares of the first, a bit larger."""
    return tuple(math.ceil(_FINE * size / falling[0]) / _FINE for size in falling)


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


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
