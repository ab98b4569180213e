"""Importances for the least largest variance, with a bound that proves it."""

import numpy as np
import pytest

from tacit.solve.least_largest import least_largest


def sharing(costs: np.ndarray):
    """Of groups that share one budget: V_i = c_i / b_i, where the b_i add up to one."""

    def variances(importances: np.ndarray) -> np.ndarray:
        loud = np.sqrt(importances * costs)
        return costs / (loud / loud.sum())

    return variances


def test_the_largest_is_as_small_as_can_be():
    """Of a shared budget it is the sum of all costs, where all groups are off alike."""
    costs = np.array([1.0, 4.0, 100.0, 0.01])
    found = least_largest(sharing(costs), 4, gap=1e-4)

    assert found.lower <= costs.sum() * (1 + 1e-12) and costs.sum() <= found.upper * (1 + 1e-12)
    assert found.upper <= found.lower * (1 + 1e-4)
    np.testing.assert_allclose(found.importances, costs / costs.sum(), rtol=1e-2)
    assert sharing(costs)(found.importances).max() == found.upper


def test_a_group_that_is_never_the_worst_counts_nothing():
    """And bounds meet nearly even so."""

    def variances(importances: np.ndarray) -> np.ndarray:
        return np.append(sharing(np.array([1.0, 2.0]))(importances[:2] + 1e-300), 0.5)

    found = least_largest(variances, 3, gap=1e-3)

    assert found.importances[2] < 1e-3 and found.upper == pytest.approx(3, rel=2e-3)


def test_bounds_hold_where_nothing_can_be_moved():
    """Variances that importances do not change: the largest, and the mean of them with the last."""
    found = least_largest(lambda importances: np.array([1.0, 3.0]), 2)

    assert 0 < found.lower <= 3.0 == found.upper
