"""The types of columns, in refusals: why they do not go together, and what does."""

import re
from typing import Any

from tacit.tables.language import ibis

# Engines that have a cast which does not stop; for the others Ibis writes one that does.
TRYING = "duckdb", "pyspark"
# What is declared of a column, by its type.
_INSTEAD = {
    "is_string": 'text, ["1", "2"]',
    "is_integer": "whole numbers, [1, 2]",
    "is_boolean": "truth values, [True, False]",
    "is_date": "days, [datetime.date(2024, 1, 31)]",
    "is_timestamp": "its days, [datetime.date(2024, 1, 31)]",
}


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


def tried_text(rows: Any, given: Any) -> str:
    """What follows the refusal of a column of text as a number: how those of its cells are read
    that are; nothing of other columns, of expressions, and where an engine cannot."""
    text = isinstance(given, str) and rows[given].type().is_string()
    if not (text and rows.get_backend().name in TRYING):
        return ""
    return (
        f"; where its text is numbers, ibis._[{given!r}].try_cast('float64') reads those, and in "
        f"SQL TRY_CAST({given} AS DOUBLE)"
    )


def to_declare(kind: Any) -> str:
    """What to declare of a column of this type, after a refusal; nothing of one that is no key."""
    if kind.is_timestamp() and kind.timezone is not None:
        return ""
    fit = (words for test, words in _INSTEAD.items() if getattr(kind, test)())
    return next((f": declare {words}" for words in fit), "")


def _is_named(column: str, written: str) -> bool:
    attribute, item = re.escape(column), re.escape(f"[{column!r}]")
    return re.search(rf"(?<!\w)_(\.{attribute}(?!\w)|{item})", written) is not None
