"""The options of `tacit ask` that ask for an aggregate: each stands here, once, with what it means.

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, Any, Protocol, final

import typer

from tacit import tables
from tacit.cli.values import named, numbers_in, said_of, split_at, values_of
from tacit.tables.table import Table

# A column between bounds, and the comma before the next.
_BETWEEN = re.compile(r"(.+?):([^:,]+):([^:,]+)(?:,|$)")
_PANEL = "What is asked"

# An aggregate, by the name of its column in the answer.
Asked = tuple[str, Any]
Read = Callable[[str, str, Table], Asked]


class AggregateOption(Protocol):
    """An option that asks for aggregates."""

    name: str

    @property
    def parameter(self) -> Parameter:
        """As a command declares it."""
        ...

    def asked(self, given: Any, table: Table) -> list[Asked]:
        """What it asks, as it was given."""
        ...


@final
@dataclass(frozen=True)
class Flag:
    """One that is there or not.

    Args:
      name: its own, and its number's.
      told: its help.
      made: what it asks.
    """

    name: str
    told: str
    made: Callable[[], Any]

    @property
    def parameter(self) -> Parameter:
        option = typer.Option(f"--{self.name}", help=self.told, rich_help_panel=_PANEL)
        return _parameter(self.name, Annotated[bool, option], default=False)

    def asked(self, given: Any, table: Table) -> list[Asked]:
        del table
        return [(self.name, self.made())] if given else []


@final
@dataclass(frozen=True)
class Words:
    """One with words behind it, that may be repeated.

    Args:
      name: its own, and how its numbers' begin.
      told: its help.
      read: from its name, the words and the table.
    """

    name: str
    told: str
    read: Read

    @property
    def parameter(self) -> Parameter:
        option = typer.Option(help=self.told, rich_help_panel=_PANEL)
        return _parameter(self.name, Annotated[list[str] | None, option], default=None)

    def asked(self, given: Any, table: Table) -> list[Asked]:
        return [self.read(self.name, text, table) for text in given or ()]


def taking_aggregates(command: Callable[..., None]) -> Callable[..., None]:
    """The command with every one of these options in the place of its `**`."""
    own = signature(command)
    kept = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    more = [option.parameter for option in OPTIONS]
    vars(command)["__signature__"] = own.replace(parameters=[*kept, *more])
    return command


def aggregates_of(given: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """All that is asked of a table, by name.

    Raises:
      ValueError: if nothing is, something is asked twice, or is not written as above.
    """
    found = [each for option in OPTIONS for each in option.asked(given[option.name], table)]
    names = [name for name, _ in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is asked twice: once is all the budget it needs")
    if not found:
        raise ValueError("say what to ask, e.g. --count or --mean days:0:30")
    return dict(found)


def refuse_any(given: Mapping[str, Any]) -> None:
    """Raises the ValueError of options that stand beside a SELECT."""
    for option in OPTIONS:
        if given[option.name]:
            raise ValueError(
                f"{typed(option.name)} is asked in the SELECT of --sql, and not beside it"
            )


def bounds_in(option: str, text: str) -> tuple[str, float, float]:
    """COLUMN:LOW:HIGH.

    Raises:
      ValueError: if it is not written so.
    """
    try:
        name, low, high = split_at(text, 2)
        return name, float(low), float(high)
    except ValueError:
        raise _unlike(option, "COLUMN:LOW:HIGH, e.g. days:0:30", text) from None


def typed(name: str) -> str:
    """An option as it is written."""
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _unlike(option: str, shape: str, text: str) -> ValueError:
    return ValueError(f"{typed(option)} is {shape}, got {text!r}")


def _bounded(made: Callable[..., Any]) -> Read:
    def read(option: str, text: str, table: Table) -> Asked:
        column, *bounds = bounds_in(option, text)
        return named(option, column, table), made(said_of(column, table), *bounds)

    return read


def _condition(made: Callable[[Any], Any]) -> Read:
    def read(option: str, text: str, table: Table) -> Asked:
        return f"{option}({text})", made(said_of(text, table))

    return read


def _quantiles(option: str, text: str, table: Table) -> Asked:
    try:
        name, low, high, stated = split_at(text, 3)
        bounds, shares = (float(low), float(high)), numbers_in(stated)
    except ValueError:
        shape = "COLUMN:LOW:HIGH:SHARES, e.g. days:0:365:.25,.5,.9"
        raise _unlike(option, shape, text) from None
    return named(option, name, table), tables.quantiles(said_of(name, table), shares, *bounds)


def _covariance(option: str, text: str, table: Table) -> Asked:
    each = [found.groups() for found in _BETWEEN.finditer(text)]
    try:
        if sum(len(":".join(own)) + 1 for own in each) != len(text) + 1:
            raise ValueError(text)
        columns = {
            name.strip(): (said_of(name.strip(), table), float(low), float(high))
            for name, low, high in each
        }
    except ValueError:
        shape = "COLUMN:LOW:HIGH of several columns, e.g. days:0:30,age:0:120"
        raise _unlike(option, shape, text) from None
    return option, tables.covariance(columns)


def _histogram(option: str, text: str, table: Table) -> Asked:
    column, declared, values = text.partition("=")
    if declared:
        listed = values_of(table, column, values)
        return named(option, column, table), tables.histogram(column, categories=listed)
    shape = "COLUMN=VALUES or COLUMN:EDGES, e.g. sex=f,m or days:0,7,30"
    name, edges = edges_in(option, shape, text)
    return named(option, name, table), tables.histogram(said_of(name, table), bins=edges)


def _top(option: str, text: str, table: Table) -> Asked:
    many, _, rest = text.partition(":")
    column, declared, values = rest.partition("=")
    if not (declared and many.strip().isdecimal()):
        raise _unlike(option, "K:COLUMN=VALUES, e.g. 2:ward=A,B,C", text)
    listed = values_of(table, column, values)
    made = tables.top(column, categories=listed, k=int(many))
    return named(option, column, table), made


def _cdf(option: str, text: str, table: Table) -> Asked:
    name, places = edges_in(option, "COLUMN:NUMBERS, e.g. days:2,7,30", text)
    return named(option, name, table), tables.cdf(said_of(name, table), bins=places)


def edges_in(option: str, shape: str, text: str) -> tuple[str, list[float]]:
    """COLUMN:NUMBERS.

    Raises:
      ValueError: that says of what shape it should be.
    """
    try:
        name, numbers = split_at(text, 1)
        return name, numbers_in(numbers)
    except ValueError:
        raise _unlike(option, shape, text) from None


OPTIONS: tuple[AggregateOption, ...] = (
    Flag("count", "How many rows.", tables.count),
    Flag("people", "How many people.", tables.people),
    Words("count_if", "Of how many rows a condition in SQL holds.", _condition(tables.count_if)),
    Words("share", "The same as a share of rows.", _condition(tables.share)),
    Words("mean", "A mean: COLUMN:LOW:HIGH.", _bounded(tables.mean)),
    Words("total", "A sum: COLUMN:LOW:HIGH.", _bounded(tables.total)),
    Words("variance", "A variance: COLUMN:LOW:HIGH.", _bounded(tables.variance)),
    Words("covariance", "Of every two: COLUMN:LOW:HIGH,COLUMN:LOW:HIGH.", _covariance),
    Words("median", "A median: COLUMN:LOW:HIGH.", _bounded(tables.median)),
    Words("quantiles", "Quantiles: COLUMN:LOW:HIGH:SHARES.", _quantiles),
    Words("cdf", "Shares of rows at or below: COLUMN:NUMBERS.", _cdf),
    Words("histogram", "Rows of a kind: COLUMN=VALUES or COLUMN:EDGES.", _histogram),
    Words("top", "The most frequent values: K:COLUMN=VALUES.", _top),
)
