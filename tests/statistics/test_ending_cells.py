"""Cells end at the places, hold their upper ends, and rise with what they hold."""

import numpy as np
import pytest

from tacit.statistics.ending_cells import EndingCells

PLACES = (-5.0, 0.0, 18.0, 18.0001, 40.0, 100.0, 120.0)


def cell_of(cells: EndingCells, numbers) -> np.ndarray:
    return np.floor(cells.shares(np.array(numbers, float)) * cells.cells).astype(int)


@pytest.mark.parametrize("many", [8, 16, 4_096])
def test_who_is_up_to_a_place_is_in_a_cell_before_its_end(many):
    """And nobody else: of numbers at places, on either side of them, and anywhere."""
    cells = EndingCells(PLACES, (0.0, 100.0), many)
    beside = [np.nextafter(place, way) for place in PLACES for way in (-200, 200)]
    numbers = np.array([*PLACES, *beside, *np.random.default_rng(0).uniform(-9, 130, 500)])
    inside = np.clip(numbers, 0, 100)
    for place, end in zip(PLACES, cells.ends, strict=True):
        np.testing.assert_array_equal(cell_of(cells, numbers) < end, inside <= place)


def test_numbers_rise_with_their_cells():
    """Between places too, and all cells are within the bounds."""
    cells = EndingCells(PLACES, (0.0, 100.0), 256)
    own = cell_of(cells, np.linspace(-10, 110, 5_000))

    assert np.all(np.diff(own) >= 0) and own[0] == 0 and own[-1] == 255
    assert len(np.unique(own)) > 200


def test_even_places_have_even_cells():
    """As many in each stretch as it is long; a NaN is in none."""
    cells = EndingCells((25.0, 50.0), (0.0, 100.0), 16)

    assert cells.ends.tolist() == [4, 8]
    assert cell_of(cells, [1, 24.9, 25, 25.1, 51, 100]).tolist() == [0, 3, 3, 4, 8, 15]
    assert np.isnan(cells.shares(np.array([np.nan])))


def test_as_many_places_as_cells_allow_have_one_each():
    """Crowded at either end, all are told apart."""
    for places in (np.linspace(0, 1e-3, 15), np.linspace(99.9, 99.99, 15)):
        cells = EndingCells(tuple(places), (0.0, 100.0), 16)

        assert cells.ends.tolist() == list(range(1, 16))
        assert cell_of(cells, [*places, 100.0]).tolist() == list(range(16))
