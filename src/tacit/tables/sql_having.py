"""HAVING in SQL: how many people a group needs, of groups whose keys nobody declared.

    SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(DISTINCT patient) >= 20

asks for `by(undeclared("ward", at_least=20))`: groups of fewer people, of those whose rows count,
never leave the engine. Of the others not all are released either, but by a draw of their own, with
a chance that the plan says: that somebody is the twentieth would be told otherwise.

Any other HAVING is refused. What chooses among numbers that have their noise already, whoever asked
can do with the answer; and declared groups are all answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

from sqlglot import exp

from tacit.argument import is_whole
from tacit.tables.open_keys import UndeclaredKeys, undeclared
from tacit.tables.sql_instead import of_part
from tacit.tables.sql_names import only
from tacit.tables.sql_numbers import SqlNumber
from tacit.tables.sql_values import stated

if TYPE_CHECKING:
    from tacit.tables.table import Table


@final
@dataclass(frozen=True)
class PeopleNeeded:
    """So many of each group.

    Args:
      people: how many.
    """

    people: int

    @classmethod
    def of(cls, having: exp.Expr | None, table: "Table", called: str) -> Self | None:
        """What a statement has; None if it has no HAVING.

        Raises:
          ValueError: if it is of anything but people, or no whole number of them at least.
        """
        if having is None:
            return None
        only(having, "this")
        holds = having.this.unnest()
        if not (isinstance(holds, exp.GTE) and _is_distinct(holds.this)):
            raise ValueError(f"SQL is answered without this HAVING{of_part('having')}")
        SqlNumber(table, called, "HAVING", holds.this).measure({})
        people = stated("a number of people", holds.expression)
        if not (is_whole(people) and people >= 1):
            raise ValueError(f"HAVING needs a whole number of people, from 1 on, got {people:g}")
        return cls(int(people))

    def keys(self, columns: Sequence[str]) -> UndeclaredKeys:
        """The values that are found of these columns, of groups with people enough.

        Raises:
          ValueError: if there are none.
        """
        if not columns:
            raise ValueError(
                "HAVING is of groups that nobody declared: declared ones are all answered"
            )
        return undeclared(*columns, at_least=self.people)


def _is_distinct(node: exp.Expr) -> bool:
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct)
