"""Times, days, durations and times of a day in frames, as an engine can hold them.

An engine counts microseconds in 64 bits, and stops at one that so many cannot count: asked for, and
some of pandas' unasked. So it is handed microseconds, and nothing for what they do not reach.

| a column of | what is missing | others become |
| --- | --- | --- |
| times and durations in seconds or milliseconds | beyond 2^63 microseconds | microseconds |
| days in milliseconds | beyond 2^31 days | days |
| times of a day | what is not of a day | as they are |
| pandas' own in nanoseconds | nothing | microseconds: what is less is cut off |

All of that is decided column by column, by Arrow or NumPy, and a column's type by its own type.
"""

import importlib
from typing import Any

import numpy as np
import pandas as pd

from tacit.tables.language import arrow

# How many microseconds one has, of the units that reach farther than microseconds.
_LONGER = {"s": 10**6, "ms": 10**3}
# Whole numbers of 64 bits hold moments, and of 32 bits days.
_MOST, _MOST_DAYS = 2**63 - 1, 2**31 - 1
_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def of_pandas(column: Any) -> Any:
    """A column of a pandas frame; itself where nothing is to be changed."""
    kind = column.dtype
    if isinstance(kind, pd.ArrowDtype):
        own = column.array.__arrow_array__()
        held = of_arrow(own)
        return column if held is own else _series(held, column)
    return _near(column) if kind.kind in "mM" and column.dt.unit != "us" else column


def of_arrow(column: Any) -> Any:
    """A column of Arrow's; itself where nothing is to be changed."""
    types, kind = arrow().types, column.type
    if types.is_dictionary(kind):
        plain = column.cast(kind.value_type) if types.is_temporal(kind.value_type) else column
        return column if plain is column else of_arrow(plain)
    if types.is_date64(kind):
        return _between(column, -_MOST_DAYS * _DAY["ms"], _MOST_DAYS * _DAY["ms"], arrow().date32())
    if types.is_time(kind):
        return _between(column, 0, _DAY[kind.unit] - 1, kind)
    if not (types.is_timestamp(kind) or types.is_duration(kind)) or kind.unit not in _LONGER:
        return column
    zoned = types.is_timestamp(kind)
    to = arrow().timestamp("us", kind.tz) if zoned else arrow().duration("us")
    most = _MOST // _LONGER[kind.unit]
    return _between(column, -most, most, to)


def in_arrow(table: Any) -> Any:
    """The table, of such columns."""
    for i, column in enumerate(table.columns):
        if (held := of_arrow(column)) is not column:
            table = table.set_column(i, table.schema.names[i], held)
    return table


def in_polars(frame: Any) -> Any:
    """The frame of Polars, of such columns."""
    units = {name: getattr(kind, "time_unit", None) for name, kind in frame.schema.items()}
    far = [name for name, unit in units.items() if unit in _LONGER]
    series = importlib.import_module("polars").Series
    return frame.with_columns([series(name, of_arrow(frame[name].to_arrow())) for name in far])


def _near(times: Any) -> Any:
    """Times or durations of NumPy's."""
    most = _MOST // _LONGER.get(times.dt.unit, 1)
    zoned = getattr(times.dt, "tz", None) is not None
    plain = times.dt.tz_convert(None) if zoned else times
    counted = plain.to_numpy().view(np.int64)
    return times.where(abs(counted) <= most).dt.as_unit("us")


def _between(column: Any, least: int, most: int, to: Any) -> Any:
    """Of another type; nothing where it counts less or more than that."""
    compute = importlib.import_module("pyarrow.compute")
    kind = column.type
    counted = column.cast(arrow().int32() if kind.bit_width == 32 else arrow().int64())
    there = compute.and_(compute.greater_equal(counted, least), compute.less_equal(counted, most))
    return compute.if_else(there, column, arrow().scalar(None, kind)).cast(to, safe=False)


def _series(held: Any, column: Any) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(held), column.index)
