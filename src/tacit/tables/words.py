"""A question of a table in words, as its plan's page and the ledger say it: in one line.

Columns and numbers have the names that whoever asks gave them; an expression is written as it was,
and cut where it is long. All of it is public: nothing of a row is in it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from tacit.argument import is_made
from tacit.tables.keys import Key, KindsKey
from tacit.tables.language import ibis
from tacit.tables.open_keys import FoundKey, Keys
from tacit.tables.rowwise import Said

# More characters of an expression, and more values of a key, are not written out.
_LONGEST, _LISTED = 60, 5
# What Ibis writes before a column of whatever table an expression will be of.
_ROW = re.compile(r"(?<![\w'\"])_\.")


# What stands there for a literal; and the parts of an expression, in the order they are printed.
_LITERAL = re.compile(r"<scalar\[.*?\]>")
_PRINTED = "func", "obj", "arg", "left", "right", "indexer", "args", "kwargs", "values"


class InWords(Protocol):
    """An aggregate that says what it is."""

    @property
    def words(self) -> str: ...


def column_in_words(given: Said) -> str:
    """A column by its name, an expression as it was written."""
    if isinstance(given, str):
        return _line(given)
    own = is_made(given, ibis().Value)
    text = _line(given.get_name() if own else _ROW.sub("", _with_literals(given)))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _with_literals(given: Said) -> str:
    """An expression as Ibis prints it, and its literals, which Ibis prints by their types alone."""
    values = _literals(getattr(given, "_resolver", None))
    return _LITERAL.sub(lambda found: next(values, found[0]), repr(given))


def _literals(part: Any) -> Iterator[str]:
    """Their values, in the order in which they are printed."""
    value: Any = getattr(part, "value", None)
    if is_made(value, ibis().Value):
        # A literal that is computed has none of its own.
        yield repr(getattr(value.op(), "value", ...))
        return
    parts = [getattr(part, name, None) for name in _PRINTED] if part is not None else []
    if isinstance(part, list | tuple):
        parts = list(part)
    for each in part.values() if isinstance(part, Mapping) else parts:
        yield from _literals(each)


def question_in_words(
    aggregates: Mapping[str, InWords], keys: Keys, conditions: tuple[Said, ...], people: int | None
) -> str:
    """Which numbers, by which keys, of which rows.

    Args:
      aggregates: what is asked, by name.
      keys: the groups.
      conditions: that rows meet.
      people: how many there are, where somebody said so.

    | question | in words |
    | --- | --- |
    | of all rows | n: how many rows |
    | of groups | n: how many rows; by ward (A, B, C) |
    | of some rows | n: how many rows; of rows with days > 7 |
    """
    said = [f"{_line(name)}: {each.words}" for name, each in aggregates.items()]
    if keys.each:
        said.append(f"by {_listed([_key(key) for key in keys.each])}")
    if conditions:
        said.append(f"of rows with {' and '.join(map(column_in_words, conditions))}")
    if people is not None:
        said.append(f"of {people:,} {'person' if people == 1 else 'people'}")
    return "; ".join(said)


def _key(key: FoundKey | Key | KindsKey) -> str:
    """With its values, or how many there are."""
    if isinstance(key, FoundKey):
        return f"{_line(key.column)} (values that are found)"
    values = ["none" if each is None else _value(str(each)) for each in key.values]
    many = f"{len(values):,} values"
    return f"{_line(key.column)} ({', '.join(values) if len(values) <= _LISTED else many})"


def _value(text: str) -> str:
    """In quotes where it holds what stands between values: one is no two."""
    return f'"{_line(text)}"' if "," in text or text == "none" else _line(text)


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _line(text: str) -> str:
    """What of it can be printed in one line."""
    return "".join(each if each.isprintable() else " " for each in text)
