"""Encoders follow what was declared, and no row is longer than their norm."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.features.encoding import Bins, Categories, Encoding, Scaled

COLOURS = Categories(("red", "green", "blue"))
ENCODING = Encoding({"age": Bins((20, 40)), "colour": COLOURS, "share": Scaled(-1.0, 3.0)})


def column(*values) -> np.ndarray:
    return np.array(values)


def test_an_edge_belongs_to_the_interval_above_it():
    """Below the first, from edge to edge, from the last on; infinities at the ends."""
    got = Bins((20, 40)).encode(column(-math.inf, 19.9, 20, 39.9, 40, math.inf))
    np.testing.assert_array_equal([0, 0, 1, 1, 2, 2], np.argmax(got.numbers, axis=1))
    np.testing.assert_array_equal(np.ones(6), got.numbers.sum(axis=1))
    assert not got.outside.any()


def test_a_missing_number_is_in_no_interval():
    """NaN becomes zeros and is counted; whole numbers have no NaN."""
    got = Bins((20, 40)).encode(column(30.0, math.nan))
    np.testing.assert_array_equal([[0, 1, 0], [0, 0, 0]], got.numbers)
    np.testing.assert_array_equal([False, True], got.outside)
    assert not Bins((20,)).encode(column(1, 30)).outside.any()


def test_categories_stand_in_the_declared_order():
    """Not in the order of the alphabet; what is not declared is zeros, however long."""
    got = COLOURS.encode(column("blue", "red", "green", "", "redder", "re", "zinc", "?"))
    np.testing.assert_array_equal(np.eye(3)[[2, 0, 1]], got.numbers[:3])
    np.testing.assert_array_equal(np.zeros((5, 3)), got.numbers[3:])
    np.testing.assert_array_equal([False] * 3 + [True] * 5, got.outside)


def test_scaled_numbers_keep_to_their_bounds():
    """0 at the lower, 1 at the upper; those beyond are moved and counted, NaN is zero."""
    got = Scaled(-1.0, 3.0).encode(column(-1, 1, 3, 4, -9, math.inf, math.nan))
    np.testing.assert_array_equal([[0], [0.5], [1], [1], [0], [1], [0]], got.numbers)
    np.testing.assert_array_equal([False] * 3 + [True] * 4, got.outside)


NUMBER = st.floats(width=64) | st.integers(-50, 50).map(float)


@given(st.lists(st.tuples(NUMBER, st.sampled_from([*COLOURS.values, "?"]), NUMBER), min_size=1))
def test_no_row_is_longer_than_the_norm(people):
    """Whatever the values are, infinite and missing ones too; features are finite float32."""
    ages, colours, shares = (np.array(each) for each in zip(*people, strict=True))
    made = ENCODING.encode({"age": ages, "colour": colours, "share": shares})
    lengths = np.linalg.norm(made.features.astype(np.float64), axis=1)
    assert made.features.shape == (len(people), ENCODING.dim) == (len(people), 7)
    assert made.features.dtype == np.float32 and np.isfinite(made.features).all()
    assert (lengths <= ENCODING.norm).all()


def test_the_norm_is_reached():
    """By declared values, at the upper bound: no smaller norm would do."""
    made = ENCODING.encode(
        {"age": column(7), "colour": column("red"), "share": column(3), "name": column("x")}
    )
    np.testing.assert_array_equal([[1, 0, 0, 1, 0, 0, 1]], made.features)
    assert math.sqrt(3) == ENCODING.norm == pytest.approx(np.linalg.norm(made.features))


def test_what_was_not_foreseen_is_counted_apart():
    """By column; none of it is in the text of the result."""
    made = ENCODING.encode(
        {
            "age": column(math.nan, 7.0, math.nan),
            "colour": column("red", "pink", "red"),
            "share": column(0.0, 1.0, 3.0),
        }
    )
    assert {"age": 2, "colour": 1, "share": 0} == made.outside
    shown = re.sub(r"0x[0-9a-f]+", "", repr(made))
    assert "2" not in shown and "outside" not in shown


def test_a_row_depends_on_its_own_person_alone():
    """The others' values change nothing in it: all that is known was declared."""
    table = {"age": column(30, 99), "colour": column("red", "?"), "share": column(2.0, 1e9)}
    alone = {name: values[:1] for name, values in table.items()}
    np.testing.assert_array_equal(
        ENCODING.encode(alone).features[0], ENCODING.encode(table).features[0]
    )


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Bins(()), "edges must be finite and increasing"),
        (lambda: Bins((2, 1)), "edges must be finite and increasing"),
        (lambda: Bins((1, 1)), "edges must be finite and increasing"),
        (lambda: Bins((1, math.nan)), "edges must be finite and increasing"),
        (lambda: Bins((1, math.inf)), "edges must be finite and increasing"),
        (lambda: Categories(()), "different, at least one"),
        (lambda: Categories(("a", "b", "a")), "different, at least one"),
        (lambda: Scaled(1.0, 1.0), "bounds must be finite and increasing"),
        (lambda: Scaled(0.0, math.inf), "bounds must be finite and increasing"),
        (lambda: Scaled(math.nan, 1.0), "bounds must be finite and increasing"),
        (lambda: Bins("ab"), "edges must be finite and increasing, got 'ab'"),
        (lambda: Bins((1, "2")), r"edges must be finite and increasing, got \(1, '2'\)"),
        (lambda: Bins(None), "edges must be finite and increasing, got None"),
        (lambda: Categories("ab"), "categories must be text, different, .* got 'ab'"),
        (lambda: Categories((1, 2)), r"categories must be text, different, .* got \(1, 2\)"),
        (lambda: Scaled("0", 1.0), "bounds must be finite and increasing, got '0' and 1.0"),
        (lambda: Scaled(False, True), "bounds must be finite and increasing, got False and True"),
        (lambda: Encoding({}), "at least one column"),
        (lambda: Encoding(None), "at least one column, by its name, got None"),
    ],
)
def test_what_cannot_be_declared_is_refused(make, message):
    """Edges out of order, categories twice, bounds that are none: before any data."""
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"age": column("30")}, "a column of numbers must be an array of numbers, got <U2"),
        ({"share": column(True)}, "a column of numbers must be an array of numbers, got bool"),
        ({"colour": column(1)}, "must be an array of str, got int64"),
        ({"age": column(1, 2)}, "columns must be of one axis and one length"),
        ({"age": column([1])}, "columns must be of one axis and one length"),
    ],
)
def test_a_table_of_another_form_is_refused(change, message):
    """The type, the axes and the lengths of its columns are public; its values are not judged."""
    table = {"age": column(30), "colour": column("red"), "share": column(2.0)}
    with pytest.raises(ValueError, match=message):
        ENCODING.encode(table | change)


def test_a_column_that_is_not_there_is_refused_by_name():
    """With those that are."""
    with pytest.raises(ValueError, match=r"a column 'colour', got \['age', 'share'\]"):
        ENCODING.encode({"share": column(2.0), "age": column(30)})
