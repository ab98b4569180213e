"""Numbers of a row in double precision, in every engine the same to the last digit.

An engine has its own rules for whole numbers, decimals and single precision: which type a quotient
has, where it ends, what overflows. In double precision each operation has one result. So every
number of a row is read in it, and every fraction that is written out is the nearest one.
"""

import math
from typing import Any

from tacit.tables.language import exactly, operations


def wide(own: Any) -> Any:
    """With every number of a row in double precision, and those that are written out to their last
    digit; the rows themselves stay as they are."""
    ops = operations()

    def widened(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        if isinstance(now, ops.Literal):
            fraction = now.dtype.is_floating() or now.dtype.is_decimal()
            return exactly(now.value).op() if fraction and math.isfinite(now.value) else now
        as_it_is = now.dtype.is_float64() or not now.dtype.is_numeric()
        return now if as_it_is else ops.Cast(now, "float64")

    return own.op().replace(widened, filter=ops.Value).to_expr()
