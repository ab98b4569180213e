"""The options of `tacit ask` that ask for an aggregate: each is declared here, and once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, Any, Protocol, final

import typer

from tacit import tables
from tacit.cli import aggregate_words as words
from tacit.cli.aggregate_words import Asked, Read
from tacit.cli.values import typed
from tacit.tables.table import Table

_PANEL = "What is asked"


class AggregateOption(Protocol):
    """An option that asks for aggregates."""

    @property
    def name(self) -> str:
        """Its own, as a command's argument."""
        ...

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


@final
@dataclass(frozen=True)
class NumberedWords:
    """One with words behind it whose numbers have the option's name alone: several are numbered.

    Args:
      words: what one of them is.
    """

    words: Words

    @property
    def name(self) -> str:
        return self.words.name

    @property
    def parameter(self) -> Parameter:
        return self.words.parameter

    def asked(self, given: Any, table: Table) -> list[Asked]:
        found = self.words.asked(given, table)
        if len(found) < 2 or len(set(given)) < len(given):
            return found
        return [(f"{name}{i + 1}", made) for i, (name, made) in enumerate(found)]


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
            raise ValueError(
                f"{name} is asked twice, and has one answer: ask it once, with the bounds you mean"
            )
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


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


OPTIONS: tuple[AggregateOption, ...] = (
    Flag("count", "How many rows.", tables.count),
    Flag("people", "How many people.", tables.people),
    Words(
        "count_if", "Of how many rows a condition in SQL holds.", words.condition(tables.count_if)
    ),
    Words("share", "The same as a share of rows.", words.condition(tables.share)),
    Words("mean", "A mean: COLUMN:LOW:HIGH.", words.bounded(tables.mean)),
    Words("total", "A sum: COLUMN:LOW:HIGH.", words.bounded(tables.total)),
    Words("variance", "A variance: COLUMN:LOW:HIGH.", words.bounded(tables.variance)),
    NumberedWords(
        Words("covariance", "Of every two: COLUMN:LOW:HIGH,COLUMN:LOW:HIGH.", words.covariance)
    ),
    Words("median", "A median: COLUMN:LOW:HIGH.", words.bounded(tables.median)),
    Words("quantiles", "Quantiles: COLUMN:LOW:HIGH:SHARES.", words.quantiles),
    Words("cdf", "Shares of rows at or below: COLUMN:NUMBERS.", words.cdf),
    Words("histogram", "Rows of a kind: COLUMN=VALUES or COLUMN:EDGES.", words.histogram),
    Words("top", "The most frequent values: K:COLUMN=VALUES.", words.top),
)
