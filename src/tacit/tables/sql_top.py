"""The most frequent of declared values in SQL: a count by one column, its largest first.

    SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY n DESC LIMIT 2

asks for `top("sex", categories=keys["sex"], k=2)`, and nothing else: which values are the largest
is read off a histogram with its noise, so their order and number cost nothing. Its columns are
called by the count: `n_1` and `n_2` are the values, `n_1_n` and `n_2_n` how many rows have them.

Any other ORDER BY or LIMIT would choose among numbers that have their noise already, which whoever
asked can do with the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, final

from sqlglot import exp

from tacit.tables.ask import Ask
from tacit.tables.caps import Caps
from tacit.tables.keys import DeclaredKeys
from tacit.tables.most_frequent import top
from tacit.tables.sql_groups import SqlGroups
from tacit.tables.sql_names import only
from tacit.tables.sql_numbers import SqlNumber
from tacit.tables.sql_values import stated

if TYPE_CHECKING:
    from tacit.tables.table import Table


@final
@dataclass(frozen=True)
class LargestCounts:
    """The largest counts of a column's values.

    Args:
      column: whose values.
      name: the count's.
      most: how many are shown.
    """

    column: str
    name: str
    most: float

    @classmethod
    def parts(cls, select: exp.Expr) -> list[str]:
        """The parts of a statement that are read here, if it has all of them."""
        both = ["order", "limit"]
        return both if all(map(select.args.get, both)) else []

    @classmethod
    def of(cls, select: exp.Expr, numbers: list[SqlNumber], groups: SqlGroups) -> Self | None:
        """What a statement shows the largest of; None if it has no ORDER BY.

        Raises:
          ValueError: if it is not the one count of one column's values.
        """
        if not cls.parts(select):
            return None
        only(select.args["order"], "expressions")
        limit, ordered = select.args["limit"], select.args["order"].expressions
        columns = [name for name, own in groups.items() if own is None]
        only(limit, "expression")
        counts = [each for each in numbers if isinstance(each.node.this, exp.Star)]
        of_one = len(columns) == len(groups) == len(numbers) == len(counts) == len(ordered) == 1
        if not (of_one and _is_by(ordered[0], counts[0])):
            raise ValueError(
                "ORDER BY and LIMIT are answered for the largest of one COUNT(*), of one column's "
                'values: ORDER BY n DESC LIMIT 2; in groups, tables.top("sex", categories=["f", '
                '"m"], k=1)'
            )
        return cls(columns[0], counts[0].name, stated("LIMIT", limit.expression))

    def ask(self, table: "Table", keys: Mapping[str, Any], caps: Caps, confidence: float) -> Ask:
        """Of these declared values.

        Raises:
          ValueError: if there are none, or too few.
        """
        if self.column not in keys:
            raise ValueError(
                f"LIMIT is of declared values: state keys={{{self.column!r}: [...]}}, all that "
                "there may be"
            )
        shown: Any = int(self.most) if self.most.is_integer() else self.most
        asked = top(self.column, categories=keys[self.column], k=shown)
        return Ask(table, DeclaredKeys(()), {self.name: asked}, caps, confidence)


def _is_by(ordered: exp.Expr, count: SqlNumber) -> bool:
    """Whether it is by this count, the largest first."""
    only(ordered, "this", "desc", "nulls_first")
    by = ordered.this
    named = isinstance(by, exp.Column) and not by.table and by.name == count.name
    return bool(ordered.args.get("desc")) and (named or by == count.node)
