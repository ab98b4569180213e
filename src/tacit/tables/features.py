"""Columns of records that learners are given: numbers between bounds, and declared values.

Each is one whole number of a row, which every engine finds alike; from it follow the numbers a
learner gets. So which values turn up, or how large they are, never shapes an array.

| a column | as a feature | as the target |
| --- | --- | --- |
| `number("days", 0, 30)` | a number, held between its bounds | the same |
| `category("ward", ["A", None])` | for each value 1 or 0 | the value's place: 0 or 1 |

A row whose number is missing or NaN, or whose value is not declared, lacks the column: it is no
record of anybody's. `None` among the values declares rows without one, and
`ibis._.days.coalesce(0)` a number for those that lack it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float32, Int32, Int64, Num

from tacit.argument import got
from tacit.tables.between import Between
from tacit.tables.keys import Key
from tacit.tables.rowwise import Said
from tacit.tables.rowwise import number as number_of

# Single precision holds so many levels.
_LEVELS = 2**24


@runtime_checkable
class RecordColumn(Protocol):
    """A column of every record."""

    @property
    def numbers(self) -> int:
        """How many of a record's features it makes."""
        ...

    def whole(self, rows: Any) -> Any:
        """The whole number of each row, for the engine; missing where it lacks one."""
        ...

    def features(self, whole: Int64[np.ndarray, " rows"]) -> Float32[np.ndarray, "rows numbers"]:
        """What these rows' records hold."""
        ...

    def targets(self, whole: Int64[np.ndarray, " rows"]) -> Num[np.ndarray, " rows"]:
        """What is to be learnt of these rows."""
        ...


@final
@dataclass(frozen=True)
class NumberColumn:
    """A number between bounds, within 2^-25 of their distance."""

    between: Between
    numbers: int = 1

    def whole(self, rows: Any) -> Any:
        return self.between.level(number_of(rows, self.between.number), self._levels)

    def features(self, whole: Int64[np.ndarray, " rows"]) -> Float32[np.ndarray, "rows numbers"]:
        return self.targets(whole)[:, None]

    def targets(self, whole: Int64[np.ndarray, " rows"]) -> Float32[np.ndarray, " rows"]:
        return self.between.at(whole / self._levels).astype(np.float32)

    @property
    def _levels(self) -> int:
        return self.between.levels(_LEVELS)


@final
@dataclass(frozen=True)
class CategoryColumn:
    """One of declared values."""

    key: Key

    @property
    def numbers(self) -> int:
        return len(self.key.values)

    def whole(self, rows: Any) -> Any:
        return self.key.place(rows)

    def features(self, whole: Int64[np.ndarray, " rows"]) -> Float32[np.ndarray, "rows numbers"]:
        return (whole[:, None] == np.arange(self.numbers)).astype(np.float32)

    def targets(self, whole: Int64[np.ndarray, " rows"]) -> Int32[np.ndarray, " rows"]:
        return whole.astype(np.int32)


def number(number: Said, lower: float, upper: float) -> NumberColumn:
    """A column, or an expression of one row, between public bounds; beyond, it is the nearer."""
    return NumberColumn(Between(number, lower, upper))


def category(column: str, values: Sequence[Any]) -> CategoryColumn:
    """A column that holds one of declared values, at least two; None among them for none."""
    key = Key.of(column, values)
    if not len(key.values) >= 2:
        raise ValueError(f"a category needs at least two values, got {got(values)}")
    return CategoryColumn(key)
