"""Declared attributes: what values a column may have, and in which cell each record is.

What is not declared is in no cell, and a record with such a value is in no table: which values
there are is about people. `None` among categories is the cell of records without a value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Int32

from tacit.argument import got, is_number
from tacit.contribution.contrasts import MOST_CATEGORIES, NOWHERE
from tacit.statistics.categories import OF_NUMBERS, OF_TEXT

Cells = Int32[np.ndarray, " records"]


@runtime_checkable
class Attribute(Protocol):
    """What a column may hold."""

    @property
    def labels(self) -> tuple[Any, ...]:
        """Of the cells, in order, all different."""
        ...

    def cells(self, values: Any) -> Cells:
        """The number of each value's cell; -1 for none, whatever the value is."""
        ...

    def could_be(self, kind: str) -> bool:
        """Whether a column of this declared type, in lower case, can hold such values."""
        ...

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        """A value of each cell."""
        ...


@final
@dataclass(frozen=True)
class Listed:
    """A column of a few declared values.

    Args:
      declared: text, whole numbers, truth values or None, each once.
    """

    declared: tuple[Any, ...]

    @property
    def labels(self) -> tuple[Any, ...]:
        return self.declared

    def cells(self, values: Any) -> Cells:
        places = {each: place for place, each in enumerate(self.declared)}
        listed = values.tolist() if hasattr(values, "tolist") else list(values)

        def place(value: Any) -> int:
            try:
                return places.get(None if _missing(value) else value, NOWHERE)
            except TypeError:
                # A list, say: nobody declared one.
                return NOWHERE

        return np.array([place(each) for each in listed], np.int32)

    def could_be(self, kind: str) -> bool:
        text = any(isinstance(each, str) for each in self.declared)
        others = any(each is not None and not isinstance(each, str) for each in self.declared)
        of_numbers, of_text = map(kind.startswith, (OF_NUMBERS, OF_TEXT))
        return not ((of_numbers and text) or (of_text and others))

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        del rng
        return [self.declared[cell] for cell in cells]


@final
@dataclass(frozen=True)
class Binned:
    """A column of numbers between declared ends; a bin has its lower end, the last one both.

    Args:
      ends: rising numbers, at least two.
      whole: whether values are whole numbers, when they are made up.
    """

    ends: tuple[float, ...]
    whole: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"{low} to {high}" for low, high in pairwise(map(_said, self.ends)))

    def cells(self, values: Any) -> Cells:
        plain = isinstance(getattr(values, "dtype", None), np.dtype) and values.dtype.kind in "biuf"
        listed = values if plain else [_number(each) for each in values]
        numbers = np.asarray(listed, np.float64)
        place = np.searchsorted(self.ends, numbers, "right") - 1
        place = np.where(numbers == self.ends[-1], len(self.ends) - 2, place)
        there = (numbers >= self.ends[0]) & (numbers <= self.ends[-1])
        return np.where(there, place, NOWHERE).astype(np.int32)

    def could_be(self, kind: str) -> bool:
        return not kind.startswith(OF_TEXT)

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        ends = np.array(self.ends)
        low, high = ends[cells], ends[cells + 1]
        drawn = low + (high - low) * rng.random(len(cells))
        return np.floor(drawn).astype(np.int64).tolist() if self.whole else drawn.tolist()


