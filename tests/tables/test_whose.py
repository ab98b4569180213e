"""Units: told by one column or several, named in promises, charged to accounts of their own."""

import datetime
import json
import secrets

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tacit import tables
from tacit.ledger import receipt
from tacit.ledger.ledger import LedgerError
from tacit.tables.engine import rows_of, units_in
from tacit.tables.whose import Whose

NOTHING, TRUST = tacit.NonPrivate(), tacit.Central(1.0, 0.0)


def _stays() -> pd.DataFrame:
    """Texts that would run into one another, dates, and rows that lack one."""
    first, later = datetime.date(2024, 1, 11), datetime.date(2024, 11, 1)
    rows = [("1|2", "3", first), ("1", "2|3", first), ("1", "23", later), ("12", "3", later)]
    rows += [("12", "3", first), (None, "3", first), ("1", None, first), ("1", "23", None)]
    frame = pd.DataFrame(rows * 2, columns=["patient", "house", "day"])
    return frame.assign(at=pd.Timestamp("2024-01-11 10:00"), well=True, weight=np.float32(1.5))


@pytest.mark.parametrize(
    ("person", "units"),
    [
        ("patient", 3),
        (("patient", "house"), 4),
        (("patient", "day"), 5),
        (("patient", "house", "day"), 5),
        ("day", 2),
    ],
    ids=str,
)
def test_units_are_told_apart_by_all_their_columns(tmp_path, person, units):
    """As many as there are different rows of them; what lacks one is nobody's."""
    own = tacit.Table(_stays(), person, "patients", tmp_path / "people.db")
    found = own.ask(who=tables.people(), n=tables.count(), rows_per_person=1).run(NOTHING).frame

    assert [units] * 2 == found.loc[0, ["who", "n"]].tolist()
    assert units == units_in(rows_of(_stays()), own.whose)


@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
def test_a_date_without_a_year_is_nobodys(tmp_path, request, engine):
    """Infinite ones, alike in both engines; one far away is somebody's."""
    own = ibis.duckdb.connect() if engine == "duckdb" else request.getfixturevalue("postgresql")
    days = ["2024-01-11", "infinity", "-infinity", "40000-01-01", None]
    values = ", ".join(f"('p', date '{day}')" if day else "('p', null)" for day in days)
    name = f"rows_{secrets.token_hex(8)}"
    own.raw_sql(f"create temp table {name} as select * from (values {values}) as v(patient, day)")
    for person in (("patient", "day"), "day"):
        whose = Whose.told(person, None)
        assert 2 == units_in(own.table(name), whose)


def test_an_expression_of_a_row_may_tell_units_apart(tmp_path):
    """A time's day, with the word that is then asked for."""
    person = ("patient", ibis._.at.date())
    with pytest.raises(ValueError, match="unit="):
        tacit.Table(_stays(), person, "patients", tmp_path / "people.db")
    own = tacit.Table(_stays(), person, "patients", tmp_path / "people.db", unit="patient-day")

    assert 3 == units_in(own.rows, own.whose)
    assert "of one patient-day" in str(own.ask(n=tables.count(), rows_per_person=2).plan(TRUST))


@pytest.mark.parametrize("person", [-ibis._.i, ("house", ibis._.i + 1), ibis._.i.abs()], ids=str)
def test_no_number_that_tells_units_overflows(tmp_path, person):
    """Whoever has the largest or the least whole number stops no engine: they are nobody."""
    frame = pd.DataFrame({"house": "a", "i": [-(2**63), 2**63 - 1, 3, 3, 4]})
    own = tacit.Table(frame, person, "patients", tmp_path / "people.db", unit="house")

    assert 2 == units_in(own.rows, own.whose)


@pytest.mark.parametrize("last", [3, None, 2.5, 1e300])
def test_whether_numbers_tell_units_apart_depends_on_no_row(tmp_path, last):
    """A frame in which one row lacks its own, or has a fraction, is of double precision: whoever is
    told by a whole number is somebody, and that row is nobody's."""
    frame = pd.DataFrame({"no": [1, 2, 1, last], "house": "a"})
    for person in ("no", ("house", "no"), ibis._.no + 1):
        own = tacit.Table(frame, person, "patients", tmp_path / "people.db", unit="person")
        assert (3 if last == 3 else 2) == units_in(own.rows, own.whose)


