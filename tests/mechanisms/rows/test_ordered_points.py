"""Points at some ranks are those of all numbers, sorted."""

import math

import numpy as np
import pytest

from tacit.mechanisms.rows.ordered_points import OrderedPoints, ends_from
from tacit.mechanisms.rows.public_grid import PublicGrid

GRID = PublicGrid(-1.0, 3.0, 8)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_points_in_order_are_those_of_each_number(kind):
    """Whatever comes first, in numbers of any type; what is given stays as it is."""
    given = np.random.default_rng(0).normal(1, 3, 500)
    given[:3] = math.nan, math.inf, -math.inf
    own = (given if kind != np.int64 else np.nan_to_num(given, posinf=9, neginf=-9)).astype(kind)
    before, found = own.copy(), OrderedPoints.of(GRID, own)

    assert len(found) == 500 and found[10:10].tolist() == []
    np.testing.assert_array_equal(np.sort(GRID.points(own)), found[:])
    np.testing.assert_array_equal(np.sort(GRID.points(own))[90:95], found[90:95])
    np.testing.assert_array_equal(before, own)
    with pytest.raises(ValueError, match="must be a vector"):
        OrderedPoints.of(GRID, np.zeros((2, 2)))


@pytest.mark.parametrize("rank", range(-9, 9))
@pytest.mark.parametrize("many", [1, 4, 20])
def test_ends_are_below_and_above_ranks(rank, many):
    """The point of the person before a rank, at it, and so on; nobody's before all and after."""
    ordered = np.array([2, 2, 5])
    all_of_them = dict(enumerate([-1, 2, 2, 5, 9]))
    expected = [all_of_them.get(each, -1 if each < 0 else 9) for each in range(rank, rank + many)]

    assert ends_from(ordered, rank, many, 9).tolist() == expected
    assert ends_from(ordered[:0], rank, many, 9).tolist() == [
        -1 if each <= 0 else 9 for each in range(rank, rank + many)
    ]
