"""Declared attributes: what values a column may have, and in which cell each value is.

What is not declared is in no cell, whatever it is: which values there are is about people, and so
is that one of them is odd. `None` among values is the cell of records without one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
                return places.get(None if is_missing(value) else value, NOWHERE)
            except Exception:
                # A list, say: nobody declared one, and what it raises is about its person.
                return NOWHERE

        return np.array([place(each) for each in listed], np.int32)

    def could_be(self, kind: str) -> bool:
        text = any(isinstance(each, str) for each in self.declared)
        others = any(each is not None and not isinstance(each, str) for each in self.declared)
        # Floats are also what pandas makes of a text column in which nobody has a value.
        of_numbers = kind.startswith(OF_NUMBERS) and not kind.startswith("float")
        return not ((of_numbers and text) or (kind.startswith(OF_TEXT) and others))

    def read(self, texts: Sequence[Any]) -> list[Any]:
        if any(isinstance(each, str) for each in self.declared):
            return list(texts)
        if any(isinstance(each, bool) for each in self.declared):
            return [_truth(each) for each in texts]
        return [_whole(each) for each in texts]

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        del rng
        return [self.declared[cell] for cell in cells]


def number_of(value: Any) -> float:
    """A value as a number; NaN if it is none, so that nobody's value stops anything."""
    try:
        # NumPy and pandas take a number out of an array, or its real part, and warn.
        odd = isinstance(value, np.ndarray | np.complexfloating) or getattr(value, "ndim", 0)
        return math.nan if odd else float(value)
    except Exception:
        return math.nan


def _whole(text: Any) -> Any:
    """A number, None if there is none, and else the text, which nobody declared."""
    for kind in () if is_missing(text) else (int, float):
        try:
            return kind(text)
        except (ValueError, OverflowError):
            continue
    return None if is_missing(text) else text


def _truth(text: Any) -> bool | str | None:
    """A truth value, None if there is none, and else the text, which nobody declared."""
    if is_missing(text):
        return None
    return _TRUTHS.get(str(text).strip().lower(), str(text))


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, NaT or pandas' NA; whatever else it is, not."""
    if value is None:
        return True
    try:
        # None of them is equal to itself, and whether NA is, nothing can say.
        same = value == value
        return type(same).__name__ == "NAType" or not (np.ndim(same) or same)
    except Exception:
        return False
