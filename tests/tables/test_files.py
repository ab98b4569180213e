"""Files of rows: read by their endings, compressed or not, and refused by the endings allowed."""

import gzip
from pathlib import Path

import ibis
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.engine import quoting_nobody
from tacit.tables.files import bare_name, rows_in, values_in
from told import all_told, alone

ROWS = visits(80, 9, seed=12)[["patient", "days"]]
ENDS = "csv", "tsv", "json", "jsonl", "ndjson"


def written(path: Path, end: str) -> None:
    """These rows, as such a file has them."""
    rows = ROWS.assign(days=ROWS.days.clip(-1e6, 1e6))
    if end.endswith("sv"):
        rows.to_csv(path, index=False, sep={"csv": ",", "tsv": "\t"}[end])
    else:
        rows.to_json(path, orient="records", lines=end != "json")


@pytest.mark.parametrize("end", ENDS)
def test_a_compressed_file_is_read_as_it_is_without(tmp_path, end):
    """By gzip or zstd, whatever the case of its name: the same sums."""
    written(plain := tmp_path / f"visits.{end}", end)
    packed = tmp_path / f"visits.{end}.gz", tmp_path / f"VISITS.{end.upper()}.GZ"
    for path in packed:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    asked = {"n": tables.count(), "sum": tables.total("days", 0, 30), "rows_per_person": 2}
    found = [
        table(path, tmp_path).ask(**asked).run(tacit.NonPrivate()) for path in (plain, *packed)
    ]

    assert (found[0].frame != 0).all(axis=None)
    assert all(found[0].frame.equals(each.frame) for each in found)


@pytest.mark.parametrize("name", ["v[1]", "v*", "v?", "**", "p=7/v", "d[1]/v", "a/../p=7/v"])
@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_a_path_is_of_one_file_by_its_name(tmp_path, monkeypatch, name, kind):
    """No pattern, which finds other people's rows, and no columns from the names of folders."""
    monkeypatch.chdir(tmp_path)
    for i, each in enumerate(["v1", "va", "vv", "d1/v", "p=8/v", "a/v", name]):
        path = Path(f"{each}.{kind}")
        path.parent.mkdir(parents=True, exist_ok=True)
        own = pd.DataFrame({"p": [i]})
        {"parquet": own.to_parquet, "json": own.to_json}.get(kind, own.to_csv)(
            path, **{"parquet": {}, "json": {"orient": "records"}}.get(kind, {"index": False})
        )
    for path in (Path(f"{name}.{kind}"), tmp_path / f"{name}.{kind}"):
        for found in (rows_in, values_in):
            read = found(path)
            assert ("p",) == read.columns and ["6"] == read.p.cast("string").execute().tolist()


def test_a_pattern_is_no_file(tmp_path):
    """It is said not to be there."""
    written(tmp_path / "v1.csv", "csv")
    for name in ("v*.csv", "v[1].csv", "*.csv"):
        with pytest.raises(ValueError, match="there is no file"):
            rows_in(tmp_path / name)


