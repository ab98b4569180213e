"""The directions in which a matrix of moments is largest, and how many of them are kept.

All are read off one released matrix, so their number costs nothing, chosen beforehand or by what
came out. A symmetric matrix of independent noise, whose rows have variances that sum to s² at most,
has eigenvalues of about 2 s and no larger ones, if it has many rows (Bandeira and van Handel). So
one as small says nothing of people. Pure noise, of Wisharts, reaches a little beyond.

References:
    Bandeira and van Handel 2016, "Sharp nonasymptotic bounds on the norm of random matrices with
        independent entries".
"""

from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, is_whole
from tacit.plan import Plan

Square = Float[np.ndarray, "features features"]


def refuse_no_count(n_components: Any, features: int) -> None:
    """Raises a ValueError unless there may be so many directions, or a share decides."""
    if n_components is None or (is_number(n_components) and 0 < n_components < 1):
        return
    if not (is_whole(n_components) and 1 <= n_components <= features):
        raise ValueError(
            f"n_components must be a whole number from 1 to the number of features, {features}, "
            f"a share above 0 and below 1, or None, got {got(n_components)}"
        )


def refuse_unknown_noise(n_components: Any, plan: Plan) -> None:
    """Raises a ValueError where a share decides, and what is above the noise cannot be told."""
    if plan.error is None and n_components is not None and n_components < 1:
        raise ValueError(
            "the noise of these reports is not known, and a share is of what is above it: leave "
            "the projection radius infinite, or say how many directions"
        )


def count_of(
    n_components: float | None, values: Float[np.ndarray, " features"], noise: float
) -> int:
    """How many directions are kept, of all eigenvalues, the largest first.

    Args:
      n_components: so many; or a share: the fewest that hold so much of what eigenvalues above the
        noise sum to, one at least; None for all.
      noise: about the largest eigenvalue of the noise.
    """
    if n_components is None or n_components >= 1:
        return len(values) if n_components is None else int(n_components)
    held = np.cumsum(values[values > noise])
    return 1 + int(np.sum(held < n_components * held[-1])) if len(held) else 1


def largest_of_noise(errors: Square) -> float:
    """About the largest eigenvalue of a matrix whose numbers are off by so much (RMS)."""
    return 2 * float(np.sqrt(np.sum(errors**2, axis=1).max()))


def largest(
    moments: Square,
) -> tuple[Float[np.ndarray, "features features"], Float[np.ndarray, " features"]]:
    """The eigenvectors, as rows, and eigenvalues, the largest first; negative ones are zero.

    Each direction's largest number is positive, so that its sign is always the same.
    """
    values, vectors = np.linalg.eigh(moments)
    rows = vectors.T[::-1]
    peaks = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    return rows * np.sign(peaks)[:, None], np.maximum(values[::-1], 0.0)


def shares_of(values: Float[np.ndarray, " many"], moments: Square) -> Float[np.ndarray, " many"]:
    """Which part of the trace each eigenvalue is; at most one, and zero where there is no trace."""
    total = max(float(np.trace(moments)), float(values.sum()))
    return values / total if total > 0 else np.zeros_like(values)
