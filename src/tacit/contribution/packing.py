"""Symmetric matrices as vectors: the upper triangle, what is off the diagonal times sqrt(2).

So packing keeps inner products, and with them norms.
"""

import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


def packed(matrix: Float[Array, "size size"]) -> Float[Array, " packed"]:
    """A symmetric matrix as a vector of the same norm: its upper triangle, row by row."""
    rows, columns, weights = _places(matrix.shape[0])
    return matrix[rows, columns] * weights


def unpacked(vector: Float[Array, " packed"]) -> Float[Array, "size size"]:
    """The symmetric matrix that was packed."""
    size = (math.isqrt(8 * vector.size + 1) - 1) // 2
    rows, columns, weights = _places(size)
    upper = jnp.zeros((size, size)).at[rows, columns].set(vector / weights)
    return upper.at[columns, rows].set(vector / weights)


def _places(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, columns = np.triu_indices(size)
    return rows, columns, np.where(rows == columns, 1, math.sqrt(2)).astype(np.float32)