@final
@dataclass(frozen=True)
class Domain:
    """Columns by name, and what each may hold."""

    attributes: tuple[tuple[str, Attribute], ...]

    @classmethod
    def of(cls, declared: "Domain | Mapping[str, Any]") -> "Domain":
        """From a mapping of columns to a list of values, `Listed` or `Binned`.

        Raises:
          ValueError: if a column is declared as none of these.
        """
        if isinstance(declared, Domain):
            return declared
        if not (isinstance(declared, Mapping) and declared):
            raise ValueError(
                'a domain is a mapping of columns to their values, e.g. {"sex": ["F", "M"], '
                f'"age": Binned((0, 18, 65, 120))}}, got {got(declared)}'
            )
        return cls(tuple((name, attribute_of(name, each)) for name, each in declared.items()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(each.labels) for _, each in self.attributes)

    def places(self, columns: Sequence[str]) -> tuple[int, ...]:
        """The numbers of these columns, rising.

        Raises:
          ValueError: if one is none of the domain's, or is named twice.
        """
        unknown = [each for each in columns if each not in self.names]
        if unknown or not columns or len(set(columns)) < len(columns):
            raise ValueError(
                f"tables are of different columns of the domain, {', '.join(self.names)}, got "
                f"{', '.join(map(str, columns))}"
            )
        return tuple(sorted(self.names.index(each) for each in columns))

    def cells(self, table: Any) -> Int32[np.ndarray, "records attributes"]:
        """The cells of each record of a DataFrame, or of a mapping of columns.

        Raises:
          ValueError: if a column is missing, or of a type that has no declared value.
        """
        return np.stack([self._column(table, *each) for each in self.attributes], axis=1)

    def records(self, table: Any) -> int:
        """How many a table has.

        Raises:
          ValueError: if the first declared column is missing.
        """
        return len(_column_of(table, self.names[0]))

    def _column(self, table: Any, name: str, attribute: Attribute) -> Cells:
        column = _column_of(table, name)
        kind = str(getattr(column, "dtype", "")).lower()
        if not attribute.could_be(kind):
            raise ValueError(
                f"column {name!r} is of type {kind}, and other values are declared for it"
            )
        return attribute.cells(column)


def _column_of(table: Any, name: str) -> Any:
    try:
        return table[name]
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"the table has no column {name!r}, which is declared") from None


def attribute_of(name: Any, given: Any) -> Attribute:
    """What a column may hold, checked.

    Raises:
      ValueError: if it is no list of different values, and no rising numbers.
    """
    if not (isinstance(name, str) and name):
        raise ValueError(f"a column is named by text, got {got(name)}")
    if isinstance(given, Binned):
        return _bins(name, given)
    declared: Any = given.declared if isinstance(given, Listed) else given
    plain = declared.tolist() if hasattr(declared, "tolist") else declared
    several = isinstance(plain, Sequence) and not isinstance(plain, str | bytes)
    kinds = {type(each) for each in plain} - {type(None)} if several else set()
    known = kinds <= {str, int, bool} and len(kinds) <= 1
    if not (several and known and 1 <= len(set(plain)) == len(plain) <= MOST_CATEGORIES):
        raise ValueError(
            f"column {name!r} must be declared as 1 to {MOST_CATEGORIES:,} different values, all "
            f"text, whole numbers or truth values (and None), or as Binned(ends), got {got(given)}"
        )
    return Listed(tuple(plain))


def _said(end: float) -> str:
    """An end of a bin, in as many digits as tell it from all others."""
    return repr(end).removesuffix(".0")


def _bins(name: str, given: Binned) -> Binned:
    ends = tuple(given.ends)
    numbers = len(ends) >= 2 and all(is_number(each) and math.isfinite(each) for each in ends)
    rising = numbers and all(low < high for low, high in pairwise(ends))
    if not (rising and len(ends) <= MOST_CATEGORIES + 1):
        raise ValueError(
            f"the ends of column {name!r} must be 2 to {MOST_CATEGORIES + 1:,} finite numbers, "
            f"rising, got {got(given.ends)}"
        )
    return Binned(tuple(map(float, ends)), given.whole)


def _number(value: Any) -> float:
    """A value as a number; NaN if it is none, so that nobody's value stops anything."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _missing(value: Any) -> bool:
    # NaN, NaT and pandas' NA: none of them is equal to itself.
    return value is None or not _is_itself(value)


def _is_itself(value: Any) -> bool:
    try:
        return bool(value == value)
    except TypeError:
        return False