GOOD = "id,name,age\n" + "".join(f'{i},"Doe, J",{20 + i % 50}\n' for i in range(300))
ODD = {
    "too many values": GOOD + "999,SECRET NAME,44,HIV\n",
    "another mark between": GOOD + "999;SECRET NAME;44\n",
    "an open quote": GOOD.replace("\n", '\n999,"SECRET,33\n', 1),
    "no header": "999,SECRET NAME,44\n" + GOOD,
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("found", [rows_in, values_in])
def test_nobodys_row_is_taken_for_a_header_and_quoted(tmp_path, kind, found):
    """Whatever one line is like, the first has the names; and which those are is not said."""
    path = tmp_path / "people.csv"
    path.write_text(ODD[kind])
    with pytest.raises(ValueError, match=r"no column 'id'|has to be|have to be") as refused:
        tacit.Table(found(path), person="id", name="x", ledger=":memory:")

    assert not any(word in f"{refused.value}" for word in ("SECRET", "999", "Doe", "HIV"))


BROKEN = {
    "no.csv": b"id,age\n1,2\nSECRET\xff\xfe,2\n",
    "no.json": b'[{"id":"SECRET",,}]',
    "no.jsonl": b'{"id":"a","age":1}\n{"id":"SECRET" "age":2}\n',
    "no.csv.gz": b"id,age\nSECRET,2\n",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("found", [rows_in, values_in])
def test_nobodys_line_is_kept_beside_a_refusal(tmp_path, name, found):
    """DuckDB's own words have the line in them that it could not read."""
    path = tmp_path / name
    path.write_bytes(BROKEN[name])
    with pytest.raises((ValueError, tables.EngineError)) as refused:
        quoting_nobody(found(path).to_pyarrow)
    assert alone(refused.value) and "SECRET" not in all_told(refused.value)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_time_in_milliseconds_stops_no_question_of_other_columns(tmp_path, nested, zone):
    """In a Parquet file, which says what the least and largest of it are."""
    far = pa.array([0, 2**63 // 10**3 + 1], pa.int64()).view(pa.timestamp("ms", zone))
    odd = pa.StructArray.from_arrays([far], ["at"]) if nested else far
    rows = pa.table({"patient": ["p1", "p2"], "days": [1.0, 2.0], "odd": odd})
    pq.write_table(rows, path := tmp_path / "visits.parquet")
    own = table(path, tmp_path)
    asked = {"n": tables.count(), "stay": tables.total("days", 0, 3), "rows_per_person": 1}
    public = pd.DataFrame({"days": [1, 2], "floor": [1, 1]})
    for each in (own, own.by("patient"), own.by(days=[1, 2]), own.join(public, on="days")):
        assert 2 == each.ask(**asked).run(tacit.NonPrivate()).frame.n.sum()
    assert 2 == len(own.arrays([tables.number("days", 0, 3)], at_most=1).data)


def test_one_persons_names_are_not_quoted(tmp_path):
    """Of JSON, where each has their own."""
    path = tmp_path / "people.jsonl"
    path.write_text('{"id": 1, "age": 3}\n{"id": 2, "age": 4, "SECRET": 1}\n')
    with pytest.raises(ValueError, match="no column 'who': names are as") as refused:
        tacit.Table(path, person="who", name="x", ledger=":memory:")

    assert "SECRET" not in f"{refused.value}"


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_zstd_is_read(tmp_path, kind):
    """As the engine itself writes it."""
    path = tmp_path / f"visits.{kind}.zst"
    engine = ibis.duckdb.connect()
    engine.raw_sql(f"copy (from range(9)) to '{path}' (format {kind}, compression zstd)")

    assert 9 == rows_in(path).count().execute()


@pytest.mark.parametrize(
    "name", ["a.gz", "a.parquet.gz", "a.zip", "a.csv.bz2", "a.txt", "a", ".csv"]
)
def test_another_ending_is_refused_by_those_allowed(tmp_path, name):
    """In one sentence, before anything is read."""
    (tmp_path / name).write_text("patient,days\n")
    with pytest.raises(ValueError, match=r"ends in \.parquet, \.csv.*\.gz or \.zst") as refused:
        rows_in(tmp_path / name)
    assert repr(name) in str(refused.value)


@pytest.mark.parametrize("name", ["visits", "visits.parquet"])
def test_a_folder_is_told_to_be_one(tmp_path, name):
    """Whatever its name ends in."""
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match=f"{name} is a folder, and a table is one file"):
        rows_in(tmp_path / name)


def test_what_is_not_what_its_name_says_is_refused_and_not_quoted(tmp_path):
    """A text that is no gzip, or no Parquet."""
    for name in ("visits.csv.gz", "visits.parquet"):
        (tmp_path / name).write_text("patient,days\nZacharias,3\n")
        with pytest.raises(ValueError, match=f"{name} cannot be read as") as refused:
            rows_in(tmp_path / name)
        assert alone(refused.value) and "Zacharias" not in all_told(refused.value)
    with pytest.raises(ValueError, match="there is no file"):
        rows_in(tmp_path / "none.csv.gz")


@pytest.mark.parametrize(
    "path, name",
    [
        ("in/visits.csv.gz", "visits"),
        ("visits.2024.parquet", "visits.2024"),
        ("visits.JSON.ZST", "visits"),
    ],
)
def test_a_name_without_its_endings(path, name):
    """Which is what people are called where nobody says how."""
    assert name == bare_name(Path(path))


@pytest.mark.parametrize("end", ["csv", "json"])
def test_a_file_that_is_gone_is_told_and_nothing_is_charged(tmp_path, end):
    """After it was asked; once it is back, all of the budget is there."""
    written(path := tmp_path / f"visits.{end}", end)
    ask = table(path, tmp_path).ask(n=tables.count(), rows_per_person=1)
    ask.table.budget(epsilon=1.0, delta=1e-9)
    path.unlink()
    with pytest.raises(tables.EngineError, match="not there any more; nothing was charged"):
        ask.run(tacit.Central(1.0, 0.0))
    written(path, end)
    assert 1 == len(ask.run(tacit.Central(1.0, 0.0)).frame)


@pytest.mark.parametrize("text", ["", "\n", "\n\n"])
def test_a_file_without_a_line_is_told_to_name_its_columns(text, tmp_path):
    """And is not said to have a column that nobody wrote; with the names alone it is a table."""
    path = tmp_path / "visits.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="no names of columns: its first line has to say them"):
        table(path, tmp_path)
    path.write_text("patient,days\n")
    asked = table(path, tmp_path).ask(n=tables.count(), rows_per_person=1)
    assert [0] == asked.run(tacit.NonPrivate()).frame.n.tolist()
