"""Normal numbers of the host with more than 160 bits behind the point: whole numbers, by digits.

A number is the sum of 2^(7i) X_i over `DIGITS` draws X_i of one table, a discrete Gaussian of
variance 3 (1 + 2^14): by steps 2 and 3 of `noise.discrete` a discrete Gaussian of deviation
`DEVIATION`, but for the distance of so many tables and joints, `TV_DISTANCE`. At that deviation it
is the nearest whole number to a normal one but for less than 2^-300, so it is a normal number of
deviation one, times `DEVIATION`, that was moved by less than one half.
"""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray, UInt32

from tacit.noise.discrete import HALF, JOINT, gaussian_table
from tacit.noise.tables import ROWS, AliasTable, draw

DIGITS, BITS, _TOGETHER = 24, 7, 6
_VARIANCE = Fraction(3 * (1 + 2 ** (2 * BITS)))
# Between 2^168 and 2^169.
DEVIATION = math.isqrt(int(_VARIANCE) * sum(2 ** (2 * BITS * place) for place in range(DIGITS)))


@cache
def _table() -> AliasTable:
    return gaussian_table(_VARIANCE, ROWS)


def tv_distance() -> float:
    """How far one number is from a rounded normal one, at most."""
    return DIGITS * float(_table().tv_distance + JOINT) * (1 + 2.0**-40)


def wide_normals(
    key: PRNGKeyArray, rows: int, columns: int
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """So many of them, as whole numbers of the host."""
    digits = np.asarray(_digits(key, jnp.asarray(_table().columns), (DIGITS, rows, columns)))
    # As many digits as a whole number of the host's own has room for, first.
    places = 2 ** (BITS * np.arange(_TOGETHER, dtype=np.int64))
    parts = np.einsum("ijkl,j->ikl", digits.reshape(-1, _TOGETHER, rows, columns), places)
    total = np.zeros((rows, columns), object)
    for part in parts[::-1]:
        total = total * 2 ** (BITS * _TOGETHER) + part.astype(object)
    return total


@jax.jit(static_argnums=2)
def _digits(
    key: PRNGKeyArray, columns: UInt32[Array, "4 places"], shape: tuple[int, ...]
) -> Int32[Array, "digits *shape"]:
    return draw(jax.random.split(key), columns, shape) - HALF
