"""Where a ledger is kept: three tables, durable transactions, sums that are exact.

On SQLite every transaction takes the write lock before it reads (BEGIN IMMEDIATE), so two processes
cannot both see the same room and both fill it; `synchronous = EXTRA` puts the commit and its
directory entry on the disk before a charge returns, so a power cut cannot lose a charge whose
answer was seen; `secure_delete` overwrites an erased key and fingerprint. On another database the
population's limits are locked instead, which every charge does first.

Each connection is opened and closed with its transaction, so a ledger may be carried across a fork.
"""

from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

Account = tuple[str, str, str]
Cost = tuple[Decimal, Decimal]
NOTHING: Cost = (Decimal(0), Decimal(0))

_UPWARDS = Context(prec=60, rounding=ROUND_CEILING)
_WAIT_SECONDS = 60
_schema = sql.MetaData()

limits = sql.Table(
    "limits",
    _schema,
    sql.Column("population", sql.Text, primary_key=True),
    sql.Column("observer", sql.Text, primary_key=True),
    sql.Column("unit", sql.Text, primary_key=True),
    sql.Column("relation", sql.Text, primary_key=True),
    sql.Column("epsilon", sql.Double, nullable=False),
    sql.Column("delta", sql.Double, nullable=False),
)
grants = sql.Table(
    "grants",
    _schema,
    sql.Column("grant_id", sql.Text, primary_key=True),
    sql.Column("population", sql.Text, nullable=False, index=True),
    sql.Column("fingerprint", sql.Text),
    sql.Column("plan", sql.Text, nullable=False),
    sql.Column("root_key", sql.LargeBinary),
    sql.Column("opened", sql.Text, nullable=False),
    sql.Column("closed", sql.Text),
)
charges = sql.Table(
    "charges",
    _schema,
    sql.Column("grant_id", sql.ForeignKey("grants.grant_id"), primary_key=True),
    sql.Column("position", sql.Integer, primary_key=True),
    sql.Column("population", sql.Text, nullable=False, index=True),
    sql.Column("observer", sql.Text, nullable=False),
    sql.Column("unit", sql.Text, nullable=False),
    sql.Column("relation", sql.Text, nullable=False),
    sql.Column("event", sql.Text, nullable=False),
    sql.Column("epsilon", sql.Double, nullable=False),
    sql.Column("delta", sql.Double, nullable=False),
)
_FACTS = [charges.c[name] for name in ("observer", "unit", "relation", "event", "epsilon", "delta")]


class LedgerError(Exception):
    """A ledger that cannot be opened, or a grant it must refuse; nothing was charged."""


def open_engine(where: str | Path) -> sql.Engine:
    """A database with the ledger's tables.

    Raises:
        LedgerError: it cannot be opened, its driver is absent, or it would not be durable.
    """
    try:
        url = (
            make_url(str(where))
            if "://" in str(where)
            else sql.URL.create("sqlite", database=str(where))
        )
        _refuse_memory(url)
        engine = sql.create_engine(url, poolclass=NullPool)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_immediate)
        with engine.begin() as connection:
            _schema.create_all(connection)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise LedgerError(f"{where} is not a database this machine can reach: {error}") from error
    except SQLAlchemyError as error:
        raise LedgerError(f"the ledger {where} cannot be used: {sentence(error)}") from error
    return engine


def lock(connection: sql.Connection, population: str) -> None:
    """Let one transaction at a time charge a population; SQLite has locked the file already."""
    mine = sql.select(limits.c.population).filter_by(population=population)
    connection.execute(mine.order_by(*limits.primary_key).with_for_update()).all()


def enter(
    connection: sql.Connection, grant: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write a new grant and its charges."""
    connection.execute(sql.insert(grants).values(**grant))
    owner = {"grant_id": grant["grant_id"], "population": grant["population"]}
    entries = [{**row, **owner, "position": at} for at, row in enumerate(rows)]
    if entries:
        connection.execute(sql.insert(charges), entries)


def rows_of(connection: sql.Connection, grant_id: str) -> list[dict[str, Any]]:
    """A grant's charges, as they were entered."""
    rows = sql.select(*_FACTS).where(charges.c.grant_id == grant_id).order_by(charges.c.position)
    return [dict(row) for row in connection.execute(rows).mappings()]


def totals(connection: sql.Connection, population: str) -> dict[Account, Cost]:
    """What every account of a population has been charged."""
    rows = sql.select(*_FACTS).where(charges.c.population == population)
    return add_up(dict(row) for row in connection.execute(rows).mappings())


def add_up(rows: Iterable[Mapping[str, Any]]) -> dict[Account, Cost]:
    """The sum of the charges of each account."""
    sums: dict[Account, Cost] = {}
    for row in rows:
        account = row["observer"], row["unit"], row["relation"]
        epsilon, delta = sums.get(account, NOTHING)
        sums[account] = (
            _UPWARDS.add(epsilon, exact(row["epsilon"])),
            _UPWARDS.add(delta, exact(row["delta"])),
        )
    return sums


def exact(number: float) -> Decimal:
    """The decimal that a person reads when this float is printed."""
    return Decimal(repr(float(number)))


def sentence(error: SQLAlchemyError) -> str:
    """What went wrong, as the database says it, without the statement that was running."""
    return str(error.orig if isinstance(error, DBAPIError) else error).strip()


def _refuse_memory(url: sql.URL) -> None:
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise LedgerError("a ledger must be durable; name a file, not memory")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for setting in (
        f"busy_timeout = {_WAIT_SECONDS * 1000}",
        "foreign_keys = ON",
        "secure_delete = ON",
        "synchronous = EXTRA",
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin_immediate(connection: sql.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
