"""Public tables beside people's rows."""

import secrets

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.accounting.relation import Relation
from tacit.tables.engine import rows_of, sums_of
from tacit.tables.public import PublicTable
from told import all_told, alone

NOTHING = tacit.NonPrivate()
WARDS = pd.DataFrame(
    {"ward": ["A", "C", "Z", None], "floor": [1, 2, 3, 4], "kind'": ["old", "new", "new", "no"]}
)


def test_a_public_view_that_stops_tells_of_nobody(tmp_path):
    """It is a view of people's database, and an engine's words quote what it could not read."""
    engine = ibis.duckdb.connect()
    engine.raw_sql("create table texts as select 'A' as ward, 'a secret' as floor")
    engine.raw_sql("create view wards as select ward, floor::int as floor from texts")
    with pytest.raises(tables.EngineError) as stopped:
        table(visits(9, 3, seed=1), tmp_path).join(engine.table("wards"), on="ward")
    assert alone(stopped.value) and "secret" not in all_told(stopped.value)


def test_public_columns_are_keys_filters_and_numbers(tmp_path):
    """A row whose value the public table lacks, or that has none, has missing ones; no row is there
    twice, and none is gone."""
    frame = visits(300, 200, seed=2)
    own = table(frame, tmp_path).join(WARDS, on="ward")
    asked = {"n": tables.count(), "floor": tables.mean("floor", 0, 4), "rows_per_person": 9}
    found = own.by(**{"kind'": ["old", "new", None]}).ask(**asked).run(NOTHING).frame

    counted = frame[frame.patient.notna()].merge(WARDS.dropna(), how="left", on="ward")
    kinds = counted["kind'"].fillna("none").value_counts()
    assert [kinds["old"], kinds["new"], kinds["none"]] == found.n.tolist()
    assert [1.0, 2.0] == pytest.approx(found.floor.tolist()[:2], abs=1e-3)
    above = own.where(ibis._.floor + 0 > 1).ask(n=tables.count(), rows_per_person=9).run(NOTHING)
    assert [kinds["new"]] == above.frame.n.tolist()


def test_one_person_moves_no_more_than_without_it(tmp_path):
    """Everybody gone or replaced; also where a value does stand twice, for caps come after it."""
    frame = visits(40, 6, seed=1)
    twice = pd.concat([WARDS, WARDS]).dropna()
    held = PublicTable(rows_of(twice).to_pyarrow(), "ward")
    for publics in ((PublicTable.of(rows_of(WARDS), "ward"),), (held,)):
        own = tacit.Table(frame, "patient", "p", tmp_path / "p.db", publics=publics)
        ask = own.by(floor=[1, 2, None]).ask(n=tables.count(), rows_per_person=3)
        whole = _sums(ask, frame, publics)
        less = [
            _sums(ask, frame[frame.patient != who], publics)
            for who in frame.patient.dropna().unique()
        ]
        moved = [np.abs(whole - rest).sum() for rest in less]
        assert max(moved) == 3 == ask._shapes[0].l1_sensitivity(Relation.ADD_REMOVE)


def test_both_engines_join_alike(postgresql, tmp_path):
    """The public table is brought to where the rows lie."""
    frame, name = visits(200, 30, seed=4), f"visits_{secrets.token_hex(8)}"
    theirs = postgresql.create_table(name, rows_of(frame).to_pyarrow())
    try:
        both = [
            table(rows, tmp_path)
            .join(WARDS, on="ward")
            .by("kind'")
            .ask(n=tables.count(), rows_per_person=2)
            .run(NOTHING)
            .frame
            for rows in (frame, theirs)
        ]
    finally:
        postgresql.drop_table(name)

    assert both[0].equals(both[1]) and 3 == len(both[0])


@pytest.mark.parametrize("name", ["ward_of_the_public", "Ward_Of_The_Public", "ward_right"])
def test_a_column_may_have_any_name(tmp_path, name):
    """Of the public table or of people's rows; also one that the key could have in the join."""
    frame, asked = visits(90, 30, seed=3), {"n": tables.count(), "rows_per_person": 2}
    keys = {name: [1, 2, None]}
    public = table(frame, tmp_path).join(WARDS.rename(columns={"floor": name}), on="ward")
    floor = frame.ward.map({"A": 1, "C": 2}).astype("Int64")
    own = table(frame.assign(**{name: floor}), tmp_path).join(WARDS, on="ward")
    found = [each.by(**keys).ask(**asked).run(NOTHING).frame for each in (public, own)]

    assert found[0].equals(found[1]) and (found[0].n > 0).all()


@pytest.mark.parametrize(
    "public, on, says",
    [
        (pd.concat([WARDS, WARDS]), "ward", "more than once"),
        (WARDS, "floor", "there is no column 'floor'"),
        (WARDS, "nothing", "on must be a column"),
        (WARDS, 3, "on must be a column"),
        (WARDS.assign(days=1), "ward", "give the public one another name"),
        (WARDS.assign(ward=range(4)), "ward", "is of type"),
        (3, "ward", "a table is a DataFrame"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tmp_path, public, on, says):
    """Before anything of the people is read."""
    with pytest.raises(ValueError, match=says):
        table(visits(9, 3, seed=1), tmp_path).join(public, on=on)


def _sums(ask, frame, publics):
    rows = rows_of(frame)
    for each in publics:
        rows = each.beside(rows)
    return sums_of(ask.statement, rows, ask._cells)[0][0]
