"""Propose, test, release: a bound on the local sensitivity, believed only if a test says so.

The analyst proposes a bound. The distance of x to instability, D(x), is the number of people whose
rows must be replaced until one more could move the answer by more than the bound. One person moves
D by at most one, so D can be tested privately: N = D + floor(L/e) with L Laplace, and the answer is
released, with noise for the bound, if N >= T; otherwise nothing is, and that is said.

**Privacy.** Let x and x' be neighbours. The test alone is e-private (D is whole, so the floor is
that of D + L/e, a function of the Laplace mechanism's answer).

* D(x) >= 1 or D(x') >= 1: at the one with D >= 1 no neighbour's answer is further away than the
  bound. So the release, with Laplace noise of scale bound/r, is r-private given the test, and both
  together are (e + r)-private.
* D(x) = D(x') = 0: the answers may be any distance apart. But then N >= T has probability
  P(L >= e T) = 1/2 e^(-e T), at most delta for T >= ln(1/2delta)/e, so outside of an event of
  probability delta both say nothing, with the same probability.

Hence (e + r, delta). Here e = r = epsilon/2. Both draws are exact (`noise.exact.laplace`).

**The distance of a quantile**, the m-th smallest of n: the least k = j - i - 1 with i <= m <= j and
x_j - x_i > bound, as `smooth_quantile` shows of its local sensitivities. For each i the least such
j is found by bisection.

**The distance of a mode.** A replacement moves the difference g of the two largest counts by at
most 2, and changes the mode only if g <= 2. So ceil(g/2) - 1, or 0 if that is negative, moves by at
most one and is 0 wherever a neighbour has another mode. The mode needs no noise: (e, delta), e =
epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import jax
import numpy as np
from jaxtyping import ArrayLike, Int64, PRNGKeyArray

from tacit.argument import (
    got,
    is_number,
    is_whole,
    keep_pythons,
    refuse_not_positive,
    refuse_outside,
)
from tacit.mechanisms.rows.smooth_quantile import CELLS, IntervalGrid, rank_of
from tacit.noise.exact import laplace, stream

# From where T is below 2^21 for every delta to where it is 7 at most.
LEAST_EPSILON, MOST_EPSILON = 0.001, 100.0
LEAST_DELTA = 1e-300  # Its half is a float with all its digits.


@final
@dataclass(frozen=True)
class StabilityTest:
    """Says whether a distance of sensitivity one is surely not zero.

    **Guarantee**: pure `epsilon`-differential privacy, and yes with probability at most `delta` if
    the distance is zero.

    **Error**: `miss(distance)`, the probability of no.

    Args:
      epsilon: From 0.0005 to 100.
      delta: From 1e-300 to below 1/2.
    """

    epsilon: float
    delta: float

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta")
        refuse_outside("epsilon", self.epsilon, LEAST_EPSILON / 2, MOST_EPSILON)
        if not (is_number(self.delta) and LEAST_DELTA <= self.delta < 0.5):
            raise ValueError(f"delta must be at least 1e-300 and below 1/2, got {got(self.delta)}")

    @property
    def threshold(self) -> int:
        """T, its logarithm rounded up."""
        return math.ceil(-math.log(2 * self.delta) / self.epsilon * (1 + 1e-12) + 1e-12)

    def miss(self, distance: int) -> float:
        """The probability that a data set at this distance is refused."""
        short = self.epsilon * (self.threshold - distance)
        return 1 - math.exp(-short) / 2 if short > 0 else math.exp(short) / 2

    def passes(self, words: Iterator[int], distance: int) -> bool:
        """The test's answer, from uniform 64-bit words."""
        up, down = self.epsilon.as_integer_ratio()
        return distance + laplace(words, Fraction(down, up)) >= self.threshold


