"""Numbers between declared bounds: what is taken for them, and where each lies.

A question of bounded numbers asks each person for a place between the bounds, made in float64, so
that bounds far from zero cost no digits. What is declared is public and refused where it is given;
of the numbers nothing is quoted.
"""

import math
from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number
from tacit.population.columns import column


def shares_of(
    numbers: Float[np.ndarray, " people"], bounds: tuple[float, float]
) -> Float[np.ndarray, " people"]:
    """How far each number is between its bounds, from zero to one; NaN stays."""
    lower, upper = bounds
    return (np.clip(numbers, lower, upper) - lower) / (upper - lower)


def centred(
    numbers: Float[np.ndarray, " people"], bounds: tuple[float, float]
) -> Float[np.ndarray, " people"]:
    """The same from minus one to one; a NaN is in the middle."""
    return np.nan_to_num(2 * shares_of(numbers, bounds) - 1).astype(np.float32)


def numbers_of(values: Any) -> Float[np.ndarray, " people"]:
    """One number for each person.

    Raises:
      ValueError: if there are several, or none that are numbers.
    """
    numbers = column(values, "the array")
    if numbers.ndim != 1:
        raise ValueError(
            f"values must hold one number for each person, got an array of {numbers.ndim} axes"
        )
    if not len(numbers):
        raise ValueError("values must hold a number for at least one person, got nobody's")
    return numbers.astype(np.float64)


def bounds_of(bounds: Any) -> tuple[float, float]:
    """Bounds as floats.

    Raises:
      ValueError: if they are none.
    """
    pair = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(is_number, bounds))
    if not (pair and 0 < float(bounds[1]) - float(bounds[0]) < math.inf):
        said = tuple(map(got, bounds)) if isinstance(bounds, tuple | list) else got(bounds)
        raise ValueError(f"bounds must be two finite numbers, lower < upper, got {said}")
    return float(bounds[0]), float(bounds[1])
