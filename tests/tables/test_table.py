"""A table: whose rows, which of them, and what is refused before they are read."""

import ibis
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.ledger.ledger import LedgerError

NOTHING = tacit.NonPrivate()


def test_rows_are_filtered_before_they_are_counted(tmp_path):
    """A person's cap is of the rows that meet the condition."""
    frame = pd.DataFrame({"patient": ["a"] * 5, "days": [0.0, 0, 0, 4, 5]})
    own = table(frame, tmp_path).where(ibis._.days / 2 > 1)

    assert [2] == own.ask(n=tables.count(), rows_per_person=2).run(NOTHING).frame.n.tolist()


@pytest.mark.parametrize("name", ["x'); DROP TABLE t; --", 'a"b', "%s {0}", "ü\n"])
def test_names_and_values_are_quoted(tmp_path, name):
    """Whatever a column, a key or the people are called."""
    frame = pd.DataFrame({"patient": ["a", "b"], name: [name, "other"]})
    own = tacit.Table(frame, "patient", name, tacit.Ledger(tmp_path / "people.db"))

    assert [1] == own.by(**{name: [name]}).ask(n=tables.count(), rows_per_person=1).run(
        NOTHING
    ).frame.n.tolist()


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x.ask(n=tables.count()),
        lambda x: x.ask(n=tables.count(), rows_per_person=0),
        lambda x: x.ask(rows_per_person=1),
        lambda x: x.ask(n=3, rows_per_person=1),
        lambda x: x.ask(n=tables.mean("sex", 0, 1), rows_per_person=1),
        lambda x: x.ask(n=tables.mean("days", 1, 1), rows_per_person=1),
        lambda x: x.ask(n=tables.mean("other", 0, 1), rows_per_person=1),
        lambda x: x.ask(n=tables.count(), rows_per_person=1, confidence=1),
        lambda x: x.by(ward="AB"),
        lambda x: x.by(ward=["A", "A"]),
        lambda x: x.by(ward=[1.5]),
        lambda x: x.by(ward=[1]).ask(n=tables.count(), rows_per_person=1),
        lambda x: x.ask(n=tables.variance("days", 0, 1), rows_per_person=65).plan(NOTHING),
        lambda x: x.ask(n=tables.count(), rows_per_person=1).plan(tacit.Local(1.0)),
        lambda x: tables.histogram("days", bins=[3, 2, 1]),
        lambda x: tables.histogram("days"),
        lambda x: tacit.Table(x.rows, "nobody", "patients", "x.db"),
        lambda x: tacit.Table(x.rows.limit(3), "patient", "patients", "x.db"),
        lambda x: tacit.Table("visits.xls", "patient", "patients", "x.db"),
        lambda x: tacit.Table("none.csv", "patient", "patients", "x.db"),
        lambda x: tacit.Table(3, "patient", "patients", "x.db"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_read(tmp_path, made):
    """In one sentence."""
    with pytest.raises(ValueError) as refused:
        made(table(visits(9, 3, seed=8), tmp_path))
    assert "\n" not in str(refused.value)


def test_a_budget_is_agreed_to_once(tmp_path):
    """The same again changes nothing; another one is refused."""
    own = table(visits(9, 3, seed=1), tmp_path)
    own.budget(epsilon=1, delta=1e-6)
    own.budget(epsilon=1, delta=1e-6)
    with pytest.raises(LedgerError):
        own.budget(epsilon=2, delta=1e-6)
