"""Engines: the same exact sums in all, and silence about rows when they stop."""

import secrets
from dataclasses import replace
from uuid import UUID

import ibis
import pyarrow as pa
import pytest

import tacit
from tables.alike import (
    arrays_are_alike,
    kinds,
    numbers_are_alike,
    stays,
    sums_are_alike,
    units_are_alike,
)
from tables.records import table, visits
from tacit import tables
from tacit.tables.engine import rows_of, sums_of
from told import all_told, alone


@pytest.fixture
def lying(postgresql):
    """Puts a table into PostgreSQL, and takes it away afterwards."""
    names = []

    def put(rows: pa.Table) -> ibis.Table:
        names.append(f"rows_{secrets.token_hex(8)}")
        return postgresql.create_table(names[-1], rows)

    yield put
    for name in names:
        postgresql.drop_table(name)


@pytest.mark.parametrize("names", [("n", "stay"), ()], ids=["some", "all"])
def test_exact_sums_are_the_same_in_both_engines(lying, tmp_path, names):
    """Of every aggregate, with caps that cut: numbers, missing ones, ties, people of no name."""
    rows = stays(3000)
    sums_are_alike(rows_of(rows), lying(rows), tmp_path, *names)


def test_arrays_are_the_same_in_both_engines(lying, tmp_path):
    """Whose records are whose, which of them count, and in which order."""
    rows = stays(3000)
    arrays_are_alike(rows_of(rows), lying(rows), tmp_path)


def test_numbers_are_the_same_in_both_engines_to_the_last_digit(lying, tmp_path):
    """Of columns of every type; fractions that are written out are no decimals."""
    rows = kinds(300)
    numbers_are_alike(rows_of(rows), lying(rows))
    units_are_alike(rows_of(rows), lying(rows), tmp_path)


def test_a_cast_that_stops_is_refused_where_it_would(lying, tmp_path):
    """Text that may be no number is read in DuckDB, and PostgreSQL has no cast for it."""
    rows, text = kinds(30), ibis._.text.try_cast("float64")
    asked = {"n": tables.mean(text, 0, 1), "rows_per_person": 1}
    table(rows, tmp_path).ask(**asked).run(tacit.NonPrivate())
    with pytest.raises(ValueError, match="try_cast"):
        table(lying(rows), tmp_path).ask(**asked)


def test_an_engine_that_stops_charges_nothing_and_quotes_nobody(tmp_path):
    """The limit is whole afterwards, and the sentence has no value of a row in it: of somebody's
    own view, which stops at a value, it says what would not, and not to ask again."""
    path = tmp_path / "visits.csv"
    path.write_text("patient,days\np1,3\n" + "p2,4\n" * 30_000 + "p3,a secret\n")
    own = ibis.duckdb.connect().read_csv(path)
    ask = table(own, tmp_path).ask(n=tables.mean("days", 0, 30), rows_per_person=1)
    ask.table.budget(epsilon=1.0, delta=1e-9)
    with pytest.raises(tables.EngineError, match=r"at a value.*the path, which reads") as stopped:
        ask.run(tacit.Central(1.0, 0.0))
    assert alone(stopped.value) and "secret" not in all_told(stopped.value)
    assert "ask again" not in str(stopped.value)
    path.write_text("patient,days\np1,3\n")
    assert 1 == len(ask.run(tacit.Central(1.0, 0.0)).frame)


def test_a_server_that_stops_leaves_nothing_of_what_it_said(postgresql, tmp_path):
    """Its driver keeps the server's words apart from its own; of arrays, too."""
    named = f"rows_{secrets.token_hex(8)}"
    postgresql.raw_sql(
        f"create temp table {named} as select 'p1' as patient, 'a secret' as days;"
        f"create temp view {named}_read as select patient, days::int as days from {named}"
    ).close()
    own = table(postgresql.table(f"{named}_read"), tmp_path)
    ask = own.ask(n=tables.mean("days", 0, 30), rows_per_person=1)
    for asked in (
        lambda: ask.run(tacit.NonPrivate()),
        lambda: own.arrays([tables.number("days", 0, 30)], at_most=1),
    ):
        with pytest.raises(tables.EngineError) as stopped:
            asked()
        assert alone(stopped.value) and "secret" not in all_told(stopped.value)


def test_uuids_tell_people_apart_in_both_engines(lying, tmp_path):
    """A column of that type, which Ibis has no hash of in PostgreSQL; declared keys or none."""
    rows = stays(300)
    texts = [x and str(UUID(int=int(x[1:]))) for x in rows["patient"].to_pylist()]
    plain = rows.set_column(0, "patient", pa.array(texts, "string"))
    theirs, duckdb = lying(plain), ibis.duckdb.connect()
    engine, name = theirs.get_backend(), theirs.op().name
    engine.raw_sql(f'alter table "{name}" alter patient type uuid using patient::uuid').close()
    engine.con.commit()
    theirs, text = engine.table(name), duckdb.create_table("texts", plain)
    ours = duckdb.create_table("visits", text.mutate(patient=text.patient.cast("uuid")))
    assert all(each.patient.type().is_uuid() for each in (ours, theirs))
    sums_are_alike(ours, theirs, tmp_path, "n", "stay")
    for each in (ours, theirs):
        asked = table(each, tmp_path).by("ward").ask(n=tables.people(), rows_per_person=4)
        assert 4 == len(asked.run(tacit.NonPrivate()).frame)


