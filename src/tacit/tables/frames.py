"""DataFrames, which DuckDB reads where they lie.

Before it reads any column, all of a frame become columns of one type each. One odd value in a
column that nobody asks about would stop every question, which would tell of somebody; so a pandas
column of objects that no engine reads is handed over as text, but is of no type: it is refused
where it is asked for, unless `.cast("string")` says that text is meant.

Decimals are read as double precision numbers, as everywhere, and here before the engine has them:
it would stop at a missing one, and have a type by how many digits somebody's needs. So are whole
numbers and fractions among them; one that is beyond double precision is infinite, NaN is missing.

UUIDs are read as their text, which tells them apart: of a frame's objects Ibis has no such type.

Times of whole seconds or milliseconds become those of microseconds, which reach to the year 294247;
one beyond is missing.
"""

import math
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

from tacit.argument import got
from tacit.tables.language import arrow, ibis

_MISSING = {type(None), type(pd.NA), type(pd.NaT)}
_NUMBERS = Decimal, int, float, np.integer, np.floating
# How many microseconds one has, of the units that reach farther than microseconds.
_LONGER = {"s": 10**6, "ms": 10**3}


def frame_rows(source: Any) -> Any:
    """The table as Ibis has it; what Ibis says of one that it cannot read is not repeated.

    Raises:
      ValueError: if it cannot be read.
    """
    try:
        plain = _without_far(_without_uuids(_without_decimals(_as_it_is(source))))
        frame, odd = _without_odd(plain)
        rows = ibis().memtable(frame)
        if odd:
            schema = dict(rows.schema()) | dict.fromkeys(odd, ibis().expr.datatypes.unknown)
            rows = ibis().memtable(frame, schema=schema)
    except Exception as error:
        raise ValueError(
            "a DataFrame must have columns of types that an engine has, each named once, got "
            f"{got(source)} ({type(error).__name__})"
        ) from None
    _refuse_halves(rows)
    return rows


def _refuse_halves(rows: Any) -> None:
    """The engine reads no frame that has such a column, whether it is asked for or not."""
    for name, kind in rows.schema().items():
        if kind.is_float16():
            raise ValueError(
                f"column {name!r} is of type float16, which the engine cannot read: make it "
                "float32, or leave it out"
            )


def _without_decimals(frame: Any) -> Any:
    """The frame, with double precision for columns of decimals."""
    if not _has_columns(frame):
        return frame
    named = [name for name in frame.columns if _of_decimals(frame[name])]
    numbers = {name: np.array([_double(each) for each in frame[name]], float) for name in named}
    return _with(frame, numbers)


def _without_uuids(frame: Any) -> Any:
    """The frame, with text for columns of UUIDs."""
    if not _has_columns(frame):
        return frame
    objects = [name for name in frame.columns if pd.api.types.is_object_dtype(frame[name].dtype)]
    named = [name for name in objects if _kinds(frame[name]) == {UUID}]
    texts = {name: frame[name].map(str, na_action="ignore").astype(object) for name in named}
    return _with(frame, texts)


def _without_far(frame: Any) -> Any:
    """The frame, with none for times that the engine could not count."""
    if not _has_columns(frame):
        return frame
    units = {name: getattr(frame[name].dt, "unit", "") for name in _times(frame)}
    far = {name: _near(frame[name], _LONGER[own]) for name, own in units.items() if own in _LONGER}
    return _with(frame, far)


def _times(frame: Any) -> list[Any]:
    return [name for name in frame.columns if frame[name].dtype.kind == "M"]


def _near(times: Any, longer: int) -> Any:
    """Those that so many microseconds each can be counted in; the others are missing."""
    plain = times.dt.tz_convert(None) if times.dt.tz is not None else times
    counted = plain.to_numpy().view(np.int64)
    return times.where(abs(counted) <= np.iinfo(np.int64).max // longer)


def _of_decimals(column: Any) -> bool:
    """Whether numbers are in it alone, and decimals among them."""
    if isinstance(column.dtype, pd.ArrowDtype):
        return arrow().types.is_decimal(column.dtype.pyarrow_dtype)
    if not pd.api.types.is_object_dtype(column.dtype):
        return False
    kinds = _kinds(column)
    numbers = (issubclass(each, _NUMBERS) and each is not bool for each in kinds)
    return Decimal in kinds and all(numbers)


def _kinds(column: Any) -> set[type]:
    """Of its values, without those of what is missing."""
    kinds = set(map(type, column)) - _MISSING
    if float in kinds and all(math.isnan(each) for each in column if type(each) is float):
        return kinds - {float}
    return kinds


def _double(value: Any) -> float:
    """The nearest; NaN for what is missing, as a decimal's own NaN, also one that signals, is."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def _with(frame: Any, columns: dict[Any, Any]) -> Any:
    """The same but for these columns, whatever they are called; what was given stays as it is."""
    if not columns:
        return frame
    changed = frame.copy(deep=False)
    for name, own in columns.items():
        changed[name] = own
    return changed


def _has_columns(frame: Any) -> bool:
    """Whether it is of pandas, with columns that are told by their names."""
    return isinstance(frame, pd.DataFrame) and frame.columns.is_unique


def _without_odd(frame: Any) -> tuple[Any, list[str]]:
    """The frame, with text for values of odd columns, and the names of these."""
    if not _has_columns(frame):
        return frame, []
    objects = frame.columns[frame.dtypes.map(pd.api.types.is_object_dtype)]
    odd = [name for name in objects if _odd(frame[name])]
    texts = {name: frame[name].map(_text).astype(object) for name in odd}
    return _with(frame, texts), odd


def _text(value: Any) -> str | None:
    """A value's own text, an empty one if it has none that an engine could hold; and none where it
    is missing: no value is compared for that with itself, because some stop there."""
    if type(value) in _MISSING or (isinstance(value, float) and math.isnan(value)):
        return None
    try:
        return str(value).encode(errors="replace").decode()
    except Exception:
        return ""


def _odd(column: Any) -> bool:
    """Whether an engine cannot read values of this column."""
    try:
        kind = arrow().array(column, from_pandas=True).type
    except Exception:
        return True
    return arrow().types.is_decimal256(kind)


def _as_it_is(frame: Any) -> Any:
    """The same rows whatever is written to the frame later: engines see some such writing, and
    some not. Nothing is copied where frames copy on writing, as those of Polars and pandas 3 do."""
    return frame.__copy__() if hasattr(frame, "__copy__") else frame
