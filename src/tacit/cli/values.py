"""Values of a column, and columns themselves, as they are typed.

| written | means |
| --- | --- |
| `A,B` | two values, as text, whole numbers, truth values or days by what the column holds |
| `2026-01-31,2026-02-01` | two days, of dates and of times without a zone |
| `"A, new", B,` | quotes keep commas and blanks; nothing after a comma: no value |
| `days` | the column of this name |
| `days / 7` | SQL of one row, where no column has this name |
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

from tacit.tables.files import no_column
from tacit.tables.sql_text import expression
from tacit.tables.table import Table

# One value in quotes or without, and the comma behind it.
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|((?!\s*")[^,]*?))\s*,')


def values_of(table: Table, column: str, text: str) -> list[Any]:
    """Of the kind that the column holds.

    Raises:
      ValueError: if there is no such column, or these are no values of its kind.
    """
    if column not in table.rows.columns:
        raise ValueError(no_column(column))
    kind = table.rows[column].type()
    read, parts = _reader(kind), _parted(text)
    try:
        return [read(each) if each else None for each in parts]
    except ValueError:
        raise ValueError(
            f"column {column!r} holds {kind}: its values must be {_written_as(kind)}, got {text!r}"
        ) from None


def _reader(kind: Any) -> Callable[[str], Any]:
    """What makes a value of this type of a word; of a time its day, and of numbers a whole one."""
    if kind.is_numeric():
        return int
    if kind.is_boolean():
        return _truth
    return date.fromisoformat if kind.is_date() or kind.is_timestamp() else str


def _written_as(kind: Any) -> str:
    if kind.is_numeric():
        return "whole numbers, such as 0,1"
    return "true or false" if kind.is_boolean() else "days, such as 2019-01-31,2019-02-01"


def numbers_in(text: str) -> list[float]:
    """With commas between.

    Raises:
      ValueError: if one is none.
    """
    return [float(each) for each in text.split(",")]


def said_of(option: str, text: str, table: Table) -> Any:
    """A column, or what is made of columns.

    Raises:
      ValueError: if it is neither.
    """
    if text in table.rows.columns:
        return text
    with naming(option):
        return expression(text)


@contextmanager
def naming(option: str) -> Iterator[None]:
    """Within, what SQL is refused for is said of this option."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{typed(option)}: {error}") from None


def typed(name: str) -> str:
    """An option as it is written."""
    return f"--{name.replace('_', '-')}"


def named(option: str, text: str, table: Table) -> str:
    """What a number of it is called: `mean_days`, `mean(days / 7)`."""
    return f"{option}_{text}" if text in table.rows.columns else f"{option}({text})"


def split_at(text: str, parts: int) -> Sequence[str]:
    """At the last so many colons: what stands before them may be SQL.

    Raises:
      ValueError: if there are fewer.
    """
    found = text.rsplit(":", parts)
    if len(found) != parts + 1:
        raise ValueError(text)
    return found


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
