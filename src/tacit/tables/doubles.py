"""Whole numbers of a DataFrame, in double precision whether or not anybody's is missing.

pandas has a column of whole numbers in double precision as soon as one row lacks its own, or has a
fraction. Which of the two types everybody's numbers have would be one person's doing, and numbers
beyond 2^53 are told apart in the one alone. So both are read as the second: whole numbers up to
2^53 are persons, keys and values of a join, and those beyond are missing there.

| a column of pandas | is read in double precision |
| --- | --- |
| whole numbers of NumPy's types | always |
| objects, numbers alone, among them whole ones | always, if a column of numbers could hold each |
| categories that are whole numbers | always |
| `Int64` and Arrow's types | as they are: they hold missing ones, so no row has a part in them |
"""

import math
from typing import Any

import numpy as np
import pandas as pd

_MISSING = {type(None), type(pd.NA), type(pd.NaT)}
# Of other whole numbers pandas makes no column, and no engine has one.
_HELD = range(-(2**63), 2**64)
_WHOLE, _NUMBERS = (int, np.integer), (int, float, np.integer, np.floating)


def in_double(source: Any) -> Any:
    """A pandas DataFrame with whole numbers in double precision; anything else as it is."""
    if not (isinstance(source, pd.DataFrame) and source.columns.is_unique):
        return source
    named = [name for name in source.columns if _is_whole(source[name])]
    if not named:
        return source
    changed = source.copy(deep=False)
    for name in named:
        changed[name] = _doubles(source[name])
    return changed


def _is_whole(column: Any) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return isinstance(kind.categories.dtype, np.dtype) and kind.categories.dtype.kind in "iu"
    if pd.api.types.is_object_dtype(kind):
        return _of_numbers([each for each in column if type(each) not in _MISSING])
    return isinstance(kind, np.dtype) and kind.kind in "iu"


def _of_numbers(values: list[Any]) -> bool:
    """Whether numbers are there alone, that an engine has, and whole ones among them."""
    kinds = set(map(type, values))
    numbers = all(issubclass(each, _NUMBERS) and each is not bool for each in kinds)
    some = numbers and any(issubclass(each, _WHOLE) for each in kinds)
    return some and all(each in _HELD for each in values if isinstance(each, int))


def _doubles(column: Any) -> Any:
    if not pd.api.types.is_object_dtype(column.dtype):
        return column.astype(float)
    return np.array([math.nan if type(each) in _MISSING else each for each in column], float)