def test_an_engine_that_cannot_be_asked_is_not_said_to_have_stopped(tmp_path):
    """Ibis has no words for it, before anything of a row is read; nothing is charged."""
    rows = ibis.sqlite.connect().create_table("visits", stays(30))
    ask = table(rows, tmp_path).ask(n=tables.count(), rows_per_person=1)
    ask.table.budget(epsilon=1.0, delta=1e-9)
    with pytest.raises(tables.EngineError, match="cannot be asked this, whatever") as refused:
        ask.run(tacit.Central(1.0, 0.0))
    assert "ask again" not in str(refused.value)
    assert 0 == ask.table.ledger.spent("patients")[0].epsilon


def test_types_that_do_not_fit_are_not_said_to_tell_of_a_row(lying, tmp_path):
    """No engine has read one then; its words, of names and text, are not repeated either."""
    rows = pa.table({"patient": ["p1"], "well": [True]})
    for own in (rows, lying(rows)):
        ask = table(own, tmp_path).ask(n=tables.mean(ibis._.well.abs(), 0, 1), rows_per_person=1)
        with pytest.raises(tables.EngineError, match="no such operation for columns of") as stopped:
            ask.run(tacit.NonPrivate())
        assert alone(stopped.value) and "somebody" not in str(stopped.value)


def test_types_of_a_row_are_said_to_tell_of_one(postgresql, tmp_path):
    """A server looks at those of arrays when there is a row; a file may have other columns."""
    name, path = f"rows_{secrets.token_hex(8)}", tmp_path / "visits.csv"
    same = "array[patient::json] = array[patient::json] as same"
    postgresql.raw_sql(
        f"create temp table {name} as select '1' as patient;"
        f"create temp view {name}_read as select patient, {same} from {name}"
    ).close()
    for rows in (postgresql.table(f"{name}_read"), path):
        path.write_text("patient,same\np1,3\n")
        asked = {"n": tables.count_if(ibis._.same.notnull()), "rows_per_person": 1}
        ask = table(rows, tmp_path).ask(**asked)
        path.write_text("patient\np1\n")
        with pytest.raises(tables.EngineError, match="may tell of somebody's row"):
            ask.run(tacit.NonPrivate())


def test_a_query_is_no_table_by_whatever_name(tmp_path):
    """Neither by an alias nor cached, for it may carry one person's value into other rows; a view
    that the database holds, a table and an alias of it are."""
    own = ibis.duckdb.connect()
    rows = own.create_table("visits", rows_of(visits(9, 3, seed=1)).to_pyarrow())
    query = rows.mutate(most=rows.days.max().over())
    kept = query.cache()
    for each in (query, query.alias("a"), query.alias("b").alias("c"), kept, kept.alias("d")):
        with pytest.raises(ValueError, match="not a query"):
            table(each, tmp_path)
    for each in (rows, rows.alias("e"), own.create_view("f", query)):
        assert len(table(each, tmp_path).rows.columns) >= len(rows.columns)


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars", "duckdb"])
def test_a_table_is_read_wherever_it_lies(tmp_path, kind):
    """With the sums that the DataFrame has."""
    frame = visits(80, 9, seed=12)[["patient", "days"]]
    arrow = rows_of(frame).to_pyarrow()
    if kind == "csv":
        frame.to_csv(source := tmp_path / "visits.csv", index=False)
    elif kind == "parquet":
        frame.to_parquet(source := tmp_path / "visits.parquet")
    elif kind == "polars":
        source = pytest.importorskip("polars").from_arrow(arrow)
    else:
        source = ibis.duckdb.connect().create_table("visits", arrow)
    asked = {"n": tables.count(), "sum": tables.total("days", 0, 30), "rows_per_person": 2}
    found = [
        table(each, tmp_path).ask(**asked).run(tacit.NonPrivate()).frame for each in (frame, source)
    ]

    assert found[0].equals(found[1]) and (found[0] != 0).all(axis=None)


def test_many_numbers_are_one_reading_of_the_table(tmp_path, monkeypatch):
    """One statement reaches the engine, and its plan scans the table once."""
    engine = ibis.duckdb.connect()
    rows = engine.create_table("visits", rows_of(visits(500, 90, seed=13)).to_pyarrow())
    made = {f"m{i}": tables.mean("days", 0, 30 + i) for i in range(6)}
    ask = table(rows, tmp_path).by(ward=["A", "B"]).ask(n=tables.count(), **made, rows_per_person=2)
    for asked in (ask, replace(ask, aggregates={**ask.aggregates, "who": tables.people()})):
        said = []
        read = type(engine).to_pyarrow

        def counted(own, expression, /, said=said, read=read, **more):
            said.append(ibis.to_sql(expression, dialect="duckdb"))
            return read(own, expression, **more)

        monkeypatch.setattr(type(engine), "to_pyarrow", counted)
        sums_of(asked.statement, rows, asked._cells)
        monkeypatch.setattr(type(engine), "to_pyarrow", read)
        ((_, plan),) = engine.raw_sql(f"explain {said[0]}").fetchall()
        assert 1 == len(said) and 1 == plan.count("memory.main.visits")
