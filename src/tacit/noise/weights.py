"""Weights e^-(c + a j + b j(j-1)/2) between two integers: what tables are made of, with proof.

A geometric law has b = 0, a discrete Gaussian a = b/2. Either is a product of ratios that shrink by
the constant e^-b, so three exponentials and two multiplications a weight give all of them.

1. *Bounds.* Every number here lies between two whole multiples of 2^-192, `below` and `above`;
   products of numbers of [0, 1] are rounded outwards. No error analysis is needed: the distance of
   the bounds is the error, and it is summed (`slack`) like the weights themselves.
2. *One exponential.* e^-x is e^-z, with z = x/2^h < 2^-8, squared h times. In units of 2^-256, z is
   a whole number n and a part of one, which moves e^-z by less than one unit. The terms of
   1 - z + z²/2 - ... are made one from another, rounded down: t_k = floor(t_(k-1) n / 2^256 k). One
   is short by e_k <= 1 + e_(k-1) z/k < 2 units, so 26 of them, with signs, by less than 52; what
   follows the last is below z^26/26! < 2^-280. So e^-z is within 53 units of the sum. It is allowed
   `MARGIN` of them, 64; a unit of 2^-192 is 2^64.
3. *The tail.* Past the last weight the ratios only fall, so what is cut off is at most its first
   weight divided by one minus its first ratio (`tail`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

# Twice the bits of a table's masses, so that bounds cost them nothing.
PRECISION = 192
ONE = 2**PRECISION
# Of step 2: 64 bits more than of a bound, and 25 terms past the first.
FINE, TERMS, MARGIN = 256, 25, 64


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
    if x == 0:
        return Bounds(ONE, ONE)
    if x > PRECISION:
        return Bounds(0, 1)
    halvings = 8 + (x.numerator // x.denominator).bit_length()
    near = _series((x.numerator << FINE - halvings) // x.denominator)
    spare = FINE - PRECISION
    bounds = Bounds(near - MARGIN >> spare, min(ONE, -(-(near + MARGIN) >> spare)))
    for _ in range(halvings):
        bounds = bounds.times(bounds)
    return bounds


def _series(z: int) -> int:
    """e^-z in units of 2^-256, as z is: step 2."""
    term = total = 2**FINE
    for k in range(1, TERMS + 1):
        term = (term * z >> FINE) // k
        total += -term if k % 2 else term
    return total


def weights(start: Fraction, first: Fraction, second: Fraction, count: int) -> Weights:
    """e^-(start + first j + second j(j-1)/2) for j from 0 to `count` - 1.

    Args:
      start: At least zero, like the other two.
      first: What the exponent grows by from j = 0 to 1; positive.
      second: What that grows by from each j to the next.
      count: How many.
    """
    weight, ratio, shrinks = (exponential(x) for x in (start, first, second))
    lower, *_ = _chain(weight.below, ratio.below, shrinks.below, count, 0)
    upper, last, end = _chain(weight.above, ratio.above, shrinks.above, count, ONE - 1)
    return Weights(lower, sum(upper) - sum(lower), last * ONE // (ONE - end) + 1)


def _chain(
    weight: int, ratio: int, shrinks: int, count: int, lift: int
) -> tuple[list[int], int, int]:
    """So many weights, the next, and its ratio; rounded down, or up with a lift of `ONE` - 1."""
    made = []
    for _ in range(count):
        made.append(weight)
        weight = weight * ratio + lift >> PRECISION
        ratio = ratio * shrinks + lift >> PRECISION
    return made, weight, ratio
