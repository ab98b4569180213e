"""Rows laid out in cells: few levels, and what is below a place from few counts."""

import numpy as np
import pytest

from tables.released import counted
from tacit.tables.caps import Caps
from tacit.tables.laid import LaidOut, branches_for


@pytest.mark.parametrize("cells", [2, 9, 41, 367, 513])
def test_without_noise_it_is_how_many_rows_are_up_to_each_cell(cells):
    """Of every cell; and so are its weights on the counts."""
    laid, rng = LaidOut(cells), np.random.default_rng(cells)
    places = rng.integers(0, cells, 200)
    exact = counted(laid, places)
    upto = np.cumsum(np.bincount(places, minlength=cells))

    np.testing.assert_allclose(laid.upto(exact[None])[0], upto, atol=1e-9)
    np.testing.assert_allclose(laid.rising(exact[None])[0], upto, atol=1e-9)
    np.testing.assert_allclose(laid.weights @ exact, upto, atol=1e-9)


def test_few_cells_are_a_histogram_and_many_a_tree():
    """With a few cells more than were asked for, at most, and less noise below a place."""
    branches = {cells: branches_for(cells) for cells in (2, 6, 40, 366, 4096)}

    assert (2,) == branches[2] and (6,) == branches[6]
    assert [2, 3, 3] == [len(branches[cells]) for cells in (40, 366, 4096)]
    assert all(cells <= np.prod(own) <= 1.1 * cells for cells, own in branches.items())
    flat = 0.5 * np.sqrt(366)
    off = LaidOut(366).weights - 0.5 * LaidOut(366).weights[-1]
    assert np.sqrt(3) * np.linalg.norm(off, axis=1).max() < 0.5 * flat


def test_a_row_is_charged_once_on_each_level():
    """In L1; and in L2 as so many ones are."""
    laid = LaidOut(366)
    shape = laid.shape(Caps(2, 2, 1), 3)

    assert (3 * laid.nodes, 1, 6) == (shape.cells, shape.most, shape.total)
