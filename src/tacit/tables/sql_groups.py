"""GROUP BY in SQL: columns, and the buckets of a number, which a statement declares itself.

| SQL | groups by |
| --- | --- |
| `GROUP BY ward` | a column |
| `GROUP BY WIDTH_BUCKET(days, 0, 30, 6)` | 0 below 0, 1 to 6 for sixths, 7 from 30 on |
| the same selected `AS bucket`, `GROUP BY bucket` | the same, by that name |

Bucket i begins at low + (i - 1)(high - low)/n, in double precision, and ends below the next one's
beginning. All n + 2 are answered, also empty ones; a row without a number is in none. Values that
are computed otherwise are keys in Python alone, where somebody declares them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from sqlglot import exp

from tacit.tables.between import LARGEST
from tacit.tables.bins import MOST_BINS
from tacit.tables.language import exactly, ibis
from tacit.tables.rowwise import Said, number
from tacit.tables.sql_names import column, only, written
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.sql_values import stated

# What a group is told by: a column of its name, or buckets.
SqlGroups = Mapping[str, "Buckets | None"]
IN_PYTHON = (
    "by computed values rows are grouped in Python, where these are declared: "
    "visits.by(month=(ibis._.day.month(), [1, 2, 3]))"
)


@final
@dataclass(frozen=True)
class Buckets:
    """Buckets of one width.

    Args:
      number: the column, or an expression of one row.
      low, high: the first's beginning, and the last's end.
      many: how many there are between them.
    """

    number: Said
    low: float
    high: float
    many: int

    def __post_init__(self):
        if not -LARGEST <= self.low < self.high <= LARGEST:
            raise ValueError(
                f"WIDTH_BUCKET needs a lower limit before a higher one, within {LARGEST:g} of "
                f"zero, got {self.low:g} and {self.high:g}"
            )
        if not 1 <= self.many <= MOST_BINS:
            raise ValueError(f"WIDTH_BUCKET has from 1 to {MOST_BINS:,} buckets, got {self.many}")
        if not all(a < b for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise ValueError("WIDTH_BUCKET has fewer buckets where numbers are so close")

    @cached_property
    def edges(self) -> list[float]:
        """Where each begins, and where the last ends."""
        within = [self.low + (self.high - self.low) * i / self.many for i in range(self.many)]
        return [*within, self.high]

    @property
    def labels(self) -> list[Any]:
        return list(range(self.many + 2))

    def place(self, rows: Any) -> Any:
        """The number of each row's bucket; missing where it has none."""
        own = number(rows, self.number)
        below = [(own < exactly(edge), i) for i, edge in enumerate(self.edges)]
        bucket = ibis().cases(*below, else_=self.many + 1)
        return ibis().ifelse(own.isnan() | own.isnull(), None, bucket).cast("int64")


def buckets(node: exp.WidthBucket, table: str, columns: list[str]) -> Buckets:
    """As they are written.

    Raises:
      ValueError: if it is of anything but one number, two limits and how many.
    """
    only(node, "this", "min_value", "max_value", "num_buckets")
    of, parts = node.this.unnest(), ("min_value", "max_value", "num_buckets")
    if not all(node.args.get(part) for part in parts):
        raise ValueError("WIDTH_BUCKET is of a number, two limits and how many buckets")
    low, high, many = (stated("a limit of WIDTH_BUCKET", node.args[part]) for part in parts)
    if not many.is_integer():
        raise ValueError(f"WIDTH_BUCKET has a whole number of buckets, got {many:g}")
    read = column(of, table, columns) if isinstance(of, exp.Column) else SqlExpression(of, table)
    return Buckets(read, low, high, int(many))


def groups_of(
    group: exp.Expr | None, selected: Mapping[str, exp.Expr], table: str, columns: list[str]
) -> dict[str, Buckets | None]:
    """What a statement groups by, by name.

    Args:
      group: its GROUP BY.
      selected: what it selects, by name.
      table: what it calls the table.
      columns: the table's.

    Raises:
      ValueError: if something is no column and no bucket, or stands there twice.
    """
    if group is None:
        return {}
    only(group, "expressions")
    found: dict[str, Buckets | None] = {}
    own = {name: each for name, each in selected.items() if isinstance(each, exp.WidthBucket)}
    for each in group.expressions:
        name = _bucket_named(each, own, columns)
        if name is None:
            _refuse_computed(each, selected, columns)
            found[column(each, table, columns)] = None
        else:
            found[name] = buckets(own[name], table, columns)
    return found


def _refuse_computed(node: exp.Expr, selected: Mapping[str, exp.Expr], columns: list[str]) -> None:
    """What is no column is refused, also by the name that it is selected under."""
    named = isinstance(node, exp.Column) and not node.table and node.name not in columns
    of = selected.get(node.name, node) if named else node
    if isinstance(node, exp.Literal | exp.Column) and of is node:
        return
    if isinstance(of, exp.Column):
        raise ValueError(f"a key keeps its name in the answer: GROUP BY {written(of)}, without AS")
    raise ValueError(
        "GROUP BY is of a column, or of WIDTH_BUCKET(days, 0, 30, 6) if that is selected, got "
        f"{written(of)}; {IN_PYTHON}"
    )


def _bucket_named(
    node: exp.Expr, selected: Mapping[str, exp.WidthBucket], columns: list[str]
) -> str | None:
    """The name of the buckets that a node is, if it is any."""
    if isinstance(node, exp.WidthBucket):
        named = [name for name, each in selected.items() if each == node]
        if not named:
            raise ValueError("WIDTH_BUCKET in GROUP BY has to be selected too, as it stands there")
        return named[0]
    own = isinstance(node, exp.Column) and not node.table and node.name in selected
    if own and node.name in columns:
        raise ValueError(f"{node.name!r} is a column already: call the buckets otherwise")
    return node.name if own else None