@pytest.mark.parametrize("person", ["well", "weight", "at", "other", (), ("patient", 3), "", None])
def test_what_tells_nobody_apart_is_refused(tmp_path, person):
    """Before anything is read."""
    with pytest.raises(ValueError) as refused:
        tacit.Table(_stays(), person, "patients", tmp_path / "people.db")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "person, got",
    [
        (None, "got None"),
        ((), "got tuple"),
        (_stays().patient, "got Series"),
        ("nobody", "no column 'nobody'"),
        (("patient", "nobody"), "no column 'nobody'"),
    ],
    ids=str,
)
def test_who_has_no_column_of_persons_is_told_how_rows_are_persons(tmp_path, person, got):
    """By a number for each row, which does so."""
    with pytest.raises(ValueError, match=r"the column that says whose each row is") as refused:
        tacit.Table(_stays(), person, "patients", tmp_path / "people.db")
    assert got in str(refused.value)
    assert "frame.assign(person=range(len(frame))), and person=" in str(refused.value)

    frame = _stays().assign(person=range(len(_stays())))
    own = tacit.Table(frame, "person", "patients", tmp_path / "people.db")
    assert len(frame) == own.ask(n=tables.people(), rows_per_person=1).run(NOTHING).frame.n[0]


def test_units_have_their_own_word_in_promises_and_receipts(tmp_path):
    """Verified like any other: persons, unless told, and the columns' names where several."""
    words = {("house", "household"): "household", (("patient", "day"), None): "patient-day"}
    for (person, unit), word in {**words, ("patient", None): "person"}.items():
        own = tacit.Table(_stays(), person, "patients", tmp_path / "people.db", unit=unit)
        own.budget(epsilon=1, delta=1e-9)
        ask = own.ask(n=tables.count(), rows_per_person=2)
        assert word == ask.plan(TRUST).plan.guarantees[0].unit
        written = ask.run(TRUST).receipt()
        path = tmp_path / "receipt.json"
        receipt.write(path, [json.loads(json.dumps(written))])
        found = receipt.verify(path)
        assert found.ok and [word] == [each.claim.unit for each in found.findings]


def test_an_account_is_of_one_unit(tmp_path):
    """What is asked of households is refused where persons alone agreed, and never charged to
    them."""
    book = tacit.Ledger(tmp_path / "people.db")
    persons = tacit.Table(_stays(), "patient", "patients", book)
    houses = tacit.Table(_stays(), "house", "patients", book, unit="household")
    persons.budget(epsilon=1, delta=1e-9)
    asked = {"n": tables.count(), "rows_per_person": 1}
    with pytest.raises(LedgerError, match="household"):
        houses.ask(**asked).run(TRUST)
    houses.budget(epsilon=3, delta=1e-9)
    houses.ask(**asked).run(TRUST)

    spent = {each.unit: each.epsilon for each in book.spent("patients")}
    assert spent["person"] == 0 and 0.99 < spent["household"] <= 1


@pytest.mark.parametrize("relation", [tacit.Relation.REPLACE_ONE, tacit.Relation.ZERO_OUT])
def test_a_public_number_of_people_has_to_be_the_tables(tmp_path, relation):
    """Of all who have rows, whichever are asked about; a wrong one is refused, and none is said."""
    trust = tacit.Central(1.0, 0.0, relation)
    for people, right in ((2, False), (3, True), (4, False), (10_000_000, False)):
        own = tacit.Table(_stays(), "patient", "patients", tmp_path / "people.db", people)
        own.budget(epsilon=9, delta=1e-9, relation=relation)
        ask = own.where(ibis._.patient == "12").ask(n=tables.count(), rows_per_person=1)
        ask.plan(trust)
        if right:
            assert relation == ask.run(trust).plan.guarantees[0].relation
            continue
        with pytest.raises(ValueError, match="public") as refused:
            ask.run(trust)
        assert "3" not in str(refused.value)


@pytest.mark.parametrize("pair", [[("a", "b1:c"), ("a4:b", "c")], [("1", "23"), ("12", "3")]])
def test_no_two_units_share_a_text(pair):
    """Whatever they are called: one would be counted within the other's caps."""
    rows = rows_of(pd.DataFrame(pair, columns=["patient", "house"]))

    assert 2 == units_in(rows, Whose.told(("patient", "house"), None))


def test_a_unit_is_one_however_it_is_told():
    """One column by itself says what several say together."""
    rows = rows_of(_stays())
    assert units_in(rows, Whose.told(["house"], "household")) == units_in(
        rows, Whose.told("house", None)
    )
