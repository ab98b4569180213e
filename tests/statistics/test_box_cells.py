"""Cells of a box: whose is which, which are held to have people, and how fine they should be."""

import numpy as np
import pytest

import tacit
from tacit.contribution import OneHot
from tacit.statistics.box_cells import (
    COUNTED_FROM,
    MOST_CELLS,
    TRIED,
    UNCANCELLED,
    BoxCells,
    cells_of,
)

PURE = tacit.Central(0.5, 0.0)
SIDES = (0.8, 0.6)


def test_a_cell_is_that_of_its_middle():
    """And corners are in the cells at the corners, on the box and beyond it."""
    cells = BoxCells(PURE, 100, SIDES, 4)
    np.testing.assert_array_equal(cells.numbers(cells.middles), np.arange(12))
    corners = np.array([[-0.8, -0.6], [0.8, 0.6], [-9.0, -9.0], [9.0, 9.0]])

    assert (4, 3) == cells.grid
    assert [0, 11, 0, 11] == cells.numbers(corners).tolist()


def test_a_column_that_is_much_narrower_has_one_cell():
    """Cells are nearly cubes."""
    assert (8, 1) == BoxCells(PURE, 100, (1.0, 0.01), 8).grid


def test_one_question_counts_all_cells():
    """Of one category a person, whose noise does not grow with their number."""
    few, many = (BoxCells(PURE, 1000, SIDES, along) for along in (4, 16))

    assert many.plan.sums.contribution == OneHot(16 * 12) and 1 == many.plan.sums.rounds
    assert few.noise == pytest.approx(many.noise, rel=1e-6)
    assert many.noise == pytest.approx((many.plan.error / many.cells) ** 0.5)


def test_cells_that_noise_would_explain_are_held_to_be_empty():
    """But for as many as are needed, which are those of the largest counts."""
    cells = BoxCells(PURE, 1000, SIDES, 4)
    answer = np.full(12, 0.5 * COUNTED_FROM * cells.noise)
    answer[[2, 5]] = 1.01 * COUNTED_FROM * cells.noise, 0.7
    points, weights = cells.held(answer, 1)
    np.testing.assert_array_equal(points, cells.middles[[2, 5]])
    np.testing.assert_array_equal(weights, answer[[2, 5]])

    assert 12 == len(cells.held(answer, 3)[0]) and 12 == len(cells.held(answer, 99)[0])
    assert (cells.held(-answer, 3)[1] > 0).all()


def test_the_error_is_that_of_noise_and_of_what_is_within_a_cell():
    """As its opening says, in numbers."""
    cells = BoxCells(PURE, 1000, SIDES, 4)
    within = (0.4**2 + 0.4**2) / 12
    noise = 5 * (UNCANCELLED * 0.01) ** 2 * 12 / 5 / 3

    assert cells.error(5, 0.0) == pytest.approx(within)
    assert cells.error(5, 0.01) == pytest.approx(within + noise)


def test_more_people_have_finer_cells():
    """Of those that are tried the least error; with more columns there are none that suffice."""
    found = [cells_of(PURE, people, SIDES, 5) for people in (100, 1_000, 10_000, 10**7)]
    sizes, errors = zip(*((cells.cells, error) for cells, error in found), strict=True)

    assert list(sizes) == sorted(set(sizes)) and list(errors) == sorted(errors, reverse=True)
    assert max(sizes) <= MOST_CELLS
    cells, error = found[1]
    others = [BoxCells(PURE, 1_000, SIDES, along) for along in TRIED]
    usable = [each for each in others if 5 <= each.cells <= MOST_CELLS]
    assert error == pytest.approx(min(each.error(5, cells.noise) for each in usable))
    assert cells_of(PURE, 1_000, (0.25,) * 16, 5) is None
    assert cells_of(PURE, 1_000, (1.0,), 200) is None


def test_what_is_foreseen_is_by_the_noise_of_these_cells():
    """Devices' noise on one of many cells is more than on one of few: by half, for these."""
    cells, error = cells_of(tacit.Local(4.0), 100_000, SIDES, 4)
    few = BoxCells(tacit.Local(4.0), 100_000, SIDES, TRIED[0])

    assert cells.noise > 1.3 * few.noise
    assert error == pytest.approx(cells.error(4, cells.noise))
