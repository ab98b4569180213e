"""The nearest point of a ball or a box, with a proof of how near the answer is to it.

**L2.** Outside, the nearest point is v r/|v|. Any multiple of v is as far from it as its norm is
from r; the norm is computed to a relative 2u, u = 2^-53, and multiplying moves it by ur.

**L1.**

1. Outside, the nearest point has the signs of v and, as sizes, r times the projection of |v|/r onto
   the probability simplex: no sign can be wrong, and the sizes add up to r.
2. That projection does not change if the same is taken from all coordinates (`solve.simplex`), so
   the largest |v| is, which keeps all that follows below one: a coordinate more than 1 below is
   zero, so -2 stands for all that are less.
3. Subtracting and dividing err by at most 2u of at most 2 each, which projection does not enlarge;
   the simplex's certificate and one multiplication are added, all times r.

**Box.** Coordinate by coordinate, and exact.

A sum that is rounded to r or less may exceed r by ur: such a point is returned as it is.

References:
    Duchi, Shalev-Shwartz, Singer and Chandra 2008, "Efficient projections onto the l1-ball for
        learning in high dimensions".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number
from tacit.solve import simplex
from tacit.solve.simplex import Projection

# u, of float64.
_UNIT = 2.0**-53
# Beyond these, scaled sizes could leave the range of floats.
_LEAST, _MOST = 2.0**-500, 2.0**500


@final
@dataclass(frozen=True)
class L2Constraint:
    """All points of L2 norm at most `radius`.

    Args:
      radius: From 2^-500 to 2^500.
    """

    radius: float

    def __post_init__(self):
        _check_radius(self.radius)

    def project(self, values: Float[np.ndarray, " k"]) -> Projection:
        """The nearest point; a point of the ball is its own. NaN and infinity are refused."""
        values = _finite(values)
        exponent = math.frexp(max(float(np.abs(values).max()), self.radius))[1]
        # Of radius and largest coordinate the greater is from 1/2 to 1 now, and neither overflows:
        # squares that vanish do not matter, and a radius that vanishes is below any such norm.
        scaled, radius = np.ldexp(values, -exponent), math.ldexp(self.radius, -exponent)
        norm = _norm(scaled)
        if norm <= radius:
            return Projection(values, 3 * _UNIT * self.radius)
        point = scaled * (self.radius / norm)
        return Projection(point, abs(_norm(point) - self.radius) + 5 * _UNIT * self.radius)


@final
@dataclass(frozen=True)
class L1Constraint:
    """All points of L1 norm at most `radius`.

    Args:
      radius: From 2^-500 to 2^500.
    """

    radius: float

    def __post_init__(self):
        _check_radius(self.radius)

    def project(self, values: Float[np.ndarray, " k"]) -> Projection:
        """The nearest point; a point of the ball is its own. NaN and infinity are refused."""
        values = _finite(values)
        sizes = np.abs(values)
        largest = float(sizes.max(initial=0.0))
        if largest <= self.radius and math.fsum(sizes) <= self.radius:
            return Projection(values, _UNIT * self.radius)
        with np.errstate(over="ignore"):
            below = np.maximum((sizes - largest) / self.radius, -2.0)
        inner = simplex.project(below)
        # Step 3.
        rounding = (5 * math.sqrt(len(values)) + 1) * _UNIT
        point = np.copysign(self.radius * inner.point, values)
        return Projection(point, self.radius * (inner.distance + rounding))


@final
@dataclass(frozen=True)
class BoxConstraint:
    """All points whose coordinates are between `low` and `high`.

    Args:
      low: Finite.
      high: Finite, and not below `low`.
    """

    low: float
    high: float

    def __post_init__(self):
        numbers = is_number(self.low) and is_number(self.high)
        if not (numbers and -math.inf < self.low <= self.high < math.inf):
            said = f"{got(self.low)} and {got(self.high)}"
            raise ValueError(f"low and high must be finite and in order, got {said}")

    def project(self, values: Float[np.ndarray, " k"]) -> Projection:
        """The nearest point, exactly. NaN and infinity are refused."""
        return Projection(np.clip(_finite(values), self.low, self.high), 0.0)


def _norm(values: Float[np.ndarray, " k"]) -> float:
    """The L2 norm, to a relative 2^-52, of numbers whose largest is no extreme of the floats."""
    return math.sqrt(math.fsum(values * values))


def _finite(values: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    if not (values.ndim == 1 and values.size and np.isfinite(values).all()):
        raise ValueError(f"values must be one or more finite numbers, got {values}")
    return values.astype(np.float64)


def _check_radius(radius: float) -> None:
    if not (is_number(radius) and _LEAST <= radius <= _MOST):
        raise ValueError(f"radius must be between {_LEAST:.3g} and {_MOST:.3g}, got {got(radius)}")
