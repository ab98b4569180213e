"""Strategies are nearly best, and what they are compared with is below every strategy."""

import numpy as np
import pytest

from tacit.question.workloads import Prefix, Queries, Ranges
from tacit.solve.strategies import DenseGram, least_squares, strategy

WORKLOADS = {"prefix": Prefix(64), "ranges": Ranges(64), "matrix": Queries(np.tri(40)[::2])}


def variance(gram, square) -> float:
    """tr(V X^-1) of a strategy, its longest column brought to length one."""
    longest = (square**2).sum(0).max()
    return longest * np.trace(gram.dense() @ np.linalg.inv(square.T @ square))


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_strategy_is_within_its_bounds(name):
    """Computed anew from the matrix: not below the dual, within a ten-thousandth above it."""
    gram = WORKLOADS[name].gram()
    best = least_squares(gram)
    found = variance(gram, strategy(gram, best.weights))

    assert best.lower <= found <= best.upper * (1 + 1e-9) <= best.lower * (1 + 2e-4)


def test_no_strategy_is_below_the_lower_bound():
    """Neither counts, nor the answers themselves, nor a tree, nor twenty at random."""
    gram, rng = Prefix(32).gram(), np.random.default_rng(0)
    lower = least_squares(gram).lower
    tree = np.concatenate([np.kron(np.eye(32 >> k), np.ones(1 << k)) for k in range(6)])
    known = [np.eye(32), np.tri(32), tree, *(rng.normal(size=(40, 32)) for _ in range(20))]

    assert all(variance(gram, each) >= lower for each in known)


@pytest.mark.parametrize(
    ("workload", "low", "high"),
    [(Prefix(256), 2.52441, 2.52460), (Ranges(256), 2.90144, 2.90159)],
    ids=["prefix", "ranges"],
)
def test_the_optimum_is_the_known_one(workload, low, high):
    """Root mean squared error at unit noise, as another program found it; a dense solver agrees."""
    gram = workload.gram()
    best, dense = least_squares(gram), least_squares(DenseGram(gram.dense()), 1e-3)
    root = np.sqrt(np.array([best.lower, best.upper]) / workload.queries)

    assert low - 1e-5 < root[0] <= root[1] < high + 1e-5
    assert dense.lower <= best.upper and best.lower <= dense.upper


def test_a_strategy_is_lower_triangular_with_short_columns():
    """So that a sum is about the cells up to its own; one column has the length one."""
    gram = Ranges(48).gram()
    found = strategy(gram, least_squares(gram).weights)
    lengths = np.sqrt((found**2).sum(0))

    assert np.array_equal(found, np.tril(found))
    assert lengths.max() == pytest.approx(1, abs=1e-12) and lengths.min() > 0.99


def test_products_of_workloads_multiply():
    """The least error of a Kronecker product is the product of those of its factors."""
    small, other = Prefix(6).gram().dense(), Ranges(5).gram().dense()
    each = [least_squares(DenseGram(part), 1e-6) for part in (small, other)]
    both = least_squares(DenseGram(np.kron(small, other)), 1e-6)

    assert both.lower <= each[0].upper * each[1].upper
    assert each[0].lower * each[1].lower <= both.upper
