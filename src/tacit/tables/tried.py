"""What an engine is asked of a row, so that it does not stop at one.

That an engine stopped, while it would not have without somebody's row, tells of that row, and no
promise covers it. `rowwise` refuses what is known to stop; whatever nobody has thought of is tried
here, so that a row at which it fails has a missing value. How depends on the engine:

* **DuckDB** has `TRY`: what is in it is missing where it fails, row by row. Each operation has one
  of its own: DuckDB computes what stands in an expression twice outside of it, once, and so outside
  of a `TRY` around the whole.
* **PostgreSQL** has no such thing, and stops at double precision's ends, where others have
  infinity and zero. So in sums, differences, products and quotients a number beyond 2^500 is
  missing, and one nearer to zero than 2^-500 is zero: of what is left none reaches an end. A
  `numeric` is missing or zero just so before it becomes double precision. It also stops where it
  compares texts of two collations, or looks for one in a text whose collation does not tell letters
  apart; so texts have that of their database.

An expression is tried last, with everything that was put around it.
"""

import functools
from collections.abc import Callable
from datetime import UTC
from typing import Any

from tacit.tables.bytewise import convert_to
from tacit.tables.language import exactly, ibis, operations

# What has no way to fail: nothing is computed of a row, or only whether something is there.
_PLAIN = frozenset(["Field", "Literal", "And", "Or", "Not", "IsNull", "NotNull"])
# Of a second: microseconds, which all engines have.
_DIGITS = 6
# Products and quotients of two such numbers are within double precision's 2^-1022 to 2^1024.
_LEAST, _MOST = 2.0**-500, 2.0**500
# Of a `numeric`: its digits are compared, before any of them is double precision.
_FEWEST, _GREATEST = "1e-300", "1e300"


def tried(rows: Any, own: Any) -> Any:
    """An expression of these rows, missing where their engine would stop at it: at one that is of
    no column too, for an engine computes it only where there is a row."""
    return _WAYS.get(rows.get_backend().name, _as_it_is)(_in_utc(own))


def _in_utc(own: Any) -> Any:
    """With the times that are written out in the one zone that every engine has."""
    ops = operations()

    def moved(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        zoned = isinstance(now, ops.Literal) and getattr(now.dtype, "timezone", None)
        return ibis().literal(now.value.astimezone(UTC)).op() if zoned and now.value else now

    return own.op().replace(moved, filter=ops.Value).to_expr()


def _as_it_is(own: Any) -> Any:
    return own


def _by_try(own: Any) -> Any:
    """With each operation that could fail tried by itself."""
    ops = operations()

    def attempted(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        if isinstance(now, ops.Field) and _is_coarse(now.dtype):
            now = ops.Cast(now, "timestamp(6)")
        return now if _never_fails(now) else _try_of(now.dtype)(now.to_expr()).op()

    return own.op().replace(attempted, filter=ops.Value).to_expr()


def _is_coarse(kind: Any) -> bool:
    """Whether DuckDB puts a column's first and last time in microseconds before it reads any row,
    for what is done with them: outside of any `TRY`, and it stops where one has none."""
    return kind.is_timestamp() and kind.scale is not None and kind.scale < _DIGITS


@functools.cache
def _try_of(kind: Any) -> Callable[[Any], Any]:
    @ibis().udf.scalar.builtin(name="TRY", signature=((kind,), kind))
    def attempt(value): ...

    return attempt


def _never_fails(op: Any) -> bool:
    """Whether it is no operation, or one of truth values and double precision alone."""
    ops = operations()
    if type(op).__name__ in _PLAIN:
        return True
    if isinstance(op, ops.Cast) and op.to.is_float64() and op.arg.dtype.is_numeric():
        return True
    kinds = [each.dtype for each in (op, *op.__children__) if isinstance(each, ops.Value)]
    return all(kind.is_floating() or kind.is_boolean() or kind.is_null() for kind in kinds)


def _within(own: Any) -> Any:
    """With numbers that are computed within what double precision holds, and text compared as its
    database compares it."""
    ops = operations()

    def held(op: Any, given: Any) -> Any:
        now = op.__recreate__(given) if given else op
        if isinstance(now, ops.Field) and now.dtype.is_string():
            return _as_the_database_compares(now.to_expr()).op()
        if isinstance(now, ops.Cast) and now.arg.dtype.is_decimal() and now.to.is_floating():
            return _decimal(now.arg.to_expr()).cast(now.to).op()
        if isinstance(now, ops.IdenticalTo):
            return _alike(now.left.to_expr(), now.right.to_expr()).op()
        if not now.dtype.is_floating():
            return now
        return _HELD[type(now).__name__](now) if type(now).__name__ in _HELD else now

    return own.op().replace(held, filter=ops.Value).to_expr()


def _as_the_database_compares(text: Any) -> Any:
    """The same letters, which come out of their bytes without their column's collation."""

    @ibis().udf.scalar.builtin
    def getdatabaseencoding() -> str: ...

    @ibis().udf.scalar.builtin
    def convert_from(text: bytes, encoding: str) -> str: ...

    own = getdatabaseencoding()
    return convert_from(convert_to(text, own), own)


def _sum(op: Any) -> Any:
    return op.copy(left=_below(op.left.to_expr()).op(), right=_below(op.right.to_expr()).op())


def _product(op: Any) -> Any:
    return op.copy(left=_far(op.left.to_expr()).op(), right=_far(op.right.to_expr()).op())


def _quotient(op: Any) -> Any:
    return op.copy(left=_far(op.left.to_expr()).op(), right=_far(op.right.to_expr()).nullif(0).op())


def _far(own: Any) -> Any:
    """A number that is far enough from both ends."""
    return ibis().ifelse(own.abs() < exactly(_LEAST), 0.0, _below(own))


def _below(own: Any) -> Any:
    return ibis().ifelse(own.abs() > exactly(_MOST), None, own)


def _alike(one: Any, other: Any) -> Any:
    """Whether both are missing, or equal; Ibis writes it without the brackets it needs."""
    both = one.notnull() & other.notnull()
    return (one.isnull() & other.isnull()) | (both & (one == other))


def _decimal(own: Any) -> Any:
    fewest, greatest = (ibis().literal(each).cast("decimal") for each in (_FEWEST, _GREATEST))
    return ibis().cases((own.abs() > greatest, None), (own.abs() < fewest, 0), else_=own)


_HELD: dict[str, Callable[[Any], Any]] = {
    "Add": _sum,
    "Subtract": _sum,
    "Multiply": _product,
    "Divide": _quotient,
}
_WAYS: dict[str, Callable[[Any], Any]] = {"duckdb": _by_try, "postgres": _within}
