"""SQL of one row: a WHERE, or what stands between the parentheses of SUM, as Ibis's expressions.

No text goes to an engine. What is written is parsed, and every node of it becomes an operation of
Ibis's, or is refused by its name: what is not read here, with each of its parts, is refused.
Columns are looked up, words are literals that Ibis quotes, and `rowwise` checks what comes out as
it checks what is written in Python.

| SQL | means here |
| --- | --- |
| `days`, `"days"`, `visits.days` | a column; without quotes, its case does not matter |
| `1`, `1.5`, `'text'`, `TRUE`, `DATE '2026-01-31'` | numbers are double precision |
| `+ - * /` | of real numbers: `7 / 2` is 3.5; a divisor is a number or a `NULLIF(x, 0)` |
| `= <> < <= > >=`, `BETWEEN`, `IN (...)` | of two of a kind; where one is missing, not known |
| `AND`, `OR`, `NOT` | of three values, as in SQL; a row whose condition is not known is left out |
| `x IS NULL`, `x IS NOT NULL` | whether it is missing |
| `x LIKE 'a%'` | case matters; no backslash, which engines read differently |
| `CASE` | without ELSE, missing |
| `COALESCE`, `NULLIF`, `ABS`, `LOWER`, `UPPER`, `LENGTH` | as in SQL |
| `EXTRACT(YEAR FROM x)`, or QUARTER, MONTH, DAY, HOUR, MINUTE | of dates without a time zone |
| `TRY_CAST(x AS DOUBLE)` | missing where text is no number; a `CAST` might stop at one row |
| `CAST(x AS DATE)`, `CAST(x AS VARCHAR)` | of a time, or a cell of a file; of text: the same |

A column of a file of text is a number, a date, or true or false where that is wanted of it
(`typed_text`), and beside text in quotes text, which is no number (`sql_quoted`). Text is ordered
as the engine orders it.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, final

from sqlglot import exp

from tacit.tables.language import ibis
from tacit.tables.sql_functions import as_text_or_day, case, first_known, nothing_if, part, tried
from tacit.tables.sql_names import called, column, only, refuse_bare_words, written
from tacit.tables.sql_quoted import refuse_order_of_text, refuse_quoted_numbers
from tacit.tables.sql_values import (
    NUMBER,
    TEXT,
    TRUTH,
    dated,
    kind_of,
    number,
    refuse_two_kinds,
    wanted,
)

_LISTED = (
    "of one row there may be comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, CASE, + - * / "
    "and the functions of tacit.tables.sql_rows"
)


@final
@dataclass(frozen=True, repr=False)
class SqlExpression:
    """An expression of one row, as `rowwise` takes them.

    Args:
      node: as parsed.
      table: what columns may be prefixed with.
    """

    node: exp.Expr
    table: str

    def resolve(self, rows: Any) -> Any:
        """Of these rows.

        Raises:
          ValueError: if something of it is not read here, or does not go together.
        """
        return _Row(rows, self.table).of(self.node)

    def __repr__(self) -> str:
        return written(self.node)


@final
@dataclass(frozen=True)
class _Row:
    """Reads nodes as expressions of these rows."""

    rows: Any
    table: str

    def of(self, node: exp.Expr) -> Any:
        read = _READ.get(type(node))
        if read is None:
            raise ValueError(f"SQL is answered without {called(node)}: {_LISTED}")
        return read(self, node)

    def all_of(self, *nodes: exp.Expr) -> list[Any]:
        """Values of one kind; text beside a date is one."""
        read = [self.of(node) for node in nodes]
        like = next((each.type() for each in read if each.type().is_temporal()), None)
        if like is not None:
            read = [dated(n, r, like) for n, r in zip(nodes, read, strict=True)]
        kinds = {kind_of(each) for each in read}
        for kind in kinds - {TEXT}:
            read = [wanted(each, kind) for each in read]
        refuse_two_kinds(read)
        refuse_quoted_numbers(nodes, read)
        return read

    def compared(self, *nodes: exp.Expr) -> list[Any]:
        """The same, where they are compared."""
        refuse_bare_words(nodes, self.rows.columns)
        return self.all_of(*nodes)

    def ordered(self, *nodes: exp.Expr) -> list[Any]:
        """The same by their order."""
        read = self.compared(*nodes)
        refuse_order_of_text(nodes, read)
        return read

    def kind_of(self, kind: str, *nodes: exp.Expr) -> list[Any]:
        """Values of this kind."""
        read = [wanted(each, kind) for each in self.all_of(*nodes)]
        if kind_of(read[0]) != kind:
            raise ValueError(f"{written(nodes[0])} must be {kind}, and is {kind_of(read[0])}")
        return read

    def column(self, node: exp.Expr) -> Any:
        return self.rows[column(node, self.table, self.rows.columns)]

    def within(self, node: exp.Expr) -> Any:
        only(node, "this")
        return self.of(node.this)

    def minus(self, node: exp.Expr) -> Any:
        only(node, "this")
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return number(-float(node.this.this))
        return -self.kind_of(NUMBER, node.this)[0]

    def negated(self, node: exp.Expr) -> Any:
        only(node, "this")
        return ~self.kind_of(TRUTH, node.this)[0]

    def missing(self, node: exp.Expr) -> Any:
        only(node, "this", "expression", "negate")
        if not isinstance(node.expression, exp.Null):
            raise ValueError(
                f"SQL is answered without IS {written(node.expression)}: IS NULL alone"
            )
        return _maybe_not(node, self.of(node.this).isnull())

    def among(self, node: exp.Expr) -> Any:
        only(node, "this", "expressions", "negate")
        if not node.expressions:
            raise ValueError("SQL is answered without IN of no values")
        own, *others = self.compared(node.this, *node.expressions)
        return _maybe_not(node, own.isin(others))

    def between(self, node: exp.Expr) -> Any:
        only(node, "this", "low", "high", "negate")
        own, low, high = self.ordered(node.this, node.args["low"], node.args["high"])
        return _maybe_not(node, own.between(low, high))

    def like(self, node: exp.Expr) -> Any:
        only(node, "this", "expression", "negate")
        pattern = node.expression
        if not (
            isinstance(pattern, exp.Literal) and pattern.is_string and "\\" not in pattern.this
        ):
            raise ValueError("LIKE is answered for a text in quotes, without a backslash")
        return _maybe_not(node, self.kind_of(TEXT, node.this)[0].like(pattern.this))


def _literal(row: _Row, node: exp.Expr) -> Any:
    del row
    return ibis().literal(node.this) if node.is_string else number(float(node.this))


def _maybe_not(node: exp.Expr, truth: Any) -> Any:
    return ~truth if node.args.get("negate") else truth


def _arithmetic(with_: Callable[[Any, Any], Any]) -> Callable[[_Row, exp.Expr], Any]:
    def read(row: _Row, node: exp.Expr) -> Any:
        only(node, "this", "expression")
        return with_(*row.kind_of(NUMBER, node.this, node.expression))

    return read


def _two(
    read_as: Callable[..., list[Any]], with_: Callable[[Any, Any], Any]
) -> Callable[[_Row, exp.Expr], Any]:
    def read(row: _Row, node: exp.Expr) -> Any:
        only(node, "this", "expression")
        return with_(*read_as(row, node.this, node.expression))

    return read


def _joined(with_: Callable[[Any, Any], Any]) -> Callable[[_Row, exp.Expr], Any]:
    def read(row: _Row, node: exp.Expr) -> Any:
        only(node, "this", "expression")
        return reduce(with_, row.kind_of(TRUTH, *node.flatten()))

    return read


def _function(kind: str, name: str) -> Callable[[_Row, exp.Expr], Any]:
    def read(row: _Row, node: exp.Expr) -> Any:
        only(node, "this")
        return getattr(row.kind_of(kind, node.this)[0], name)()

    return read


_READ: dict[type, Callable[[_Row, Any], Any]] = {
    exp.Column: _Row.column,
    exp.Literal: _literal,
    exp.Boolean: lambda row, node: ibis().literal(bool(node.this)),
    exp.Paren: _Row.within,
    exp.Neg: _Row.minus,
    exp.Not: _Row.negated,
    exp.Is: _Row.missing,
    exp.In: _Row.among,
    exp.Between: _Row.between,
    exp.Like: _Row.like,
    exp.Case: case,
    exp.Coalesce: first_known,
    exp.Nullif: nothing_if,
    exp.Extract: part,
    exp.TryCast: tried,
    exp.Cast: as_text_or_day,
    exp.And: _joined(operator.and_),
    exp.Or: _joined(operator.or_),
    exp.Add: _arithmetic(operator.add),
    exp.Sub: _arithmetic(operator.sub),
    exp.Mul: _arithmetic(operator.mul),
    exp.Div: _arithmetic(operator.truediv),
    exp.EQ: _two(_Row.compared, operator.eq),
    exp.NEQ: _two(_Row.compared, operator.ne),
    exp.LT: _two(_Row.ordered, operator.lt),
    exp.LTE: _two(_Row.ordered, operator.le),
    exp.GT: _two(_Row.ordered, operator.gt),
    exp.GTE: _two(_Row.ordered, operator.ge),
    exp.Abs: _function(NUMBER, "abs"),
    exp.Lower: _function(TEXT, "lower"),
    exp.Upper: _function(TEXT, "upper"),
    exp.Length: _function(TEXT, "length"),
}
