"""The inter-quartile range to within a factor, released if nobody's neighbour has another.

How spread out data are has no useful bound of its sensitivity, on any scale; but most data are many
replacements away from a range that is twice as large. The positive numbers are cut into bins, each
from an edge to `ratio` times that. The range's bin is released, without noise, if the distance of x
to another bin is surely not zero (`propose_test_release`); a range near an edge
fails that test, and is in the middle of a bin of a second grid, cut half a bin further. Both grids
have a test of their own, with half of epsilon and of delta; the second is asked only if the first
refused.

1. *The distance* D, for one grid. Let x_1 <= ... <= x_n be whole numbers of 0, ..., M, x_0 = 0 and
   x_(n+1) = M, x_a and x_b the quartiles, and [l, h) the bin of x_b - x_a. A replacement moves
   order statistics by one place at most, and all of them one way. So if x'_b - x'_a >= h after k of
   them, there are i <= a and j >= b with x_j - x_i >= h and a - i + j - b <= k; and if x'_b - x'_a
   < l, there are a <= i <= j <= b with x_j - x_i < l and i - a + b - j <= k. D is the least such
   sum of places over all pairs, less one.
2. *Privacy* of one test, of (e, d). Pairs for x' are pairs for x with one place more, by the same
   argument; so between neighbours with the same bin D moves by at most one, and the test hides
   which of them it was. Neighbours with different bins have D = 0 both, as x and x' are one
   replacement apart: there each bin is released with a probability of at most d, and otherwise
   nothing is, with the same probability. Hence (e, d), and twice that for both tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import jax
import numpy as np
from jaxtyping import ArrayLike, Int64, PRNGKeyArray

from tacit.argument import got, is_number, keep_pythons, refuse_outside
from tacit.mechanisms.rows.propose_test_release import StabilityTest
from tacit.mechanisms.rows.smooth_quantile import CELLS, IntervalGrid, rank_of
from tacit.noise.exact import stream

# From 1,900 bins in a grid to six.
LEAST_RATIO, MOST_RATIO = 1.01, 1000.0
# Where the two grids are cut, in bins.
SHIFTS = (0.0, 0.5)


@final
@dataclass(frozen=True)
class StableScale:
    """Releases the inter-quartile range to within a factor of `ratio`^(1/2), or nothing.

    The quartiles are the ceil(n/4)-th and the ceil(3n/4)-th smallest value.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy when one person's value is replaced and
    their number is public; every rounding included.

    **Error**: a release is the geometric mean of its bin's edges. Whether there is one depends on
    the data, with probability 1 - `miss(values)`.

    | values | effect |
    | --- | --- |
    | outside of the interval, or infinite | the nearer end |
    | NaN | `lower` |
    | a range of less than a cell, or two | 0, if it is stable |
    | a range of few cells | edges are rounded up to whole cells |
    | fewer than 4 `test.threshold` people | most likely refused |

    Args:
      epsilon: From 0.001 to 200; half of it for each grid.
      delta: From 2e-300 to below 1.
      lower, upper: Finite, in the unit of the values. Values are rounded to 2^-32 of the width.
      ratio: From 1.01 to 1000: of a bin's edges. Narrow bins are released less often.

    References:
        Dwork and Lei 2009, "Differential privacy and robust statistics", Section 4 (the scale; its
        bins have a ratio of 1 + 1/ln n, and noise).
    """

    epsilon: float
    delta: float
    lower: float
    upper: float
    ratio: float = 2.0

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta", "lower", "upper", "ratio")
        refuse_outside("epsilon", self.epsilon, 0.001, 200)
        if not (is_number(self.delta) and 2e-300 <= self.delta < 1):
            raise ValueError(f"delta must be at least 2e-300 and below 1, got {got(self.delta)}")
        IntervalGrid(self.lower, self.upper)
        refuse_outside("ratio", self.ratio, LEAST_RATIO, MOST_RATIO)

    @property
    def test(self) -> StabilityTest:
        """The test of one grid."""
        return StabilityTest(self.epsilon / 2, self.delta / 2)

    @property
    def interval(self) -> IntervalGrid:
        return IntervalGrid(self.lower, self.upper)

    def edges(self, shift: float) -> Int64[np.ndarray, " edges"]:
        """A grid's bins, in cells: the first from 0, the last to beyond the interval's width."""
        count = math.ceil(math.log(CELLS) / math.log(self.ratio)) + 2
        powers = np.float64(self.ratio) ** (np.arange(count) + shift)
        return np.unique(np.concatenate([[0], np.ceil(powers)])).astype(np.int64)

    def distances(self, values: ArrayLike) -> list[int]:
        """D on each grid: secrets."""
        return [away for _, _, away in self.bins(values)]

    def miss(self, values: ArrayLike) -> float:
        """The probability that these values are refused: a secret."""
        return math.prod(self.test.miss(away) for away in self.distances(values))

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float | None:
        """The range, in the unit of the values, or None: refused."""
        for own, (least, most, away) in zip(
            jax.random.split(key, len(SHIFTS)), self.bins(values), strict=True
        ):
            if self.test.passes(stream(own), away):
                return math.sqrt(least * most) * self.interval.cell
        return None

    def bins(self, values: ArrayLike) -> list[tuple[int, int, int]]:
        """On each grid: the edges of the range's bin in cells, and D. Secrets."""
        ordered = self.interval.units(values)
        first, last = (rank_of(share, len(ordered)) for share in (0.25, 0.75))
        spread = ordered[last - 1] - ordered[first - 1]
        found = []
        for shift in SHIFTS:
            edges = self.edges(shift)
            above = int(np.searchsorted(edges, spread, side="right"))
            least, most = int(edges[above - 1]), int(edges[above])
            found.append((least, most, distance(ordered, first, last, least, most)))
        return found


def distance(ordered: Int64[np.ndarray, " n"], first: int, last: int, least: int, most: int) -> int:
    """D of sorted whole numbers whose `last` is from `least` to below `most` above the `first`.

    Step 1.
    """
    people = len(ordered)
    padded = np.concatenate([[0], ordered, [CELLS]])
    low = np.arange(first + 1)
    high = np.maximum(np.searchsorted(padded, padded[low] + most), last)
    wider = (first - low + high - last)[high <= people + 1].min(initial=people + 1)
    if not least:
        return int(wider) - 1
    low = np.arange(first, last + 1)
    high = np.minimum(np.searchsorted(padded, padded[low] + least) - 1, last)
    return int(min(wider, (low - first + last - high).min())) - 1
