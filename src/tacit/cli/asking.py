"""What `tacit ask` asks, from the words of the command line to the question of a table.

| written | means |
| --- | --- |
| `--by ward=A,B,C` | these values of a column, as text or whole numbers by what the column holds |
| `--by 'ward="A, new", B,'` | quotes keep commas and blanks; nothing after one: no value |
| `--by ward` | the values that are found, of groups with people enough |
| `--mean days:0:30` | a column between bounds; SQL of one row may stand for it |
| `--quantiles days:0:365:.25,.5,.9` | of a column between bounds, at these shares |
| `--share "days > 7"`, `--where "days > 7"` | a condition of one row, in SQL |
| `--histogram sex=f,m`, `--histogram days:0,7,30` | declared values, or edges of bins |
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

from tacit import tables
from tacit.tables.ask import Ask
from tacit.tables.sql_text import expression
from tacit.tables.table import Table

Several = Sequence[str] | None
# Of one person, where nothing else is said.
ROWS = 5
# Of values: one in quotes or without, and the comma behind it.
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|((?!\s*")[^,]*?))\s*,')


@final
@dataclass(frozen=True)
class Words:
    """Options of the command line, as they are written; None for those that are not."""

    by: Several
    where: Several
    count: bool
    people: bool
    mean: Several
    total: Several
    variance: Several
    quantiles: Several
    share: Several
    histogram: Several
    sql: str | None
    bounds: Several

    def ask(self, table: Table, **caps: Any) -> Ask:
        """The question, of a table.

        Raises:
          ValueError: if an option is not written as above, or does not fit the table.
        """
        for each in self.where or ():
            table = table.where(expression(each))
        by = self.by or ()
        found = [each for each in by if "=" not in each]
        keys = dict(_key(table, each) for each in by if "=" in each)
        if self.sql is not None:
            self._refuse_beside_sql()
            stated = map(_bounded("bounds"), self.bounds or ())
            bounds = {name: (low, high) for name, low, high in stated}
            if found:
                raise ValueError("--by is of declared values beside --sql: others are found")
            return table.sql(self.sql, bounds=bounds, keys=keys, **caps)
        if self.bounds:
            raise ValueError("--bounds are for --sql: the others have their own, --mean days:0:30")
        return table.by(*found, **keys).ask(**self._aggregates(table), **caps)

    def _refuse_beside_sql(self) -> None:
        for option in (
            "count",
            "people",
            "mean",
            "total",
            "variance",
            "quantiles",
            "share",
            "histogram",
        ):
            if getattr(self, option):
                raise ValueError(f"--{option} is asked in the SELECT of --sql, and not beside it")

    def _aggregates(self, table: Table) -> dict[str, Any]:
        found = [("count", tables.count())] if self.count else []
        found += [("people", tables.people())] if self.people else []
        bounded = {"mean": tables.mean, "total": tables.total, "variance": tables.variance}
        for option, made in bounded.items():
            found += [
                (_named(option, name, table), made(_said(name, table), *pair))
                for name, *pair in map(_bounded(option), getattr(self, option) or ())
            ]
        found += [_quantiles(each, table) for each in self.quantiles or ()]
        found += [(f"share({each})", tables.share(_said(each, table))) for each in self.share or ()]
        found += [_histogram(each, table) for each in self.histogram or ()]
        if not found:
            raise ValueError("say what to ask, e.g. --count or --mean days:0:30")
        return _once(found)


def _once(found: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, _ in found:
        if [other for other, _ in found].count(name) > 1:
            raise ValueError(f"{name} is asked twice: once is all the budget it needs")
    return dict(found)


def _key(table: Table, text: str) -> tuple[str, list[Any]]:
    column, _, values = text.partition("=")
    return column, _values(table, column, values)


def _values(table: Table, column: str, text: str) -> list[Any]:
    """Of the kind that the column holds."""
    if column not in table.rows.columns:
        there = ", ".join(table.rows.columns)
        raise ValueError(f"there is no column {column!r}; there are {there}")
    kind = table.rows[column].type()
    read = int if kind.is_integer() else _truth if kind.is_boolean() else str
    parts = _parted(text)
    try:
        return [read(each) if each else None for each in parts]
    except ValueError:
        raise ValueError(f"column {column!r} holds {kind}, and {text!r} does not") from None


def _truth(word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise ValueError(word)
    return word.lower() == "true"


def _parted(text: str) -> list[str]:
    """At the commas that no quotes hold; blanks around a value are no part of it, within quotes
    they are."""
    parts, rest = [], f"{text},"
    while rest:
        found = _PART.match(rest)
        if found is None:
            raise ValueError(f"values are words with commas between, got {text!r}")
        quoted, plain = found.groups()
        parts.append(plain if quoted is None else quoted.replace('""', '"'))
        rest = rest[found.end() :]
    return parts


def _bounded(option: str) -> Callable[[str], tuple[str, float, float]]:
    """Reads COLUMN:LOW:HIGH."""

    def read(text: str) -> tuple[str, float, float]:
        try:
            name, low, high = text.rsplit(":", 2)
            return name, float(low), float(high)
        except ValueError:
            raise ValueError(
                f"--{option} is COLUMN:LOW:HIGH, e.g. days:0:30, got {text!r}"
            ) from None

    return read


def _quantiles(text: str, table: Table) -> tuple[str, Any]:
    try:
        name, low, high, stated = text.rsplit(":", 3)
        bounds, shares = (float(low), float(high)), [float(each) for each in stated.split(",")]
    except ValueError:
        raise ValueError(
            "--quantiles is COLUMN:LOW:HIGH:SHARES, e.g. days:0:365:.25,.5,.9, got " + repr(text)
        ) from None
    made = tables.quantiles(_said(name, table), shares, *bounds)
    return _named("quantiles", name, table), made


def _histogram(text: str, table: Table) -> tuple[str, Any]:
    column, declared, values = text.partition("=")
    if declared:
        listed = _values(table, column, values)
        return _named("histogram", column, table), tables.histogram(column, categories=listed)
    name, _, edges = text.rpartition(":")
    try:
        bins = [float(edge) for edge in edges.split(",")]
    except ValueError:
        raise ValueError(
            f"--histogram is COLUMN=VALUES or COLUMN:EDGES, e.g. sex=f,m or days:0,7,30, got "
            f"{text!r}"
        ) from None
    return _named("histogram", name, table), tables.histogram(_said(name, table), bins=bins)


def _said(text: str, table: Table) -> Any:
    """A column, or what is made of columns."""
    return text if text in table.rows.columns else expression(text)


def _named(option: str, text: str, table: Table) -> str:
    return f"{option}_{text}" if text in table.rows.columns else f"{option}({text})"
