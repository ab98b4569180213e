"""Grants on tables that change, on engines that die, and of processes that do: charged once, and no
noise serves twice.
"""

import multiprocessing
import secrets
import sqlite3
import threading
import time
from functools import partial
from pathlib import Path

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.dying import DIED, REFUSED, TRUST, ends_of
from tables.records import table
from tacit import tables
from tacit.ledger import Finished, LedgerError, database
from tacit.tables.engine import rows_of

FRAME = pd.DataFrame(
    {"patient": list("aabbcd"), "ward": [1, 2, 1, 1, 2, 2], "days": [1.0, 2, 3, 4, 5, 6]}
)


def ask(rows, folder: Path) -> tables.Ask:
    """A count by wards, of people whose budget is enough for two."""
    own = table(rows, folder)
    own.budget(epsilon=2, delta=1e-9)
    return own.by(ward=[1, 2]).ask(n=tables.count(), rows_per_person=2)


def entries(folder: Path) -> int:
    """How often these people were charged."""
    return len(tacit.Ledger(folder / "people.db").history("patients"))


def parquet(path: Path, frame: pd.DataFrame) -> Path:
    """A file that takes the place of another at once, as files do that are written elsewhere."""
    frame.to_parquet(made := path.with_suffix(".new"))
    made.replace(path)
    return path


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_written_to_after_it_was_given_is_answered_as_it_was(kind, tmp_path):
    """Whatever is written, and when: before the first reading, or between two of one grant."""
    # Of types that are handed over as they are.
    frame = FRAME.astype({"ward": float})
    frame = frame if kind == "pandas" else pytest.importorskip("polars").from_pandas(frame)
    asked = ask(frame, tmp_path)
    for column, value in (("patient", "e"), ("ward", 2), ("days", 100.0)):
        grant = asked.grant(TRUST, grant_id="once")
        if isinstance(frame, pd.DataFrame):
            frame.loc[0, column] = value
        else:
            frame[0, column] = value
    other = ask(frame, tmp_path)
    with pytest.raises(LedgerError, match="'once' was opened with other data"):
        other.grant(TRUST, grant_id="once")

    assert asked.read(grant.run()).receipt()["private"] and 1 == entries(tmp_path)


@pytest.mark.parametrize("changed", [FRAME.assign(days=9.0), FRAME.iloc[::-1], FRAME.iloc[1:]])
def test_a_file_that_was_replaced_is_other_data_where_rows_are_others(changed, tmp_path):
    """Columns that nobody asked for, and the order of rows, are no part of what was charged for."""
    path = parquet(tmp_path / "visits.parquet", FRAME)
    asked = ask(path, tmp_path)
    asked.grant(TRUST, grant_id="once")
    parquet(path, changed)
    if len(changed) == len(FRAME):
        asked.grant(TRUST, grant_id="once").run()
    else:
        with pytest.raises(LedgerError, match="'once' was opened with other data"):
            asked.grant(TRUST, grant_id="once")
    assert 1 == entries(tmp_path)


def test_a_file_that_lost_a_column_or_itself_charges_nothing(tmp_path):
    """The engine stops before the ledger is asked."""
    path = parquet(tmp_path / "visits.parquet", FRAME)
    asked = ask(path, tmp_path)
    parquet(path, FRAME.drop(columns="ward"))
    with pytest.raises(tables.EngineError):
        asked.run(TRUST)
    path.unlink()
    with pytest.raises(tables.EngineError):
        asked.run(TRUST)
    assert 0 == entries(tmp_path)


@pytest.mark.parametrize(
    "rows",
    [
        FRAME.iloc[:0],
        FRAME.iloc[:1],
        FRAME.assign(patient=None).astype({"patient": object}),
        FRAME.assign(ward=7),
    ],
    ids=["empty", "one row", "nobody's rows", "no declared group"],
)
def test_a_table_of_hardly_anybody_is_charged_and_answered_like_any_other(rows, tmp_path):
    """A row for each group, with its noise; that there is nothing to count is not to be seen."""
    asked = ask(rows.astype({"patient": "string"}), tmp_path)
    found = asked.run(TRUST)

    assert 1 == entries(tmp_path) and found.frame.ward.tolist() == [1, 2]
    assert found.receipt()["private"] is True


