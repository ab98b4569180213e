"""DataFrames, which DuckDB reads where they lie.

Before it reads any column, all of a frame become columns of one type each. One odd value in a
column that nobody asks about would stop every question, which would tell of somebody; so a pandas
column that no engine reads is handed over without its values, and is of no type: whatever is asked
of it is refused. What columns of objects are read as is said in `objects`; categories that are no
text are read as columns of such values.

Decimals are read as double precision numbers, as everywhere, and here before the engine has them:
it would stop at one that it cannot hold.

Times and days that the engine cannot count are missing: see `moments`.
"""

from typing import Any

import numpy as np
import pandas as pd

from tacit.argument import got
from tacit.tables import moments, objects
from tacit.tables.language import arrow, ibis
from tacit.unquoted import unquoted

# Types of pandas' own that an engine has, if it has their values.
_OWN = pd.StringDtype, pd.CategoricalDtype, pd.ArrowDtype, pd.DatetimeTZDtype
_COUNTED = pd.api.types.is_numeric_dtype, pd.api.types.is_bool_dtype


def frame_rows(source: Any) -> Any:
    """The table as Ibis has it; what Ibis says of one that it cannot read is not repeated.

    Raises:
      ValueError: if it cannot be read.
    """

    def stopped(error: Exception) -> str:
        return (
            "a DataFrame must have columns of types that an engine has, each named once, got "
            f"{got(source)} ({type(error).__name__})"
        )

    rows = unquoted(lambda: _typed(_as_it_is(source)), ValueError, stopped)
    _refuse_halves(rows)
    return rows


def _typed(source: Any) -> Any:
    """The table, whose columns that have no type are told to have none."""
    frame, odd = _without_odd(_without_far(_without_decimals(source)))
    rows = ibis().memtable(frame)
    if not odd:
        return rows
    schema = dict(rows.schema()) | dict.fromkeys(odd, ibis().expr.datatypes.unknown)
    return ibis().memtable(frame, schema=schema)


def _refuse_halves(rows: Any) -> None:
    """The engine reads no frame that has such a column, whether it is asked for or not."""
    for name, kind in rows.schema().items():
        if kind.is_float16():
            raise ValueError(
                f"column {name!r} is of type float16, which the engine cannot read: make it "
                "float32, or leave it out"
            )


def _without_decimals(frame: Any) -> Any:
    """The frame, with double precision for columns of Arrow's decimals."""
    if not has_columns(frame):
        return frame
    named = [name for name in frame.columns if _of_decimals(frame[name].dtype)]
    return with_columns(frame, {name: frame[name].astype("float64[pyarrow]") for name in named})


def _of_decimals(kind: Any) -> bool:
    return isinstance(kind, pd.ArrowDtype) and arrow().types.is_decimal(kind.pyarrow_dtype)


def _without_far(frame: Any) -> Any:
    """The frame, of times and days that the engine can count."""
    if has_columns(frame):
        own = {name: frame[name] for name in frame.columns}
        held = {name: moments.of_pandas(column) for name, column in own.items()}
        changed = {name: column for name, column in held.items() if column is not own[name]}
        return with_columns(frame, changed)
    if isinstance(frame, arrow().Table):
        return moments.in_arrow(frame)
    return moments.in_polars(frame) if _is_of_polars(frame) else frame


def _is_of_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars"


def with_columns(frame: Any, columns: dict[Any, Any]) -> Any:
    """The same but for these columns, whatever they are called; what was given stays as it is."""
    if not columns:
        return frame
    changed = frame.copy(deep=False)
    for name, own in columns.items():
        changed[name] = own
    return changed


def has_columns(frame: Any) -> bool:
    """Whether it is of pandas, with columns that are told by their names."""
    return isinstance(frame, pd.DataFrame) and frame.columns.is_unique


def _without_odd(frame: Any) -> tuple[Any, list[str]]:
    """The frame, with one type for each column of objects and no value of odd columns; and the
    names of these."""
    if not has_columns(frame):
        return frame, []
    own = {name: frame[name] for name in frame.columns if not _is_plain(frame[name].dtype)}
    read = {name: _read(column) for name, column in own.items()}
    odd = [name for name, column in read.items() if column is None]
    changed = {name: column for name, column in read.items() if column is not own[name]}
    return with_columns(frame, changed | {name: _nothing(frame) for name in odd}), odd


def _nothing(frame: Any) -> Any:
    return pd.Series(None, frame.index, dtype=object)


def _is_plain(kind: Any) -> bool:
    """Whether it is NumPy's, of numbers or times, and has no more than 64 bits."""
    return isinstance(kind, np.dtype) and kind.kind in "biufmM" and kind.itemsize <= 8


def _read(column: Any) -> Any:
    """What the engine is handed for it; None if it can read none."""
    own, types = column.dtype, arrow().types
    try:
        if _is_whole(own):
            return column.astype("Int64")
        if pd.api.types.is_object_dtype(own) or _is_of_others(own):
            return objects.read(column.astype(object))
        if not isinstance(own, _OWN) and not any(of(own) for of in _COUNTED):
            return None
        kind = arrow().array(column, from_pandas=True).type
    except Exception:
        return objects.told(column) if isinstance(own, pd.StringDtype) else None
    held = kind.value_type if types.is_dictionary(kind) else kind
    return None if isinstance(held, arrow().ExtensionType) or types.is_decimal(held) else column


def _is_whole(kind: Any) -> bool:
    """Whether it is of categories that are whole numbers."""
    return isinstance(kind, pd.CategoricalDtype) and kind.categories.dtype.kind in "iu"


def _is_of_others(kind: Any) -> bool:
    """Whether it is of categories that are no text."""
    own = isinstance(kind, pd.CategoricalDtype)
    return own and not isinstance(kind.categories.dtype, pd.StringDtype)


def _as_it_is(frame: Any) -> Any:
    """The same rows whatever is written to the frame later: engines see some such writing, and
    some not. Nothing is copied where frames copy on writing, as those of Polars and pandas 3 do."""
    if isinstance(frame, arrow().RecordBatch):
        return arrow().Table.from_batches([frame])
    if _is_of_polars(frame) and hasattr(frame, "collect"):
        return frame.collect()
    return frame.__copy__() if hasattr(frame, "__copy__") else frame
