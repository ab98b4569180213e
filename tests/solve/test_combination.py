"""Counts that come nearest to a target, as near as is said."""

import numpy as np
import pytest
from scipy import optimize

from tacit.solve.combination import combination

RNG = np.random.default_rng(1)
MATRIX, TARGET, TOTAL = RNG.normal(size=(10, 60)), 20 * RNG.normal(size=10), 30.0


def exact() -> np.ndarray:
    """K x, with the total as one heavy row of SciPy's problem."""
    tall = np.vstack([MATRIX, np.full((1, 60), 1e5)])
    counts, _ = optimize.nnls(tall, np.concatenate([TARGET, [1e5 * TOTAL]]), maxiter=10_000)
    return MATRIX @ counts


@pytest.mark.parametrize("most", [10, 50, 5_000])
def test_it_is_as_near_as_is_said(most):
    """However early it ends; the counts are none negative, and add up."""
    args = (lambda x: MATRIX @ x), (lambda y: MATRIX.T @ y), TARGET, TOTAL
    found = combination(*args, 1e-6, most)

    assert (found.counts >= 0).all() and found.counts.sum() == pytest.approx(TOTAL, rel=1e-12)
    assert np.linalg.norm(MATRIX @ found.counts - exact()) <= found.distance + 1e-3
    assert most < 100 or found.distance < 1e-5
