"""Aggregates in SQL: what `COUNT`, `SUM` and the others ask of the rows of each group.

Each is read with the parts that it has here, and all others are refused: by their names, and with
what does the same where anything does (`sql_instead`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from sqlglot import exp

from tacit.argument import got
from tacit.tables.asked import Measure
from tacit.tables.between import Between
from tacit.tables.column_quantiles import STEPS, ColumnQuantiles, median
from tacit.tables.counted import count, count_if, people
from tacit.tables.covariance_of_two import CovarianceOfTwo
from tacit.tables.measured import mean, total
from tacit.tables.spread import deviation, variance
from tacit.tables.sql_instead import of_function
from tacit.tables.sql_names import called, column, only, written
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.sql_values import stated

if TYPE_CHECKING:
    from tacit.tables.table import Table

_BOUNDED = {
    exp.Sum: total,
    exp.Avg: mean,
    exp.VariancePop: variance,
    exp.StddevPop: deviation,
    exp.Median: median,
}
_QUANTILES = exp.PercentileCont, exp.PercentileDisc
_BUT_ONE = {
    exp.Variance: "VAR_POP",
    exp.Stddev: "STDDEV_POP",
    exp.StddevSamp: "STDDEV_POP",
    exp.CovarSamp: "COVAR_POP",
}
Bounds = Mapping[str, tuple[float, float]]


@final
@dataclass(frozen=True)
class SqlNumber:
    """An aggregate that a statement selects.

    Args:
      table: with the rows of its WHERE.
      called: what the statement calls it.
      name: the number's own.
      node: the function.
    """

    table: "Table"
    called: str
    name: str
    node: exp.Expr

    def __post_init__(self):
        node = self.node
        if other := _BUT_ONE.get(type(node)):
            raise ValueError(f"{called(node)} divides by the rows but one: {other} is answered")
        if not isinstance(node, (exp.Count, exp.CountIf, exp.CovarPop, *_BOUNDED, *_QUANTILES)):
            raise ValueError(f"SQL is answered without {called(node)} of rows: {_other(node)}")
        of_two = exp.CovarPop, *_QUANTILES
        only(node, "this", *(["expression"] if isinstance(node, of_two) else []))
        if isinstance(node, of_two) and not node.expression:
            raise ValueError(f"SQL is answered without {called(node)} of one number alone")
        if isinstance(node, _QUANTILES):
            stated("a share of rows", node.expression)

    @property
    def bounded(self) -> list[str]:
        """What its bounds are stated by: columns, or its own name where it is of what is made of
        them.

        Raises:
          ValueError: if its own name is a column's, which would be two numbers' bounds.
        """
        if isinstance(self.node, exp.CovarPop):
            return [self._column(each) for each in (self.node.this, self.node.expression)]
        if isinstance(self.node, (*_BOUNDED, *_QUANTILES)):
            read = self._read
            return [read if isinstance(read, str) else self._of_no_column()]
        return []

    def measure(self, bounds: Bounds) -> Measure:
        """What it asks, of numbers between these."""
        if isinstance(self.node, exp.Count):
            return self._count(self.node.this)
        if isinstance(self.node, exp.CountIf):
            return count_if(self._read)
        pairs = [_pair(bounds, each) for each in self.bounded]
        if isinstance(self.node, exp.CovarPop):
            named = zip(self.bounded, pairs, strict=True)
            one, other = (Between(name, *pair) for name, pair in named)
            return CovarianceOfTwo(one, other)
        if isinstance(self.node, _QUANTILES):
            share = stated("a share of rows", self.node.expression)
            return ColumnQuantiles(Between(self._read, *pairs[0]), (share,), ("",), STEPS)
        return _BOUNDED[type(self.node)](self._read, *pairs[0])

    @property
    def _read(self) -> str | SqlExpression:
        plain = self.node.this.unnest()
        if isinstance(plain, exp.Distinct):
            raise ValueError("SQL is answered without DISTINCT, but in COUNT")
        if isinstance(plain, exp.Column):
            return self._column(plain)
        return SqlExpression(self.node.this, self.called)

    def _of_no_column(self) -> str:
        if self.name in self.table.joined.columns:
            raise ValueError(
                f"{self.name!r} is a column, and {written(self.node)} has bounds of its own: call "
                "it otherwise by AS"
            )
        return self.name

    def _column(self, node: exp.Expr) -> str:
        return column(node.unnest(), self.called, self.table.joined.columns)

    def _count(self, of: exp.Expr | None) -> Measure:
        if isinstance(of, exp.Star):
            only(of)
            return count()
        if isinstance(of, exp.Distinct):
            only(of, "expressions")
            self._refuse_others_than_people(of.expressions)
            return people()
        if of is None:
            raise ValueError("SQL is answered without COUNT of nothing: COUNT(*) is of all rows")
        return count_if(
            SqlExpression(exp.Not(this=exp.Is(this=of, expression=exp.Null())), self.called)
        )

    def _refuse_others_than_people(self, columns: list[exp.Expr]) -> None:
        whose = self.table.whose
        found = [column(each, self.called, self.table.joined.columns) for each in columns]
        if not (len(found) == len(whose.columns) and set(found) == set(whose.columns)):
            named = ", ".join(map(repr, whose.columns))
            raise ValueError(
                f"COUNT(DISTINCT ...) is of what tells a {whose.unit}, {named}, and of nothing "
                f"else, got {', '.join(found)}"
            )


def plain(node: exp.Expr) -> exp.Expr:
    """`PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)` as it is written with both between its
    parentheses; all else as it is."""
    if not (isinstance(node, exp.WithinGroup) and isinstance(node.this, _QUANTILES)):
        return node
    only(node, "this", "expression")
    only(node.expression, "expressions")
    first, *others = node.expression.expressions
    only(first, "this", "nulls_first")
    if others or node.this.expression:
        raise ValueError(f"{called(node.this)} is of one share of rows, and of one number")
    return type(node.this)(this=first.this, expression=node.this.this)


def _other(node: exp.Expr) -> str:
    does = of_function(node)
    if does is not None:
        return f"there is {does}"
    return (
        "there are COUNT, COUNT_IF, SUM, AVG, MEDIAN, PERCENTILE_CONT, PERCENTILE_DISC, VAR_POP, "
        "STDDEV_POP and COVAR_POP"
    )


def _pair(bounds: Bounds, key: str) -> tuple[float, float]:
    pair: Any = bounds[key]
    try:
        lower, upper = pair
    except (TypeError, ValueError):
        raise ValueError(f"bounds are a lower and an upper number, got {got(pair)}") from None
    return lower, upper
