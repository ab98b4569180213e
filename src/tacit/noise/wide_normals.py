"""Normal numbers of the host with more than 160 bits behind the point: whole numbers, by digits.

1. A number is the sum of 2^(7i) X_i over `DIGITS` draws X_i of one table, a discrete Gaussian of
   variance 3 (1 + 2^14): by steps 2 and 3 of `noise.discrete` a discrete Gaussian of deviation
   `DEVIATION`, but for the distance of so many tables and joints, `tv_distance`.
2. At that deviation it is the nearest whole number to a normal one but for less than 2^-300 (step 2
   of `mechanisms.additive.k_norm`: the distance is about 1/24 of its inverse square).
3. So it is a normal number of deviation one, times `DEVIATION`, that was moved by less than one
   half.
"""

import math
from fractions import Fraction
from functools import cache

import numpy as np
from jaxtyping import Float64, Int64, PRNGKeyArray, Shaped

from tacit.noise.discrete import HALF, JOINT, gaussian_table
from tacit.noise.host_tables import HostTable
from tacit.noise.host_words import HostKey, held
from tacit.noise.tables import ROWS, AliasTable

# Digits of 7 bits for a deviation of 2^168; six of them together are below 2^48.
DIGITS, BITS, _TOGETHER = 24, 7, 6
_VARIANCE = Fraction(3 * (1 + 2 ** (2 * BITS)))
# Between 2^168 and 2^169.
DEVIATION = math.isqrt(int(_VARIANCE) * sum(2 ** (2 * BITS * place) for place in range(DIGITS)))


@cache
def _table() -> AliasTable:
    return gaussian_table(_VARIANCE, ROWS)


@cache
def _host_table() -> HostTable:
    return HostTable.of(_table())


def tv_distance() -> float:
    """How far one number is from a rounded normal one, at most."""
    return DIGITS * float(_table().tv_distance + JOINT) * (1 + 2.0**-40)


def wide_normals(key: PRNGKeyArray, rows: int, columns: int) -> Shaped[np.ndarray, "rows columns"]:
    """So many of them, as whole numbers of the host."""
    return whole(parts(key, 0, rows, columns))


def parts(
    key: PRNGKeyArray | HostKey, turn: int, rows: int, columns: int
) -> Int64[np.ndarray, "parts rows columns"]:
    """So many of them, others in every turn of a key, each as the sum of 2^(42 place) times its
    numbers, which are below 2^48."""
    shape = (DIGITS, rows, columns)
    one, other = held(key).folded(turn).split()
    digits = _host_table().outcomes(one.bits((2, *shape)), lambda: other.bits(shape)) - HALF
    # As many digits as a whole number of the host's own has room for.
    places = 2 ** (BITS * np.arange(_TOGETHER, dtype=np.int64))
    return np.einsum("ijkl,j->ikl", digits.reshape(-1, _TOGETHER, rows, columns), places)


def whole(parts: Int64[np.ndarray, "parts *shape"]) -> Shaped[np.ndarray, "*shape"]:
    """The sums, as whole numbers of the host."""
    total = np.zeros(parts.shape[1:], object)
    for part in parts[::-1]:
        total = total * 2 ** (BITS * _TOGETHER) + part.astype(object)
    return total


def near(parts: Int64[np.ndarray, "parts *shape"]) -> Float64[np.ndarray, "*shape"]:
    """The sums, but for 2^-51 of their size.

    A sum so far is exact up to 2^53; beyond, what comes next is below 2^-46 of it. So each of three
    additions adds its own rounding, and makes 1 + 2^-45 of the ones before.
    """
    total = np.zeros(parts.shape[1:])
    for part in parts[::-1]:
        total = total * 2.0 ** (BITS * _TOGETHER) + part
    return total
