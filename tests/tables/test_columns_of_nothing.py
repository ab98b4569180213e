"""Columns in which nobody has a value: of no type, and missing, whatever is asked of them."""

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables

FRAME = pd.DataFrame({"patient": ["a", "b", "c"], "none": [None] * 3, "days": [1.0, 2.0, 3.0]})
NOTHING = tacit.NonPrivate()
EACH = {
    "mean": (tables.mean("none", 0, 30), [15.0]),
    "count_if": (tables.count_if("none"), [0.0]),
    "histogram": (tables.histogram("none", categories=["A", None]), [0.0, 3.0]),
    "bins": (tables.histogram("none", bins=[0, 2, 10]), [0.0, 0.0]),
    "median": (tables.median("none", 0, 30), [15.0]),
    "cast": (tables.mean(ibis._.none.cast("int64"), 0, 30), [15.0]),
}


@pytest.mark.parametrize("asked", EACH)
def test_no_number_and_no_value_is_there(asked, tmp_path):
    """Asked for as a number, a truth value or text, it is answered, as if of no row."""
    aggregate, expected = EACH[asked]
    found = table(FRAME, tmp_path).ask(x=aggregate, rows_per_person=1).run(NOTHING).frame
    estimates = [name for name in found if not name.endswith(("_low", "_high", "_rows"))]

    assert expected == found[estimates].iloc[0].tolist()


@pytest.mark.parametrize("values", [["A", None], [1, None], [True, None]])
def test_all_rows_are_of_the_group_without_a_key(values, tmp_path):
    """Whatever the declared values are."""
    by = table(FRAME, tmp_path).by(none=values)
    assert [0, 3] == by.ask(n=tables.count(), rows_per_person=1).run(NOTHING).frame.n.tolist()


def test_found_keys_and_public_rows_are_none(tmp_path):
    """The one key that is found is missing, and nothing is joined."""
    own = table(FRAME, tmp_path)
    by = own.by("none").ask(n=tables.count(), groups_per_person=1, rows_per_group=1)
    beside = own.join(pd.DataFrame({"none": ["A"], "floor": [2]}), on="none")
    floors = beside.ask(n=tables.count_if(ibis._.floor > 0), rows_per_person=1)

    assert [[None, 3.0]] == by.run(NOTHING).frame[["none", "n"]].to_numpy(object).tolist()
    assert [0] == floors.run(NOTHING).frame.n.tolist()


def test_nobody_has_a_row_where_nobody_is_named(tmp_path):
    """Rows without a person are nobody's: with noise, the answer is as of an empty table."""
    own = table(FRAME.assign(patient=None), tmp_path)
    ask = own.ask(n=tables.count(), rows_per_person=1)

    assert [0] == ask.run(NOTHING).frame.n.tolist()
    own.budget(epsilon=2, delta=1e-9)
    assert 1 == len(ask.run(tacit.Central(1.0, 0.0)).frame)


def test_arrays_have_no_record(tmp_path):
    """Of which a number is missing."""
    arrays = table(FRAME, tmp_path).arrays([tables.number("none", 0, 1)], at_most=1)
    assert (0, 1) == np.shape(arrays.data)
