"""The database under a ledger: durable transactions, one connection kept in each process.

On SQLite a transaction that will write takes the write lock before it reads (BEGIN IMMEDIATE), so
two processes cannot both see the same room and both fill it; `synchronous = EXTRA` puts the commit
and its directory entry on the disk before it returns, so a power cut cannot lose a charge whose
answer was seen; `secure_delete` overwrites an erased key. The rollback journal is kept: a
write-ahead log is faster, and keeps erased keys in a file of its own. A file is made for its owner
alone, since it holds the keys of open grants, and whoever has such a key can take noise away; who
else is to charge it is let in by its mode.

A commit that fails (a reader held the lock for too long, the disk is full) leaves its transaction
open, and SQLAlchemy takes it for ended; so whatever is still open on a connection is rolled back
before the connection is kept for the next.

A connection may not be carried across a fork: a child opens its own, and never closes its parent's.
"""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)

from tacit.argument import got
from tacit.ledger.accounts import LedgerError

# For a lock that another process holds, which it does for milliseconds; then whoever waits is told.
_WAIT_SECONDS = 60
# Closing a parent's connection in a child could undo what the parent is writing.
_not_ours: list[sql.Engine] = []


class Database:
    """A database by path or URL, in transactions that read, write or try to.

    Raises:
      LedgerError: it is not one this machine can reach, or would not be durable.
    """

    def __init__(self, where: str | Path) -> None:
        try:
            self._url = _url(where)
            _refuse_memory(self._url)
            self._open()
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise LedgerError(f"a ledger must be a file or a database URL: {error}") from error

    @property
    def name(self) -> str:
        """The path or URL, without a password, which may be in its query too."""
        if self._url.get_backend_name() == "sqlite":
            return str(self._url.database)
        return self._url.set(query={}).render_as_string(hide_password=True)

    @property
    def is_file(self) -> bool:
        """Whether its name is the path of a file."""
        return self._url.get_backend_name() == "sqlite" and "uri" not in self._url.query

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """One transaction that only reads.

        Raises:
          LedgerError: the database cannot be read.
        """
        try:
            with self._here().connect() as connection:
                connection.execution_options(only_reads=True)
                with connection.begin():
                    yield connection
        except SQLAlchemyError as error:
            raise LedgerError(f"the ledger {self.name} cannot be read: {_said(error)}") from error

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        """One transaction, on the disk before it is left without an error, or undone.

        Raises:
          LedgerError: it was undone; or its outcome is not known, and the sentence says so.
        """
        committing = False
        try:
            with self._here().connect() as connection, connection.begin() as transaction:
                yield connection
                committing = True
                transaction.commit()
        except IntegrityError as error:
            raise LedgerError("another process wrote the same first; ask again") from error
        except SQLAlchemyError as error:
            outcome = "nothing was written"
            if committing and self._url.get_backend_name() != "sqlite":
                outcome = "if it was written is not known; ask again, it is never charged twice"
            said = f"the ledger {self.name} cannot be written: {_said(error)}; {outcome}"
            raise LedgerError(said) from error

    @contextmanager
    def trying(self) -> Iterator[sql.Connection]:
        """One transaction that could write, and is undone: nothing of it stays.

        On SQLite the journal of what it writes is on the disk, where there is room for it.

        Raises:
          LedgerError: nothing can be written.
        """
        try:
            with self._here().connect() as connection, connection.begin() as transaction:
                yield connection
                transaction.rollback()
        except SQLAlchemyError as error:
            raise LedgerError(
                f"the ledger {self.name} cannot be written: {_said(error)}"
            ) from error

    def _open(self) -> None:
        self._engine, self._process = _engine(self._url), os.getpid()
        weakref.finalize(self, _close, self._engine, self._process)

    def _here(self) -> sql.Engine:
        if self._process != os.getpid():
            self._open()
        return self._engine


def lock_schema(connection: sql.Connection) -> None:
    """Let one process at a time make the tables; SQLite has locked the file already."""
    if connection.dialect.name == "postgresql":
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(7_221_140)))


def _close(engine: sql.Engine, process: int) -> None:
    if os.getpid() == process:
        engine.dispose()
    else:
        _not_ours.append(engine)


def _url(where: str | Path) -> sql.URL:
    if not isinstance(where, str | Path):
        raise LedgerError(f"a ledger must be a file or a database URL, got {got(where)}")
    if "://" in str(where):
        return make_url(str(where))
    return sql.URL.create("sqlite", database=str(where))


def _refuse_memory(url: sql.URL) -> None:
    if url.get_backend_name() != "sqlite":
        return
    if ":memory:" in (url.database or ":memory:") or "memory" in url.query.get("mode", ""):
        raise LedgerError("a ledger must be durable; name a file, not memory")


def _engine(url: sql.URL) -> sql.Engine:
    sqlite = url.get_backend_name() == "sqlite"
    # Whoever has waited for the lock must see what was committed meanwhile: a transaction's older
    # snapshot would have room in it that is taken.
    isolation: dict[str, Any] = {} if sqlite else {"isolation_level": "READ COMMITTED"}
    engine = sql.create_engine(url, pool_pre_ping=not sqlite, **isolation)
    if sqlite:
        event.listen(engine, "do_connect", _make_private)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "checkin", _end_sqlite)
    return engine


def _make_private(_dialect: Any, _record: Any, where: list[Any], more: dict[str, Any]) -> None:
    """Makes a file that is not there, before SQLite would, which lets everybody read it."""
    if more.get("uri"):
        return
    # SQLite says in its own words why a file cannot be made.
    with suppress(OSError):
        os.close(os.open(where[0], os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for setting in (
        f"busy_timeout = {_WAIT_SECONDS * 1000}",
        "foreign_keys = ON",
        "secure_delete = ON",
        "synchronous = EXTRA",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: sql.Connection) -> None:
    reads = connection.get_execution_options().get("only_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _end_sqlite(connection: Any, _record: Any) -> None:
    if connection is not None and connection.in_transaction:
        connection.execute("ROLLBACK")


def _said(error: SQLAlchemyError) -> str:
    """What went wrong, as the database says it, without the statement that was running."""
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    return " ".join(said.split())
