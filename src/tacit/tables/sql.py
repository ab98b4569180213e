"""Questions in SQL: one SELECT of keys and aggregates, of one table, as an `Ask`.

SQL is a way to write a question here, and nothing else: it is parsed, and what it asks is put
together of the same conditions, keys and aggregates as in Python. Its text goes to no engine. A
construct that is not in this table, or not in that of `sql_rows`, is refused by its name.

| SQL | asks | otherwise than elsewhere |
| --- | --- | --- |
| `COUNT(*)` | `count()` | of the rows that count: of a person, in a declared group, within caps |
| `COUNT(x)` | `count_if(x IS NOT NULL)` | |
| `COUNT_IF(condition)` | `count_if(condition)` | |
| `COUNT(DISTINCT patient)` | `people()` | of what says whose a row is, and no other |
| `SUM(x)` | `total` | of numbers held between bounds; of no rows, zero |
| `AVG(x)` | `mean` | the same; of no rows, the middle of the bounds |
| `MEDIAN(x)` | `median` | of numbers held between bounds, on a grid between them |
| `VAR_POP(x)`, `STDDEV_POP(x)` | `variance`, and its root | the same |
| `PERCENTILE_CONT(x, q)`, `PERCENTILE_DISC` | `quantiles` | the same as of MEDIAN |
| `COVAR_POP(x, y)` | `covariance`, of one pair | of two columns, each between its bounds |
| `VARIANCE`, `VAR_SAMP`, `STDDEV`, `COVAR_SAMP` | refused | they divide by the rows but one |
| `WHERE condition` | `where` | |
| `GROUP BY ward` | `by(ward=keys["ward"])` | the groups are the declared ones, also empty ones |
| the same without `keys` | `by("ward")` | the groups are those that people enough are in |
| `HAVING COUNT(DISTINCT patient) >= 20` | `undeclared("ward", at_least=20)` | `sql_having` |
| `GROUP BY WIDTH_BUCKET(x, 0, 30, 6)` | bins as a key | all eight are answered: `sql_groups` |
| `GROUP BY sex ORDER BY n DESC LIMIT 2` | `top`, of declared values | of one count: `sql_top` |
| `FROM visits`, `FROM visits AS v` | | it is this table, whatever it is called |

Missing numbers are in no SUM, AVG or COUNT(x), as in SQL. Rows without a key are a group where
`None` is declared. Keys are in every answer, named or not, before all numbers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from sqlglot import exp

from tacit.argument import got
from tacit.tables.ask import Ask
from tacit.tables.caps import Caps
from tacit.tables.sql_groups import SqlGroups, groups_of
from tacit.tables.sql_having import PeopleNeeded
from tacit.tables.sql_names import called, called_table, column, only
from tacit.tables.sql_numbers import Bounds, SqlNumber, plain
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.sql_text import statement
from tacit.tables.sql_top import LargestCounts

if TYPE_CHECKING:
    from tacit.tables.table import Table

_SHOWN = {"bounds": ("days", "(0, 30)"), "keys": ("ward", '["A", "B"]')}
Keys = Mapping[str, Any]


def asked(
    table: "Table",
    text: str,
    bounds: Bounds,
    keys: Keys,
    caps: Caps,
    confidence: float,
) -> Ask:
    """What a statement asks of a table.

    Args:
      table: whatever the statement calls it.
      text: one SELECT.
      bounds: of each number that is summed: by its column, or where it is an expression by the
        name of its result.
      keys: the declared values of columns of GROUP BY; of others, values are found: see
        `undeclared`.
      caps, confidence: as of `Ask`.

    Raises:
      ValueError: if it is no such statement, or has too little or too much stated beside it.
    """
    try:
        return _Select.of(table, statement(text)).ask(bounds, keys, caps, confidence)
    except RecursionError:
        raise ValueError("SQL is answered where it is less deeply nested") from None


@final
@dataclass(frozen=True)
class _Select:
    """A statement's parts.

    Args:
      table: with the rows of its WHERE.
      groups: of its GROUP BY.
      needed: how many people each needs, if it says so.
      numbers: what else it selects.
      largest: of which of them it shows the largest, if it does.
    """

    table: "Table"
    groups: SqlGroups
    needed: PeopleNeeded | None
    numbers: list[SqlNumber]
    largest: LargestCounts | None

    @classmethod
    def of(cls, table: "Table", select: exp.Expr) -> "_Select":
        """From the parsed statement."""
        others = LargestCounts.parts(select) or ["having"]
        only(select, "expressions", "from_", "where", "group", *others)
        name, columns = called_table(select.args.get("from_")), table.joined.columns
        where = select.args.get("where")
        if where is not None:
            table = table.where(SqlExpression(where.this, name))
        chosen = [_named(each) for each in select.expressions]
        buckets = {own: node for own, node in chosen if isinstance(node, exp.WidthBucket)}
        by = groups_of(select.args.get("group"), dict(chosen), name, columns)
        _refuse_no_keys(select.expressions, list(by), name, columns)
        others = [each for each in chosen if not isinstance(each[1], exp.Column)]
        _refuse_alike([own for own, _ in others])
        numbers = [SqlNumber(table, name, *each) for each in others if each[0] not in buckets]
        needed = PeopleNeeded.of(select.args.get("having"), table, name)
        return cls(table, by, needed, numbers, LargestCounts.of(select, numbers, by))

    def ask(self, bounds: Bounds, keys: Keys, caps: Caps, confidence: float) -> Ask:
        """With what is stated beside it."""
        summed = {each for number in self.numbers for each in number.bounded}
        own = {name: each for name, each in self.groups.items() if each is not None}
        columns = [name for name in self.groups if name not in own]
        _refuse_others("keys", "in GROUP BY as a column", keys, columns, needed=[])
        _refuse_others("bounds", "summed", bounds, summed, needed=sorted(summed))
        if self.largest is not None:
            return self.largest.ask(self.table, keys, caps, confidence)
        found = [name for name in columns if name not in keys]
        of_enough = found if self.needed is None else [self.needed.keys(found)]
        by = self.table.by(*of_enough, **_in_order(self.groups, {**keys, **own})).keys
        made = {each.name: each.measure(bounds) for each in self.numbers}
        return Ask(self.table, by, made, caps, confidence)


def _in_order(groups: SqlGroups, keys: Keys) -> dict[str, Any]:
    return {name: keys[name] for name in groups if name in keys}


def _named(each: exp.Expr) -> tuple[str, exp.Expr]:
    """What is selected, after its name: without one, those of its function and its columns."""
    if isinstance(each, exp.Alias):
        only(each, "this", "alias")
        return each.alias, plain(each.this)
    node = plain(each)
    columns = dict.fromkeys(own.name for own in node.find_all(exp.Column))
    return "_".join([called(node).lower(), *columns]), node


def _refuse_alike(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two numbers are called {name!r}: name one by AS")


def _refuse_no_keys(chosen: list[exp.Expr], by: list[str], table: str, columns: list[str]) -> None:
    """Whatever is selected and is no number is in GROUP BY."""
    for each in chosen:
        name, node = _named(each)
        if isinstance(node, exp.Column):
            _refuse_no_key(column(node, table, columns), by, each)
        if isinstance(node, exp.WidthBucket) and name not in by:
            raise ValueError("WIDTH_BUCKET is selected, and is not in GROUP BY")


def _refuse_no_key(name: str, by: list[str], each: exp.Expr) -> None:
    if name not in by:
        raise ValueError(f"column {name!r} is selected, and is not in GROUP BY")
    if isinstance(each, exp.Alias):
        raise ValueError(f"a key keeps its name in the answer: select {name} without AS")


def _refuse_others(
    what: str, where: str, stated: Any, known: Collection[str], needed: Collection[str]
) -> None:
    """All that is needed is stated, and nothing that is not known."""
    if not isinstance(stated, Mapping):
        raise ValueError(f"{what} are stated by column, e.g. {_shown(what)}, got {got(stated)}")
    for each in needed:
        if each not in stated:
            typed = f", in a shell --bounds {each}:0:30" if what == "bounds" else ""
            raise ValueError(
                f"{each!r} is {where}: state its {what}, e.g. {_shown(what, each)}{typed}"
            )
    for each in stated:
        if each not in known:
            raise ValueError(f"{what} are stated of {each!r}, which is not {where}")


def _shown(what: str, of: str | None = None) -> str:
    """How it is stated, of this number."""
    usual, value = _SHOWN[what]
    return f'{what}={{"{usual if of is None else of}": {value}}}'
