"""The table of a device's own ledger: what was sent, and for how long it is kept.

A report is kept as long as its run may ask for it again: until its stretch of the cap is over, and
of the reports of a stretch the last ones. A server chooses names, budgets and numbers of rounds, so
what it can write to the disk has limits of its own, whatever the cap has room for.

| of one stretch | at most |
| --- | --- |
| reports of one sender | `MOST_KEPT` bytes; the last one always, if the next line has room |
| reports of all senders | `MOST_KEPT_OF_ALL` bytes, and the last one always |
| rounds | `MOST_ROUNDS`, a line of about a kilobyte each; lines are kept for good |

Of too many reports the oldest are dropped, and their rounds stay answered. Of too many rounds the
next is refused, before it is charged.
"""

import sqlalchemy as sql

from tacit.live.charge import Cost

MOST_KEPT, MOST_KEPT_OF_ALL, MOST_ROUNDS = 2**24, 2**26, 2**17
_schema = sql.MetaData()
REPORTS = sql.Table(
    "reports",
    _schema,
    sql.Column("position", sql.Integer, primary_key=True),
    sql.Column("number", sql.LargeBinary, unique=True, nullable=False),
    sql.Column("sender", sql.Text, nullable=False),
    sql.Column("agreed", sql.Text, nullable=False),
    sql.Column("asked", sql.Text, nullable=False),
    sql.Column("epsilon", sql.Double, nullable=False),
    sql.Column("distance", sql.Double, nullable=False),
    sql.Column("delta", sql.Double, nullable=False),
    sql.Column("run", sql.LargeBinary, nullable=False),
    sql.Column("seconds", sql.Double, nullable=False),
    sql.Column("key", sql.LargeBinary),
    sql.Column("report", sql.LargeBinary),
)
_column = REPORTS.c
_kept = _column.report.is_not(None)
# What every order asks is found in these, however many lines there are.
_INDEXES = (
    sql.Index("reports_counted", _column.seconds, _column.epsilon, _column.distance, _column.delta),
    sql.Index("reports_of_runs", _column.run),
    sql.Index("reports_kept", _column.position, sqlite_where=_kept, postgresql_where=_kept),
    sql.Index("reports_kept_since", _column.seconds, sqlite_where=_kept, postgresql_where=_kept),
)


def made(connection: sql.Connection) -> None:
    """The table, if it is not there, and its indexes, of which one from before has none; one from
    before there were runs is given what it lacks: each of its reports is a run of its own."""
    _schema.create_all(connection)
    known = {each["name"] for each in sql.inspect(connection).get_columns("reports")}
    if "run" not in known:
        connection.execute(sql.text("ALTER TABLE reports ADD COLUMN delta DOUBLE DEFAULT 0.0"))
        connection.execute(sql.text("ALTER TABLE reports ADD COLUMN run BLOB"))
        connection.execute(sql.update(REPORTS).values(run=_column.number))
    for each in _INDEXES:
        each.create(connection, checkfirst=True)


def row_of(connection: sql.Connection, number: bytes) -> sql.Row | None:
    """What is written of this round, if anything is."""
    return connection.execute(sql.select(REPORTS).where(_column.number == number)).first()


def write(connection: sql.Connection, cost: Cost, run: bytes, **values: object) -> None:
    """One report more, of this run."""
    spent = dict(zip(("epsilon", "distance", "delta"), cost.spent, strict=True))
    connection.execute(sql.insert(REPORTS).values(**spent, run=run, **values))


def dropped(known: sql.Row) -> bool:
    """Whether its report was kept, and is no longer."""
    return known.key is None and known.report is None


def rewrite(connection: sql.Connection, known: sql.Row, **values: object) -> None:
    """Other values in this row."""
    mine = sql.update(REPORTS).where(_column.position == known.position)
    connection.execute(mine.values(**values))


def drop_old(connection: sql.Connection, sender: str, since: float) -> None:
    """The reports of before that time, and all but the last of one sender and of all of them."""
    _drop(connection, _kept & (_column.seconds <= since))
    mine = _kept & (_column.sender == sender)
    for whose, most in ((mine, MOST_KEPT), (_kept, MOST_KEPT_OF_ALL)):
        _drop(connection, whose & (_column.position <= _last_beyond(connection, whose, most)))


def _drop(connection: sql.Connection, which: sql.ColumnElement[bool]) -> None:
    connection.execute(sql.update(REPORTS).where(which).values(report=None))


def _last_beyond(connection: sql.Connection, whose: sql.ColumnElement[bool], room: int) -> int:
    """The position of the newest report that there is no room for; below all where there is."""
    size = sql.func.length(_column.report)
    kept = sql.select(_column.position, size).where(whose).order_by(_column.position.desc())
    for place, (position, length) in enumerate(connection.execute(kept).all()):
        room -= length
        if place and room < 0:
            return position
    return -1
