"""The directions in which a matrix of moments is largest."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_whole


def components_of(n_components: Any, features: int) -> int:
    """How many directions; None for all.

    Raises:
      ValueError: if there are not so many.
    """
    many = features if n_components is None else n_components
    if not (is_whole(many) and 1 <= many <= features):
        raise ValueError(
            f"n_components must be a whole number from 1 to the number of features, {features}, "
            f"or None, got {got(n_components)}"
        )
    return int(many)


def largest(
    moments: Float[np.ndarray, "features features"], many: int
) -> tuple[Float[np.ndarray, "many features"], Float[np.ndarray, " many"]]:
    """The eigenvectors of the largest eigenvalues, as rows, and these; negative ones are zero.

    Each direction's largest number is positive, so that its sign is always the same.
    """
    values, vectors = np.linalg.eigh(moments)
    rows = vectors.T[::-1][:many]
    peaks = rows[np.arange(many), np.abs(rows).argmax(axis=1)]
    return rows * np.sign(peaks)[:, None], np.maximum(values[::-1][:many], 0.0)


def shares_of(
    values: Float[np.ndarray, " many"], moments: Float[np.ndarray, "features features"]
) -> Float[np.ndarray, " many"]:
    """Which part of the trace each eigenvalue is; at most one, and zero where there is no trace."""
    total = max(float(np.trace(moments)), float(values.sum()))
    return values / total if total > 0 else np.zeros_like(values)
