"""Weighted sums over blocks: their error is the closed form's, and the least of them are chosen."""

import numpy as np
import pytest

from tacit.question.workloads import Prefix, Ranges
from tacit.solve.nested_sums import _root, _weighted, nested_sums


def exact(found, squares) -> float:
    """The error of least squares by these sums, written out, for columns of any length."""
    sums = found.matrix()
    inverse = np.linalg.inv(sums.T @ sums)
    return 2 * np.trace(squares @ inverse) * np.abs(sums).sum(0).max() ** 2


@pytest.mark.parametrize("branches", [2, 4, 16, 256])
@pytest.mark.parametrize("workload", [Prefix(256), Ranges(256)], ids=repr)
def test_the_closed_form_is_the_error(workload, branches):
    """Where blocks are whole; columns are of length one."""
    squares = workload.gram().dense()
    found = _weighted(squares, branches)

    assert np.abs(found.matrix()).sum(0) == pytest.approx(1.0)
    assert found.error == pytest.approx(exact(found, squares), rel=1e-9)


@pytest.mark.parametrize("cells", [5, 27, 100])
def test_other_numbers_of_cells_do_no_worse_than_predicted(cells):
    """Cells beyond the last are nobody's."""
    squares = Prefix(cells).gram().dense()
    found = nested_sums(squares)

    assert exact(found, squares) <= found.error * (1 + 1e-9)
    assert found.error <= 2 * np.trace(squares) * (1 + 1e-9)


def test_weights_are_the_best_of_their_branches():
    """Moving any two of them by a tenth makes it no better."""
    squares = Ranges(64).gram().dense()
    found = _weighted(squares, 4)
    weights = np.array(found.weights)
    for i, j in ((0, 1), (0, 2), (1, 2), (2, 0), (1, 0)):
        moved = weights.copy()
        moved[i] += 0.1 * moved[j]
        moved[j] *= 0.9
        other = type(found)(64, 4, tuple(moved), 0.0)
        assert exact(other, squares) >= found.error * (1 - 1e-6)


def test_a_histogram_is_asked_as_itself():
    """Its cells and nothing else."""
    found = nested_sums(np.eye(30))

    assert found.weights[0] == 1 and found.error == pytest.approx(60)


def test_branches_are_the_least_that_reach():
    """In whole numbers, not in rounded roots."""
    for cells in (2, 3, 64, 100, 4096):
        for height in (1, 2, 3, 6):
            found = _root(cells, height)
            assert found**height >= cells and (found == 2 or (found - 1) ** height < cells)
