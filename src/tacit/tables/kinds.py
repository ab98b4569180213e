"""The types of columns that an expression names: why they do not go together."""

import re
from typing import Any

from tacit.tables.language import ibis


def kinds_in(rows: Any, given: Any) -> str:
    """What follows a refusal: the type of each column that is named in what was said, or nothing.

    Args:
      rows: an Ibis table.
      given: an expression of one row.
    """
    if not isinstance(given, ibis().Deferred):
        return ""
    written, kinds = repr(given), rows.schema().items()
    named = {name: kind for name, kind in kinds if _is_named(name, written)}
    told = "".join(f"; column {name!r} is of type {kind}" for name, kind in named.items())
    if any(kind.is_string() for kind in named.values()):
        told += (
            ", and dates that are text must be made dates first, by pd.to_datetime in pandas; of a "
            'file .try_cast("date") and .try_cast("float64") read what is a date or a number'
        )
    return told


def _is_named(column: str, written: str) -> bool:
    attribute, item = re.escape(column), re.escape(f"[{column!r}]")
    return re.search(rf"(?<!\w)_(\.{attribute}(?!\w)|{item})", written) is not None
