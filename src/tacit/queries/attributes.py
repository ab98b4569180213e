"""Declared attributes: what values a column may have, and in which cell each value is.

What is not declared is in no cell, whatever it is: which values there are is about people, and so
is that one of them is odd. `None` among values is the cell of records without one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Int32

from tacit.contribution.contrasts import NOWHERE
from tacit.statistics.labels import OF_NUMBERS, OF_TEXT

Cells = Int32[np.ndarray, " records"]
_TRUTHS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


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

    def read(self, texts: Sequence[Any]) -> list[Any]:
        """Values that a file has as text, as values of such a column; none is None."""
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

    def read(self, texts: Sequence[Any]) -> list[Any]:
        if any(isinstance(each, str) for each in self.declared):
            return list(texts)
        if any(isinstance(each, bool) for each in self.declared):
            return [_truth(each) for each in texts]
        return [_whole(each) for each in texts]

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

    def read(self, texts: Sequence[Any]) -> list[Any]:
        return [_number(each) for each in texts]

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        ends = np.ceil(self.ends) if self.whole else np.array(self.ends)
        low, high = ends[cells], ends[cells + 1]
        drawn = low + (high - low) * rng.random(len(cells))
        return np.floor(drawn).astype(np.int64).tolist() if self.whole else drawn.tolist()


def _said(end: float) -> str:
    """An end of a bin, in as many digits as tell it from all others."""
    return repr(end).removesuffix(".0")


def _number(value: Any) -> float:
    """A value as a number; NaN if it is none, so that nobody's value stops anything."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _whole(text: Any) -> Any:
    """A number, None if there is none, and else the text, which nobody declared."""
    for kind in () if _missing(text) else (int, float):
        try:
            return kind(text)
        except (ValueError, OverflowError):
            continue
    return None if _missing(text) else text


def _truth(text: Any) -> bool | str | None:
    """A truth value, None if there is none, and else the text, which nobody declared."""
    if _missing(text):
        return None
    return _TRUTHS.get(str(text).strip().lower(), str(text))


def _missing(value: Any) -> bool:
    # NaN, NaT and pandas' NA: none of them is equal to itself.
    return value is None or not _is_itself(value)


def _is_itself(value: Any) -> bool:
    try:
        return bool(value == value)
    except TypeError:
        return False
