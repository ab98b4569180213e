"""Numbers of groups in lines of at most 80 columns, as answers and the command line show them.

Every number has three columns: the estimate, and from where to where its interval goes; how many
rows have a value that was chosen stands behind that value. Numbers that do not fit beside one
another go below, with the keys again; keys are folded, nothing is cut.
Intervals are rounded outwards, to two digits of their half.
"""

import io
import math
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.page import WIDTH
from tacit.tables.answered import kinds_of, values_of

# Characters of a key and of a heading that leave numbers room in 80; digits that doubles have.
KEY, HEADING, MOST_DIGITS = 24, 20, 12


def in_lines(frame: Any, keys: Sequence[str]) -> str:
    """All tables of `tables_in` as plain text, a blank line between two."""
    return "\n\n".join(_text(*each) for each in tables_in(frame, keys))


def tables_in(frame: Any, keys: Sequence[str]) -> list[tuple[Table, int]]:
    """Every group's numbers, in as many tables as there is need for, each with how wide it is; of a
    histogram, every kind has a line. Of no group, none."""
    if not len(frame):
        return []
    beside, kinds = [_words(frame, name) for name in keys], kinds_of(frame)
    values = values_of(frame, keys)
    alone = [name for name, own in kinds.items() if name in own.values()]
    found = _tables(beside, [_alone(frame, name, values.get(name)) for name in alone])
    for name, own in kinds.items():
        if name not in own.values():
            lines = [[key, *(cell for cell in cells for _ in own)] for key, *cells in beside]
            of = [name, *list(own) * len(frame)]
            number = _number("estimate", _found(frame, list(own.values())))
            found += _tables([*lines, of], [number])
    return found


def _alone(frame: Any, name: str, value: str | None) -> list[list[str]]:
    """The columns of a number without kinds, behind the value whose it is, if that was chosen."""
    chosen = [] if value is None else [_value(frame, value)]
    return chosen + _number(name, _found(frame, [name]))


def _tables(keys: list[list[str]], numbers: list[list[list[str]]]) -> list[tuple[Table, int]]:
    """As many as there is need for."""
    widths = [min(max(map(cell_len, own)), KEY) for own in keys]
    beside = sum(widths) + len(widths) + 2
    return [
        (_table(keys, widths, own), beside + sum(map(_width, own)))
        for own in _fitting(numbers, WIDTH - beside)
    ]


def _table(keys: list[list[str]], widths: list[int], numbers: list[list[list[str]]]) -> Table:
    """One of these numbers, behind their keys."""
    table = Table(box=SIMPLE, padding=0)
    for (name, *_), width in zip(keys, widths, strict=True):
        table.add_column(Text(name), overflow="fold", max_width=width)
    for heading, *_ in (column for number in numbers for column in number):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    cells = [cells for number in numbers for _, *cells in number]
    for row in zip(*(lines for _, *lines in keys), *cells, strict=True):
        table.add_row(*map(Text, row))
    return table


def _text(table: Table, wide: int) -> str:
    """As a terminal without colours shows it, without what is blank around it."""
    out = io.StringIO()
    plain: dict[str, Any] = {"color_system": None, "force_terminal": False, "force_jupyter": False}
    Console(file=out, width=max(WIDTH, wide), emoji=False, **plain).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n")).strip("\n")


def _found(frame: Any, columns: list[str]) -> list[list[float]]:
    """Estimates and limits, group by group, and in each column by column."""
    return [
        frame[[column + end for column in columns]].to_numpy(float).ravel().tolist()
        for end in ("", "_low", "_high")
    ]


def _number(name: str, found: list[list[float]]) -> list[list[str]]:
    """Three columns of cells, each behind its heading."""
    digits = _digits(found)
    ways = round, _down, _up
    cells = [[_written(way, x, digits) for x in own] for way, own in zip(ways, found, strict=True)]
    headings = fill(name, HEADING), "from", "to"
    first, *limits = [[heading, *own] for heading, own in zip(headings, cells, strict=True)]
    # A number stands a little apart from the one before it.
    return [[f" {line}" for line in first], *limits]


def _digits(found: Sequence[Sequence[float]]) -> int:
    """After the point: of whole numbers none, else so many that half an interval has two."""
    if all(float(x).is_integer() for own in found for x in own if math.isfinite(x)):
        return 0
    halves = [(high - low) / 2 for low, high in zip(*found[1:], strict=True)]
    least = min((half for half in halves if 0 < half < math.inf), default=1.0)
    return min(max(1 - math.floor(math.log10(least)), 0), MOST_DIGITS)


def _written(way: Any, number: float, digits: int) -> str:
    if not math.isfinite(number):
        return "∞" if number > 0 else "-∞"
    return f"{way(number, digits) + 0.0:,.{digits}f}"


def _down(number: float, digits: int) -> float:
    return math.floor(number * 10**digits) / 10**digits


def _up(number: float, digits: int) -> float:
    return math.ceil(number * 10**digits) / 10**digits


def _fitting(numbers: list[list[list[str]]], room: int) -> list[list[list[list[str]]]]:
    """As many side by side as there is room for, one at least."""
    tables, left = [], 0
    for number in numbers:
        if not tables or _width(number) > left:
            tables.append([])
            left = room
        tables[-1].append(number)
        left -= _width(number)
    return tables


def _width(number: list[list[str]]) -> int:
    return sum(
        1 + max(cell_len(line) for cell in own for line in cell.split("\n")) for own in number
    )


def _words(frame: Any, name: str) -> list[str]:
    """A column of values behind its heading."""
    values = map(known, frame[name])
    return [name, *("none" if each is None else str(each) for each in values)]


def _value(frame: Any, name: str) -> list[str]:
    """The same beside numbers, folded as keys are."""
    return [f" {line}" for line in (fill(each, KEY) for each in _words(frame, name))]


def known(value: Any) -> Any:
    """A key as it was declared: pandas has a missing one as NaN, or as its own."""
    import pandas as pd

    return None if pd.isna(value) else getattr(value, "item", lambda: value)()