@final
@dataclass(frozen=True)
class ProposeTestReleaseQuantile:
    """Releases the ceil(`share` n)-th smallest value if its sensitivity is surely at most `bound`.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy when one person's value is replaced and
    their number is public; every rounding included. The release lies in [`lower`, `upper`].

    **Error**: `error`, the mean squared error of a release; whether there is one depends on the
    data, with probability 1 - `test.miss(distance(values))`.

    | values | effect |
    | --- | --- |
    | outside of the interval, or infinite | the nearer end |
    | NaN | `lower` |
    | `bound` of the whole width or more | always as far from instability as can be |
    | fewer than `test.threshold` people | most likely refused |

    Args:
      epsilon: From 0.001 to 100; half of it for the test.
      delta: From 1e-300 to below 1/2.
      bound: Positive, in the unit of the values; rounded down to a whole cell, and one at least.
      lower, upper: Finite. Values are rounded to 2^-32 of the width.
      share: From 0 to 1; one half is the (lower) median.

    References:
        Dwork and Lei 2009, "Differential privacy and robust statistics".
        Vadhan 2017, "The complexity of differential privacy", Section 3.2 (this threshold).
    """

    epsilon: float
    delta: float
    bound: float
    lower: float
    upper: float
    share: float = 0.5

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta", "bound", "lower", "upper", "share")
        refuse_outside("epsilon", self.epsilon, LEAST_EPSILON, MOST_EPSILON)
        StabilityTest(self.epsilon / 2, self.delta)
        IntervalGrid(self.lower, self.upper)
        refuse_not_positive("bound", self.bound)
        refuse_outside("share", self.share, 0, 1)

    @property
    def test(self) -> StabilityTest:
        return StabilityTest(self.epsilon / 2, self.delta)

    @property
    def interval(self) -> IntervalGrid:
        return IntervalGrid(self.lower, self.upper)

    @property
    def cells(self) -> int:
        """The bound in cells."""
        return max(1, math.floor(min(self.bound / self.interval.cell, CELLS)))

    @property
    def error(self) -> float:
        """The mean squared error of a release: 2 (2 bound / epsilon)²."""
        mean = 1 / math.expm1(self.epsilon / (2 * self.cells))
        return (2 * mean * (mean + 1) + 1) * self.interval.cell**2

    def distance(self, values: ArrayLike) -> int:
        """D of the rounded values: a secret."""
        return distance(self.interval.units(values), self.share, self.cells)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float | None:
        """The quantile with its noise, or None: refused."""
        for_test, for_noise = jax.random.split(key)
        ordered = self.interval.units(values)
        if not self.test.passes(stream(for_test), distance(ordered, self.share, self.cells)):
            return None
        noise = laplace(stream(for_noise), 2 * self.cells / Fraction(self.epsilon))
        quantile = int(ordered[rank_of(self.share, len(ordered)) - 1])
        return self.interval.value(quantile + noise + 0.5)


@final
@dataclass(frozen=True)
class StableMode:
    """Releases the most frequent of `categories`, without noise, if it is surely so for neighbours.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy when one person's value is replaced and
    their number is public.

    **Error**: none of a release; `test.miss(distance(values))` is the probability of a refusal.

    | value | counts as |
    | --- | --- |
    | outside of 0, ..., `categories` - 1, or NaN | nothing |

    Args:
      epsilon: From 0.0005 to 100.
      delta: From 1e-300 to below 1/2.
      categories: At least 2.

    References:
        Thakurta and Smith 2013, "Differentially private feature selection via stability
        arguments, and the robustness of the Lasso".
    """

    epsilon: float
    delta: float
    categories: int

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta", "categories")
        StabilityTest(self.epsilon, self.delta)
        if not (is_whole(self.categories) and self.categories >= 2):
            raise ValueError(f"categories must be at least 2, got {got(self.categories)}")

    @property
    def test(self) -> StabilityTest:
        return StabilityTest(self.epsilon, self.delta)

    def distance(self, values: ArrayLike) -> int:
        """D: a secret."""
        second, first = np.sort(self._counts(values))[-2:]
        return max(0, math.ceil((int(first) - int(second)) / 2) - 1)

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> int | None:
        """The mode, or None: refused."""
        passes = self.test.passes(stream(key), self.distance(values))
        return int(np.argmax(self._counts(values))) if passes else None

    def _counts(self, values: ArrayLike) -> Int64[np.ndarray, " categories"]:
        held = np.asarray(values)
        inside = held[(held >= 0) & (held < self.categories)]
        return np.bincount(inside.astype(np.int64), minlength=self.categories)


def distance(ordered: Int64[np.ndarray, " n"], share: float, bound: int) -> int:
    """How many sorted whole numbers to replace until one more moves the quantile by > `bound`.

    One more than there are, if none does.
    """
    people = len(ordered)
    rank = rank_of(share, people)
    padded = np.concatenate([[0], ordered, [CELLS]])
    low = np.arange(rank + 1)
    high = np.maximum(np.searchsorted(padded, padded[low] + bound, side="right"), rank)
    found = high <= people + 1
    return int((high - low - 1)[found].min(initial=people + 1))
