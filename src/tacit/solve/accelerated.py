"""Accelerated projected gradient descent: points of a convex set, ever nearer to a minimum.

From a point ahead of the last one, a step against the slope, and back into the set. How far ahead
follows Nesterov's momentum, which begins anew where steps turn back (O'Donoghue and Candès 2015).
A minimum of f, whose slope bends by at most 1/step, is missed by O(1/k²) after k steps. Nothing
rests on that here: what was reached, whoever asks proves by a gap of their own.

References:
    Beck and Teboulle 2009, "A fast iterative shrinkage-thresholding algorithm".
    O'Donoghue and Candès 2015, "Adaptive restart for accelerated gradient schemes".
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float

Vector = Float[np.ndarray, " k"]

# Turns of the power method, which finds too little, and what it is taken to be too little by.
_POWERS, _LONGER = 30, 1.05


def descent(
    slope: Callable[[Vector], Vector],
    projected: Callable[[Vector], Vector],
    start: Vector,
    step: float,
) -> Iterator[Vector]:
    """Points of the set, without end.

    Args:
      slope: of f.
      projected: the nearest point of the set.
      start: a point of it.
      step: how far along the slope.
    """
    ahead, old, momentum = start, start, 1.0
    while True:
        new = projected(ahead - step * slope(ahead))
        if (ahead - new) @ (new - old) > 0:
            momentum = 1.0
        later = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / later * (new - old)
        old, momentum = new, later
        yield new


def step_for_squares(squared: Callable[[Vector], Vector], size: int) -> float:
    """A step for least squares: a little less than one over the largest eigenvalue of KK'.

    Args:
      squared: y to KK'y, of vectors of this size.
      size: at least one.
    """
    along = np.random.default_rng(0).random(size)
    for _ in range(_POWERS):
        along = squared(along / np.linalg.norm(along))
    return 1 / (_LONGER * float(np.linalg.norm(along)))
