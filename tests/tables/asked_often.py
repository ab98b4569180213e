"""One statement, asked of many small tables: the engine's words for it are found once.

They depend on a table's columns alone, and take a hundred times longer than its sums.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import ibis

from tacit.tables.statement import Statement


class _Asked:
    """What is asked, of whatever lies in the engine's one table."""

    def __init__(self, statement: Statement, rows: Any) -> None:
        self._engine, self._columns = ibis.duckdb.connect(), rows.schema()
        self._asked = statement.of(self._lying(rows))
        self._words = str(self._engine.compile(self._asked))

    def _lying(self, rows: Any) -> Any:
        return self._engine.create_table("lying", rows, overwrite=True)

    def of(self, rows: Any) -> "_Asked":
        assert rows.schema() == self._columns, "another table, so other words"
        self._lying(rows)
        return self

    def to_pyarrow(self) -> Any:
        return self._asked.__pyarrow_result__(self._engine.con.sql(self._words).to_arrow_table())


@contextmanager
def one_statement(statement: Statement, rows: Any) -> Iterator[None]:
    """While it is asked of tables with the columns of these rows, and nothing else is asked."""
    asked = _Asked(statement, rows)
    with mock.patch.object(Statement, "of", lambda own, rows: asked.of(rows)):
        yield
