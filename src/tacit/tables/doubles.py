"""Whole numbers of a DataFrame, in double precision whether or not anybody's is missing.

pandas has a column of whole numbers in double precision as soon as one row lacks its own, or has a
fraction. Which of the two types everybody's numbers have would be one person's doing, and numbers
beyond 2^53 are told apart in the one alone. So both are read as the second: whole numbers up to
2^53 are persons, keys and values of a join, and those beyond are missing there. (Columns of objects
are read so too: see `objects`.)

| a column of pandas | is read in double precision |
| --- | --- |
| whole numbers of NumPy's types | always |
| categories that are whole numbers | always |
| `Int64` and Arrow's types | as they are: they hold missing ones, so no row has a part in them |
"""

from typing import Any

import numpy as np
import pandas as pd


def in_double(source: Any) -> Any:
    """A pandas DataFrame with whole numbers in double precision; anything else as it is."""
    if not (isinstance(source, pd.DataFrame) and source.columns.is_unique):
        return source
    named = [name for name in source.columns if _is_whole(source[name])]
    if not named:
        return source
    changed = source.copy(deep=False)
    for name in named:
        changed[name] = source[name].astype(float)
    return changed


def _is_whole(column: Any) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return isinstance(kind.categories.dtype, np.dtype) and kind.categories.dtype.kind in "iu"
    return isinstance(kind, np.dtype) and kind.kind in "iu"
