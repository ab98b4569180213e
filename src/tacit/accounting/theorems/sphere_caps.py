"""How much of the unit sphere a cap holds, and the integral that this is made of.

In R^d the part of the sphere at height a = sin s >= 0 or above is

    (1 - a²)^((d-2)/2) J(a) / 2 J(0),   J(a) = ∫ exp((d-2) log(cos y - tan(s) sin y)) dy

over [0, pi/2 - s]: the height has density proportional to (1 - t²)^((d-3)/2), t = sin(s + y), and
half the sphere is above 0. The integrand is smooth, starts at 1, and falls at least as fast as
exp(-(d-2)(y²/2 + tan(s) y)). Gauss-Legendre on the part above e^-45 gives J to rounding for every
d >= 3, with no beta function and nothing that underflows; of the circle, d = 2, it is the whole
arc, and exact.
"""

import functools
import math

import numpy as np

# NumPy computes the nodes of more less well: with 120 masses are off by more than tests allow.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
# The part of the integrand below exp(-45) is under a float64 rounding of the whole.
_DEPTH = 45.0


def log_cap_mass(dim: int, log_outside: float, tangent: float) -> float:
    """The log of the part of the sphere in R^`dim` (2 or more) at a height or above.

    Args:
      dim: d.
      log_outside: log sqrt(1 - a²) of the height a, from whoever has it without cancelling.
      tangent: a over sqrt(1 - a²).
    """
    return (dim - 2) * log_outside + math.log(0.5 * cap_integral(dim, tangent) / _of_half(dim))


def cap_integral(dim: int, tangent: float) -> float:
    """J of the height whose tangent this is, tan(s), in R^`dim` (2 or more)."""
    width = math.atan2(1.0, tangent)
    if dim > 2:
        depth = _DEPTH / (dim - 2)
        width = min(width, 2 * depth / (tangent + math.hypot(tangent, math.sqrt(2 * depth))))
    y = 0.5 * width * (1 + _NODES)
    fall = 2 * np.sin(0.5 * y) ** 2 + tangent * np.sin(y)
    return 0.5 * width * float(_WEIGHTS @ np.exp((dim - 2) * np.log1p(-fall)))


# A search for the best height asks for one dimension hundreds of times.
@functools.lru_cache(maxsize=256)
def _of_half(dim: int) -> float:
    """J(0), which every mass is divided by."""
    return cap_integral(dim, 0.0)
