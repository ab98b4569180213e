"""Whole numbers next to given ones, with sums that hardly move."""

import numpy as np
import pytest

from tacit.solve.whole_numbers import rounded


def moved(matrix: np.ndarray, counts: np.ndarray) -> float:
    """How far, in L1, whole numbers are from ones with the very sums: at most."""
    found = rounded(counts, lambda places: matrix[:, places])
    assert np.array_equal(found, np.rint(found)) and (np.abs(found - counts) < 1 + 1e-6).all()
    return float(np.abs(matrix @ (found - counts)).max())


@pytest.mark.parametrize(("sums", "places"), [(4, 40), (11, 300), (30, 900)])
def test_sums_move_by_half_of_their_number_at_most(sums, places):
    """For sums of ones and minus ones; far less than where each count is rounded by itself."""
    rng = np.random.default_rng(places)
    matrix = rng.choice([-1.0, 1.0], (sums, places))
    counts = 3 * rng.random(places) * (rng.random(places) < 0.8)
    alone = np.abs(matrix @ (np.rint(counts) - counts)).max()

    assert moved(matrix, counts) <= sums / 2
    # All counts are just above one half: rounded up, each adds as much to the first sum.
    matrix[0] = 1.0
    assert moved(matrix, np.full(places, 0.51)) <= sums / 2 < alone + 0.4 * places


def test_whole_numbers_stay():
    """Also where fewer than sums are not whole: those go to the nearest."""
    counts = np.array([0.0, 3.0, 2.4, 5.0])

    assert rounded(counts, lambda places: np.ones((2, len(places)))).tolist() == [0, 3, 2, 5]
    assert rounded(np.zeros(3), lambda places: np.ones((2, len(places)))).tolist() == [0, 0, 0]
