"""What a population holds of tables, series and lists, and what it refuses by the column's name."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from tacit.population.columns import held

FRAME = {"age": [30, 40, 50], "income": [1.5, np.nan, 2.5], "member": [True, False, True]}
ROWS = np.array([[30, 1.5, 1], [40, np.nan, 0], [50, 2.5, 1]], np.float32)


@pytest.mark.parametrize("make", [pd.DataFrame, lambda data: pl.DataFrame(data, strict=False)])
def test_a_table_is_rows_of_numbers(make):
    """A column for each of its own, in float32; a missing value stays missing."""
    np.testing.assert_array_equal(ROWS, held(make(FRAME)))


NAN = float("nan")
COLUMNS = [
    ([1, 2, 3], [1, 2, 3]),
    ([1.0, None, NAN], [1.0, NAN, NAN]),
    ([True, False], [True, False]),
    ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    (pd.Series([1, None], dtype="Int64"), [1, NAN]),
    (pd.Series([True, None], dtype="boolean"), [1, NAN]),
    (pd.Series([1.5, 2.5], index=[7, 3]), [1.5, 2.5]),
    (pl.Series([1, None, 3]), [1, NAN, 3]),
    (np.ma.masked_array([1, 2], [False, True]), [1, NAN]),
    ([np.float32(1), np.float64(2)], [1, 2]),
    (np.array([1, None], object), [1, NAN]),
    (pd.Series([True, False, None]), [1, 0, NAN]),
    (pd.Series([True, False, pd.NA], dtype=object), [1, 0, NAN]),
    (pd.Series([1.5, pd.NaT], dtype=object), [1.5, NAN]),
    (pl.Series([True, None, False]), [1, NAN, 0]),
    (pa.array([True, None, False]), [1, NAN, 0]),
    (pa.array([1, None]), [1, NAN]),
    (pa.array([None, None]), [NAN, NAN]),
    (pl.Series([None, None]), [NAN, NAN]),
    (pd.Series([None, None], dtype=object), [NAN, NAN]),
]


@pytest.mark.parametrize("given, numbers", COLUMNS)
def test_lists_and_series_are_arrays_of_numbers(given, numbers):
    """NaN stands for whatever is missing."""
    np.testing.assert_array_equal(np.array(numbers, float), np.asarray(held(given), float))


def test_arrays_are_held_as_they_are():
    """In tuples, lists and dicts of them, too; lists in those become arrays."""
    whole, traced = np.arange(3), jnp.zeros(3)
    data = held({"a": [whole, traced], "b": ([1, 2, 3], pd.DataFrame(FRAME))})

    assert data["a"][0] is whole and data["a"][1] is traced
    assert [leaf.shape for leaf in jax.tree.leaves(data["b"])] == [(3,), (3, 3)]


REFUSED = [
    (pd.DataFrame({"age": [1], "sex": ["f"]}), "column 'sex' holds str"),
    (pd.DataFrame({"sex": pd.Categorical(["f"])}), "column 'sex' holds category"),
    (pd.DataFrame({"born": pd.to_datetime(["2001-01-01"])}), "column 'born' holds datetime64"),
    (pd.DataFrame({"x": pd.Series([1, {}], dtype=object)}), "column 'x' holds object"),
    (pd.Series(["f"], name="sex"), "column 'sex' holds str"),
    (pl.DataFrame({"sex": ["f"]}), "column 'sex' holds String"),
    (["f", "m"], "the array holds text"),
    ([1, "m"], "the array holds text"),
    (np.array([1, "m"], object), "the array holds object"),
    (pd.Series([1, None, "m"], dtype=object), "the array holds object"),
    ([1, None, "m"], "objects that are not all ints, floats, truth values or missing, and"),
    ([1, object()], "objects that are not all ints, floats, truth values or missing, and"),
    (np.array([1j]), "the array holds complex128"),
    ({1, 2}, "people's numbers must be in an array, a series or a list, got set"),
    ("sixty", "people's numbers must be in an array, a series or a list, got str"),
    ({"x": 3}, "people's numbers must be in an array, a series or a list, got int"),
    ({"x": (n for n in (1, 2))}, "in an array, a series or a list, got generator"),
    ({"x": [1.0], "y": ["f"]}, "the array at ['y'] holds text"),
]


@pytest.mark.parametrize("given, said", REFUSED)
def test_what_is_no_number_is_refused_when_the_population_is_made(given, said):
    """By the column's name and type; no value is in the sentence."""
    with pytest.raises(ValueError, match=re.escape(said)) as refusal:
        tacit.Arrays(given, "p")

    assert "2001" not in str(refusal.value) and "'m'" not in str(refusal.value)


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda values: pd.Series(values, dtype="string"), "string"),
        (lambda values: pd.Series(pd.Categorical(values, categories=["1"])), "category"),
        (lambda values: pd.Series(pd.Categorical(values and [None], categories=[1])), "category"),
        (lambda values: pl.Series(values, dtype=pl.String), "String"),
        (lambda values: pa.array(values, pa.string()), "string"),
        (lambda values: pa.chunked_array([pa.array(values, pa.string())]), "string"),
        (lambda values: pa.array([each and 1 for each in values], pa.decimal128(9, 2)), "decimal"),
    ],
)
def test_a_column_is_refused_for_its_type_whoever_has_a_value(make, kind):
    """One person's, nobody's, or of nobody at all: the same sentence."""
    said = set()
    for values in (["1", None], [None, None], []):
        with pytest.raises(ValueError, match=f"holds {kind}") as refused:
            tacit.Arrays({"x": make(values)}, "p")
        said.add(str(refused.value))

    assert len(said) == 1


def test_two_columns_of_one_name_are_refused_by_it():
    """pandas would give both for the one name."""
    twice = pd.DataFrame(np.zeros((3, 3)), columns=["age", "b", "age"])
    with pytest.raises(ValueError, match="table must have columns of different names, got 'age'"):
        tacit.Arrays(twice, "people")


def test_rows_are_equally_long():
    """The numbers of each person are as many."""
    with pytest.raises(ValueError, match="equally many numbers for each person"):
        held([[1], [2, 3]])
    with pytest.raises(ValueError, match="at least one column"):
        held(pd.DataFrame(index=[0, 1]))


def test_a_whole_number_beyond_all_floats_is_beyond_all_bounds():
    """As one of twenty digits is; nobody else is refused for it."""
    assert held([1, 10**400, -(10**400), 2**70]).tolist() == [1.0, np.inf, -np.inf, 2.0**70]


def test_nothing_is_kept_beside_a_refusal_of_rows_of_different_lengths():
    """NumPy says how many there are."""
    with pytest.raises(ValueError, match="equally many numbers for each person") as caught:
        held([1, 2, [1]])

    assert caught.value.__context__ is None
