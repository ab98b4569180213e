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
| dates and times of two types | an engine may stop at one person's date (`clocks`) | days of both |
| `try_cast`, but in DuckDB and Spark | an engine without one may stop just so | a column |
| division by a column | an engine may stop at one person's zero | division by `.nullif(0)` |
| logarithms, roots, powers | an engine may stop at one person's number | a column |
| rounding to whole numbers | an engine may stop at one person's large number | a column |
| parts of text from or to a column's place | an engine may stop at one person's place | a number |
| JSON, but as text; long texts (`lengths`) | an engine may stop at one person's | short text |

A column of whole numbers is in double precision where one person's is missing, so what may be asked
of either, and what comes out, is the same: text of whole numbers is written as such, `isnan` and
`isinf` are of whole numbers too, and a cast to `int64` has whole numbers up to 2^53, and others
missing.

Whole numbers and decimals, of columns, dates and lengths, are read as double precision ones, so
that none overflows.
"""

from typing import Any

from tacit.argument import got
from tacit.tables.dates import within_years
from tacit.tables.files import no_column
from tacit.tables.kinds import TRYING, kinds_in, tried_text
from tacit.tables.language import as_number, ibis, is_said, operations
from tacit.tables.lengths import refuse_long
from tacit.tables.named import if_expression
from tacit.tables.stopping import (
    NotOfOneRow,
    is_computed_number,
    is_cut,
    may_overflow,
    refuse_what_stops,
)
from tacit.tables.typed_text import read_as
from tacit.tables.wide import conditions_wide, whole, wide, without_conditions

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
_TOLD = "an expression of one row, such as ibis._.days / 7"
_OF_OTHERS = "Reduction", "Analytic", "WindowFunction", "Subquery"
_IN_WORDS = (
    "of one row there may be + - * /, .abs(), .clip(), comparisons, & | ~, .isin(), .isnull(), "
    ".coalesce(), .nullif(), ibis.cases(), .cast(), parts of dates, .month(), and of text, "
    ".lower(), .strip(), .length(), .startswith(), .substr(); make anything else a column of the "
    "table first"
)


def said(given: Said) -> None:
    """Raises a ValueError if this can be no column and no expression."""
    if not is_said(given):
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
            raise ValueError(no_column(given) + if_expression(given))
        refuse_what_stops(rows[given].op())
        return rows[given]
    made = _resolved(rows, given)
    _refuse_a_cast_that_stops(rows, made)
    values = operations().Value
    # Of the expression alone: what rows it is of was said, and checked, before.
    for each in made.op().find(values, filter=values):
        _refuse_others(each)
    refuse_long(made.op())
    return _cut(within_years(made))


def number(rows: Any, given: Said) -> Any:
    """The same as a double precision number; truth values are 0 and 1.

    Raises:
      ValueError: if it is text, a date or anything else that is no number.
    """
    own = typed(expression(rows, given), "float64")
    kind = own.type()
    if not (kind.is_numeric() or kind.is_boolean()):
        read = tried_text(rows, given)
        raise ValueError(f"{_called(given)} is of type {kind}, and bounds are for numbers{read}")
    if kind.is_boolean():
        return as_number(wide(own)).cast("float64")
    return wide(own).cast("float64")


def typed(own: Any, kind: Any) -> Any:
    """A column in which nothing is, and so of no type, as one of this type: that nobody's value is
    in it is a secret, so it is missing, not refused. Text of a file as `typed_text` has it; any
    other as it is."""
    return own.cast(kind) if own.type().is_null() else read_as(own, kind)


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
    | a column or an expression in double precision | its whole numbers; what is none is missing |
    | a truth value | itself |
    | text | itself, its conditions by double precision; made of computed numbers it is refused |

    Double precision is what a DataFrame or a CSV file has for whole numbers of which one is
    missing, or is none: refused, it would tell that somebody's row is such a one.
    """
    own = expression(rows, given)
    kind = own.type()
    if kind.is_float64():
        return whole(wide(own))
    if isinstance(own.op(), operations().Field):
        return own
    if kind.is_boolean():
        return wide(own)
    return whole(wide(own).cast("float64")) if kind.is_integer() else _of_wide_conditions(own)


def _of_wide_conditions(own: Any) -> Any:
    made, values = conditions_wide(own), operations().Value
    bare = without_conditions(own).find(values, filter=values)
    if any(is_computed_number(op) or may_overflow(op) for op in bare):
        raise NotOfOneRow(
            "text of numbers that are computed may stop at one person's: make the number a key of "
            "its own"
        )
    return made


def _cut(own: Any) -> Any:
    """The same, where a cast of double precision to whole numbers has those it holds alone."""
    ops = operations()

    def cut(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        return whole(now.arg.to_expr()).op() if is_cut(now) else now

    return own.op().replace(cut, filter=ops.Value).to_expr()


def _resolved(rows: Any, given: Said) -> Any:
    """The expression that it is of these rows; what Ibis says is not repeated: it prints rows."""
    try:
        made = _of_any_number(rows, given)
    except Exception as error:
        if type(error) is ValueError and not isinstance(given, ibis().Deferred):
            raise
        made = type(error).__name__
    if not isinstance(made, ibis().Value):
        why = f" ({made})" if isinstance(made, str) else ""
        raise ValueError(
            f"{_TOLD}, puts columns that are there together as their types allow{why}: names are "
            f"as the table or the file's first line has them{kinds_in(rows, given)}"
        )
    return made


def _of_any_number(rows: Any, given: Said) -> Any:
    """The same; of whole numbers in double precision: `.isnan()` is refused of no such column."""
    try:
        return given.resolve(rows)
    except AttributeError:
        whole = [name for name, kind in rows.schema().items() if kind.is_integer()]
        doubled = rows.mutate(**{name: rows[name].cast("float64") for name in whole})
        return _of_parent(given.resolve(doubled), doubled.op())


def _of_parent(made: Any, own: Any) -> Any:
    """The same of the rows that these were made of."""
    ops = operations()

    def replaced(op: Any, given: Any) -> Any:
        if isinstance(op, ops.Field) and op.rel == own:
            return own.values[op.name]
        return op.__recreate__(given) if given else op

    return made.op().replace(replaced, filter=ops.Value).to_expr()


def _refuse_a_cast_that_stops(rows: Any, made: Any) -> None:
    if made.op().find(operations().TryCast) and rows.get_backend().name not in TRYING:
        raise NotOfOneRow(
            f"try_cast may stop at one person's value here: of the engines, {', '.join(TRYING)} "
            "make it missing; give a column of the type that is needed"
        )


def _refuse_others(op: Any) -> None:
    name = type(op).__name__
    if isinstance(op, tuple(getattr(operations(), each) for each in _OF_OTHERS)):
        raise NotOfOneRow(
            f"{name} is not allowed, because it looks at other rows: give {_TOLD}, and what is of "
            'several rows is asked as an aggregate, tables.mean("days", 0, 30)'
        )
    if name not in _ALLOWED:
        raise NotOfOneRow(f"{name} is not allowed: {_IN_WORDS}")
    refuse_what_stops(op)


def _called(given: Said) -> str:
    return f"column {given!r}" if isinstance(given, str) else "this expression"
