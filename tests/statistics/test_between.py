"""Numbers between bounds: places to the last digit, what is no number, bounds that are none."""

import ast
import math
import re
import warnings

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from tacit.population.owned import OwnedRows
from tacit.statistics.between import (
    between_each,
    bounds_each,
    bounds_of,
    centred,
    columns_of,
    dim_of,
    in_units,
    numbers_of,
    refuse_no_square,
    shares_of,
    table_of,
)
from tacit.statistics.categories import Histogram

HISTOGRAM = Histogram((0, 1), tacit.Central(1.0, 0.0), 3)


def test_places_are_exact_far_from_zero():
    """In float64: a thousandth beside ten billion is one."""
    numbers, bounds = np.array([1e10, 1e10 + 0.25, 1e10 + 1, 2e10, 0.0]), (1e10, 1e10 + 1)

    assert shares_of(numbers, bounds).tolist() == [0, 0.25, 1, 1, 0]
    assert centred(numbers, bounds).tolist() == [-1, -0.5, 1, 1, -1]


def test_what_is_no_number_is_in_the_middle():
    """Of a place in the middle nobody learns; infinite numbers are at the ends."""
    found = centred(np.array([math.nan, math.inf, -math.inf]), (-2.0, 4.0))

    assert found.tolist() == [0, 1, -1] and found.dtype == np.float32


def test_one_number_is_taken_for_each_person():
    """From lists too, and of nobody; several for one are refused."""
    assert numbers_of([]).shape == (0,)
    assert numbers_of([1, 2]).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="one number for each person, got an array of 2 axes"):
        numbers_of(np.ones((2, 2)))


@pytest.mark.parametrize(
    "given, got",
    [
        (pd.DataFrame({"a": [1], "b": [2]}), "a table: give one column"),
        (tacit.Arrays([1.0], "p"), "a population: give a column of it"),
    ],
)
def test_one_column_is_taken(given, got):
    """And not all that there is of these people."""
    with pytest.raises(ValueError, match=f"one number for each person, got {got}"):
        numbers_of(given)


def test_a_table_has_the_columns_that_were_declared():
    """With their labels; the sentence has both numbers, which are no secret."""
    labels, numbers = columns_of(pd.DataFrame({"a": [1], "b": [2]}), 2)

    assert (labels, numbers.tolist()) == (("a", "b"), [[1.0, 2.0]])
    with pytest.raises(ValueError, match="rows must have 3 columns, as was declared, got 2"):
        columns_of(np.zeros((4, 2)), 3)
    assert 7 == dim_of(7.0)
    for bad in (0, 2.5, math.nan, "3"):
        with pytest.raises(ValueError, match="dim must be a whole number of at least 1, got"):
            dim_of(bad)


@pytest.mark.parametrize(
    "missing",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.Series([1, pd.NA, 3], dtype=object),
        pd.Series([1.0, math.nan, 3.0]),
        pd.Series([1, None, 3], dtype=object),
        pa.array([1, None, 3]),
    ],
)
def test_a_missing_number_of_a_table_is_nan(missing):
    """Whatever its column's type has for it: nobody is told apart by a refusal."""
    assert np.array_equal(numbers_of(missing), [1, math.nan, 3], equal_nan=True)
    labels, numbers = table_of(pd.DataFrame({"a": missing, "b": [1.0, 2.0, 3.0]}))

    assert labels == ("a", "b") and numbers.dtype == np.float64
    assert np.array_equal(numbers, [[1, 1], [math.nan, 2], [3, 3]], equal_nan=True)


def test_columns_of_one_name_are_columns_each():
    """Polars' frames and pandas' alike, in the order of the table."""
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    labels, numbers = table_of(twice)

    assert (labels, numbers.tolist()) == (("a", "a"), [[1, 2], [3, 4]])
    data = {"b": [1, None], "a": [2.5, 3.0]}
    labels, numbers = table_of(pl.DataFrame(data))
    assert labels == ("b", "a")
    assert np.array_equal(numbers, [[1, 2.5], [math.nan, 3]], equal_nan=True)


