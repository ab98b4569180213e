"""Values in SQL: of which kind they are, and those that are written as they are.

Kinds are told apart here, and never mixed: what an engine makes of a number beside a text is its
own affair, and may stop it at one person's row.
"""

from collections.abc import Sequence
from datetime import date, datetime
from math import isfinite
from typing import Any

from sqlglot import exp

from tacit.tables.language import ibis
from tacit.tables.typed_text import read_as

NUMBER, TEXT, TRUTH, TIME = "a number", "text", "true or false", "a date or time"
_READ = {NUMBER: "float64", TRUTH: "boolean", TIME: "date"}


def kind_of(value: Any) -> str:
    """Of an expression of the engine's.

    Raises:
      ValueError: if it is of none: a time whose hours depend on where the engine is, a list.
    """
    kind = value.type()
    if kind.is_numeric():
        return NUMBER
    if kind.is_date() or (kind.is_timestamp() and kind.timezone is None):
        return TIME
    if kind.is_string() or kind.is_boolean():
        return TEXT if kind.is_string() else TRUTH
    raise ValueError(f"SQL is answered for numbers, text, truth values and dates, got {kind}")


def wanted(value: Any, kind: str) -> Any:
    """The same, as this kind where it is a column of text of a file that may be read so."""
    read = read_as(value, _READ[kind]) if kind in _READ else value
    return read if kind_of(read) == kind else value


def refuse_two_kinds(read: Sequence[Any]) -> None:
    """Raises a ValueError if values that are put together are not all of one."""
    kinds = {kind_of(each) for each in read}
    if len(kinds) > 1:
        raise ValueError(
            f"SQL puts {' and '.join(sorted(kinds))} together in one expression: text is written "
            "'A', a date DATE '2026-01-31', and TRY_CAST(x AS DOUBLE) is the number of a text"
        )


def number(number: float) -> Any:
    """A number that is written out.

    Raises:
      ValueError: if double precision has none for it.
    """
    if not isfinite(number):
        raise ValueError("a number in SQL must be finite")
    return ibis().literal(number, "float64")


def stated(what: str, node: exp.Expr | None) -> float:
    """A number that is written out, where nothing else can stand.

    Raises:
      ValueError: if something else does.
    """
    plain = None if node is None else node.unnest()
    sign, of = (-1, plain.this) if isinstance(plain, exp.Neg) else (1, plain)
    if not (isinstance(of, exp.Literal) and not of.is_string and isfinite(float(of.this))):
        raise ValueError(f"{what} is a number that is written out, in SQL")
    return sign * float(of.this)


def day(text: str, to: str) -> Any:
    """A date or a time that is written out.

    Raises:
      ValueError: if it is none.
    """
    try:
        read = date.fromisoformat(text) if to == "date" else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a {to} in SQL is written as 2026-01-31, got {text!r}") from None
    if isinstance(read, datetime) and read.tzinfo is not None:
        raise ValueError(f"a time in SQL has no time zone, got {text!r}")
    return ibis().literal(read, to)


def dated(node: exp.Expr, read: Any, like: Any) -> Any:
    """A text that is written beside a date, as one."""
    text = isinstance(node, exp.Literal) and node.is_string
    return day(node.this, "date" if like.is_date() else "timestamp") if text else read
