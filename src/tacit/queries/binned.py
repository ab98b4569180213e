"""A column of numbers in bins between declared ends.

| value | cell |
| --- | --- |
| a number from an end to below the next | of that bin; the last end is in the last bin |
| none: None, NaN, NaT, pandas' NA | the last one, labelled None, if `missing`; else none |
| anything else, infinities too | none |
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np

from tacit.argument import got, is_number
from tacit.contribution.contrasts import MOST_CATEGORIES, NOWHERE
from tacit.queries.attributes import Cells, is_missing, number_of
from tacit.statistics.labels import OF_TEXT

# From here on doubles skip whole numbers.
LARGEST_WHOLE = 2.0**53


@final
@dataclass(frozen=True)
class Binned:
    """A column of numbers between declared ends; a bin has its lower end, the last one both.

    Args:
      ends: rising numbers, at least two.
      whole: whether values are whole numbers, when they are made up.
      missing: whether those without a value have a cell of their own, the last.

    Raises:
      ValueError: if ends do not rise, or a bin of whole numbers has none.
    """

    ends: tuple[float, ...]
    whole: bool = False
    missing: bool = False

    def __post_init__(self):
        for name, given in (("whole", self.whole), ("missing", self.missing)):
            if not isinstance(given, bool):
                raise ValueError(f"{name} must be True or False, got {got(given)}")
        known = isinstance(self.ends, Iterable) and not isinstance(self.ends, str | bytes)
        ends = tuple(self.ends) if known else ()
        _refuse_no_ends(ends, MOST_CATEGORIES + 1 - self.missing)
        if self.whole:
            _refuse_no_whole_numbers(ends)
        object.__setattr__(self, "ends", tuple(map(float, ends)))

    @property
    def labels(self) -> tuple[str | None, ...]:
        bins = tuple(f"{low} to {high}" for low, high in pairwise(map(_said, self.ends)))
        return (*bins, None) if self.missing else bins

    def cells(self, values: Any) -> Cells:
        plain = isinstance(getattr(values, "dtype", None), np.dtype) and values.dtype.kind in "biuf"
        listed = values if plain else [number_of(each) for each in values]
        numbers = np.asarray(listed, np.float64)
        place = np.searchsorted(self.ends, numbers, "right") - 1
        place = np.where(numbers == self.ends[-1], len(self.ends) - 2, place)
        there = (numbers >= self.ends[0]) & (numbers <= self.ends[-1])
        place = np.where(there, place, NOWHERE).astype(np.int32)
        if self.missing:
            none = np.isnan(numbers) if plain else [is_missing(each) for each in values]
            place[np.asarray(none, bool)] = len(self.ends) - 1
        return place

    def could_be(self, kind: str) -> bool:
        return not kind.startswith(OF_TEXT)

    def read(self, texts: Sequence[Any]) -> list[Any]:
        return [_number(each) for each in texts]

    def values(self, cells: Cells, rng: np.random.Generator) -> list[Any]:
        ends = np.ceil(self.ends) if self.whole else np.array(self.ends)
        there = np.asarray(cells) < len(ends) - 1
        low, high = (ends[np.where(there, cells, 0) + beyond] for beyond in (0, 1))
        drawn = low + (high - low) * rng.random(len(low))
        found = np.floor(drawn).astype(np.int64).tolist() if self.whole else drawn.tolist()
        return [own if known else None for own, known in zip(found, there, strict=True)]


def _said(end: float) -> str:
    """An end of a bin, in as many digits as tell it from all others."""
    return repr(end).removesuffix(".0")


def _number(text: Any) -> Any:
    """A number, None if there is none, and else the text, which is in no bin."""
    if is_missing(text):
        return None
    try:
        return float(text)
    except (ValueError, OverflowError):
        return text


def _refuse_no_ends(ends: tuple[Any, ...], most: int) -> None:
    """Raises a ValueError unless these are rising numbers, at least two."""
    if not 2 <= len(ends) <= most:
        raise ValueError(
            f"the ends of bins must be 2 to {most:,} numbers, e.g. Binned((0, 18, 65)), got "
            f"{len(ends):,} of them"
        )
    for each in ends:
        if not (is_number(each) and math.isfinite(each)):
            raise ValueError(f"the ends of bins must be finite numbers, got {got(each)}")
    for low, high in pairwise(ends):
        if not float(low) < float(high):
            raise ValueError(f"the ends of bins must rise, got {high} after {low}")


def _refuse_no_whole_numbers(ends: tuple[float, ...]) -> None:
    """Raises a ValueError unless each bin has some, which numbers can say."""
    if not max(map(abs, ends)) <= LARGEST_WHOLE:
        raise ValueError(
            "the ends of bins of whole numbers must be from -2^53 to 2^53, got "
            f"{ends[0]:g} to {ends[-1]:g}"
        )
    for low, high in pairwise(ends):
        if math.ceil(low) >= math.ceil(high):
            raise ValueError(
                f"a bin of whole numbers has none in it, from {low} to {high}: its ends must be "
                "further apart"
            )
