"""Frequencies with limits that hold at a stated confidence, from how many reports support each.

n people hold categories, and each sends a report that supports their own with probability `own`
and any other with probability `other`, independently of everybody else. If a fraction f holds a
category, the number C of reports that support it is a sum of f n coins of probability `own` and
(1 - f) n of probability `other`, of mean chance m = other + f (own - other); the estimate is
(C/n - other)/(own - other).

**Limits.** Hoeffding compares such a sum with n equal coins of chance m:

    P[C >= c] <= P[Bin(n, m) >= c]  for c >= n m + 1,
    P[C <= c] <= P[Bin(n, m) <= c]  for c <= n m - 1.

1. Let L(c) be the least of the exact binomial (Clopper-Pearson) lower limit of level a/2 and of
   (c - 1)/n. It rises with c.
2. If m < L(c) then c > n m + 1 and P[Bin(n, m) >= c] <= a/2. So the least c with m < L(c), if there
   is one, is exceeded or met with probability a/2 at most: L(C) is above m with no more.
3. The upper limit is the mirror image. Hence *every pair of limits holds with probability 1 - a at
   least*, for every n and f: this is not the normal approximation. Where f is small, and that is
   where most categories are, C is nearly binomial and no shorter limits hold.
4. Limits for all k categories at once have a/k for a (Bonferroni's bound, which asks nothing of how
   the counts depend on each other).
5. Limits of m become limits of f, which is in [0, 1] as everybody knows. They are widened by 2^-40
   of m for SciPy's beta law and for float arithmetic.

References:
    Hoeffding 1956, "On the distribution of the number of successes in independent trials"
        (Theorem 4).
    Clopper and Pearson 1934.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, refuse_no_share
from tacit.solve.simplex import Projection, project
from tacit.statistics.chance_limits import lower_limit, upper_limit
from tacit.statistics.limits import Limits

# Of m: step 5.
_WIDENING = 2.0**-40


@final
@dataclass(frozen=True)
class Frequencies:
    """Unbiased estimates, as a frequency oracle gives them, with certified limits.

    **Guarantee**: `each` holds for every single category, `together` for all of them at once, with
    probability `confidence` at least over the reports, whatever people hold. Everything here is
    made of the estimates, which are released already, and of public numbers: no privacy is spent.
    Of an oracle whose reports are within some distance of their law, at most 2^-41 each, n times
    that distance comes off the confidence.

    | estimates | what happens |
    | --- | --- |
    | below 0 or above 1 | kept, as clipping biases them; the limits lie in [0, 1] |
    | not of whole numbers of reports (clipped, averaged) | refused |
    | float32 | counts are known up to that rounding, which the limits cover |
    | NaN or infinite | refused |

    Args:
      estimates: One a category, (C/n - other)/(own - other).
      people: n, how many reports there are.
      own: How likely a report supports the person's category.
      other: How likely it supports another one, less than `own`.
      confidence: In (0, 1).

    Raises:
      ValueError: if a parameter is outside its range, or the estimates are nothing that so many
        reports can give.
    """

    estimates: Float[np.ndarray, " categories"]
    people: int
    own: float
    other: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not (is_number(self.people) and self.people >= 1):
            raise ValueError(f"people must be at least 1, got {got(self.people)}")
        chances = is_number(self.own) and is_number(self.other)
        if not (chances and 0 <= self.other < self.own <= 1):
            said = f"{got(self.other)}, {got(self.own)}"
            raise ValueError(f"other must be at least 0 and below own, at most 1, got {said}")
        refuse_no_share("confidence", self.confidence)
        least, most = self._counts
        if not (least.size and (least <= most).all()):
            raise ValueError(
                f"estimates must be those of whole numbers of reports from 0 to {self.people}, "
                f"got {self.estimates}"
            )

    @cached_property
    def each(self) -> Limits:
        """Limits of which every pair holds with the stated confidence."""
        return self._limits(1 - self.confidence)

    @cached_property
    def together(self) -> Limits:
        """Limits which all hold at once with the stated confidence."""
        return self._limits((1 - self.confidence) / len(self.estimates))

    def consistent(self) -> Projection:
        """The nearest frequencies that are not negative and add up to one.

        They are nearer to the true ones in L2 (which are such numbers too), but biased: the limits
        are for the estimates, and hold whatever is done with those.
        """
        return project(self.estimates)

    @cached_property
    def _counts(self) -> tuple[Float[np.ndarray, " categories"], Float[np.ndarray, " categories"]]:
        """The least and the largest number of supporting reports that round to the estimates."""
        estimates = self.estimates.astype(np.float64)
        gap = self.own - self.other
        near = self.people * (self.other + gap * estimates)
        unit = 4 * float(np.finfo(self.estimates.dtype).eps)
        reach = self.people * unit * (self.other + self.own * np.abs(estimates))
        least, most = np.ceil(near - reach), np.floor(near + reach)
        return np.maximum(least, 0.0), np.minimum(most, float(self.people))

    def _limits(self, alpha: float) -> Limits:
        n, (least, most) = self.people, self._counts
        low, high = lower_limit(least, n, alpha / 2), upper_limit(most, n, alpha / 2)
        low, high = np.minimum(low, (least - 1) / n), np.maximum(high, (most + 1) / n)
        return Limits(self._frequency(low - _WIDENING), self._frequency(high + _WIDENING))

    def _frequency(self, chance: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        return np.clip((chance - self.other) / (self.own - self.other), 0.0, 1.0)
