"""Strategies of the least worst error are nearly best, and no strategy is below their bound."""

import numpy as np
import pytest

from tacit.question.composed_workloads import Union, WithNone
from tacit.question.workloads import Prefix, Queries, Ranges
from tacit.solve.strategies import strategy
from tacit.solve.worst_error import dense_sides, least_worst

WORKLOADS = {
    "prefix": Prefix(32),
    "ranges": Ranges(12),
    "matrix": Queries(np.tri(40)[::2]),
    "none": WithNone(Prefix(20)),
    "union": Union(Prefix(10), Ranges(10)),
}


def worst(workload, square) -> float:
    """The largest variance of a strategy, its longest column brought to length one."""
    rows = workload.answers(workload.basis()) @ np.linalg.pinv(square)
    return float((square**2).sum(0).max() * (rows**2).sum(1).max())


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_strategy_is_within_its_bounds(name):
    """Computed anew from the matrix: not below the dual, and within a thousandth above it."""
    workload = WORKLOADS[name]
    best = least_worst(workload)
    found = worst(workload, strategy(workload.weighed(best.importances), best.weights))

    assert best.lower <= found <= best.upper * (1 + 1e-6) <= best.lower * (1 + 1.1e-3)


def test_no_strategy_is_below_the_lower_bound():
    """Neither counts, nor the answers themselves, nor a tree, nor twenty at random."""
    rng, lower = np.random.default_rng(0), least_worst(Prefix(32)).lower
    tree = np.concatenate([np.kron(np.eye(32 >> k), np.ones(1 << k)) for k in range(6)])
    known = [np.eye(32), np.tri(32), tree, *(rng.normal(size=(40, 32)) for _ in range(20))]

    assert all(worst(Prefix(32), each) >= lower for each in known)


@pytest.mark.parametrize(("cells", "norm"), [(128, 2.3208), (1024, 2.9615)])
def test_the_optimum_is_the_known_one(cells, norm):
    """The dual as another program found it, and a primal within a thousandth."""
    best = least_worst(Prefix(cells))

    assert np.sqrt(best.lower) == pytest.approx(norm, abs=1e-4)
    assert best.upper <= best.lower * 1.001


def test_prefix_sums_are_solved_as_any_matrix_is():
    """In linear time, for any weights: trace, variances and diagonal as by eigenvectors."""
    rng, workload = np.random.default_rng(1), Prefix(24)
    u, v = rng.uniform(0.1, 2, (2, 24))
    squares = np.tri(24).T * u @ np.tri(24)
    fast, dense = workload.sides(u, v), dense_sides(workload, u, v)

    np.testing.assert_allclose(workload.weighed(u).dense(), squares)
    for one, other in zip(fast, dense, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4)
    assert fast.least == pytest.approx(float(u @ fast.variances), rel=1e-9)


def test_a_query_asked_many_times_is_asked_once():
    """gamma_2 is one, however often; of two that share nothing, too."""
    row = (np.arange(8) < 3).astype(float)
    for matrix in (np.tile(row, (50, 1)), np.stack([row, 1 - row])):
        best = least_worst(Queries(matrix))
        assert best.lower <= 1 <= best.upper < 1.001


def test_the_least_worst_is_not_the_least_mean():
    """Each is best at its own: the worst of one is below that of the other."""
    from tacit.question.objectives import MaxError, MeanError

    workload = Prefix(64)
    mean, most = (
        worst(workload, each.best(workload).strategy()) for each in (MeanError(), MaxError())
    )

    assert most < 0.95 * mean
