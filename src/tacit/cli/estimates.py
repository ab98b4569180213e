"""Numbers of groups, as the command line shows them: a table at 80 columns, or JSON.

Every number has three columns: the estimate, and from where to where its interval goes; how many
rows have a value that was chosen stands behind that value. Numbers that do not fit beside one
another go below, with the keys again; keys are folded, nothing is cut.
Intervals are rounded outwards, to two digits of their half.
"""

import math
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tacit.cli import voice
from tacit.tables.answered import TableAnswer, kinds_of, numbers_of, values_of

KEY, HEADING, MOST_DIGITS = 24, 20, 12


def shown(answer: TableAnswer) -> None:
    """Every group's numbers; of a histogram, every kind has a line. Of no group, nothing."""
    frame = answer.frame
    if not len(frame):
        return
    keys, kinds = [_words(frame, name) for name in answer.keys], kinds_of(frame)
    values = values_of(frame, answer.keys)
    alone = [name for name, own in kinds.items() if name in own.values()]
    _tables(keys, [_alone(frame, name, values.get(name)) for name in alone])
    for name, own in kinds.items():
        if name not in own.values():
            lines = [[key, *(cell for cell in cells for _ in own)] for key, *cells in keys]
            of = [name, *list(own) * len(frame)]
            _tables([*lines, of], [_number("estimate", _found(frame, list(own.values())))])


def _alone(frame: Any, name: str, value: str | None) -> list[list[str]]:
    """The columns of a number without kinds, behind the value whose it is, if that was chosen."""
    chosen = [] if value is None else [_value(frame, value)]
    return chosen + _number(name, _found(frame, [name]))


def _tables(keys: list[list[str]], numbers: list[list[list[str]]]) -> None:
    """As many as there is need for."""
    widths = [min(max(map(cell_len, own)), KEY) for own in keys]
    beside = sum(widths) + len(widths) + 2
    for own in _fitting(numbers, voice.WIDTH - beside):
        table = Table(box=SIMPLE, padding=0)
        for (name, *_), width in zip(keys, widths, strict=True):
            table.add_column(Text(name), overflow="fold", max_width=width)
        for heading, *_ in (column for number in own for column in number):
            table.add_column(Text(heading), justify="right", no_wrap=True)
        cells = [cells for number in own for _, *cells in number]
        for row in zip(*(lines for _, *lines in keys), *cells, strict=True):
            table.add_row(*map(Text, row))
        wide = beside + sum(map(_width, own))
        voice.OUT.print(table, width=max(voice.OUT.width, wide), crop=False)


def plain(answer: TableAnswer) -> list[dict[str, Any]]:
    """As JSON has them: null stands for a group without a key, and for what is not finite."""
    rows, values = answer.frame.to_dict("records"), values_of(answer.frame, answer.keys)
    return [
        {
            "group": {key: _known(row[key]) for key in answer.keys},
            "values": {name: _known(row[name]) for name in values.values()},
            "numbers": {
                name: {
                    part: _finite(row[name + end])
                    for part, end in (("estimate", ""), ("low", "_low"), ("high", "_high"))
                }
                for name in numbers_of(answer.frame)
            },
        }
        for row in rows
    ]


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
    known = map(_known, frame[name])
    return [name, *("none" if each is None else str(each) for each in known)]


def _value(frame: Any, name: str) -> list[str]:
    """The same beside numbers, folded as keys are."""
    return [f" {line}" for line in (fill(each, KEY) for each in _words(frame, name))]


def _known(value: Any) -> Any:
    """A key as it was declared: pandas has a missing one as NaN, or as its own."""
    import pandas as pd

    return None if pd.isna(value) else getattr(value, "item", lambda: value)()


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
