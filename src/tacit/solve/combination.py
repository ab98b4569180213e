"""How many of each column come nearest to a target, and a proof of how near that is.

Minimised is f(x) = |Kx - b|²/2 over x >= 0 that add up to n.

1. Its slope is K'r, r = Kx - b; f is convex, so no point of the set is lower than x by more than

       the gap = max over the set of <K'r, x - x'> = x'K'r - n min K'r

   (Frank and Wolfe).
2. As f bends by one in Kx, that is within sqrt(2 gap) of the nearest.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.solve.accelerated import descent, step_for_squares
from tacit.solve.nonnegative import Numbers
from tacit.solve.simplex import project

Counts = Float[np.ndarray, " columns"]

# A gap costs as much as a step: a tenth more in all.
_LOOK_EVERY = 10


@final
@dataclass(frozen=True, eq=False)
class Combination:
    """How many of each column.

    Args:
      counts: x, none negative.
      distance: of Kx from the nearest one, at most.
    """

    counts: Counts
    distance: float


def combination(
    forward: Callable[[Counts], Numbers],
    backward: Callable[[Numbers], Counts],
    target: Numbers,
    total: float,
    near: float,
    most: int,
) -> Combination:
    """The counts that add up to a total and come nearest to a target.

    Args:
      forward: x to Kx.
      backward: y to K'y.
      target: b.
      total: n, positive.
      near: the distance to reach.
      most: steps, after which the best so far is the answer.
    """
    columns = len(backward(target))
    best = even = _proved(forward, backward, target, total, np.full(columns, total / columns))
    step = step_for_squares(lambda y: forward(backward(y)), len(target))
    found = descent(
        lambda x: backward(forward(x) - target),
        lambda x: total * project(x / total).point,
        even.counts,
        step,
    )
    for each in islice(found, _LOOK_EVERY - 1, most, _LOOK_EVERY):
        if best.distance <= near:
            break
        own = _proved(forward, backward, target, total, each)
        best = min(best, own, key=lambda one: one.distance)
    return best


def _proved(
    forward: Callable[[Counts], Numbers],
    backward: Callable[[Numbers], Counts],
    target: Numbers,
    total: float,
    counts: Counts,
) -> Combination:
    slopes = backward(forward(counts) - target)
    gap = float(counts @ slopes) - total * float(slopes.min())
    return Combination(counts, math.sqrt(2 * max(gap, 0.0)))
