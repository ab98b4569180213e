"""Dates that an engine finds other dates for: the first of their week, their month, their year.

DuckDB has dates of millions of years, and stops where the other date, or a time of it, is beyond
what it has. So in weeks and where dates are truncated, a date is missing that is not of the years
1 to 9999, in any engine. The date itself is, not what is found for it: DuckDB finds that of the
least and largest of a column too, whichever rows it is asked of.
"""

from datetime import date, datetime
from typing import Any

from tacit.tables.language import ibis, operations

# More digits of a second reach from 1677 to 2262 alone, and to no bound here.
_DIGITS = 6


def within_years(own: Any) -> Any:
    """The same expression, where no other date is found for one that is not of these years."""
    ops = operations()
    finding = ops.ExtractWeekOfYear, ops.DateTruncate, ops.TimestampTruncate

    def guarded(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        if not isinstance(now, finding):
            return now
        return now.copy(arg=_of_these_years(now.arg.to_expr()).op())

    if not own.op().find(finding, filter=ops.Value):
        return own
    return own.op().replace(guarded, filter=ops.Value).to_expr()


def _of_these_years(day: Any) -> Any:
    kind = day.type()
    if kind.is_timestamp() and kind.scale is not None and kind.scale > _DIGITS:
        return day
    years = date if kind.is_date() else datetime
    return ibis().ifelse((day >= years.min) & (day <= years.max), day, None)
