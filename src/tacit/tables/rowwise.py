"""Expressions of one row: what a person may be asked, and nothing that looks at anybody else's.

An expression of a row is bounded, row by row, whatever it computes. One that ranks rows, sums them
or looks into another table would carry other people into this one's number; one that draws at
random would not give the same sums twice. So the operations allowed are listed here, by the names
that Ibis has for them, and all else is refused by its name before anything is read.

| refused | because | instead |
| --- | --- | --- |
| sums, ranks, windows, subqueries | they look at other rows | ask for an aggregate |
| random numbers, the time, own functions | no one can repeat them | a column |
| text to numbers by `cast` | an engine may stop at one person's text | `try_cast` |
| numbers to less than double precision | an engine may stop at one person's number | `float64` |
| `isin` of values of another kind | an engine may stop at one person's text | values of its kind |
| `try_cast`, but in DuckDB and Spark | an engine without one may stop just so | a column |
| division by a column | an engine may stop at one person's zero | division by `.nullif(0)` |
| logarithms, roots, powers | an engine may stop at one person's number | a column |
| rounding to whole numbers | an engine may stop at one person's large number | a column |
| parts of text from or to a column's place | an engine may stop at one person's place | a number |

Whole numbers and decimals, of columns, dates and lengths, are read as double precision ones, so
that none overflows.
"""

from collections.abc import Callable
from typing import Any

from tacit.argument import got
from tacit.tables.dates import within_years
from tacit.tables.files import no_column
from tacit.tables.language import as_number, ibis, operations
from tacit.tables.wide import wide

# A column's name, or an expression: `ibis._.days / 7`.
Said = Any

_NAMES = """
    Field Literal Cast TryCast Coalesce NullIf IfElse SearchedCase SimpleCase Add Subtract
    Multiply Divide Negate Abs Sign Greatest Least Clip IsNan IsInf And Or Not Xor Equals
    NotEquals Less LessEqual Greater GreaterEqual Between InValues IsNull NotNull IdenticalTo
    Lowercase Uppercase Strip LStrip RStrip StringLength StartsWith EndsWith StringContains
    StringConcat StringSQLLike Substring StrRight ExtractYear ExtractQuarter ExtractMonth
    ExtractDay ExtractDayOfYear ExtractWeekOfYear DayOfWeekIndex ExtractHour ExtractMinute
    ExtractSecond Date DateTruncate TimestampTruncate
"""
_ALLOWED = frozenset(_NAMES.split())
# Functions of text whose other arguments are public.
_OF_PUBLIC = "Substring", "StrRight", "StringSQLLike"
# Up to here double precision holds every whole number.
_EXACT = 2.0**53
# Engines that have a cast which does not stop; for the others Ibis writes one that does.
_TRYING = "duckdb", "pyspark"
_TOLD = "an expression of one row, such as ibis._.days / 7"


class NotOfOneRow(ValueError):
    """An expression that looks at other rows, or that nobody can repeat."""


def said(given: Said) -> None:
    """Raises a ValueError if this can be no column and no expression."""
    if isinstance(given, str) and given:
        return
    if isinstance(given, str) or not hasattr(given, "resolve"):
        raise ValueError(f"a column is its name, or {_TOLD}, got {got(given)}")


def expression(rows: Any, given: Said) -> Any:
    """A column's name or an expression, of these rows.

    Args:
      rows: an Ibis table.
      given: what was said.

    Raises:
      ValueError: if there is no such column, or it is no expression of one row.
    """
    said(given)
    if isinstance(given, str):
        if given not in rows.columns:
            raise ValueError(no_column(given))
        return rows[given]
    made = _resolved(rows, given)
    _refuse_a_cast_that_stops(rows, made)
    values = operations().Value
    # Of the expression alone: what rows it is of was said, and checked, before.
    for each in made.op().find(values, filter=values):
        _refuse_others(each)
    return within_years(made)


def number(rows: Any, given: Said) -> Any:
    """The same as a double precision number; truth values are 0 and 1.

    Raises:
      ValueError: if it is text, a date or anything else that is no number.
    """
    own = typed(expression(rows, given), "float64")
    kind = own.type()
    if not (kind.is_numeric() or kind.is_boolean()):
        raise ValueError(f"{_called(given)} is of type {kind}, and bounds are for numbers")
    if kind.is_boolean():
        return as_number(wide(own)).cast("float64")
    return wide(own).cast("float64")


