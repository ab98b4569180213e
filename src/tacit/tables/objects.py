"""Columns of Python's objects in a pandas frame: what their values are read as.

Such a column does not say what is in it, so that is found in its values:

| values, all of them | are read as |
| --- | --- |
| numbers of any kinds, decimals among them | double precision: the nearest, or infinite |
| text, and UUIDs among it | text |
| truth values; bytes; dates; times without a zone; times of day; durations | they are |
| anything else, or of two kinds | of no type: refused where it is asked for |

None and NaN of any kind are missing, and so is what no number of microseconds tells. So a value is
read as it would be alone, whatever the others are: one that is odd leaves its column without a
type, and no other value with another. That much is told of somebody where the column is asked for;
a column with a type of its own, as `astype` makes it, tells nothing.
"""

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

_MISSING = {type(None), type(pd.NA), type(pd.NaT)}
_TEXTS, _NUMBERS = (str, UUID), (Decimal, int, float, np.integer, np.floating)
# Engines count microseconds in 64 bits.
_LONGEST = datetime.timedelta(microseconds=2**63 - 1)
# Kinds that an engine has, each of a type.
_TYPED = (
    {bool, np.bool_},
    {bytes},
    {datetime.date},
    {datetime.datetime, pd.Timestamp},
    {datetime.time},
    {datetime.timedelta, pd.Timedelta},
)


def read(column: Any) -> Any:
    """The values, of one type; None if they have none."""
    kinds = _kinds(column)
    if kinds and all(map(_is_number, kinds)):
        return np.array([_double(each) for each in column], float)
    if all(issubclass(each, _TEXTS) for each in kinds):
        return told(column)
    typed = any(kinds <= each for each in _TYPED) and not any(map(_is_zoned, column))
    return _objects([_counted(each) for each in column], column.index) if typed else None


def told(column: Any) -> Any:
    """Texts, and UUIDs as theirs."""
    return _objects([_text(each) for each in column], column.index)


def _text(value: Any) -> str | None:
    """What an engine can hold of it; none where it is missing."""
    if _is_missing(value):
        return None
    # A class of texts may call its texts otherwise.
    own = str.__str__(value) if isinstance(value, str) else str(value)
    return own.encode(errors="replace").decode()


def _is_missing(value: Any) -> bool:
    """Whether there is none. No value is compared for that with itself: some stop there."""
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value) in _MISSING or (isinstance(value, float | np.floating) and np.isnan(value))


def _kinds(column: Iterable[Any]) -> set[type]:
    """Of its values, without those of what is missing."""
    kinds = set(map(type, column)) - _MISSING
    numbers = {each for each in kinds if _is_number(each)}
    missing = numbers and all(_is_missing(each) for each in column if type(each) in numbers)
    return kinds - numbers if missing else kinds


def _is_number(kind: type) -> bool:
    """NumPy has its durations among whole numbers."""
    return issubclass(kind, _NUMBERS) and not issubclass(kind, bool | np.timedelta64)


def _double(value: Any) -> float:
    """The nearest; NaN for what is missing, also a decimal's own NaN that signals, and for a number
    of somebody's own that does not tell which it is."""
    if _is_missing(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:
        return math.nan


def _is_zoned(value: Any) -> bool:
    """Whether a time has a zone: an engine would have the others in that of the first."""
    return getattr(value, "tzinfo", None) is not None


def _counted(value: Any) -> Any:
    """In whole microseconds, as times of Python are; none if they cannot count it."""
    if _is_missing(value):
        return None
    try:
        own = value.to_pydatetime(warn=False) if isinstance(value, pd.Timestamp) else value
        own = own.to_pytimedelta() if isinstance(own, pd.Timedelta) else own
    except (ValueError, OverflowError):
        return None
    far = isinstance(own, datetime.timedelta) and not -_LONGEST <= own <= _LONGEST
    return None if far else own


def _objects(values: list[Any], index: Any) -> Any:
    return pd.Series(values, index, dtype=object)
