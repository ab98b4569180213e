"""The nearest matrix that is positive semi-definite.

A symmetric matrix A = V diag(v) V' has V diag(max(v, 0)) V' as the nearest such matrix in Frobenius
norm (Higham 1988, theorem 2.1). These matrices are a convex set, so whatever lies in it is no
further from the nearest one than from A.

References:
    Higham 1988, "Computing a nearest symmetric positive semidefinite matrix".
"""

import numpy as np
from jaxtyping import Float


def semidefinite(matrix: Float[np.ndarray, "dim dim"]) -> Float[np.ndarray, "dim dim"]:
    """The nearest to a symmetric one; itself, but for rounding, if it is one."""
    values, vectors = np.linalg.eigh(matrix)
    found = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return (found + found.T) / 2
