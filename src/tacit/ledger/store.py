"""A ledger's tables, and the few statements on them; a charge touches its own accounts only.

Every account's running sums are kept beside its limit, as exact decimals in text, and change in the
same transaction as the entries they are the sums of. A charge therefore costs the same after a
million others.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sql

from tacit.ledger import filter_json
from tacit.ledger.accounts import Balance, Key, LedgerError, read_cost, write_cost
from tacit.ledger.database import Database, lock_schema
from tacit.ledger.filters import Cost
from tacit.ledger.places import refuse_no_place
from tacit.ledger.records import Partition

# Of the tables below; one more with every change of theirs.
FORMAT = 5
# What brings a ledger of each earlier format to the next one.
_STEPS = {
    2: ("ALTER TABLE grants ADD COLUMN released TEXT",),
    3: ("ALTER TABLE grants ADD COLUMN asked TEXT", "ALTER TABLE grants ADD COLUMN note TEXT"),
    4: (
        "ALTER TABLE charges RENAME COLUMN spill TO delta_reserved",
        "ALTER TABLE charges ADD COLUMN accountant TEXT NOT NULL DEFAULT ''",
    ),
}

_schema = sql.MetaData()
_ACCOUNT = ("observer", "unit", "relation")


def _table(name: str, *columns: sql.Column) -> sql.Table:
    return sql.Table(name, _schema, *columns, sqlite_with_rowid=False)


def _text(name: str, **more: Any) -> sql.Column:
    return sql.Column(name, sql.Text, **{"nullable": False, **more})


def _number(name: str) -> sql.Column:
    return sql.Column(name, sql.Double, nullable=False)


formats = _table("ledger", sql.Column("format", sql.Integer, primary_key=True))
partitions = _table(
    "partitions",
    _text("population", primary_key=True),
    _text("name"),
    _text("parts"),
    _text("fixed_by", nullable=True),
)
limits = _table(
    "limits",
    _text("population", primary_key=True),
    *(_text(name, primary_key=True) for name in _ACCOUNT),
    _number("epsilon"),
    _number("delta"),
    _text("filter"),
)
totals = _table(
    "totals",
    _text("population", primary_key=True),
    *(_text(name, primary_key=True) for name in _ACCOUNT),
    _text("part", primary_key=True),
    _text("sums"),
)
grants = _table(
    "grants",
    _text("grant_id", primary_key=True),
    _text("population", index=True),
    _text("fingerprint", nullable=True),
    _text("plan"),
    sql.Column("root_key", sql.LargeBinary),
    _text("opened"),
    _text("closed", nullable=True),
    _text("released", nullable=True),
    _text("asked", nullable=True),
    _text("note", nullable=True),
)
charges = _table(
    "charges",
    sql.Column("grant_id", sql.ForeignKey("grants.grant_id"), primary_key=True),
    sql.Column("position", sql.Integer, primary_key=True),
    *(_text(name) for name in _ACCOUNT),
    _text("part"),
    _text("event"),
    _text("accountant"),
    *(_number(name) for name in ("epsilon", "delta", "delta_reserved")),
    _text("cost"),
)
_FACTS = [c for c in charges.c if c.name not in ("grant_id", "position", "cost")]


def _mine(table: sql.Table) -> sql.Select:
    return sql.select(table).where(table.c.population == sql.bindparam("population"))


# Built once: building a statement takes longer than running it.
_POPULATIONS = sql.select(limits.c.population).distinct().order_by(limits.c.population)
_PARTITION = _mine(partitions)
_LIMITS = _mine(limits).order_by(*limits.primary_key)
_TOTALS = _mine(totals)
_GRANT = sql.select(grants).where(grants.c.grant_id == sql.bindparam("grant_id"))
_GRANTS = _mine(grants).order_by(grants.c.opened, grants.c.grant_id)
_CHARGES = sql.select(*_FACTS).order_by(charges.c.position)
_CHARGES_OF_GRANT = _CHARGES.where(charges.c.grant_id == sql.bindparam("grant_id"))
_CHARGES_OF_ALL = _CHARGES.add_columns(charges.c.grant_id).join(grants)
_CHARGES_OF_ALL = _CHARGES_OF_ALL.where(grants.c.population == sql.bindparam("population"))
_ENTER_GRANT, _ENTER_CHARGES = sql.insert(grants), sql.insert(charges)
_CLOSE = sql.update(grants).where(grants.c.grant_id == sql.bindparam("known"))
_CLOSE = _CLOSE.values(
    root_key=None,
    fingerprint=None,
    closed=sql.bindparam("now"),
    released=sql.bindparam("digest"),
)
_OPEN = (grants.c.grant_id == sql.bindparam("known")) & grants.c.root_key.is_not(None)
_ERASE = sql.update(grants).where(_OPEN & grants.c.released.is_(None))
_ERASE = _ERASE.values(root_key=None, fingerprint=None)
# While a grant is open, `released` is the mark of the last state that it kept.
_HELD = sql.update(grants).where(_OPEN).values(released=grants.c.released)
_MARK = sql.update(grants).where(_OPEN).values(released=sql.bindparam("new"))
_FIRST_TOTAL = sql.insert(totals)
_NEXT_TOTAL = (
    sql.update(totals)
    .where(*(column == sql.bindparam(f"at_{column.name}") for column in totals.primary_key))
    .values(sums=sql.bindparam("sums"))
)


def prepare(database: Database) -> None:
    """Make the tables where there are none, and bring those of earlier formats to this one.

    Raises:
      LedgerError: the tables that are there are another program's, or another format's; or the
        file cannot be one.
    """
    if database.is_file:
        refuse_no_place(database.name)
    with database.reading() as connection:
        found = _format(connection, database.name)
    if found != FORMAT:
        with database.writing() as connection:
            lock_schema(connection)
            found = _format(connection, database.name)
            if found is None:
                _schema.create_all(connection)
                connection.execute(sql.insert(formats).values(format=FORMAT))
            elif found != FORMAT:
                for step in (step for at in range(found, FORMAT) for step in _STEPS[at]):
                    connection.execute(sql.DDL(step))
                connection.execute(sql.update(formats).values(format=FORMAT))


def _format(connection: sql.Connection, name: str) -> int | None:
    """The format of the ledger that is there, if there is one."""
    there = set(_schema.tables) & set(sql.inspect(connection).get_table_names())
    if not there:
        return None
    found = None
    if formats.name in there:
        found = connection.execute(sql.select(formats.c.format)).scalar()
    if found not in (*_STEPS, FORMAT):
        said = "no known format" if found is None else f"format {found}"
        raise LedgerError(
            f"{name} must be a ledger of format {min(_STEPS)} to {FORMAT}, and has {said}"
        )
    return found


def lock(connection: sql.Connection, population: str) -> None:
    """Let one transaction at a time charge a population; SQLite has locked the file already."""
    if connection.dialect.name != "sqlite":
        connection.execute(_LIMITS.with_for_update(), {"population": population}).all()


def accounts(connection: sql.Connection, population: str) -> dict[Key, Balance]:
    """Every account of a population, with its sums; before charging, `lock` comes first."""
    rows = connection.execute(_LIMITS, {"population": population}).all()
    sums: dict[Key, dict[str, Cost]] = {}
    for row in connection.execute(_TOTALS, {"population": population}):
        sums.setdefault(_key(row), {})[row.part] = read_cost(row.sums)
    return {_key(row): _account(row, sums.get(_key(row), {})) for row in rows}


def populations(connection: sql.Connection) -> list[str]:
    """Every population that has an account, in alphabetical order."""
    return list(connection.execute(_POPULATIONS).scalars())


def partition(connection: sql.Connection, population: str) -> Partition | None:
    """The population's partition, if it has one."""
    row = connection.execute(_PARTITION, {"population": population}).one_or_none()
    if row is None:
        return None
    return Partition(row.name, tuple(json.loads(row.parts)), row.fixed_by)


