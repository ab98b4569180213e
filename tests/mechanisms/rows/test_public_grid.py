"""Numbers count as the nearest of the grid's points, and points are numbers within the interval."""

import math

import numpy as np
import pytest

from tacit.mechanisms.rows.public_grid import PublicGrid

GRID = PublicGrid(-1.0, 3.0, 8)


def test_numbers_count_as_the_nearest_point():
    """Outside and infinite ones as the nearer end, NaN as the lower."""
    given = [-1.0, 3.0, 0.1, 0.3, -9.0, math.inf, -math.inf, math.nan]

    assert GRID.points(given).tolist() == [0, 8, 2, 3, 0, 8, 0, 0]


def test_points_are_their_own_numbers():
    """There and back."""
    points = np.arange(9)

    assert GRID.numbers(points).tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    assert (GRID.points(GRID.numbers(points)) == points).all()


@pytest.mark.parametrize(
    "arguments, match",
    [
        ((1.0, 1.0, 8), "lower must be below upper"),
        ((math.nan, 1.0, 8), "lower must be below upper"),
        ((-math.inf, 1.0, 8), "lower must be below upper"),
        ((0.0, 1.0, 0), "cells must be"),
        ((0.0, 1.0, 2**30), "cells must be"),
        ((0.0, 1.0, math.nan), "cells must be"),
    ],
)
def test_what_is_no_grid_is_refused(arguments, match):
    """NaN passes nowhere."""
    with pytest.raises(ValueError, match=match):
        PublicGrid(*arguments)


def test_what_is_no_vector_is_refused():
    """A table is none."""
    with pytest.raises(ValueError, match="must be a vector"):
        GRID.points(np.zeros((2, 2)))