def test_rows_that_are_not_there_yet_are_refused():
    """Nothing is collected, and nobody is warned."""
    lazy = pl.DataFrame({"a": [1.0]}).lazy()
    with warnings.catch_warnings(), pytest.raises(ValueError, match="collect it, got LazyFrame"):
        warnings.simplefilter("error")
        table_of(lazy)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="a table: give one column"):
        warnings.simplefilter("error")
        numbers_of(lazy)


def test_labels_of_arrow_are_names_and_nobodys_numbers():
    """What Arrow calls columns are people's values; a batch's too."""
    data = {"age": [41.5, 42.5], "income": [1e6, None]}
    for rows in (pa.table(data), pa.RecordBatch.from_pydict(data)):
        labels, numbers = table_of(rows)

        assert labels == ("age", "income")
        assert np.array_equal(numbers, [[41.5, 1e6], [42.5, math.nan]], equal_nan=True)


def test_a_table_without_anybody_has_its_columns():
    """How many people there are may be a secret."""
    assert table_of(np.zeros((0, 2)))[1].shape == (0, 2)
    assert table_of(pd.DataFrame({"a": [], "b": []}))[1].shape == (0, 2)


@pytest.mark.parametrize(
    "rows, what",
    [
        (
            pd.DataFrame({"day": pd.to_datetime(["2026-01-01", None])}),
            "column 'day' holds datetime",
        ),
        (np.array([[1j, 2.0]]), "the table holds complex128"),
        ([["1", "2"], ["3", "4"]], "the table holds text"),
        ([[1, object()], [1, 2]], "the table holds objects that are not all ints"),
        (pd.DataFrame(index=[0, 1]), "rows must be a table of at least one column"),
        ([1.0, 2.0], "rows must be a table of at least one column"),
    ],
)
def test_a_table_of_something_else_is_refused(rows, what):
    """By its column and type, and no number is quoted."""
    with pytest.raises(ValueError, match=what) as refused:
        table_of(rows)
    assert "2026" not in str(refused.value)


def test_nobody_is_warned_of_a_number_that_float32_does_not_reach():
    """It is infinite, as one is that the unit makes so; all others are in units."""
    found = in_units(np.array([1e300, -1e300, 1e308, 3.0, np.nan]), 0.5)

    assert found.dtype == np.float32
    assert np.array_equal(found, [np.inf, -np.inf, np.inf, 6.0, np.nan], equal_nan=True)


@pytest.mark.parametrize("bounds", [(1, 1), (2, 1), (0, math.inf), (0, math.nan), (0,), 3, "ab"])
def test_bounds_that_are_none_are_refused(bounds):
    """They are two finite numbers, in order."""
    with pytest.raises(ValueError, match="bounds must be two finite numbers, lower < upper"):
        bounds_of(bounds)


# Each comes one by one: by its keys, in an order of its own, by its letters, by its columns.
UNORDERED = {
    "by columns": {0: (0, 100), 1: (50, 150)},
    "ends": {"lower": 0, "upper": 1},
    "keys": {0: 0, 1: 0}.keys(),
    "set": {0, 1},
    "letters": "09",
    "table": pd.DataFrame({0: [0, 100], 1: [50, 150]}),
    "generator": (end for end in (0, 1)),
}


@pytest.mark.parametrize("bounds", UNORDERED.values(), ids=UNORDERED)
def test_what_has_no_order_of_its_own_is_no_bounds(bounds):
    """Of one column, or of several, whatever would come one by one of it."""
    for check in (bounds_of, lambda given: bounds_each(given, 2)):
        with pytest.raises(ValueError, match="bounds must be"):
            check(bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        ({0, 1}, 2),
        ("0", "9"),
        (0, pd.Series([1, 2])),
        ([0, "1"], 2),
        ([False, True], 2),
        ([[0], 1], 2),
        ([0], [1]),
        ([0, 1, 2], 3),
        (0, [1, math.inf]),
        [(100, 0), (0, 100)],
        [(0, 1), (0, 1), (0, 1)],
    ],
    ids=str,
)
def test_bounds_of_columns_are_one_number_or_one_for_each(bounds):
    """What is refused is named, with what is allowed."""
    with pytest.raises(ValueError, match=r"^own must be \(lower, upper\).*a pair for each column"):
        bounds_each(bounds, 2, "own")


