"""Numbers of a row in double precision, in every engine the same to the last digit.

An engine has its own rules for whole numbers, decimals and single precision: which type a quotient
has, where it ends, what overflows. In double precision each operation has one result. So every
number of a row is read in it, and every fraction that is written out is the nearest one.
"""

import math
from typing import Any

from tacit.tables.language import exactly, operations
from tacit.tables.stopping import may_overflow

# Up to here double precision holds every whole number.
_EXACT = 2.0**53


def wide(own: Any) -> Any:
    """With every number of a row in double precision, and those that are written out to their last
    digit; the rows themselves stay as they are."""
    ops = operations()

    def widened(op: Any, given: Any) -> Any:
        if _is_written(op):
            return op
        now = op.__recreate__(given) if given else op
        if isinstance(now, ops.Literal):
            fraction = now.dtype.is_floating() or now.dtype.is_decimal()
            return exactly(now.value).op() if fraction and math.isfinite(now.value) else now
        if _is_text_of_fractions(now):
            return text(now.arg.to_expr()).op()
        as_it_is = now.dtype.is_float64() or not now.dtype.is_numeric()
        return now if as_it_is else ops.Cast(now, "float64")

    return own.op().replace(widened, filter=ops.Value).to_expr()


def whole(own: Any) -> Any:
    """A number's, if it is a whole one that double precision tells apart; missing otherwise."""
    few = (own.abs() <= _EXACT).ifelse(own, None)
    made = few.cast("int64")
    return (made.cast("float64") == few).ifelse(made, None)


def text(own: Any) -> Any:
    """A number's in double precision: 3 where it is whole, and not 3.0.

    A column of whole numbers is in double precision where one person's is missing, and the text of
    everybody else's is the same.
    """
    return whole(own).cast("string").coalesce(own.cast("string"))


def _is_text(op: Any) -> bool:
    return type(op).__name__ in ("Cast", "TryCast") and op.to.is_string()


def _is_text_of_fractions(op: Any) -> bool:
    return _is_text(op) and op.arg.dtype.is_floating()


def _is_written(op: Any) -> bool:
    """Whether it is the text of a whole number or a decimal as it is there: 3, and not 3.0."""
    if not _is_text(op):
        return False
    own = op.arg.dtype
    exact = own.is_integer() or own.is_decimal()
    return exact and not any(map(may_overflow, op.arg.find(operations().Value)))


def conditions_wide(own: Any) -> Any:
    """The same in what a value is chosen by, its conditions, and nowhere else: numbers that become
    text stay as they are written, and whole ones are written alike in every type."""
    ops = operations()

    def widened(op: Any, given: Any) -> Any:
        if op.dtype.is_boolean():
            return wide(op.to_expr()).op()
        now = op.__recreate__(given) if given else op
        if _is_text_of_fractions(now):
            return text(now.arg.to_expr()).op()
        return _by_wide(now) if isinstance(now, ops.SimpleCase) else now

    return own.op().replace(widened, filter=ops.Value).to_expr()


def _by_wide(case: Any) -> Any:
    """A case of a value, which is compared in double precision if it is a number."""
    base, *cases = (wide(each.to_expr()).op() for each in (case.base, *case.cases))
    return case.copy(base=base, cases=tuple(cases))


def without_conditions(own: Any) -> Any:
    """What a value is made of, and not what it is chosen by."""
    ops = operations()
    true = ops.Literal(True, "boolean")

    def bare(op: Any, given: Any) -> Any:
        if op.dtype.is_boolean():
            return true
        now = op.__recreate__(given) if given else op
        simple = isinstance(now, ops.SimpleCase)
        return now.copy(base=true, cases=(true,) * len(now.cases)) if simple else now

    return own.op().replace(bare, filter=ops.Value)