def typed(own: Any, kind: Any) -> Any:
    """A column in which nothing is, and so of no type, as one of this type; any other as it is.

    Whether somebody's value is in a column is a secret: a column of none is missing, not refused.
    """
    return own.cast(kind) if own.type().is_null() else own


def condition(rows: Any, given: Said) -> Any:
    """The same as a truth value.

    Raises:
      ValueError: if it is none.
    """
    own = typed(expression(rows, given), "boolean")
    if not own.type().is_boolean():
        raise ValueError(
            f"{_called(given)} is of type {own.type()}, and a condition is true or false"
        )
    return wide(own)


def value(rows: Any, given: Said) -> Any:
    """The same as it is, where no step may overflow: a key.

    | what is given | becomes |
    | --- | --- |
    | a column | itself |
    | a whole number that is computed | the same by double precision; missing beyond 2^53 |
    | a truth value | itself |
    | text, made of whole numbers that are computed | refused |
    """
    own, ops = expression(rows, given), operations()
    if isinstance(own.op(), ops.Field):
        return own
    if own.type().is_boolean():
        return wide(own)
    if own.type().is_integer():
        found = wide(own).cast("float64")
        return (found.abs() <= _EXACT).ifelse(found, None).cast("int64")
    computed = ops.Add, ops.Subtract, ops.Multiply, ops.Negate, ops.Abs
    if any(each.dtype.is_integer() for each in own.op().find(computed, filter=ops.Value)):
        raise NotOfOneRow(
            "text of whole numbers that are computed may stop at one person's: make the number a "
            "key of its own"
        )
    return own


def _resolved(rows: Any, given: Said) -> Any:
    """The expression that it is of these rows; what Ibis says is not repeated: it prints rows."""
    try:
        made = given.resolve(rows)
    except Exception as error:
        if type(error) is ValueError and not isinstance(given, ibis().Deferred):
            raise
        made = type(error).__name__
    if not isinstance(made, ibis().Value):
        why = f" ({made})" if isinstance(made, str) else ""
        raise ValueError(
            f"{_TOLD}, puts columns that are there together as their types allow{why}; there are "
            f"{', '.join(rows.columns)}"
        )
    return made


def _refuse_a_cast_that_stops(rows: Any, made: Any) -> None:
    if made.op().find(operations().TryCast) and rows.get_backend().name not in _TRYING:
        raise NotOfOneRow(
            f"try_cast may stop at one person's value here: of the engines, {', '.join(_TRYING)} "
            "make it missing; give a column of the type that is needed"
        )


def _refuse_others(op: Any) -> None:
    name = type(op).__name__
    if name not in _ALLOWED:
        raise NotOfOneRow(f"{name} is not allowed: give {_TOLD}")
    _refuse_what_stops(op, name)


def _refuse_what_stops(op: Any, name: str) -> None:
    """What an engine gives up at, if one person's value is not as expected."""
    if name == "Cast" and not op.to.is_string() and not _widens(op):
        raise NotOfOneRow(
            f"a cast from {op.arg.dtype} to {op.to} may stop at one person's value: use try_cast, "
            "which makes it missing"
        )
    if name == "Divide" and not _never_zero(op.right):
        raise NotOfOneRow("a division may stop at one person's zero: divide by x.nullif(0)")
    if name == "InValues" and not all(map(_like(op.value), op.options)):
        raise NotOfOneRow(
            f"isin may stop at one person's value: a value of type {op.value.dtype} is among values"
            " of its own kind"
        )
    if name in _OF_PUBLIC and not all(map(_is_public, op.args[1:])):
        raise NotOfOneRow(f"{name} may stop at one person's value: give it numbers and text alone")


def _widens(op: Any) -> bool:
    own, to = op.arg.dtype, op.to
    if own.is_null():
        return True
    return to.is_float64() if own.is_numeric() or own.is_boolean() else own == to


def _like(one: Any) -> Callable[[Any], bool]:
    """Whether another is of its kind, or none: numbers are, and else values of one type."""

    def holds(other: Any) -> bool:
        own, its = one.dtype, other.dtype
        numbers = own.is_numeric() and its.is_numeric()
        return numbers or its.is_null() or type(own) is type(its)

    return holds


def _is_public(op: Any) -> bool:
    return op is None or type(op).__name__ == "Literal"


def _never_zero(op: Any) -> bool:
    written = op.null_if_expr if type(op).__name__ == "NullIf" else op
    if type(written).__name__ != "Literal" or written.value is None:
        return False
    zero = float(written.value) == 0
    return zero if written is not op else not zero


def _called(given: Said) -> str:
    return f"column {given!r}" if isinstance(given, str) else "this expression"
