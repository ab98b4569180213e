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

from tacit.tables.frames import has_columns, with_columns


def in_double(source: Any) -> Any:
    """A pandas DataFrame with whole numbers in double precision; anything else as it is."""
    if not has_columns(source):
        return source
    named = [name for name in source.columns if _is_whole(source[name].dtype)]
    return with_columns(source, {name: source[name].astype(float) for name in named})


def _is_whole(kind: Any) -> bool:
    own = kind.categories.dtype if isinstance(kind, pd.CategoricalDtype) else kind
    return isinstance(own, np.dtype) and own.kind in "iu"