def test_a_locked_ledger_charges_nothing_and_releases_nothing(tmp_path, monkeypatch):
    """Whoever holds it: the same is asked again when it is free, and charged once."""
    monkeypatch.setattr(database, "_WAIT_SECONDS", 0)
    asked = ask(FRAME, tmp_path)
    other = sqlite3.connect(tmp_path / "people.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="locked; nothing was written"):
        asked.grant(TRUST, grant_id="once")
    other.execute("COMMIT")
    other.close()

    assert 0 == entries(tmp_path)
    asked.grant(TRUST, grant_id="once").run()
    assert 1 == entries(tmp_path)


def test_a_connection_that_is_cut_off_while_it_reads_charges_nothing(tmp_path):
    """PostgreSQL's own process is ended while it waits for the table; whoever connects anew asks
    the same, and is charged once."""
    pytest.importorskip("psycopg", reason="psycopg is not here")
    try:
        theirs, other = (
            ibis.postgres.connect(host="127.0.0.1", user="postgres", database="test")
            for _ in range(2)
        )
    except Exception as error:
        pytest.skip(f"there is no PostgreSQL server here: {type(error).__name__}")
    name = f"visits_{secrets.token_hex(8)}"
    rows = theirs.create_table(name, rows_of(FRAME).to_pyarrow())
    asked, holder = ask(rows, tmp_path), other.con
    (pid,) = theirs.con.execute("select pg_backend_pid()").fetchone()
    ended = []

    def end() -> None:
        """As soon as it waits for the table."""
        waits = "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s"
        while not holder.execute(waits, (pid,)).fetchone()[0]:
            time.sleep(0.01)
        ended.append(holder.execute("select pg_terminate_backend(%s)", (pid,)).fetchone()[0])

    try:
        holder.execute("begin")
        holder.execute(f'lock table "{name}" in access exclusive mode')
        ending = threading.Thread(target=end)
        ending.start()
        with pytest.raises(tables.EngineError, match="nothing was charged"):
            asked.run(TRUST)
        ending.join()
        holder.execute("rollback")
        assert [True] == ended and 0 == entries(tmp_path)
        assert 2 == len(ask(other.table(name), tmp_path).run(TRUST).frame)
        assert 1 == entries(tmp_path)
    finally:
        holder.execute("rollback")
        other.drop_table(name)
        other.disconnect()


@pytest.mark.timing
def test_a_process_killed_between_charge_and_release_goes_on_with_the_same_noise(tmp_path):
    """Charged once; of other rows, it is refused, and says that it is they that changed."""
    assert [DIED] == ends_of((partial(ask, FRAME, tmp_path), tmp_path / "died.npy", True))
    with pytest.raises(LedgerError, match="'once' was opened with other data"):
        ask(FRAME.head(5), tmp_path).grant(TRUST, grant_id="once")
    assert [0] == ends_of((partial(ask, FRAME, tmp_path), tmp_path / "whole.npy", False))
    with pytest.raises(Finished):
        ask(FRAME, tmp_path).grant(TRUST, grant_id="once")

    died, whole = (np.load(tmp_path / f"{name}.npy").tolist() for name in ("died", "whole"))
    assert died == whole and 1 == entries(tmp_path)


@pytest.mark.timing
def test_two_processes_on_one_grant_are_charged_once_and_say_the_same(tmp_path):
    """Both have opened it before either runs; nobody's second answer has noise of its own."""
    ready = multiprocessing.get_context("forkserver").Barrier(2)
    ask(FRAME, tmp_path)
    ends = ends_of(
        *((partial(ask, FRAME, tmp_path), tmp_path / f"{i}.npy", False, ready) for i in range(2))
    )
    said = [np.load(path).tolist() for path in tmp_path.glob("*.npy")]

    assert {0} <= set(ends) <= {0, REFUSED} and 1 == entries(tmp_path)
    assert all(each == said[0] for each in said)
