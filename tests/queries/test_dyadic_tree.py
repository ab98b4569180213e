"""Thresholds are sums over dyadic ranges, as they are written here and not as they are printed."""

import math

import numpy as np
import pytest

from tacit.queries import dyadic


def between(s: int, t: int) -> np.ndarray:
    """phi_(s:t) on eight cells: 1 for s < x <= t."""
    x = np.arange(1, 9)
    return ((s < x) & (x <= t)).astype(int)


@pytest.mark.parametrize("cells", [2, 8, 64])
def test_it_is_a_factorisation_of_all_thresholds(cells):
    """With as many ranges a cell, and as many a threshold, as its norm says."""
    found, levels = dyadic(cells), int(math.log2(cells))

    np.testing.assert_array_equal(found.left @ found.right, np.tri(cells))
    assert found.right.shape == (2 * cells - 1, cells)
    assert (found.right.sum(0) == levels + 1).all() and found.left.sum(1).max() == levels
    assert found.norm == pytest.approx(math.sqrt(levels * (levels + 1)))


def test_seven_is_four_and_two_and_one():
    """In half-open ranges; with the printed ends two cells are in none of the three."""
    found = dyadic(8)
    rows = found.right[found.left[6].astype(bool)]
    printed = between(1, 4) + between(5, 6) + between(6, 7)

    np.testing.assert_array_equal(rows, [between(0, 4), between(4, 6), between(6, 7)])
    assert np.flatnonzero(printed != between(0, 7)).tolist() == [0, 4]


def test_the_ranges_as_printed_do_not_halve():
    """1:N; 1:N/2, N/2+1:N; 1:N/4 twice: the first cell is in no row, and one row is there twice."""
    printed = [[(1, 8)], [(1, 4), (5, 8)], [(1, 2), (1, 2), (5, 6), (7, 8)]]
    meant = [[(0, 8)], [(0, 4), (4, 8)], [(0, 2), (2, 4), (4, 6), (6, 8)]]
    for level, own in zip(printed, meant, strict=True):
        assert not sum(between(*ends) for ends in level)[0]
        assert (sum(between(*ends) for ends in own) == 1).all()
    rows = [between(*ends) for level in meant for ends in level]

    np.testing.assert_array_equal(dyadic(8).right[:7], rows)


@pytest.mark.parametrize("cells", [1, 6, 8192, 2.5, None])
def test_other_numbers_of_cells_are_refused(cells):
    """In one sentence."""
    with pytest.raises(ValueError, match=r"a power of two from 2 to 4,096, got"):
        dyadic(cells)
