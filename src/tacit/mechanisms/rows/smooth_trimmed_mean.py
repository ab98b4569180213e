"""The trimmed mean, with noise for its own data: the mean without the t smallest and t largest.

Its sum over the h = n - 2t values in the middle, x_(t+1) + ... + x_(n-t), moves by at most
max(x_(n-t+1) - x_(t+1), x_(n-t) - x_t) when one person's value is replaced: as far as the values
that are kept reach, and not as far as values could. The smooth sensitivity of that sum is the
maximum over i <= t + 1, j >= n - t, j - i >= h of e^(-beta (j-i-h)) (x_j - x_i), with the proof and
the algorithm in `tacit.mechanisms.rows.smooth_quantile`.

Values are whole numbers of 2^-32 of the interval, so the sum is an exact whole number; noise is
added to it, and h is public. In the mean it is in proportion to 1/h of how far the kept values
reach, where a median's noise is in proportion to the gaps in the middle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from jaxtyping import ArrayLike, PRNGKeyArray

from tacit.argument import got, is_number, is_whole
from tacit.mechanisms.rows.smooth_quantile import IntervalGrid, smooth_gap
from tacit.mechanisms.rows.smooth_sensitivity import SmoothNoise

# Of whom sums of 33 bits each are whole numbers of 64.
MOST_PEOPLE = 2**30


@final
@dataclass(frozen=True)
class SmoothTrimmedMean:
    """Releases the mean without the floor(`trim` n) smallest and as many largest values.

    **Guarantee**: that of `noise` (`epsilon`, `delta`), when one person's value is replaced and
    their number is public; every rounding included. The release lies in [`lower`, `upper`].

    **Error**: `error_bound(smooth, chance, people)` with
    `smooth = smooth_sensitivity(values)`. Both depend on the data and are not to be published.

    | value | counts as |
    | --- | --- |
    | outside of the interval, or infinite | the nearer end |
    | NaN | `lower` |

    Args:
      noise: `SmoothCauchy`, `SmoothStudent` or `SmoothLaplace`.
      lower, upper: Finite, in the unit of the values. Values are rounded to 2^-32 of the width.
      trim: From 0 to below 1/2: the share taken from either side. Zero is the mean, whose
        smooth sensitivity is the global one within e^beta.

    References:
        Nissim, Raskhodnikova and Smith 2007 (smooth sensitivity of order statistics).
        Bun and Steinke 2019, "Average-case averages: private algorithms for smooth sensitivity and
        mean estimation".
    """

    noise: SmoothNoise
    lower: float
    upper: float
    trim: float

    def __post_init__(self):
        IntervalGrid(self.lower, self.upper)
        if not (is_number(self.trim) and 0 <= self.trim < 0.5):
            raise ValueError(f"trim must be at least 0 and below 1/2, got {got(self.trim)}")

    @property
    def epsilon(self) -> float:
        return self.noise.epsilon

    @property
    def delta(self) -> float:
        return self.noise.delta

    @property
    def interval(self) -> IntervalGrid:
        return IntervalGrid(self.lower, self.upper)

    def kept(self, people: int) -> int:
        """h: how many values the mean is of.

        Raises:
          ValueError: if `people` is not between 1 and 2^30.
        """
        if not (is_whole(people) and 1 <= people <= MOST_PEOPLE):
            raise ValueError(f"people must be between 1 and 2^30, got {got(people)}")
        return people - 2 * math.floor(self.trim * people)

    def smooth_sensitivity(self, values: ArrayLike) -> float:
        """S* of the mean of the rounded values, in their unit: a secret."""
        _, smooth, kept = self._sum(values)
        return smooth * self.interval.cell / kept

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float:
        """The trimmed mean with its noise."""
        total, smooth, kept = self._sum(values)
        return self.interval.value((self.noise.sample(key, total, smooth) + 0.5) / kept)

    def error_bound(self, smooth: float, chance: float, people: int) -> float:
        """How far the release is from the trimmed mean, at most, but for this chance."""
        cell = self.interval.cell / self.kept(people)
        return (self.noise.error_bound(smooth / cell, chance) + 1) * cell

    def _sum(self, values: ArrayLike) -> tuple[int, float, int]:
        """The sum of the kept values, its smooth sensitivity, and how many are kept."""
        ordered = self.interval.units(values)
        kept = self.kept(len(ordered))
        cut = (len(ordered) - kept) // 2
        smooth = smooth_gap(ordered, cut + 1, cut + kept, self.noise.beta)
        return int(ordered[cut : cut + kept].sum()), smooth, kept