@pytest.mark.parametrize(
    "bounds",
    [
        ([0, 50], [100, 150]),
        (np.array([0, 50]), [100.0, 150]),
        tuple(np.transpose([(0, 100), (50, 150)])),
        (jnp.array([0, 50]), jnp.array([100, 150])),
    ],
)
def test_all_lower_bounds_come_first(bounds):
    """In a tuple of lists or arrays, one for each column; one number is all columns'."""
    assert [side.tolist() for side in bounds_each(bounds, 2)] == [[0, 50], [100, 150]]
    both = bounds_each((np.array(0), jnp.float32(1)), 2)
    assert [side.tolist() for side in both] == [[0, 0], [1, 1]]
    assert [side.tolist() for side in bounds_each([0, (3, 4)], 2)] == [[0, 0], [3, 4]]
    assert bounds_of(np.array([0, 100])) == (0.0, 100.0)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_a_list_of_tuples_is_a_pair_for_each_column(columns):
    """As SciPy has it; of three columns an array of pairs is as plain."""
    pairs = [(0, 50), (10, 100), (20, 30)][:columns]
    lower, upper = bounds_each(pairs, columns)

    assert [*zip(lower.tolist(), upper.tolist(), strict=True)] == pairs
    if columns != 2:
        assert np.array_equal([lower, upper], bounds_each(np.array(pairs), columns))


@pytest.mark.parametrize(
    "bounds",
    [
        [[0, 50], [10, 100]],
        ((0, 50), (10, 100)),
        np.array([(0, 50), (10, 100)]),
        [(0, 50), [10, 100]],
        [np.array([0, 50]), np.array([10, 100])],
        ([0, 50], (10, 100)),
    ],
    ids=repr,
)
def test_what_two_columns_might_mean_in_two_ways_is_refused(bounds):
    """With both ways to write it; each is then read as it says."""
    with pytest.raises(ValueError, match="may be read in two ways") as refused:
        bounds_each(bounds, 2, "own")
    written = re.search(r"write (\(.*?\)), a .* or (\[.*?\]), a list", str(refused.value))
    assert written is not None
    sides, pairs = map(ast.literal_eval, written.groups())

    assert [side.tolist() for side in bounds_each(sides, 2)] == [[0, 50], [10, 100]]
    assert [side.tolist() for side in bounds_each(pairs, 2)] == [[0, 10], [50, 100]]


@pytest.mark.parametrize("size", [1e-200, 1e-151, 1e151, 1e200, float("nan")])
def test_what_has_no_square_is_refused_by_name(size):
    """Where variances would be zero or infinite, before anything is charged."""
    refuse_no_square("radius", 1e100)
    with pytest.raises(ValueError, match="the square of radius must be a number"):
        refuse_no_square("radius", size)


def test_bounds_are_quoted_as_they_were_given():
    """Numbers as numbers, words as words."""
    with pytest.raises(ValueError, match=r"got \(100, 0\)$"):
        bounds_of((100, 0))
    with pytest.raises(ValueError, match=r"got \('0', '100'\)$"):
        bounds_of(("0", "100"))


@pytest.mark.parametrize("read", [numbers_of, table_of, Histogram.numbers])
def test_rows_that_are_not_one_person_each_are_refused(read):
    """What is promised to a row would be no promise to a person."""
    rows = OwnedRows.of(np.ones((3, 2)), "a row for each day")
    given = rows if read is table_of else rows[:, 0]
    few = () if read is not Histogram.numbers else (HISTOGRAM,)

    with pytest.raises(ValueError, match=r"^(values|rows) has a row for each day, and"):
        read(*few, given)


@pytest.mark.parametrize(
    "lower, upper, words",
    [
        ([0], [10], "between 0 and 10"),
        ([0, 0], [10, 10], "between 0 and 10"),
        ([0, -1, 10], [100, 0.5, 12], "in [0, 100], [-1, 0.5] and [10, 12]"),
        ([*range(13)], [100] * 13, "each between 0 and 100 at most"),
    ],
)
def test_bounds_of_columns_are_said(lower, upper, words):
    """Those of all, or of each; of many columns the widest."""
    assert between_each(np.array(lower, float), np.array(upper, float)) == words
