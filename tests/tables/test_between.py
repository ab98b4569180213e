"""A row's number on its grid, as the engine finds it."""

import math

import pandas as pd
import pytest

from tacit.tables.between import Between
from tacit.tables.engine import rows_of
from tacit.tables.rowwise import number


def test_edge_cases_of_the_docstring():
    """Numbers become levels; beyond the bounds the nearer one's; missing and NaN are missing."""
    given = [0.0, 3.0, 30.0, 31.0, -1.0, 1e300, -math.inf, math.inf, math.nan, None, 14.96]
    between, levels = Between("days", 0, 30), 30
    rows = rows_of(pd.DataFrame({"days": pd.array(given, "Float64")}))
    found = rows.select(level=between.level(number(rows, "days"), levels)).to_pyarrow()

    expected = [0, 3, 30, 30, 0, 30, 0, 30, None, None, 15]
    assert expected == found["level"].to_pylist()


@pytest.mark.parametrize(
    "lower, upper, levels",
    [
        (0, 30, 16380),
        (0, 1, 16384),
        (0.5, 1, 16384),
        (0, 16384, 16384),
        (0, 16385, 16384),
        (-7, 7, 16380),
    ],
)
def test_whole_bounds_have_levels_at_whole_numbers(lower, upper, levels):
    """Where there are fewer whole numbers between them than levels."""
    assert levels == Between("x", lower, upper).levels(2**14)


@pytest.mark.parametrize(
    "bounds", [(1, 1), (2, 1), (0, math.inf), (math.nan, 1), (0, 1e101), ("0", 1)]
)
def test_bounds_that_are_none_are_refused(bounds):
    """In one sentence."""
    with pytest.raises(ValueError, match="lower < upper"):
        Between("x", *bounds)


@pytest.mark.parametrize("bounds", [(0, 1e-310), (0, 5e-324), (-1e-101, 0)])
def test_bounds_too_close_for_levels_are_refused(bounds):
    """Whose levels would be infinitely many, or none, in double precision; the closest are not."""
    with pytest.raises(ValueError, match="at least 1e-100 apart"):
        Between("x", *bounds)
    rows = rows_of(pd.DataFrame({"x": [0.0, 5e-101, 1.0]}))
    level = Between("x", 0, 1e-100).level(number(rows, "x"), 2**24)

    assert [0, 2**23, 2**24] == rows.select(level=level).to_pyarrow()["level"].to_pylist()
