"""Directions of a Bingham law, by rejection from a turned normal vector: in whole numbers.

The law on the sphere has a density proportional to e^(t u'Au), A a matrix of whole numbers. Whoever
proposes u = z/|z| with z = R g, g a standard normal vector, proposes it with density proportional
to w^(-d/2), w = |g|²/|z|² (the angular central Gaussian). So accepting it with probability e^L,

    L = t u'Au + (d/2) ln w - K,    K such that L <= 0 for every u,

leaves the law exactly, *whatever R is*. R only decides how often.

**The bound.**

1. R = V D: columns V, D diagonal of positive r_i. With Q = (R R')^-1, w = u'Qu, and as
   ln w <= ln m + w/m - 1 for every m > 0,

       L <= u'(tA + (d/2m) Q)u + (d/2)(ln m - 1) - K.

2. Turned by R, tA + (d/2m) Q <= k I if and only if t V'AV + (d/2m) D^-2 <= k V'V. Let V'V be within
   v of I, and V'AV within f of a diagonal a, in the Frobenius norm. Then that is so for

       k = (max over i of (t a_i + (d/2m)/r_i²) + t f)/(1 - v),      K = k + (d/2)(ln m - 1).

3. V are eigenvectors as floats find them, cut to 2^-50, or the axes, were v above one half; r and a
   are whole numbers and floats as they are. So all of this holds for the very numbers that are
   used.
4. v and f are computed in floats and enlarged by what their rounding may be: a sum of d products is
   right within 2 d 2^-53 of that of their sizes, in any order. Other floats only guess what they
   are sure of (`quick_chance`).

**Tries** (Kent, Ganeiber and Mardia 2018). Let l_i = t (a_1 - a_i) for the largest a_1, b the root
of sum 1/(b + 2 l_i) = 1, r_i = (1 + 2 l_i/b)^(-1/2), m = d/b: t a_i + (d/2m)/r_i² is t a_1 + b/2
for every i.

5. If V is exact, what is accepted is a part

       p = f(1) Gamma(d/2) (2e/d)^(d/2) >= f(1) (4 pi/d)^(1/2)

   of all, f the density of Y = sum g_i²/(b + 2 l_i), as that of normal vectors of these variances
   at length one says both ways.
6. Y has mean one, variance s² <= 2, and E(Y-1)^4 <= 15 s^4. It is self-decomposable, so it has one
   mode (Yamazato 1978); and y f(y) is the integral of f(y - x) k(x) for some k that falls and has
   the integral EY, so at the mode y <= 1. Beyond one f falls.
7. With Z = (Y - 1)/s, E|Z| >= 15^(-1/2) (Hölder), so E Z+ >= .129, of which Z > 7 has 15/7³ at
   most: what is left, .085, is at most 7 P(0 < Z <= 7), and f(1) >= .0122/(7 s) > .00122.
8. So there are at most `230 d^(1/2)` tries in the mean; measured they are fewer than 1.2 d^(1/2).

References:
    Kent, Ganeiber and Mardia 2018, "A new unified approach for the simulation of a wide class of
        directional distributions".
    Tyler 1987, "Statistical analysis for the angular central Gaussian distribution on the sphere".
    Yamazato 1978, "Unimodality of infinitely divisible distribution functions of class L".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from jaxtyping import Float64

from tacit.solve.whole_products import Whole, product

# Bits behind the point of eigenvectors and of their lengths, the least of which is 2^-16.
AXIS, LENGTH, SHORTEST = 50, 40, 2.0**-16
# Digits of what is computed of whole numbers: whoever asks may compute in other ones.
DIGITS = Context(prec=70)
# Step 4: twice the unit roundoff, and for what a norm's own sums are off by.
_ROUNDED, _MORE = 2.0**-52, 1 + 1e-6
# Bits behind the point of eigenvalues, and of what is compared of them, which is rounded up.
_SHORT, _FINE = 20, 120
# Beside K, for the last digit of what it is computed with.
_SPARE = Decimal("1e-40")


@final
@dataclass(frozen=True)
class AngularEnvelope:
    """What proposes directions, and how much likelier one is at most. Build it with `of`.

    Args:
      squares: A, whole numbers below 2^53.
      rate: t.
      vectors: V, whole multiples of 2^-`AXIS`, v of which is at most one half.
      lengths: r, whole multiples of 2^-`LENGTH`.
      bound: K.
    """

    squares: Float64[np.ndarray, "dim dim"] = field(repr=False)
    rate: Fraction
    vectors: Float64[np.ndarray, "dim dim"] = field(repr=False)
    lengths: Float64[np.ndarray, " dim"] = field(repr=False)
    bound: Decimal

    @classmethod
    def of(cls, squares: Float64[np.ndarray, "dim dim"], rate: Fraction) -> AngularEnvelope:
        """For a symmetric matrix of whole numbers below 2^53, none of whose directions is below
        zero."""
        values, vectors = np.linalg.eigh(squares)
        vectors = _near_orthogonal(np.rint(vectors * 2.0**AXIS) / 2.0**AXIS)
        far = float(rate) * np.maximum(values[-1] - values, 0)
        b = _root(far)
        lengths = np.maximum(1 / np.sqrt(1 + 2 * far / b), SHORTEST)
        whole = np.rint(lengths * 2.0**LENGTH)
        bound = _bound(squares, rate, vectors, whole, Fraction(b))
        return cls(squares, rate, vectors, whole / 2.0**LENGTH, bound)

    def proposed(self, normal: Whole) -> Whole:
        """z, of a normal vector of whole numbers: of any length, in any units. It has 2^(`AXIS` +
        `LENGTH`) to one of them."""
        lengths = (self.lengths * 2.0**LENGTH).astype(np.int64).astype(object)
        return product(self.vectors * 2.0**AXIS, lengths * normal)

    def log_chance(self, normal: Whole, turned: Whole) -> Decimal:
        """L of the vector and what it became."""
        length = int(turned @ turned)
        along = Fraction(int(turned @ product(self.squares, turned)), length) * self.rate
        w = Fraction(int(normal @ normal) << 2 * (AXIS + LENGTH), length)
        logs = DIGITS.multiply(_half(len(normal)), _decimal(w).ln(DIGITS))
        return DIGITS.subtract(DIGITS.add(_decimal(along), logs), self.bound)


def _bound(
    squares: Float64[np.ndarray, "dim dim"],
    rate: Fraction,
    vectors: Float64[np.ndarray, "dim dim"],
    lengths: Float64[np.ndarray, " dim"],
    b: Fraction,
) -> Decimal:
    """K, for m = d/b: step 2."""
    dim, sizes = len(squares), np.abs(vectors)
    turned = vectors.T @ squares @ vectors
    beside = np.linalg.norm(turned - np.diag(np.diag(turned)))
    beside += _rounded(dim) * np.linalg.norm(sizes.T @ np.abs(squares) @ sizes)
    v, f = (Fraction(float(each)) for each in (_apart(vectors), beside * _MORE))
    k = (_peak(np.diag(turned), rate, lengths, b) + rate * f) / (1 - v)
    less = DIGITS.subtract(_decimal(dim / b).ln(DIGITS), Decimal(1))
    level = DIGITS.multiply(_half(dim), less)
    return DIGITS.add(DIGITS.add(_decimal(k), level), _SPARE)


def _near_orthogonal(
    vectors: Float64[np.ndarray, "dim dim"],
) -> Float64[np.ndarray, "dim dim"]:
    """The vectors, if v is at most one half, and else the axes."""
    return vectors if _apart(vectors) <= 1 / 2 else np.eye(len(vectors))


def _apart(vectors: Float64[np.ndarray, "dim dim"]) -> float:
    """v."""
    dim = len(vectors)
    apart = np.linalg.norm(vectors.T @ vectors - np.eye(dim))
    return float(apart + _rounded(dim) * np.square(vectors).sum()) * _MORE


def _rounded(dim: int) -> float:
    """Of the sizes of what is added up, at most so much is rounding's: step 4, twice."""
    return 4 * dim * _ROUNDED


