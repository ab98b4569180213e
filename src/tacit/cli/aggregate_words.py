"""Aggregates, as their options are written.

| written | means |
| --- | --- |
| `--count`, `--people` | how many rows, how many people |
| `--mean days:0:30` | of a column between bounds; SQL of one row may stand for it |
| `--quantiles days:0:365:.25,.5,.9` | of a column between bounds, at these shares |
| `--covariance days:0:30,age:0:120` | of every two of several columns between bounds |
| `--share "days > 7"` | a condition of one row, in SQL |
| `--histogram sex=f,m`, `--histogram days:0,7,30` | declared values, or edges of bins |
| `--top 2:sex=f,m,` | so many of declared values |
| `--cdf days:2,7,30` | at or below each number |
"""

import re
from collections.abc import Callable
from typing import Any

from tacit import tables
from tacit.cli.values import named, numbers_in, said_of, split_at, typed, values_of
from tacit.tables.between import LARGEST
from tacit.tables.table import Table

# Behind the bounds of a column, the comma before the next.
_BETWEEN = re.compile(r"(?:^|,)(.+?:[^:,]*:[^:,]*)(?=,|$)")

# Numbers between colons, where commas have to be.
_APART = re.compile(r"(?P<name>[^:]+)(?P<edges>(?::[-\d.,]+){2,})")

# An aggregate, by the name of its column in the answer.
Asked = tuple[str, Any]
Read = Callable[[str, str, Table], Asked]


def bounded(made: Callable[..., Any]) -> Read:
    def read(option: str, text: str, table: Table) -> Asked:
        column, *bounds = bounds_in(option, text)
        return named(option, column, table), made(said_of(option, column, table), *bounds)

    return read


def condition(made: Callable[[Any], Any]) -> Read:
    def read(option: str, text: str, table: Table) -> Asked:
        return f"{option}({text})", made(said_of(option, text, table))

    return read


def quantiles(option: str, text: str, table: Table) -> Asked:
    try:
        name, low, high, stated = split_at(text, 3)
        bounds, shares = (float(low), float(high)), numbers_in(stated)
    except ValueError:
        shape = "COLUMN:LOW:HIGH:SHARES, e.g. days:0:365:.25,.5,.9"
        raise _unlike(option, shape, text) from None
    _refuse_no_bounds(option, text, *bounds)
    return named(option, name, table), tables.quantiles(
        said_of(option, name, table), shares, *bounds
    )


def covariance(option: str, text: str, table: Table) -> Asked:
    between = _BETWEEN.findall(text)
    if len(between) < 2 or ",".join(between) != text:
        shape = "COLUMN:LOW:HIGH of several columns, e.g. days:0:30,age:0:120"
        raise _unlike(option, shape, text)
    each = [bounds_in(option, own) for own in between]
    columns = {name.strip(): (said_of(option, name.strip(), table), *pair) for name, *pair in each}
    if len(columns) < len(each):
        raise ValueError(f"{typed(option)} needs each column once, got {text!r}")
    return option, tables.covariance(columns)


def histogram(option: str, text: str, table: Table) -> Asked:
    column, declared, values = text.partition("=")
    if declared:
        listed = values_of(table, column, values)
        return named(option, column, table), tables.histogram(column, categories=listed)
    shape = "COLUMN=VALUES or COLUMN:EDGES, e.g. sex=f,m or days:0,7,30"
    name, edges = edges_in(option, shape, text)
    return named(option, name, table), tables.histogram(said_of(option, name, table), bins=edges)


def top(option: str, text: str, table: Table) -> Asked:
    many, _, rest = text.partition(":")
    column, declared, values = rest.partition("=")
    if not (declared and many.strip().isdecimal()):
        raise _unlike(option, "K:COLUMN=VALUES, e.g. 2:ward=A,B,C", text)
    listed = values_of(table, column, values)
    made = tables.top(column, categories=listed, k=int(many))
    return named(option, column, table), made


def cdf(option: str, text: str, table: Table) -> Asked:
    name, places = edges_in(option, "COLUMN:NUMBERS, e.g. days:2,7,30", text)
    return named(option, name, table), tables.cdf(said_of(option, name, table), bins=places)


def bounds_in(option: str, text: str) -> tuple[str, float, float]:
    """COLUMN:LOW:HIGH.

    Raises:
      ValueError: if it is not written so.
    """
    try:
        name, lower, upper = split_at(text, 2)
        low, high = float(lower), float(upper)
    except ValueError:
        raise _unlike(option, "COLUMN:LOW:HIGH, e.g. days:0:30", text) from None
    _refuse_no_bounds(option, text, low, high)
    return name, low, high


def edges_in(option: str, shape: str, text: str) -> tuple[str, list[float]]:
    """COLUMN:NUMBERS.

    Raises:
      ValueError: that says of what shape it should be.
    """
    if apart := _APART.fullmatch(text):
        edges = apart["edges"].strip(":").replace(":", ",")
        raise ValueError(
            f"{typed(option)} {apart['name']}:{edges} has commas between, got {text!r}"
        )
    try:
        name, numbers = split_at(text, 1)
        return name, numbers_in(numbers)
    except ValueError:
        raise _unlike(option, shape, text) from None


def _refuse_no_bounds(option: str, text: str, low: float, high: float) -> None:
    """The same of what lies between them that tables say, by the option that they stand in."""
    if not -LARGEST <= low < high <= LARGEST:
        raise ValueError(
            f"{typed(option)} needs bounds with lower < upper, within {LARGEST:g} of zero, got "
            f"{text!r}"
        )


def _unlike(option: str, shape: str, text: str) -> ValueError:
    return ValueError(f"{typed(option)} is {shape}, got {text!r}")
