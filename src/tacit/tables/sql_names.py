"""What SQL is made of, by name: constructs that are refused, parts of them, tables and columns.

A construct is read with the parts that its reader names; `only` refuses all others, so that what
nobody foresaw is never passed over.
"""

from collections.abc import Sequence

from sqlglot import exp

from tacit.tables.files import no_column
from tacit.tables.sql_instead import of_part

DIALECT = "duckdb"
_CALLED = {
    exp.Subquery: "a subquery",
    exp.Select: "a subquery",
    exp.Exists: "a subquery (EXISTS)",
    exp.Union: "UNION",
    exp.Window: "a window (OVER)",
    exp.Placeholder: "a parameter",
    exp.Null: "NULL as a value",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Star: "*",
}
_PARTS = {
    "with_": "WITH",
    "from_": "FROM",
    "where": "WHERE",
    "group": "GROUP BY",
    "distinct": "DISTINCT",
    "expressions": "several arguments",
    "query": "a subquery",
    "joins": "JOIN",
    "laterals": "LATERAL",
    "sample": "TABLESAMPLE",
    "pivots": "PIVOT",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "into": "INTO",
    "locks": "FOR UPDATE",
    "rollup": "ROLLUP",
    "cube": "CUBE",
    "grouping_sets": "GROUPING SETS",
    "all": "GROUP BY ALL",
    "db": "a schema",
    "escape": "ESCAPE",
    "symmetric": "SYMMETRIC",
}
# What the parser notes of how something was written, and not of what it means.
_SPARE = {"typed", "safe", "big_int", "_type"}


def written(node: exp.Expr) -> str:
    """As SQL, without remarks."""
    return node.sql(dialect=DIALECT, comments=False)


def called(node: exp.Expr) -> str:
    """What a construct is called."""
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name}"
    name = node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
    return _CALLED.get(type(node), name)


def only(node: exp.Expr, *parts: str) -> None:
    """Raises a ValueError if a node has other parts than these: none is passed over silently."""
    for part, value in node.args.items():
        if value and part not in parts and part not in _SPARE:
            name = _PARTS.get(part, f"{part.strip('_').upper()} of {called(node)}")
            raise ValueError(f"SQL is answered without {name}{of_part(part)}")


def named(name: exp.Expr, columns: list[str]) -> str:
    """The column of this name: as it is written, or but for its case where it is not quoted.

    Raises:
      ValueError: if there is none, or more than one.
    """
    if name.name in columns:
        return name.name
    alike = [each for each in columns if each.lower() == name.name.lower()]
    quoted = isinstance(name, exp.Identifier) and name.args.get("quoted")
    if isinstance(name, exp.Identifier) and not quoted and len(alike) == 1:
        return alike[0]
    text = f"; what is in double quotes is a name, and text is '{name.name}'" if quoted else ""
    raise ValueError(no_column(name.name) + text)


def refuse_bare_words(nodes: Sequence[exp.Expr], columns: list[str]) -> None:
    """Raises a ValueError if what is compared with a column is a word that is none: it may be text
    that lacks its quotes."""
    words = [each.this for each in (n.unnest() for n in nodes) if isinstance(each, exp.Column)]
    alike = {each.lower() for each in columns}
    none = [each for each in words if each.name.lower() not in alike]
    if none and len(none) < len(words) and not none[0].args.get("quoted"):
        name = none[0].name
        raise ValueError(f"{no_column(name)}; text is written in single quotes, '{name}'")


def column(node: exp.Expr, table: str, columns: list[str]) -> str:
    """The name of the column that a node is.

    Raises:
      ValueError: if it is none.
    """
    if isinstance(node, exp.Literal):
        raise ValueError(f"{written(node)} is no column: columns are called by their names")
    if not isinstance(node, exp.Column):
        raise ValueError(f"{called(node)} is no column of the table")
    only(node, "this", "table")
    if node.table and node.table.lower() != table.lower():
        raise ValueError(f"SQL is of one table, {table!r}, got a column of {node.table!r}")
    return named(node.this, columns)


def called_table(from_: exp.Expr | None) -> str:
    """What a statement calls its one table.

    Raises:
      ValueError: if it has none, or something else.
    """
    if from_ is None:
        raise ValueError("SQL is of one table: FROM and its name are missing")
    only(from_, "this")
    table, alias = from_.this, from_.this.args.get("alias")
    if not isinstance(table, exp.Table):
        raise ValueError(f"SQL is answered without {called(table)} after FROM: it is of one table")
    only(table, "this", "alias")
    if not isinstance(table.this, exp.Identifier):
        raise ValueError(f"SQL is answered without {called(table.this)} after FROM: name a table")
    if alias is not None:
        only(alias, "this")
    return table.alias_or_name
