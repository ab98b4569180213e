"""Transactions on SQLite: whatever ends one, nothing is written and the next one works."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql

from tacit.ledger import database
from tacit.ledger.accounts import LedgerError
from tacit.ledger.database import Database


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database of one table, that waits for nobody."""
    monkeypatch.setattr(database, "_WAIT_SECONDS", 0)
    made = Database(tmp_path / "kept.db")
    with made.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE held (number INTEGER PRIMARY KEY)")
    return made


@pytest.fixture
def other(kept: Database) -> Iterator[sqlite3.Connection]:
    """Another program's connection to the same file."""
    connection = sqlite3.connect(kept.name, isolation_level=None)
    yield connection
    connection.close()


@pytest.mark.skipif(os.name != "posix", reason="files have no modes")
@pytest.mark.parametrize("mode", [None, 0o660, 0o644])
def test_a_file_that_is_made_is_its_owners_alone(tmp_path: Path, mode: int | None):
    """It holds keys; one that is there keeps the mode that somebody gave it."""
    path = tmp_path / "people.db"
    if mode is not None:
        path.touch()
        path.chmod(mode)
    made = Database(path)
    with made.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE held (number INTEGER PRIMARY KEY)")
        journal = [each for each in tmp_path.iterdir() if each != path]
        assert {each.stat().st_mode & 0o777 for each in journal} <= {mode or 0o600}

    assert path.stat().st_mode & 0o777 == (mode or 0o600)


def _write(kept: Database, number: int) -> None:
    with kept.writing() as connection:
        connection.exec_driver_sql(f"INSERT INTO held VALUES ({number})")


def _held(kept: Database) -> list[int]:
    with kept.reading() as connection:
        return list(connection.exec_driver_sql("SELECT number FROM held").scalars())


def test_a_commit_that_a_reader_blocked_is_undone(kept, other) -> None:
    """A reader outlasts the wait: nothing was written, it says so, and the next write works."""
    other.execute("BEGIN")
    other.execute("SELECT number FROM held").fetchall()
    for _ in range(2):
        with pytest.raises(LedgerError, match="database is locked; nothing was written"):
            _write(kept, 1)
    other.execute("COMMIT")
    assert _held(kept) == []
    _write(kept, 2)
    assert _held(kept) == [2]


def test_what_is_tried_does_not_stay(kept, other) -> None:
    """It is undone, and the next write works; what nobody may write now is no trial either."""
    with kept.trying() as connection:
        connection.exec_driver_sql("INSERT INTO held VALUES (1)")
    assert _held(kept) == []
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="cannot be written: database is locked"), kept.trying():
        pass
    other.execute("COMMIT")
    _write(kept, 2)
    assert _held(kept) == [2]


def test_a_beginning_that_a_writer_blocked_is_undone(kept, other) -> None:
    """Another writer outlasts the wait: the same."""
    other.execute("BEGIN IMMEDIATE")
    for _ in range(2):
        with pytest.raises(LedgerError, match="database is locked; nothing was written"):
            _write(kept, 1)
    other.execute("COMMIT")
    _write(kept, 2)
    assert _held(kept) == [2]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_an_interrupted_transaction_is_undone(kept, stop: type[BaseException]) -> None:
    """An exception inside is let through, what it interrupted is undone, the next write works."""
    with pytest.raises(stop), kept.writing() as connection:
        connection.exec_driver_sql("INSERT INTO held VALUES (1)")
        raise stop
    _write(kept, 2)
    assert _held(kept) == [2]


def test_a_full_disk_undoes_a_transaction(kept) -> None:
    """Where the file may not grow, nothing was written, it says so, and what fits still works."""
    with kept.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    full = pytest.raises(LedgerError, match="disk is full; nothing was written")
    with full, kept.writing() as connection:
        connection.exec_driver_sql("INSERT INTO held VALUES (1)")
        connection.exec_driver_sql("CREATE TABLE larger (number INTEGER)")
    _write(kept, 2)
    assert _held(kept) == [2]


def test_a_failing_statement_leaves_no_transaction_behind(kept) -> None:
    """A second row of the same key is refused, and the first row of the refused two is undone."""
    _write(kept, 1)
    taken = pytest.raises(LedgerError, match="another process wrote the same first")
    with taken, kept.writing() as connection:
        connection.exec_driver_sql("INSERT INTO held VALUES (2)")
        connection.exec_driver_sql("INSERT INTO held VALUES (1)")
    _write(kept, 3)
    assert _held(kept) == [1, 3]


@pytest.mark.parametrize("where", [None, 3, b"ledger.db", Path])
def test_a_place_that_is_none_is_refused(where) -> None:
    """It would be a file of that name."""
    with pytest.raises(LedgerError, match="must be a file or a database URL, got "):
        Database(where)


@pytest.mark.parametrize(
    "where", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:y?mode=memory&uri=true"]
)
def test_memory_is_no_place(where: str) -> None:
    """Whatever it is called: what is charged there is forgotten with the process."""
    with pytest.raises(LedgerError, match="must be durable"):
        Database(where)


@pytest.mark.parametrize(
    "where, name",
    [
        ("sqlite:///people.db", "people.db"),
        ("postgresql://me:secret@host/db?password=secret", "postgresql://me:***@host/db"),
        ("postgresql://host/db?sslmode=require&sslpassword=secret", "postgresql://host/db"),
    ],
)
def test_a_name_tells_no_secret(where: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in refusals and in what is printed: of a query's words any may be a password."""
    monkeypatch.setattr(database, "_engine", lambda url: sql.create_engine("sqlite://"))

    assert name == Database(where).name


def test_a_writer_has_the_lock_before_it_reads(kept) -> None:
    """What it sees is still so when it writes: nobody else begins to write meanwhile."""
    with kept.writing() as connection:
        assert [] == list(connection.exec_driver_sql("SELECT number FROM held"))
        other = sqlite3.connect(kept.name, timeout=0, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()


def test_what_is_committed_is_on_the_disk_and_what_is_erased_is_not(kept) -> None:
    """With the name of its file, before a commit returns: as SQLite says of the connection."""
    with kept.reading() as connection:
        settings = ("synchronous", "secure_delete", "journal_mode", "foreign_keys")
        found = [connection.exec_driver_sql(f"PRAGMA {one}").scalar() for one in settings]
    extra = 3
    assert found == [extra, 1, "delete", 1]
