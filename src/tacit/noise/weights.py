"""Weights e^-(c + a j + b j(j-1)/2) between two integers: what tables are made of, with proof.

A geometric law has b = 0, a discrete Gaussian a = b/2. Either is a product of ratios that shrink by
the constant e^-b, so three exponentials and two multiplications a weight give all of them.

Every number here lies between two whole multiples of 2^-192, `below` and `above`; products of
numbers of [0, 1] are rounded outwards. No error analysis is needed: the distance of the bounds is
the error, and it is summed (`slack`) like the weights themselves.

One exponential: the partial sums of 1 - z + z²/2 - ... are in turn above and below e^-z for
0 <= z <= 1, here in exact fractions; then e^-x is e^-z with z = x/2^h < 2^-8, squared h times.

Past the last weight the ratios only fall, so what is cut off is at most its first weight divided by
one minus its first ratio (`tail`).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

PRECISION = 192
ONE = 2**PRECISION
# Terms of the series: with z <= 2^-8 the last is below 2^-280.
TERMS = 25


class Bounds(NamedTuple):
    """A number of [0, 1] between two multiples of 2^-192."""

    below: int
    above: int

    def times(self, other: Bounds) -> Bounds:
        """The product, rounded outwards."""
        below = self.below * other.below >> PRECISION
        return Bounds(below, -(-self.above * other.above >> PRECISION))


class Weights(NamedTuple):
    """Lower bounds of weights, in units of 2^-192, and what they leave out.

    The true weights sum to at most `slack` more than `lower`, and those after them to `tail`.
    """

    lower: list[int]
    slack: int
    tail: int


def exponential(x: Fraction) -> Bounds:
    """e^-x, for x >= 0."""
    if x > PRECISION:
        return Bounds(0, 1)
    halvings = 8 + (x.numerator // x.denominator).bit_length()
    z = x / 2**halvings
    terms = accumulate(range(1, TERMS + 1), lambda term, n: -term * z / n, initial=Fraction(1))
    *_, above, below = accumulate(terms)
    bounds = Bounds(_floor(below * ONE), -_floor(-above * ONE))
    for _ in range(halvings):
        bounds = bounds.times(bounds)
    return bounds


def weights(start: Fraction, first: Fraction, second: Fraction, count: int) -> Weights:
    """e^-(start + first j + second j(j-1)/2) for j from 0 to `count` - 1.

    Args:
        start: At least zero, like the other two.
        first: What the exponent grows by from j = 0 to 1; positive.
        second: What that grows by from each j to the next.
        count: How many.
    """
    weight, ratio, shrinks = (exponential(x) for x in (start, first, second))
    lower, slack = [], 0
    for _ in range(count):
        lower.append(weight.below)
        slack += weight.above - weight.below
        weight, ratio = weight.times(ratio), ratio.times(shrinks)
    return Weights(lower, slack, weight.above * ONE // (ONE - ratio.above) + 1)


def _floor(x: Fraction) -> int:
    return x.numerator // x.denominator
