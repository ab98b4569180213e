"""The table of a device's own ledger: what was sent, and for how long it is kept.

A report is kept as long as its run may ask for it again: the last `MOST_KEPT` bytes of each
sender's, and the last one always.
"""

import sqlalchemy as sql

MOST_KEPT = 2**24
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


def made(connection: sql.Connection) -> None:
    """The table, if it is not there; one from before there were runs is given what it lacks: each
    of its reports is a run of its own."""
    _schema.create_all(connection)
    known = {each["name"] for each in sql.inspect(connection).get_columns("reports")}
    if "run" not in known:
        connection.execute(sql.text("ALTER TABLE reports ADD COLUMN delta DOUBLE DEFAULT 0.0"))
        connection.execute(sql.text("ALTER TABLE reports ADD COLUMN run BLOB"))
        connection.execute(sql.update(REPORTS).values(run=_column.number))


def drop_old(connection: sql.Connection, sender: str) -> None:
    """All but the last reports of one sender."""
    size = sql.func.length(_column.report)
    mine = (_column.sender == sender) & _column.report.is_not(None)
    kept = sql.select(_column.position, size).where(mine).order_by(_column.position.desc())
    room, old = MOST_KEPT, []
    for place, (position, length) in enumerate(connection.execute(kept).all()):
        room -= length
        if place and room < 0:
            old.append(position)
    if old:
        dropped = sql.update(REPORTS).where(_column.position.in_(old))
        connection.execute(dropped.values(report=None))
