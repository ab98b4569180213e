"""The text of a question in SQL, parsed: one SELECT, or one expression of one row.

It is read as DuckDB writes SQL, by sqlglot, and nothing is left of it but a tree.
"""

from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tacit.argument import got
from tacit.tables.sql_names import DIALECT, called, only
from tacit.tables.sql_rows import SqlExpression

# Longer than any question that is asked by hand, and short enough to parse at once.
MOST_CHARACTERS = 10_000


def statement(text: Any) -> exp.Select:
    """One SELECT.

    Raises:
      ValueError: if it is none, several, or something else.
    """
    if not (isinstance(text, str) and 0 < len(text) <= MOST_CHARACTERS):
        raise ValueError(
            f"SQL is text of 1 to {MOST_CHARACTERS:,} characters, got "
            f"{len(text) if isinstance(text, str) else got(text)}"
        )
    try:
        _refuse_other_statements(text)
        found = [each for each in sqlglot.parse(text, dialect=DIALECT) if each is not None]
    except SqlglotError as error:
        raise ValueError(f"this SQL cannot be read{_place(error)}") from None
    if not isinstance(found[0], exp.Select):
        raise ValueError(f"SQL is answered without {called(found[0])}: it is one SELECT")
    return found[0]


def expression(text: str) -> SqlExpression:
    """What a WHERE or the parentheses of a SUM may have, by itself.

    Raises:
      ValueError: if it is not one expression.
    """
    select = statement(f"SELECT {text}")
    only(select, "expressions")
    if len(select.expressions) != 1:
        raise ValueError(f"one expression of SQL is expected, got {text!r}")
    return SqlExpression(select.expressions[0], "")


def is_computed(text: str) -> bool:
    """Whether this is an expression of one row, and not a column alone."""
    try:
        node = expression(text).node
    except ValueError:
        return False
    return not isinstance(node.unalias(), exp.Column)


def _refuse_other_statements(text: str) -> None:
    """By their words, before they are parsed."""
    tokens = sqlglot.tokenize(text, dialect=DIALECT)
    ends = [i for i, each in enumerate(tokens) if each.token_type.name == "SEMICOLON"]
    if not tokens or tokens[0].token_type.name != "SELECT":
        first = tokens[0].text.upper() if tokens else "no word"
        raise ValueError(f"SQL is one SELECT, got {first}")
    if ends and ends[0] != len(tokens) - 1:
        raise ValueError("SQL is one statement, got several")


def _place(error: SqlglotError) -> str:
    """Where the parser gave up; its own words are about its own works."""
    first = next(iter(getattr(error, "errors", [])), None)
    if not first or first.get("line") is None:
        return ""
    return f" from line {first['line']}, character {first['col']} on"
