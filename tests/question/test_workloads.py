"""Workloads answer as their matrices do, and know their squares."""

import numpy as np
import pytest

from tacit.question.workloads import Prefix, Queries, Ranges

MATRIX = np.random.default_rng(0).normal(size=(30, 9))


def rows(workload) -> np.ndarray:
    """The workload as a matrix, written out from what its queries are."""
    n = workload.cells
    match workload:
        case Prefix():
            return np.array([[j <= i for j in range(n)] for i in range(n)], float)
        case Ranges():
            ends = [(i, j) for i in range(n) for j in range(i, n)]
            return np.array([[i <= k <= j for k in range(n)] for i, j in ends], float)
    return MATRIX


@pytest.mark.parametrize("workload", [Prefix(9), Ranges(9), Queries(MATRIX)], ids=repr)
def test_a_workload_is_its_matrix(workload):
    """Answers, squares and variances are those of the rows, written out."""
    matrix, rng = rows(workload), np.random.default_rng(1)
    counts, factor = rng.integers(0, 50, 9), np.tril(rng.normal(size=(9, 9)))
    basis = workload.basis()

    assert (workload.queries, 9) == matrix.shape
    np.testing.assert_allclose(workload.answers(basis @ counts), matrix @ counts)
    np.testing.assert_allclose(workload.gram().dense(), matrix.T @ matrix, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        workload.variances(basis @ factor), ((matrix @ factor) ** 2).sum(1), atol=1e-12
    )


@pytest.mark.parametrize("workload", [Prefix(9), Ranges(9), Queries(MATRIX)], ids=repr)
def test_queries_can_be_weighed(workload):
    """W'D W for a weight of each query, as it is written out."""
    matrix = rows(workload)
    weights = np.random.default_rng(2).uniform(0.1, 2, workload.queries)

    weighed = workload.weighed(weights).dense()
    np.testing.assert_allclose(weighed, matrix.T * weights @ matrix, rtol=1e-9, atol=1e-9)
    assert workload.basis_size == len(workload.basis())


@pytest.mark.parametrize("workload", [Prefix(9), Ranges(9), Queries(MATRIX)], ids=repr)
def test_the_largest_weight_of_each_query_is_known(workload):
    """Whatever its sign, without the matrix."""
    np.testing.assert_array_equal(workload.largest(), np.abs(rows(workload)).max(1))


def test_a_query_says_which_cells_it_counts():
    """By their numbers, as its row has them; a matrix only says which row."""
    for workload in (Prefix(9), Ranges(2), Ranges(9)):
        for place, row in enumerate(rows(workload)):
            cells = np.flatnonzero(row)
            assert f"cells {cells[0]} to {cells[-1]}" == workload.worded(place)
    largest = Ranges(4096)
    assert "cells 4095 to 4095" == largest.worded(largest.queries - 1)
    assert "cells 4094 to 4095" == largest.worded(largest.queries - 2)
    assert "row 7" == Queries(MATRIX).worded(7)


@pytest.mark.parametrize(
    ("made", "given", "message"),
    [
        (Prefix, 1, "a workload is about 2 to 65,536 cells, got 1"),
        (Ranges, 5000, "a workload is about 2 to 4,096 cells, got 5000"),
        (Prefix, 2.5, "a workload is about 2 to 65,536 cells, got 2.5"),
        (Queries, [1.0, 2.0], "a matrix of numbers, a row each"),
        (Queries, [["a", "b"]], "a matrix of numbers, a row each"),
        (Queries, [[1.0, np.nan]], "a matrix of queries must be finite numbers"),
        (Queries, [[1.0, 2 + 1j]], "a matrix of numbers, a row each"),
        (Queries, [[0.0, 0.0]], "largest number must be from 1e-12 to 1e12"),
        (Queries, 1e200 * np.eye(2), "largest number must be from 1e-12 to 1e12"),
        (Queries, [[1.0, -np.inf]], "a matrix of queries must be finite numbers"),
        (Queries, [[1.0]], "a workload is about 2 to 4,096 cells, got 1"),
    ],
)
def test_what_is_no_workload_is_refused(made, given, message):
    """When it is made, in one sentence."""
    with pytest.raises(ValueError, match=message):
        made(given)


def test_a_matrix_of_truth_values_is_one_of_numbers():
    """Of ones and zeros."""
    chosen = np.array([[True, False, True], [False, True, False]])
    np.testing.assert_array_equal(chosen.astype(float), Queries(chosen).matrix)


def test_a_matrix_is_copied():
    """What is asked does not change with the caller's own array."""
    own = np.ones((2, 3))
    kept = Queries(own)
    own[:] = 7

    assert (kept.matrix == 1).all()