def grant(connection: sql.Connection, grant_id: str) -> sql.Row | None:
    """The grant of this name, if it is known."""
    return connection.execute(_GRANT, {"grant_id": grant_id}).one_or_none()


def add_partition(connection: sql.Connection, population: str, new: Partition) -> None:
    """Write a population's partition."""
    written = {"name": new.name, "parts": json.dumps(new.parts), "fixed_by": new.fixed_by}
    connection.execute(sql.insert(partitions).values(population=population, **written))


def add_account(connection: sql.Connection, population: str, new: Balance) -> None:
    """Write a new account's limit and filter."""
    chosen = json.dumps(filter_json.to_json(new.filter), sort_keys=True)
    limit = {"epsilon": new.epsilon, "delta": new.delta, "filter": chosen}
    connection.execute(sql.insert(limits).values(**_columns(population, new.key), **limit))


def enter(
    connection: sql.Connection,
    grant: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    costs: Sequence[Cost],
) -> None:
    """Write a new grant and its charges."""
    connection.execute(_ENTER_GRANT, {**grant, "closed": None, "released": None})
    entries = [
        {**row, "grant_id": grant["grant_id"], "position": at, "cost": write_cost(cost)}
        for at, (row, cost) in enumerate(zip(rows, costs, strict=True))
    ]
    if entries:
        connection.execute(_ENTER_CHARGES, entries)


