"""What is declared has a cell; what is not has none."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tacit.queries import Binned, Domain, Listed

FRAME = pd.DataFrame({"sex": ["F", None, "x", "M"], "age": [0, 18, 120, np.nan]})
DOMAIN = Domain.of({"sex": ["F", "M", None], "age": Binned((0, 18, 65, 120), whole=True)})


def test_records_are_in_their_cells():
    """A bin has its lower end, the last one both; missing is a category where it is declared."""
    assert DOMAIN.cells(FRAME).tolist() == [[0, 0], [2, 1], [-1, 2], [1, -1]]
    assert DOMAIN.sizes == (3, 3) and DOMAIN.names == ("sex", "age")
    assert DOMAIN.attributes[1][1].labels == ("0 to 18", "18 to 65", "65 to 120")
    far = Binned((1e6, 1e6 + 0.5, 1e6 + 1))
    assert far.labels == ("1000000 to 1000000.5", "1000000.5 to 1000001")


def test_a_mapping_of_lists_is_a_table():
    """As is a DataFrame."""
    table = {"sex": ["M", "F"], "age": np.array([64.5, -1])}
    assert DOMAIN.cells(table).tolist() == [[1, 1], [0, -1]]


def test_a_domain_is_made_of_a_mapping_or_is_one_already():
    """Checked as `of` does, and once: of its own attributes, as `replace` makes it, it is equal."""
    declared = {"sex": ["F", "M"], "age": Binned((0, 18, 65))}
    made = Domain(declared)

    assert made == Domain.of(declared) == Domain.of(made) == Domain(made.attributes)
    assert replace(made, attributes=made.attributes[:1]) == Domain({"sex": ["F", "M"]})
    assert hash(made) == hash(Domain.of(declared)) and made.attributes[0][1] == Listed(("F", "M"))


def test_two_values_are_a_list_or_no_numbers():
    """Two truth values or texts in parentheses are no ends, nor are three numbers."""
    for values in ([0, 120], (True, False), ("F", "M"), (0, 1, 2)):
        assert Domain.of({"a": values}).attributes[0][1] == Listed(tuple(values))


def test_values_may_be_of_numpy():
    """Alone or in an array: they are declared as Python's own."""
    for values in (np.array([3, 1]), [np.int64(3), np.int64(1)], [np.int64(3), 1]):
        declared = Domain.of({"a": values}).attributes[0][1]
        assert declared == Listed((3, 1)) and {int} == {type(each) for each in declared.labels}
    assert Domain.of({"a": [np.str_("F"), None]}).attributes[0][1] == Listed(("F", None))


@pytest.mark.parametrize(
    ("declared", "cells"),
    [
        (list(range(100)), [-1, 34, -1, -1, -1]),
        (Binned((0, 18, 65, 120)), [1, 1, 2, 1, -1]),
        (Binned((0, 18, 65, 120), whole=True), [1, 1, 2, 1, -1]),
    ],
    ids=["listed", "in bins", "in bins of whole numbers"],
)
def test_an_age_with_a_fraction_is_in_a_bin_or_in_no_table(declared, cells):
    """As is stated of each way to declare it; nobody is told that somebody's is in none."""
    ages = pd.Series([34.5, 34.0, 120, "34", None], dtype=object)

    assert Domain.of({"age": declared}).cells({"age": ages})[:, 0].tolist() == cells


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (None, "a domain is a mapping of columns to their values, .*, got None"),
        ((), "a domain is a mapping of columns to their values, .*, got tuple"),
        (("ab", "cd"), "a domain is a mapping of columns to their values, .*, got tuple"),
        ((("a", [1]), ("a", [2])), "a column of a domain is declared once, got 'a' twice"),
        ({}, "a domain is a mapping of columns to their values"),
        ({"a": "xyz"}, "column 'a' must be declared as a list of values, or .*, got 'xyz'"),
        ({"a": {"x": 1}}, "column 'a' must be declared as a list of values, or .*, got dict"),
        ({"a": []}, "column 'a' must be declared as 1 to 1,024 values, got 0 of them"),
        ({"a": range(1025)}, "declared as 1 to 1,024 values, got 1,025 of them"),
        ({"a": ["x", 1, "x"]}, "all text, all whole numbers or .*, got str and int"),
        ({"a": [0.5, 1.5]}, "all text, all whole numbers or .*, got float"),
        ({"a": [True, 1]}, "all text, all whole numbers or .*, got bool and int"),
        ({"a": [1, ["x"]]}, "all text, all whole numbers or .*, got int and list"),
        ({"a": [1, 2, 2]}, "the values of column 'a' must all differ, got 2 twice"),
        ({"a": ["x", None, None]}, "the values of column 'a' must all differ, got None twice"),
        ({"": [1, 2]}, "a column is named by text"),
        ({"a\ud800": [1, 2]}, r"the name of column 'a\\ud800' must be text that UTF-8 can write"),
        ({"a": ["x", "\ud800"]}, r"a value of column 'a', '\\ud800', must be text that UTF-8"),
        ({"a": ["x", np.nan]}, "value of column 'a' is declared as None: write None, got nan"),
        ({"a": ["x", pd.NA]}, "value of column 'a' is declared as None: write None, got <NA>"),
        ({"a": [1, pd.NaT]}, "value of column 'a' is declared as None: write None, got NaT"),
        ({"a": (0, 120)}, r"two numbers, \(0, 120\): write \[0, 120\] if .* or Binned\(\(0, 120\)"),
        ({"a": (0.0, 1.5)}, r"two numbers, \(0.0, 1.5\): write \[0.0, 1.5\] if"),
    ],
    ids=str,
)
def test_what_declares_nothing_is_refused(declared, message):
    """When it is declared."""
    with pytest.raises(ValueError, match=message):
        Domain.of(declared)


