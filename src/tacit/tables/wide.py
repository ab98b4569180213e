"""Numbers of a row in double precision, in every engine the same to the last digit.

An engine has its own rules for whole numbers, decimals and single precision: which type a quotient
has, where it ends, what overflows. In double precision each operation has one result. So every
number of a row is read in it, and every fraction that is written out is the nearest one.
"""

import math
from typing import Any

from tacit.tables.language import exactly, operations
from tacit.tables.stopping import may_overflow


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
        as_it_is = now.dtype.is_float64() or not now.dtype.is_numeric()
        return now if as_it_is else ops.Cast(now, "float64")

    return own.op().replace(widened, filter=ops.Value).to_expr()


def _is_written(op: Any) -> bool:
    """Whether it is the text of a whole number or a decimal as it is there: 3, and not 3.0."""
    if not (type(op).__name__ == "Cast" and op.to.is_string()):
        return False
    own = op.arg.dtype
    exact = own.is_integer() or own.is_decimal()
    return exact and not any(map(may_overflow, op.arg.find(operations().Value)))


def conditions_wide(own: Any) -> Any:
    """The same in what a value is chosen by, its conditions, and nowhere else: numbers that become
    text stay as they are written."""
    ops = operations()

    def widened(op: Any, given: Any) -> Any:
        if op.dtype.is_boolean():
            return wide(op.to_expr()).op()
        now = op.__recreate__(given) if given else op
        return _by_wide(now) if isinstance(now, ops.SimpleCase) else now

    return own.op().replace(widened, filter=ops.Value).to_expr()


def _by_wide(case: Any) -> Any:
    """A case of a value, which is compared in double precision if it is a number."""
    base, *cases = (wide(each.to_expr()).op() for each in (case.base, *case.cases))
    return case.copy(base=base, cases=tuple(cases))
