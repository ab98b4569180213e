"""Visits that lie in a database of their own, which other processes reach as well."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import duckdb
import ibis
import pandas as pd
import pyarrow as pa

MANY = 60_000


@final
@dataclass(frozen=True)
class Stored:
    """Where the rows are.

    Args:
      kind: the engine.
      place: a DuckDB file, or the name of a table in the machine's PostgreSQL.
    """

    kind: str
    place: str

    @property
    def connected(self) -> Any:
        """A connection of its own; of a DuckDB file, one that leaves it to others too."""
        if self.kind == "duckdb":
            return ibis.duckdb.connect(self.place, read_only=True)
        return ibis.postgres.connect(host="127.0.0.1", user="postgres", database="test")

    def rows(self, connection: Any) -> Any:
        """The table, by this connection."""
        return connection.table("visits" if self.kind == "duckdb" else self.place)

    def write(self, statement: str) -> None:
        """SQL that changes `{visits}`; it is there when this returns."""
        if self.kind == "duckdb":
            with duckdb.connect(self.place) as own:
                own.execute(statement.format(visits="visits"))
            return
        own = self.connected
        own.raw_sql(statement.format(visits=f'"{self.place}"')).close()
        own.con.commit()
        own.disconnect()


def made(kind: str, place: str) -> Stored:
    """With more rows of one person than a small memory sorts."""
    own = Stored(kind, place)
    few = pd.DataFrame(
        {"patient": list("aabbcd"), "ward": [1, 2, 1, 1, 2, 2], "days": [1.0, 2, 3, 4, 5, 6]}
    )
    many = pd.DataFrame({"patient": "z", "ward": 1, "days": 0.5}, index=range(MANY))
    rows = pa.Table.from_pandas(pd.concat([few, many]), preserve_index=False)
    if kind == "duckdb":
        connection = ibis.duckdb.connect(Path(place))
        connection.create_table("visits", rows)
    else:
        connection = own.connected
        connection.create_table(place, rows)
    connection.disconnect()
    return own