def test_tables_without_a_declared_column_are_refused():
    """By its name; also where its values cannot be numbers."""
    with pytest.raises(ValueError, match="the table has no column 'age', which is declared"):
        DOMAIN.cells(FRAME[["sex"]])
    with pytest.raises(ValueError, match="column 'sex' is of type int64, and other values are"):
        DOMAIN.cells(FRAME.assign(sex=1))
    with pytest.raises(ValueError, match="column 'age' is of type <u3, and other values are"):
        DOMAIN.cells({"sex": ["F"], "age": np.array(["old"])})


def test_no_value_of_anybody_stops_a_table():
    """Text among numbers, lists among texts, numbers beyond all: in no cell, and nothing said."""
    odd = ["old", pd.NA, 10**400, [1], None, "17"]
    table = {"sex": [["F"], pd.NA, {}, 1, 1.5, "F"], "age": pd.Series(odd, dtype=object)}

    assert DOMAIN.cells(table).tolist() == [[-1, -1], [2, -1], [-1, -1], [-1, -1], [-1, -1], [0, 0]]


class Odd:
    """Of which nothing can be asked."""

    def __hash__(self):
        raise RuntimeError("somebody's")

    def __eq__(self, other):
        raise RuntimeError("somebody's")


@pytest.mark.parametrize(
    "odd",
    [
        np.array([1, 2]),
        np.array([np.nan]),
        pd.Series([1, 2]),
        pd.DataFrame({"a": [1]}),
        Decimal("sNaN"),
        Odd(),
    ],
    ids=["array", "array of NaN", "Series", "DataFrame", "signalling", "raises"],
)
def test_no_odd_object_of_anybody_stops_a_table(odd):
    """Whatever it raises where others are compared: it is in no cell, and is not missing."""
    sex = np.empty(2, object)
    sex[:] = ["F", None]
    sex[1] = odd
    declared = Domain.of({"sex": ["F", None], "age": Binned((0, 18), missing=True)})

    assert [[0, 0], [-1, -1]] == declared.cells({"sex": sex, "age": [3, odd]}).tolist()


def test_a_column_without_a_value_is_of_every_declared_kind():
    """pandas makes floats of it, and text or objects as soon as one person has some."""
    for declared in (["F", "M", None], [0, 1, None], Binned((0, 1, 2), missing=True)):
        domain = Domain.of({"a": declared})
        for nobody in (pd.Series([np.nan] * 3), pd.Series([None] * 3, dtype=object)):
            assert [[2]] * 3 == domain.cells({"a": nobody}).tolist()
    somebody = Domain.of({"a": ["F", "M"]}).cells({"a": pd.Series([None, "F", None])})
    assert [[-1], [0], [-1]] == somebody.tolist()


def test_the_same_domain_is_taken_as_it_is():
    """And columns of tables by their numbers, rising."""
    assert Domain.of(DOMAIN) is DOMAIN and DOMAIN.places(["age", "sex"]) == (0, 1)
    assert Domain.of({"a": Listed((True, False))}).attributes[0][1] == Listed((True, False))
    for columns, wrong in (
        (["age", "sexy"], "'sexy'"),
        (["sex", "sex"], "'sex' twice"),
        ([], "no co"),
    ):
        with pytest.raises(ValueError, match=f"columns of the domain, sex, age, got {wrong}"):
            DOMAIN.places(columns)


NUMBERS = pd.DataFrame({"a": [0, 1], "b": [1, 0]})


@pytest.mark.parametrize(
    "table",
    [
        pd.concat([NUMBERS, NUMBERS], axis=1),
        {"a": np.zeros((2, 3)), "b": [0, 1]},
        {"a": "01", "b": [0, 1]},
        {"a": {0: 1, 1: 0}, "b": [0, 1]},
        {"a": 5, "b": [0, 1]},
        {"a": [0, 1, 1], "b": [0, 1]},
    ],
    ids=["names twice", "two axes", "text", "a mapping", "a number", "lengths"],
)
def test_what_is_no_column_is_refused(table):
    """Before it is charged as a table of which no value is declared."""
    domain = Domain.of({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(ValueError, match=r"must be .*one value for each record"):
        domain.cells(table)
