"""The point nearest to a given one at which no sum is negative, and a proof of how near it is.

Sums are T y + h, of a vector y of numbers, h >= 0 their values at zero. Wanted is the point nearest
to a given v with T y + h >= 0.

1. With a price x >= 0 of each sum, |y - v|²/2 >= |y - v|²/2 - x'(T y + h) for every y that is
   allowed, and the right side is least at v + T'x, where it is
   d(x) = |v|²/2 - |v + T'x|²/2 - x'h.
2. So prices are sought that make |v + T'x|²/2 + x'h least (`accelerated`), and y is v + T'x times
   the largest factor up to one with no sum below zero: at zero they are h, so there is one.
3. Of this y the gap is

       |y - v|²/2 - d(x) = |y - v - T'x|²/2 + x'(T y + h),

   of two terms that are none negative, and as |y - v|²/2 bends by one, y is within sqrt(2 gap) of
   the nearest.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, final

import numpy as np
from jaxtyping import Float

from tacit.solve.accelerated import descent, step_for_squares

Numbers = Float[np.ndarray, " numbers"]
Values = Float[np.ndarray, " sums"]

# A gap costs as much as a step: a tenth more in all.
_LOOK_EVERY = 10


class LinearSums(Protocol):
    """T: linear, from numbers to sums."""

    def forward(self, numbers: Numbers) -> Values:
        """T y."""
        ...

    def backward(self, prices: Values) -> Numbers:
        """T'x."""
        ...


@final
@dataclass(frozen=True, eq=False)
class Nearest:
    """A point at which no sum is negative, but for rounding.

    Args:
      numbers: y.
      distance: from the nearest such point, at most.
    """

    numbers: Numbers
    distance: float


def nearest(sums: LinearSums, held: Values, given: Numbers, near: float, most: int) -> Nearest:
    """The point nearest to a given one with no negative sum.

    Args:
      sums: T.
      held: h, none negative.
      given: v.
      near: the distance to reach.
      most: steps, after which the best so far is the answer.
    """
    best = _allowed(sums, held, given, np.zeros_like(held))
    if best.distance <= near:
        return best
    step = step_for_squares(lambda y: sums.backward(sums.forward(y)), len(given))
    slope = _slope(sums, held, given)
    prices = descent(slope, lambda x: np.maximum(x, 0.0), np.zeros_like(held), step)
    for each in islice(prices, _LOOK_EVERY - 1, most, _LOOK_EVERY):
        found = _allowed(sums, held, given, each)
        best = min(best, found, key=lambda one: one.distance)
        if best.distance <= near:
            break
    return best


def _slope(sums: LinearSums, held: Values, given: Numbers) -> Callable[[Values], Values]:
    return lambda prices: sums.forward(given + sums.backward(prices)) + held


def _allowed(sums: LinearSums, held: Values, given: Numbers, prices: Values) -> Nearest:
    moved = given + sums.backward(prices)
    values = sums.forward(moved)
    below = values < -held
    factor = float(np.min(held[below] / -values[below])) if below.any() else 1.0
    slack = prices @ np.maximum(factor * values + held, 0.0)
    off = (1 - factor) ** 2 * float(moved @ moved)
    return Nearest(factor * moved, math.sqrt(off + 2 * float(slack)))
