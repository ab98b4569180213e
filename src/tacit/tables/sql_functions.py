"""What SQL computes of one row beside arithmetic: CASE, COALESCE, NULLIF, parts of dates, text as
numbers.
"""

import operator
from typing import Any, Protocol

from sqlglot import exp

from tacit.tables.language import ibis, operations
from tacit.tables.sql_names import only, written
from tacit.tables.sql_values import NUMBER, TEXT, TIME, TRUTH, day, kind_of, wanted

_WRITTEN = {exp.DType.DATE: "date", exp.DType.TIMESTAMPNTZ: "timestamp"}
_TEXTS = exp.DType.VARCHAR, exp.DType.TEXT
_PARTS = ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE")


class Reader(Protocol):
    """Reads what these functions are of."""

    def of(self, node: exp.Expr) -> Any:
        """One value."""
        ...

    def all_of(self, *nodes: exp.Expr) -> list[Any]:
        """Values of one kind."""
        ...

    def kind_of(self, kind: str, *nodes: exp.Expr) -> list[Any]:
        """Values of this kind."""
        ...


def case(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "ifs", "default")
    for each in node.args["ifs"]:
        only(each, "this", "true")
    stated = [each.args["true"] for each in node.args["ifs"]]
    stated.append(node.args.get("default") or exp.Null())
    known = [each for each in stated if not isinstance(each, exp.Null)]
    if not known:
        raise ValueError("SQL is answered without a CASE that is always NULL")
    read = iter(row.all_of(*known))
    *values, last = (ibis().null() if isinstance(s, exp.Null) else next(read) for s in stated)
    return ibis().cases(*zip(_whens(row, node), values, strict=True), else_=last)


def _whens(row: Reader, node: exp.Expr) -> list[Any]:
    whens = [each.this for each in node.args["ifs"]]
    if node.this is None:
        return [row.kind_of(TRUTH, when)[0] for when in whens]
    return [operator.eq(*row.all_of(node.this, when)) for when in whens]


def first_known(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "expressions")
    return ibis().coalesce(*row.all_of(node.this, *node.expressions))


def nothing_if(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "expression")
    own, other = row.all_of(node.this, node.expression)
    return own.nullif(other)


def part(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "expression")
    own, part = wanted(row.of(node.expression), TIME), node.name.upper()
    hours = part in _PARTS[:4] or own.type().is_timestamp()
    if kind_of(own) != TIME or part not in _PARTS or not hours:
        raise ValueError(
            f"EXTRACT is answered for {', '.join(_PARTS)} of a date or time, got {written(node)}"
        )
    return getattr(own, part.lower())()


def tried(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "to")
    if node.args["to"].this is not exp.DType.DOUBLE:
        raise ValueError("TRY_CAST is answered AS DOUBLE alone")
    own = row.of(node.this)
    return own if kind_of(own) == NUMBER else row.kind_of(TEXT, node.this)[0].try_cast("float64")


def as_text_or_day(row: Reader, node: exp.Expr) -> Any:
    only(node, "this", "to")
    to = node.args["to"].this
    if to in _TEXTS:
        own, ops = row.kind_of(TEXT, node.this)[0], operations()
        return ops.Cast(own.op(), to=own.type()).to_expr()
    if to in _WRITTEN and isinstance(node.this, exp.Literal) and node.this.is_string:
        return day(node.this.this, _WRITTEN[to])
    own = wanted(row.of(node.this), TIME) if to is exp.DType.DATE else None
    if own is None or kind_of(own) != TIME:
        raise ValueError(
            "SQL is answered without CAST, which may stop at one row, but of times as DATE and of "
            "text as VARCHAR: TRY_CAST(x AS DOUBLE)"
        )
    return own if own.type().is_date() else own.date()
