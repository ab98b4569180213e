"""How large a weighted sum of Laplace noise is: its tail, from above.

Let X = sum of w_j L_j for independent L_j of density e^-|x|/2, so that the characteristic
function of X is phi(s) = product of 1/(1 + w_j² s²), and let w be the largest |w_j|. The lesser of
two bounds holds.

1. *Chernoff*: P(|X| > t) <= 2 e^(-st) product of 1/(1 - s² w_j²), for every s below 1/w.
2. *Inversion* (Davies 1973): with s_k = 2 pi (k + 1/2)/P for a period P,

       P(|X| > t) = 1 - (2/pi) sum over k of phi(s_k) sin(s_k t)/(k + 1/2) + e,

   and |e| <= P(|X| > P - t): e is an alternating series of the chances of ever farther intervals
   of one length, and these fall because the density does, from zero on. Left out from k = K on, the
   sum is less than phi(S) (1 + 1/(wS)²)/pi besides, S = 2 pi (K - 1/2)/P: its terms fall, and so
   are less than an integral from S on, where phi(s) <= phi(S) (1 + w²S²)/(1 + w²s²).

**On a grid** noise is k = G - G' for geometric numbers of rate r, each the whole part of one of
E/r, whose fraction F is independent of it: so X/r = Y + V, with Y = sum of w_j k_j, and V = sum of
w_j (F_j - F_j') independent of it and symmetric. Hence P(|Y| > t) P(V >= -c) <= P(|X|/r > t - c)
for every c, where

* c = 0: P(V >= 0) >= 1/2;
* c = |w|_2: the law of F, and each that is tilted from it, is an exponential one cut to [0, 1), of
  variance 1/12 at most; so V is no farther than a normal number of variance |w|_2²/6, and
  P(V < -c) <= e^-3;
* c = |w|_1: |V| is at most that.

References:
    Davies 1973, "Numerical inversion of a characteristic function", Biometrika 60.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float

# What inversion is off by at most, where it is used; and how many points it takes at most.
_CLOSE = 1e-9
_CUT = 1e-7
_MOST_POINTS = 2**12
# Of Chernoff's s, in units of the largest: each gives a bound, and how fine they lie is a choice.
_PLACES = np.arange(1, 50) / 50
# Of rounding: a sine's argument is below pi (k + 1/2), and its factor phi(s_k)/(k + 1/2), so that
# each term is off by less than 1e-15 phi(s_k); a thousand whole ones would be needed.
_DIGITS = 1e-12
# P(V >= -c) for c = 0 and |w|_2.
_NOT_BELOW = 0.5
_NOT_FAR_BELOW = 1 - math.exp(-3)


@final
@dataclass(frozen=True)
class LaplaceSum:
    """A sum of independent Laplace numbers of these scales, at least one of them positive."""

    scales: tuple[float, ...]

    @classmethod
    def of(cls, weights: Sequence[float]) -> "LaplaceSum":
        """Of numbers of scale one, with these weights; the same to the bit in any order of them."""
        return cls(tuple(sorted(abs(float(each)) for each in weights if each != 0)))

    def tail(self, t: float) -> float:
        """An upper bound of P(|X| > t)."""
        if not t > 0:
            return 1.0
        slopes, logs = self._exponents
        chernoff = 2 * math.exp(float(np.min(logs - slopes * t)))
        if not t <= self._far:
            return min(1.0, chernoff)
        points, parts, cut = self._points
        within = float(parts @ np.sin(points * t))
        return min(1.0, chernoff, max(0.0, 1 - within) + cut + _CLOSE + _DIGITS)

    def grid_tail(self, rate: float, t: float) -> float:
        """The same of the sum of noise on whole numbers, of this rate: P(|Y| > t)."""
        size, length = sum(self.scales), math.hypot(*self.scales)
        return min(
            self.tail(rate * t) / _NOT_BELOW,
            self.tail(rate * (t - length)) / _NOT_FAR_BELOW,
            self.tail(rate * (t - size)),
        )

    @cached_property
    def _exponents(self) -> tuple[Float[np.ndarray, " places"], Float[np.ndarray, " places"]]:
        """Chernoff's s, and the logarithm of the product."""
        slopes = _PLACES / max(self.scales)
        return slopes, -np.log1p(-np.square(np.outer(slopes, self.scales))).sum(axis=1)

    @cached_property
    def _far(self) -> float:
        """A t beyond which Chernoff's bound is at most `_CLOSE`: half of the period."""
        slopes, logs = self._exponents
        return float(np.min((math.log(2 / _CLOSE) + logs) / slopes))

    @cached_property
    def _points(self) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"], float]:
        """s_k, the factor of its sine, and what is left out."""
        apart, many = math.pi / self._far, 64
        while (cut := self._cut(apart * (many - 0.5))) > _CUT and many < _MOST_POINTS:
            many *= 2
        halves = np.arange(many) + 0.5
        return apart * halves, 2 / math.pi * self._phi(apart * halves) / halves, cut

    def _cut(self, last: float) -> float:
        phi = float(self._phi(np.array([last]))[0])
        return phi * (1 + (max(self.scales) * last) ** -2) / math.pi

    def _phi(self, s: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        return np.exp(-np.log1p(np.square(np.outer(s, self.scales))).sum(axis=1))
