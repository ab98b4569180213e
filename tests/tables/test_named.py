"""Names of columns that some engines take for one."""

import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.named import if_expression, refuse_but_for_case


@pytest.mark.parametrize("names", [["p", "P"], ["É", "n", "é"], ["straße", "STRASSE"]])
def test_names_that_differ_in_case_alone_are_refused(names):
    """Letters beyond ASCII too; and which names these are is not said."""
    with pytest.raises(ValueError, match="more than the case of their letters") as refused:
        refuse_but_for_case(names)
    assert not any(repr(each) in str(refused.value) for each in names)
    refuse_but_for_case(["p", "P_", "pp"])


def test_no_other_unit_is_protected_for_its_name(tmp_path):
    """A hundred people of one household: the column is the one that is stated, or none is."""
    frame = pd.DataFrame({"p": range(100), "P": [0] * 100})
    for rows in (frame, pa.Table.from_pandas(frame)):
        for person in ("p", "P"):
            with pytest.raises(ValueError, match="more than the case"):
                tacit.Table(rows, person, "people", tmp_path / "people.db")
    own = tacit.Table(frame[["P"]], "P", "people", tmp_path / "people.db")
    asked = own.ask(n=tables.count(), rows_per_person=1)
    assert [1] == asked.run(tacit.NonPrivate()).frame.n.tolist()


def test_no_public_column_stands_for_an_own_one(tmp_path):
    """By another case of its letters, neither beside people's rows nor of the public table."""
    own = table(pd.DataFrame({"patient": ["a"], "ward": ["A"], "days": [3.0]}), tmp_path)
    public = pd.DataFrame({"ward": ["A"], "Days": [30]})
    with pytest.raises(ValueError, match="whatever the case of its letters"):
        own.join(public, on="ward")
    with pytest.raises(ValueError, match="more than the case"):
        own.join(public.assign(WARD="A"), on="ward")


@pytest.mark.parametrize("text", ["age > 40", "days / 7", "COUNT(*)"])
def test_text_that_is_no_name_is_told_where_expressions_go(tmp_path, text):
    """In a condition and in a number: a name that is missing is no expression, and told nothing."""
    own = table(pd.DataFrame({"patient": [1], "days": [2]}), tmp_path)
    for asked in (
        lambda: own.where(text),
        lambda: own.ask(n=tables.mean(text, 0, 9), rows_per_person=1),
    ):
        with pytest.raises(
            ValueError, match=r"text is no expression: write ibis._.days > 7, .*sql"
        ):
            asked()
    assert "" == if_expression("age") == if_expression("größe_2.cm")
