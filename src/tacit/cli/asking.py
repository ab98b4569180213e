"""What `tacit ask` asks, from the words of the command line to the question of a table.

| written | means |
| --- | --- |
| `--by ward=A,B,C` | these values of a column (`values`) |
| `--by days:0,7,30` | the bins between these edges |
| `--by ward` | the values that are found, of groups with people enough |
| `--where "days > 7"` | a condition of one row, in SQL |
| `--mean days:0:30` and others | see `aggregate_words` |
| `--sql "SELECT ..."` | all of it, but for `--by`, and `--bounds` of what is summed |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, final

from tacit import tables
from tacit.cli.aggregate_words import bounds_in, edges_in
from tacit.cli.aggregates import aggregates_of, refuse_any
from tacit.cli.values import naming, said_of, values_of
from tacit.tables.ask import Ask
from tacit.tables.sql_groups import IN_PYTHON
from tacit.tables.sql_text import expression, is_computed, statement
from tacit.tables.table import Table

T = TypeVar("T")
Several = Sequence[str] | None
# Of one person, where nothing else is said.
ROWS = 5
_BY = "COLUMN, COLUMN=VALUES or COLUMN:EDGES, e.g. ward=A,B,C or days:0,7,30"


@final
@dataclass(frozen=True)
class AskOptions:
    """Options of the command line, as they are written; None for those that are not.

    Args:
      by, where, sql, bounds: of these options.
      aggregates: what those of `aggregates` were given, by name.
    """

    by: Several
    where: Several
    aggregates: Mapping[str, Any]
    sql: str | None
    bounds: Several

    def of(self, table: Table, **caps: Any) -> Ask:
        """The question, of a table.

        Raises:
          ValueError: if an option is not written as above, or does not fit the table.
        """
        for each in self.where or ():
            with naming("where"):
                condition = expression(each)
            table = table.where(condition)
        if self.sql is not None:
            return self._in_sql(table, self.sql, caps)
        if self.bounds:
            raise ValueError("--bounds are for --sql: the others have their own, --mean days:0:30")
        found, keys = self._keys(table)
        return table.by(*found, **keys).ask(**aggregates_of(self.aggregates, table), **caps)

    def _in_sql(self, table: Table, text: str, caps: dict[str, Any]) -> Ask:
        refuse_any(self.aggregates)
        with naming("sql"):
            statement(text)
        stated = [bounds_in("bounds", each) for each in self.bounds or ()]
        bounds = {name: (low, high) for name, low, high in stated}
        found, keys = self._keys(table)
        if found:
            raise ValueError("--by is of declared values beside --sql: others are found")
        return table.sql(text, bounds=bounds, keys=keys, **caps)

    def _keys(self, table: Table) -> tuple[list[str], dict[str, Any]]:
        """Columns whose values are found, and declared ones with theirs."""
        found: list[str] = []
        keys: dict[str, Any] = {}
        for each in self.by or ():
            column, declared, values = each.partition("=")
            if declared:
                _refuse_computed(column, table)
                keys[column] = values_of(table, column, values)
            elif each in table.rows.columns or ":" not in each:
                _refuse_computed(each, table)
                found.append(each)
            else:
                column, edges = edges_in("by", _BY, each)
                keys[column] = tables.binned(said_of("by", column, table), edges)
        return found, keys


def needed(option: str, what: str, example: str, given: T | None) -> T:
    """What an option was given.

    Args:
      option: as it is typed.
      what: it is.
      example: of what it may be given.
      given: None if it is not there.

    Raises:
      ValueError: if it is not.
    """
    if given is None:
        raise ValueError(f"{option} is {what}, e.g. {option} {example}, got none")
    return given


def _refuse_computed(column: str, table: Table) -> None:
    """What a reader of SQL would write for a key, where it is no column's name."""
    if column not in table.rows.columns and is_computed(column):
        raise ValueError(
            "--by is of a column, ward or ward=A,B,C, or of bins, whose number may be computed, "
            f'"EXTRACT(MONTH FROM day):1,4,7,10,13", got {column!r}; {IN_PYTHON}'
        )