def _peak(
    along: Float64[np.ndarray, " dim"], rate: Fraction, lengths: Float64[np.ndarray, " dim"], b: Any
) -> Fraction:
    """The largest t a + (b/2)/r², each rounded up: in whole numbers, as fractions are slow."""
    whole, half = np.ceil(along * 2.0**_SHORT).tolist(), b / 2
    up, down = rate.numerator << _FINE - _SHORT, rate.denominator
    over, under = half.numerator << 2 * LENGTH + _FINE, half.denominator
    each = zip(map(int, whole), map(int, lengths.tolist()), strict=True)
    peak = max(-(-up * a // down) - (-over // (under * r * r)) for a, r in each)
    return Fraction(peak, 1 << _FINE)


def _root(far: Float64[np.ndarray, " dim"]) -> float:
    """b, near to where the sum of 1/(b + 2 l) is one: between one and d."""
    low, high, twice = 1.0, float(len(far)), 2 * far
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 / (middle + twice)).sum() > 1 else (low, middle)
    return max(low, 1.0)


def _half(dim: int) -> Decimal:
    return DIGITS.divide(Decimal(dim), Decimal(2))


def _decimal(number: Fraction) -> Decimal:
    return DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))


def tries(dim: int) -> float:
    """How many are proposed for one in the mean, at most, where V is as good as exact: step 8."""
    return 230 * math.sqrt(dim)
