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
| `VARIANCE`, `VAR_SAMP`, `STDDEV`, `STDDEV_SAMP` | refused | they divide by the rows but one |
| `WHERE condition` | `where` | |
| `GROUP BY ward` | `by(ward=keys["ward"])` | the groups are the declared ones, also empty ones |
| the same without `keys` | `by("ward")` | the groups are those that people enough are in |
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
from tacit.tables.asked import Measure
from tacit.tables.caps import Caps
from tacit.tables.column_quantiles import median
from tacit.tables.counted import count, count_if, people
from tacit.tables.measured import mean, total
from tacit.tables.spread import deviation, variance
from tacit.tables.sql_names import called, called_table, column, only
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.sql_text import statement

if TYPE_CHECKING:
    from tacit.tables.table import Table

_BOUNDED = {
    exp.Sum: total,
    exp.Avg: mean,
    exp.VariancePop: variance,
    exp.StddevPop: deviation,
    exp.Median: median,
}
_BUT_ONE = {exp.Variance: "VAR_POP", exp.Stddev: "STDDEV_POP", exp.StddevSamp: "STDDEV_POP"}
_SHOWN = {"bounds": ("days", "(0, 30)"), "keys": ("ward", '["A", "B"]')}
Bounds = Mapping[str, tuple[float, float]]
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
      called: what the statement calls it.
      groups: the columns of its GROUP BY.
      numbers: what else it selects, by name.
    """

    table: "Table"
    called: str
    groups: list[str]
    numbers: Mapping[str, exp.Expr]

    @classmethod
    def of(cls, table: "Table", select: exp.Expr) -> "_Select":
        """From the parsed statement."""
        only(select, "expressions", "from_", "where", "group")
        name, columns = called_table(select.args.get("from_")), table.joined.columns
        where, group = select.args.get("where"), select.args.get("group")
        if where is not None:
            table = table.where(SqlExpression(where.this, name))
        if group is not None:
            only(group, "expressions")
        by = [column(each, name, columns) for each in (group.expressions if group else [])]
        return cls(table, name, by, _numbers(select.expressions, name, columns, by))

    def ask(self, bounds: Bounds, keys: Keys, caps: Caps, confidence: float) -> Ask:
        """With what is stated beside it."""
        for node in self.numbers.values():
            _refuse_other_functions(node)
            only(node, "this")
        summed = {self._key(*each) for each in self.numbers.items() if type(each[1]) in _BOUNDED}
        _refuse_others("keys", "in GROUP BY", keys, self.groups, needed=[])
        _refuse_others("bounds", "summed", bounds, summed, needed=summed)
        found = [name for name in self.groups if name not in keys]
        own = self.table.by(*found, **keys).keys
        made = {name: self._measure(name, node, bounds) for name, node in self.numbers.items()}
        return Ask(self.table, own, made, caps, confidence)

    def _measure(self, name: str, node: exp.Expr, bounds: Bounds) -> Measure:
        if isinstance(node, exp.Count):
            return self._count(node.this)
        if isinstance(node, exp.CountIf):
            return count_if(self._read(node.this))
        return _BOUNDED[type(node)](self._read(node.this), *_pair(bounds, self._key(name, node)))

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

    def _key(self, name: str, node: exp.Expr) -> str:
        """What bounds are stated by: a column, or the name of what is made of columns."""
        read = self._read(node.this)
        return read if isinstance(read, str) else name

    def _read(self, node: exp.Expr) -> str | SqlExpression:
        plain = node.unnest()
        if isinstance(plain, exp.Distinct):
            raise ValueError("SQL is answered without DISTINCT, but in COUNT")
        if isinstance(plain, exp.Column):
            return column(plain, self.called, self.table.joined.columns)
        return SqlExpression(node, self.called)


def _numbers(
    chosen: list[exp.Expr], table: str, columns: list[str], by: list[str]
) -> dict[str, exp.Expr]:
    """What is selected beside keys, by name."""
    found = {}
    for each in chosen:
        node, name = _named(each)
        if isinstance(node, exp.Column):
            _refuse_no_key(column(node, table, columns), by, each)
            continue
        if name in found:
            raise ValueError(f"two numbers are called {name!r}: name one by AS")
        found[name] = node
    return found


def _named(each: exp.Expr) -> tuple[exp.Expr, str]:
    """What is selected, and its name: without one, those of its function and its columns."""
    if isinstance(each, exp.Alias):
        only(each, "this", "alias")
        return each.this, each.alias
    columns = dict.fromkeys(own.name for own in each.find_all(exp.Column))
    return each, "_".join([called(each).lower(), *columns])


def _refuse_no_key(name: str, by: list[str], each: exp.Expr) -> None:
    if name not in by:
        raise ValueError(f"column {name!r} is selected, and is not in GROUP BY")
    if isinstance(each, exp.Alias):
        raise ValueError(f"a key keeps its name in the answer: select {name} without AS")


def _refuse_other_functions(node: exp.Expr) -> None:
    if other := _BUT_ONE.get(type(node)):
        raise ValueError(f"{called(node)} divides by the rows but one: {other} is answered")
    if not isinstance(node, (exp.Count, exp.CountIf, *_BOUNDED)):
        raise ValueError(
            f"SQL is answered without {called(node)} of rows: there are COUNT, COUNT_IF, SUM, AVG, "
            "MEDIAN, VAR_POP and STDDEV_POP"
        )


def _refuse_others(
    what: str, where: str, stated: Any, known: Collection[str], needed: Collection[str]
) -> None:
    """All that is needed is stated, and nothing that is not known."""
    if not isinstance(stated, Mapping):
        raise ValueError(f"{what} are stated by column, e.g. {_shown(what)}, got {got(stated)}")
    for each in needed:
        if each not in stated:
            raise ValueError(f"{each!r} is {where}: state its {what}, e.g. {_shown(what, each)}")
    for each in stated:
        if each not in known:
            raise ValueError(f"{what} are stated of {each!r}, which is not {where}")


def _shown(what: str, of: str | None = None) -> str:
    """How it is stated, of this number."""
    usual, value = _SHOWN[what]
    return f'{what}={{"{usual if of is None else of}": {value}}}'


def _pair(bounds: Bounds, key: str) -> tuple[float, float]:
    try:
        lower, upper = bounds[key]
    except (TypeError, ValueError):
        raise ValueError(
            f"bounds are a lower and an upper number, got {got(bounds[key])}"
        ) from None
    return lower, upper
