"""Operations that an engine gives up at, if one person's value is not as expected.

That it stopped would tell of that value, and what it is can be told before anything is read: from
the operation, the types it is of, and what is written out in it. `rowwise` has the list.
"""

from collections.abc import Callable
from typing import Any

from tacit.tables.clocks import fit
from tacit.tables.language import values_of

# Functions of text whose other arguments are public.
_OF_PUBLIC = "Substring", "StrRight", "StringSQLLike"
# Engines have places in texts as whole numbers of 32 bits.
_PLACES = 2**31 - 1
# Of a pattern of text; how long it may be, `lengths` says.
_MOST_PARTS = 20
# What is put beside another of its kind.
_COMPARED = (
    *("Equals", "NotEquals", "Less", "LessEqual", "Greater", "GreaterEqual", "Between"),
    *("IdenticalTo", "NullIf"),
)
# In whole numbers and decimals an engine stops at what is too large; in decimals also where two of
# different digits are put together.
_COMPUTED = "Add", "Subtract", "Multiply", "Divide", "Negate", "Abs"
_CHOSEN = "Coalesce", "NullIf", "IfElse", "SearchedCase", "SimpleCase", "Greatest", "Least", "Clip"


class NotOfOneRow(ValueError):
    """An expression that looks at other rows, or that nobody can repeat."""


def refuse_what_stops(op: Any) -> None:
    """Raises `NotOfOneRow` of an operation that an engine may give up at."""
    name = type(op).__name__
    _refuse_no_type(op, name)
    _refuse_json(op, name)
    if name == "Cast" and not op.to.is_string() and not _widens(op):
        raise NotOfOneRow(
            f"a cast from {op.arg.dtype} to {op.to} may stop at one person's value: use try_cast, "
            "which makes it missing"
        )
    if name == "Divide" and not _never_zero(op.right):
        raise NotOfOneRow("a division may stop at one person's zero: divide by x.nullif(0)")
    _refuse_what_is_not_alike(op, name)
    if name in _OF_PUBLIC and not all(map(_is_public, op.args[1:])):
        raise NotOfOneRow(f"{name} may stop at one person's value: give it numbers and text alone")
    _refuse_no_place(op, name)


def _refuse_no_type(op: Any, name: str) -> None:
    """Of a DataFrame's column without a type no value is handed over: see `frames`."""
    if name == "Field" and op.dtype.is_unknown():
        raise NotOfOneRow(
            f"column {op.name!r} is of type unknown: give it one that an engine has, in a "
            "DataFrame by .astype(...)"
        )


def _refuse_json(op: Any, name: str) -> None:
    """What JSON holds is put beside numbers and text by an engine itself, row by row, where nothing
    tries it."""
    taken = any(each.dtype.is_json() for each in values_of(op))
    if taken and not (name in ("IsNull", "NotNull") or (name == "Cast" and op.to.is_string())):
        raise NotOfOneRow(
            f"{name} of JSON may stop at one person's value: make it text, by .cast('string'), or "
            "a column of the table first"
        )


def _refuse_what_is_not_alike(op: Any, name: str) -> None:
    why = _not_alike(op, name)
    if why is not None:
        raise NotOfOneRow(why)


def _not_alike(op: Any, name: str) -> str | None:
    """What an engine might stop at of values of several kinds, if there are."""
    stops = f"{name} may stop at one person's value"
    if name == "InValues" and not all(map(_like(op.value), op.options)):
        return f"{stops}: a value of type {op.value.dtype} is among values of its own kind"
    if name in _COMPARED and _makes_text_another(op):
        return f"{stops}: text is compared with text, and a uuid.UUID by str(...)"
    if name in (*_COMPARED, *_CHOSEN) and _of_durations_and_numbers(op):
        return f"{stops}: a duration is put beside durations"
    if not fit(op):
        return (
            f"{name} of dates and times of different types may stop at one person's: put days "
            "together, those of times by .date(), or times without a zone by "
            ".try_cast('timestamp'); beside a date write a date out, beside a time one of its zone"
        )
    return None


def _refuse_no_place(op: Any, name: str) -> None:
    """Of what is written out beside a text: places that an engine has not, patterns without end."""
    if name not in _OF_PUBLIC:
        return
    first, *last = (each.value for each in op.args[1:] if each is not None)
    if name == "StringSQLLike":
        _refuse_no_pattern(first)
        return
    least = 0 if name == "StrRight" else -_PLACES
    if not (least <= first <= _PLACES and all(0 <= each <= _PLACES for each in last)):
        raise NotOfOneRow(
            f"{name} may stop at one person's value: places and lengths are whole numbers within "
            f"2^31, and a length is from 0, got {', '.join(map(str, (first, *last)))}"
        )


def _refuse_no_pattern(pattern: str) -> None:
    """An engine goes one call deeper for each `%`, and to its stack's end at some text."""
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise NotOfOneRow(
            "a pattern that ends in a backslash may stop at one person's value: write two"
        )
    if not pattern.count("%") <= _MOST_PARTS:
        raise NotOfOneRow(
            f"a pattern has {_MOST_PARTS} % at most: an engine may stop at one person's value for "
            "more of them"
        )


def is_cut(op: Any) -> bool:
    """Whether it is a cast of double precision to whole numbers, which `rowwise` makes missing
    where it would stop, or round."""
    return type(op).__name__ == "Cast" and op.arg.dtype.is_floating() and op.to.is_int64()


def _widens(op: Any) -> bool:
    own, to = op.arg.dtype, op.to
    if own.is_null() or is_cut(op):
        return True
    return to.is_float64() if own.is_numeric() or own.is_boolean() else own == to


def _makes_text_another(op: Any) -> bool:
    """Whether an engine turns a row's text into another type for it."""
    texts = [each for each in op.args if each.dtype.is_string() and not _is_public(each)]
    return bool(texts) and not all(map(_like(texts[0]), op.args))


def _of_durations_and_numbers(op: Any) -> bool:
    kinds = [each.dtype for each in values_of(op)]
    durations = any(kind.is_interval() for kind in kinds)
    return durations and any(kind.is_numeric() for kind in kinds)


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


def is_computed_number(op: Any) -> bool:
    """Whether it is a number that is computed, of any type: a column of whole numbers is in double
    precision where one person's is missing, and is refused no less."""
    return type(op).__name__ in _COMPUTED and op.dtype.is_numeric()


def may_overflow(op: Any) -> bool:
    """Whether an engine may stop at a number of a row here, if that is in no double precision."""
    name, kind = type(op).__name__, op.dtype
    return (name in _COMPUTED and kind.is_integer()) or (
        name in (*_COMPUTED, *_CHOSEN) and kind.is_decimal()
    )