def erase(connection: sql.Connection, grant_id: str) -> bool:
    """Erase a grant's key and fingerprint; whether it had them, and no mark."""
    return connection.execute(_ERASE, {"known": grant_id}).rowcount == 1


def hold(connection: sql.Connection, grant_id: str) -> None:
    """Let one transaction at a time change a grant's mark; SQLite has locked the file already."""
    connection.execute(_HELD, {"known": grant_id})


def mark(connection: sql.Connection, grant_id: str, new: str | None) -> None:
    """Mark an open grant."""
    connection.execute(_MARK, {"known": grant_id, "new": new})


def close(connection: sql.Connection, grant_id: str, now: str, digest: str | None) -> None:
    """Mark a grant closed, its key and fingerprint erased, with the digest of what it released."""
    connection.execute(_CLOSE, {"known": grant_id, "now": now, "digest": digest})


def settle(connection: sql.Connection, population: str, before: Balance, after: Balance) -> None:
    """Write the sums that changed from one state of an account to the next."""
    for part, sums in after.sums.items():
        row = {**_columns(population, after.key), "part": part}
        written = {"sums": write_cost(sums)}
        if part not in before.sums:
            connection.execute(_FIRST_TOTAL, {**row, **written})
        elif before.sums[part] != sums:
            at = {f"at_{name}": value for name, value in row.items()}
            connection.execute(_NEXT_TOTAL, {**at, **written})


def rows_of(connection: sql.Connection, grant_id: str) -> list[dict[str, Any]]:
    """A grant's charges, as they were entered."""
    rows = connection.execute(_CHARGES_OF_GRANT, {"grant_id": grant_id})
    return [dict(row) for row in rows.mappings()]


def history(
    connection: sql.Connection, population: str
) -> list[tuple[sql.Row, list[dict[str, Any]]]]:
    """Every grant of a population with its charges, oldest first."""
    mine = {"population": population}
    # A grant is committed with its charges, so whatever is found here has them all below.
    held = connection.execute(_GRANTS, mine).all()
    found: dict[str, list[dict[str, Any]]] = {}
    for row in map(dict, connection.execute(_CHARGES_OF_ALL, mine).mappings()):
        found.setdefault(row.pop("grant_id"), []).append(row)
    return [(grant, found.get(grant.grant_id, [])) for grant in held]


def _key(row: sql.Row) -> Key:
    return row.observer, row.unit, row.relation


def _account(row: sql.Row, sums: Mapping[str, Cost]) -> Balance:
    chosen = filter_json.from_json(json.loads(row.filter))
    return Balance(_key(row), row.epsilon, row.delta, chosen, sums)


def _columns(population: str, key: Key) -> dict[str, str]:
    return {"population": population, **dict(zip(_ACCOUNT, key, strict=True))}
