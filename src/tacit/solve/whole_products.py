"""Products with a matrix of whole numbers, of vectors of any length of digits: exactly, by floats.

The matrix, below 2^53, is 2^26 H + L, H within 2^27 and L below 2^26; a number of the vector is its
limbs of 16 bits, of which the last has the sign. So every number that BLAS adds up is whole, and
for at most 512 columns the sum of their sizes is 2^(27+16+9) at most: whatever the order, nothing
is rounded. What is left is to carry, limb by limb.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float64

Whole = np.ndarray[Any, np.dtype[np.object_]]

# Columns, and bits of a half of an entry and of a limb: 27 + 16 + 9 bits are exact in a float.
LARGEST = 512
_LOW, _LIMB = 26, 16


def product(matrix: Float64[np.ndarray, "rows columns"], vector: Whole) -> Whole:
    """The matrix, of whole numbers below 2^53 and at most 512 columns, times the vector."""
    if not matrix.shape[1] <= LARGEST:
        raise ValueError(f"a product is exact for at most 512 columns, got {matrix.shape[1]}")
    limbs = _limbs(vector)
    high = np.floor(matrix * 2.0**-_LOW)
    low = matrix - high * 2.0**_LOW
    above, below = np.split(_joined(np.vstack([high, low]) @ limbs), 2)
    return (above << _LOW) + below


def _limbs(vector: Whole) -> Float64[np.ndarray, "columns limbs"]:
    """The lowest first, each from zero to 2^16, but for the last, which is from -2^15 to 2^15.

    Numbers of n bits and a sign have room in n // 16 + 1 limbs, as 16 (n // 16 + 1) >= n + 1.
    """
    numbers = vector.tolist()
    width = 2 * (max(each.bit_length() for each in numbers) // _LIMB + 1)
    written = b"".join(each.to_bytes(width, "little", signed=True) for each in numbers)
    limbs = np.frombuffer(written, "<u2").reshape(len(numbers), -1).astype(np.float64)
    limbs[:, -1] -= np.where(limbs[:, -1] < 2.0 ** (_LIMB - 1), 0.0, 2.0**_LIMB)
    return limbs


def _joined(sums: Float64[np.ndarray, "rows limbs"]) -> Whole:
    """Of each row the sum of its numbers, which are below 2^53, times 2^(16 place).

    The last has 64 bits, three limbs to spare: with what is carried to it, it is below 2^54.
    """
    carried = sums.astype(np.int64)
    for place in range(carried.shape[1] - 1):
        carried[:, place + 1] += carried[:, place] >> _LIMB
    low = (carried[:, :-1] & (1 << _LIMB) - 1).astype("<u2")
    written = np.hstack([each.view(np.uint8) for each in (low, carried[:, -1:].astype("<i8"))])
    numbers = [int.from_bytes(row.tobytes(), "little", signed=True) for row in written]
    return np.array(numbers, object)
