"""The median and other quantiles, with noise for their own data and not for the worst.

One person moves the median of 0, ..., 0, M, ..., M by M, and that of most data by the distance to
the next value. Noise in proportion to the second would tell which of the two it is; it must be in
proportion to a bound that changes slowly, and the least such bound is the smooth sensitivity

    S*(x) = max over k of e^(-beta k) A_k(x),   A_k(x) = max LS(x') over x' within k replacements,

LS(x') being how far one more replacement moves f(x'): x and its neighbour see each other's A_k as
A_(k+1), so S* moves by a factor of e^beta at most, and k = 0 says S* >= LS.

1. *The local sensitivities.* Let x_1 <= ... <= x_n be whole numbers of 0, ..., M, x_i = 0 for i < 1
   and x_i = M for i > n. For the sum of x_a, ..., x_b (a quantile has a = b) replacing one moves
   the sum by max(x_(b+1) - x_a, x_b - x_(a-1)) at most, and by as much. With k replacements, l of
   them sent to 0 and k - l to M and all taken from between, x_(a-l) comes to place a and
   x_(b+1+k-l) to b + 1; no k replacements do more, because each moves order statistics by one place
   at most, and all of them one way. Hence, with h = b - a + 1,

       S*(x) = max over i <= a, j >= b, j - i >= h of e^(-beta (j-i-h)) (x_j - x_i).

2. *Its maximum in O(n log n).* Let i < i' <= j < j'. Then
   (x_j' - x_i')(x_j - x_i) - (x_j' - x_i)(x_j - x_i') = (x_i' - x_i)(x_j' - x_j) >= 0: if j' is no
   worse than j for i, it is none for i'. So the best j does not fall as i grows, and between the
   best ones of two rows already known all rows between are searched, level by level, with whole
   arrays. (Row a, where j = b is not allowed, is searched by itself.) As S* counts as 1 below 1,
   pairs more than (ln M)/beta apart do not matter and are not read.
3. *Rounding.* Products of exact differences below 2^53 and a float exponential are right within
   2^-46, so of two pairs the wrong one may win only if they are as near to each other. By the same
   inequality that costs each of fewer than 64 levels a factor of 1 - 2^-45 at most, together less
   than the 2^-38 that `smooth_sensitivity` takes into account.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float64, Int64, PRNGKeyArray

from tacit.argument import got, is_number, refuse_outside
from tacit.mechanisms.rows.smooth_sensitivity import SmoothNoise

# Whole numbers of 33 bits: their differences, and sums of 2^20 of them, are exact floats.
CELLS = 2**32
# A cell is a float with all its digits then.
NARROWEST = 2.0**-900


@final
@dataclass(frozen=True)
class IntervalGrid:
    """A public interval, cut into 2^32 cells."""

    lower: float
    upper: float

    def __post_init__(self):
        ends = self.lower, self.upper
        if not (all(map(is_number, ends)) and -math.inf < self.lower < self.upper < math.inf):
            raise ValueError(
                f"lower must be below upper, both finite, got {' and '.join(map(got, ends))}"
            )
        if not NARROWEST <= self.upper - self.lower < math.inf:
            raise ValueError(
                f"upper - lower must be at least 2^-900 and finite, got {self.upper - self.lower}"
            )

    @property
    def cell(self) -> float:
        """The width of a cell."""
        return (self.upper - self.lower) / CELLS

    def units(self, values: ArrayLike) -> Int64[np.ndarray, " n"]:
        """Values in cells above `lower`: a function of each value by itself; sorted.

        Raises:
          ValueError: if `values` is not a vector of one or more.
        """
        held = np.asarray(values, np.float64)
        if held.ndim != 1 or not held.size:
            raise ValueError(f"values must be a vector of one or more, got shape {held.shape}")
        inside = np.clip(np.where(np.isnan(held), self.lower, held), self.lower, self.upper)
        return np.sort(np.rint((inside - self.lower) / self.cell).astype(np.int64).clip(0, CELLS))

    def value(self, units: float) -> float:
        """The point of the interval nearest to this many cells above `lower`."""
        share = min(max(units / CELLS, 0.0), 1.0)
        return min(self.lower + (self.upper - self.lower) * share, self.upper)


@final
@dataclass(frozen=True)
class SmoothSensitivityQuantile:
    """Releases the value that a share of all are at most: the ceil(`share` n)-th smallest.

    **Guarantee**: that of `noise` (`epsilon`, `delta`), when one person's value is replaced and
    their number is public; every rounding included. The release lies in [`lower`, `upper`].

    **Error**: `error_bound(smooth, chance)` with `smooth = smooth_sensitivity(values)`. Both
    depend on the data and are not to be published.

    | value | counts as |
    | --- | --- |
    | outside of the interval, or infinite | the nearer end |
    | NaN | `lower` |

    Args:
      noise: `SmoothCauchy`, `SmoothStudent` or `SmoothLaplace`.
      lower, upper: Finite, in the unit of the values. Values are rounded to 2^-32 of the width.
      share: From 0 to 1; one half is the (lower) median.

    References:
        Nissim, Raskhodnikova and Smith 2007, Section 3.1.
    """

    noise: SmoothNoise
    lower: float
    upper: float
    share: float = 0.5

    def __post_init__(self):
        IntervalGrid(self.lower, self.upper)
        refuse_outside("share", self.share, 0, 1)

    @property
    def epsilon(self) -> float:
        return self.noise.epsilon

    @property
    def delta(self) -> float:
        return self.noise.delta

    @property
    def interval(self) -> IntervalGrid:
        return IntervalGrid(self.lower, self.upper)

    def smooth_sensitivity(self, values: ArrayLike) -> float:
        """S* of the rounded values, in their unit: a secret."""
        ordered = self.interval.units(values)
        rank = rank_of(self.share, len(ordered))
        return smooth_gap(ordered, rank, rank, self.noise.beta) * self.interval.cell

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float:
        """The quantile with its noise."""
        ordered = self.interval.units(values)
        rank = rank_of(self.share, len(ordered))
        smooth = smooth_gap(ordered, rank, rank, self.noise.beta)
        noisy = self.noise.sample(key, int(ordered[rank - 1]), smooth)
        return self.interval.value(noisy + 0.5)

    def error_bound(self, smooth: float, chance: float) -> float:
        """How far the release is from the quantile, at most, but for this chance."""
        cell = self.interval.cell
        return (self.noise.error_bound(smooth / cell, chance) + 1) * cell


def rank_of(share: float, people: int) -> int:
    """The place of the quantile, from 1."""
    return min(max(math.ceil(share * people), 1), people)


def smooth_gap(ordered: Int64[np.ndarray, " n"], first: int, last: int, beta: float) -> float:
    """S* (step 1) of the sum of the `first` to the `last` smallest, for sorted numbers to 2^32.

    Below 1 it is only known to be below 1.
    """
    reach = min(math.ceil(math.log(CELLS) / beta), len(ordered)) + 1
    # Place i of the proof is entry i - start.
    start, stop = max(first - reach, 0), min(last + reach, len(ordered) + 1)
    window = np.clip(np.arange(start, stop + 1), 1, len(ordered)) - 1
    near = ordered[window].astype(np.float64)
    near[: int(start == 0)] = 0
    near[len(near) - int(stop == len(ordered) + 1) :] = CELLS
    low, high = near[: first - start], near[last - start :]
    decay = np.exp(-beta * np.arange(len(low) + len(high)))
    alone = (high[1:] - near[first - start]) * decay[: len(high) - 1]
    return float(max(_highest(low, high, decay), alone.max()))


def _highest(
    low: Float64[np.ndarray, " r"],
    high: Float64[np.ndarray, " c"],
    decay: Float64[np.ndarray, " d"],
) -> float:
    """The maximum of decay[r-1-i + j] (high[j] - low[i]), by monotone rows: step 2."""
    rows = len(low)
    # Entry i + 1 is the best column of row i; those at the ends are no row's.
    best = np.zeros(rows + 2, np.int64)
    best[-1] = len(high) - 1
    top = 0.0
    for level in reversed(range(rows.bit_length())):
        row = np.arange(2**level, rows + 1, 2 ** (level + 1))
        after = np.minimum(row + 2**level, rows + 1)
        lengths = best[after] - best[row - 2**level] + 1
        starts = np.cumsum(lengths) - lengths
        column = np.arange(lengths.sum()) + np.repeat(best[row - 2**level] - starts, lengths)
        gaps = high[column] - np.repeat(low[row - 1], lengths)
        gaps *= decay[column + np.repeat(rows - row, lengths)]
        tops = np.maximum.reduceat(gaps, starts)
        hits = np.flatnonzero(gaps == np.repeat(tops, lengths))
        best[row] = column[hits[np.searchsorted(hits, starts)]]
        top = max(top, float(tops.max()))
    return top
