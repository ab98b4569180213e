"""Dates and times that stand together in an expression: of one type, or beside what is written out.

Of two types an engine turns one into the other, row by row, and stops where it cannot: the year
9999, with which many write that something has no end, is beyond what nanoseconds count. So types
alone decide here, and two that differ are refused, whatever anybody's dates are.

| a column of | beside columns of | beside what is written out |
| --- | --- | --- |
| dates | dates | dates |
| times without a zone | times of as many digits, without one | dates, and times without one |
| times with a zone | times of as many digits, with one | dates and times |
| times of a day | times of a day | times of a day |

What is written out is public, and it is what an engine turns into the other type here; a time that
nanoseconds cannot count is refused beside them.
"""

from collections.abc import Sequence
from typing import Any

from tacit.tables.language import operations, values_of

_NAMES = """
    Coalesce NullIf IfElse SearchedCase SimpleCase Greatest Least Clip Equals NotEquals Less
    LessEqual Greater GreaterEqual Between InValues IdenticalTo
"""
_TOGETHER = frozenset(_NAMES.split())
# Of a time's digits after the second, where a type does not say how many.
_DIGITS, _NANOSECONDS = 6, 9
_COUNTED = range(1678, 2262)


def fit(op: Any) -> bool:
    """Whether no engine turns a row's date or time into another type for this operation."""
    if type(op).__name__ not in _TOGETHER:
        return True
    return all(map(_one_clock, _put_together(op)))


def _put_together(op: Any) -> list[Sequence[Any]]:
    """What is compared with each other, or is one result's other."""
    if type(op).__name__ == "SimpleCase":
        return [(op.base, *op.cases), (*op.results, op.default)]
    return [values_of(op)]


def _one_clock(together: Sequence[Any]) -> bool:
    times = [each for each in together if each.dtype.is_temporal()]
    of_rows = [each for each in times if each.find(operations().Field)]
    if not of_rows:
        return True
    own = of_rows[0].dtype
    written = [each for each in times if each not in of_rows]
    return len({_clock(each.dtype) for each in of_rows}) == 1 and all(
        _becomes(each, own) for each in written
    )


def _clock(kind: Any) -> tuple[Any, ...]:
    if not kind.is_timestamp():
        return (type(kind).__name__,)
    return "Timestamp", kind.timezone is not None, _digits(kind)


def _digits(kind: Any) -> int:
    return _DIGITS if kind.scale is None else kind.scale


def _becomes(written: Any, to: Any) -> bool:
    """Whether it is of this type, or the engine makes it so."""
    kind, value = written.dtype, getattr(written, "value", None)
    if not to.is_timestamp():
        return _clock(kind) == _clock(to)
    zoned = kind.is_timestamp() and kind.timezone is not None
    alike = kind.is_date() or (kind.is_timestamp() and (to.timezone is not None or not zoned))
    beyond = _digits(to) == _NANOSECONDS and value is not None and value.year not in _COUNTED
    return alike and not beyond
