"""Keys that nobody declared: which of them are released is a part of the answer.

A row's group is told by one text of all its keys, made in the engine: of text the digits of its
bytes, a number or truth value as text, a missing one as `~n`, and bars between them. Different keys
have different texts, whatever a column's collation, and the text tells the keys. Rows without a
value are a key like any other.

Declared keys may be crossed with these: then which of all crossed keys are released is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, final

from tacit.argument import got, is_number, is_whole
from tacit.tables.bytewise import bytewise, text_of
from tacit.tables.keys import MOST_GROUPS, DeclaredKeys, Key, KindsKey, declared
from tacit.tables.language import ibis
from tacit.tables.rowwise import Said, said, typed, value

# Unless stated: how many keys may be released, and what share of epsilon their choice has.
MOST_KEYS, SHARE = 2**12, 0.25
# Caps alone bound what a person adds to keys of which nobody knows how many there are.
_ANY_NUMBER = 2**62


@final
@dataclass(frozen=True)
class FoundKey:
    """A key with the values that turn up.

    Args:
      column: its name in the answer.
      read: the column's name, or an expression of one row.
    """

    column: str
    read: Said

    def text(self, rows: Any) -> Any:
        """Of each row's value.

        Raises:
          ValueError: if there is no such column, or it holds values of another kind.
        """
        own = typed(value(rows, self.read), "string")
        kind = own.type()
        if not (kind.is_string() or kind.is_integer() or kind.is_boolean()):
            raise ValueError(
                f"a key that nobody declared is text, a whole number or a truth value, and "
                f"{self.column!r} is of type {kind}: make it one, e.g. by .cast('string')"
            )
        if kind.is_boolean():
            return ibis().cases((own, "1"), (~own, "0"), else_="~n")
        return bytewise(own).cast("string").coalesce("~n")

    def value(self, text: str, kind: Any) -> Any:
        """What it stands for, in a column of this type."""
        if text == "~n":
            return None
        if kind.is_boolean():
            return text == "1"
        return int(text) if kind.is_integer() else text_of(text)


@final
@dataclass(frozen=True)
class UndeclaredKeys:
    """Keys of which nobody said which there are; see `undeclared`.

    Args:
      each: keys that are found, and declared ones that they are crossed with.
      at_least: how many people a key needs, to be released at all.
      most: how many keys are released at most.
      share: of epsilon, for which keys are released.
    """

    each: tuple[FoundKey | Key | KindsKey, ...]
    at_least: int
    most: int
    share: float

    def __post_init__(self):
        _refuse_beyond("at_least", self.at_least, 1, 2**32)
        _refuse_beyond("most", self.most, 2, MOST_GROUPS)
        if not (is_number(self.share) and 0 < self.share < 1):
            raise ValueError(f"share must be above 0 and below 1, got {got(self.share)}")
        if not len(set(self.names)) == len(self.each):
            raise ValueError(f"keys must have names of their own, got {', '.join(self.names)}")

    def crossed(self, named: Mapping[str, Any]) -> Self:
        """With declared keys.

        Raises:
          ValueError: if one is no key, or has the name of another.
        """
        return replace(self, each=(*self.each, *(declared(*item) for item in named.items())))

    @property
    def groups(self) -> int:
        """How many there is room for."""
        return self.most

    @property
    def possible(self) -> int:
        """How many a person's rows can be in: any number."""
        return _ANY_NUMBER

    @property
    def names(self) -> list[str]:
        return [key.column for key in self.each]

    def place(self, rows: Any) -> Any:
        """The text of each row's group; missing where a declared key is none of its values."""
        text: Any = ""
        for i, key in enumerate(self.each):
            found = isinstance(key, FoundKey)
            own = key.text(rows) if found else key.place(rows).cast("string")
            text = text + "|" + own if i else own
        return text

    def read(self, texts: list[str], rows: Any) -> list[tuple[Any, ...]]:
        """The values of every group of these texts."""
        kinds = [
            value(rows, key.read).type() if isinstance(key, FoundKey) else None for key in self.each
        ]
        return [tuple(map(_value, self.each, text.split("|"), kinds)) for text in texts]

    def order(self, groups: Sequence[tuple[Any, ...]]) -> Sequence[int]:
        """The places of these groups as an answer has them: by their values, which say it all, and
        not as texts, of which "10" is before "2"."""
        ranks = [_rank(key) for key in self.each]
        placed = [[rank(own) for rank, own in zip(ranks, each, strict=True)] for each in groups]
        return sorted(range(len(groups)), key=placed.__getitem__)


Keys = DeclaredKeys | UndeclaredKeys


def undeclared(
    *columns: str,
    at_least: int = 1,
    most: int = MOST_KEYS,
    share: float = SHARE,
    **derived: Said,
) -> UndeclaredKeys:
    """Keys with whatever values turn up, for `Table.by`: those that enough people have.

    Args:
      columns: their names; several are crossed.
      at_least: how many people a key needs, to be released at all; keys of fewer never leave the
        engine. It costs as many people more that a key needs.
      most: how many keys are released at most: of more, the first in the order of their texts.
      share: of epsilon, for which keys are released.
      derived: expressions of one row, by the names that they will have.

    Raises:
      ValueError: if there is no key, or a number is out of its range.
    """
    named = {**{each: each for each in columns if isinstance(each, str)}, **derived}
    if not (named and len(named) == len(columns) + len(derived)):
        raise ValueError(
            'keys that nobody declared are columns by their names, each once, by("ward", "room"), '
            f'and declared ones by(ward=["A", "B"]), got {", ".join(map(got, columns)) or "none"}'
        )
    for read in named.values():
        said(read)
    each = tuple(FoundKey(*item) for item in named.items())
    return UndeclaredKeys(each, at_least, most, share)


def _refuse_beyond(name: str, value: Any, least: int, most: int) -> None:
    if not (is_whole(value) and least <= value <= most):
        raise ValueError(
            f"{name} must be a whole number from {least:,} to {most:,}, got {got(value)}"
        )


def _value(key: FoundKey | Key | KindsKey, text: str, kind: Any) -> Any:
    return key.value(text, kind) if isinstance(key, FoundKey) else key.values[int(text)]


def _rank(key: FoundKey | Key | KindsKey) -> Callable[[Any], Any]:
    """Rising in the order that a key's values have; a missing one that is found is the last."""
    if isinstance(key, FoundKey):
        return lambda value: (value is None, value)
    return {value: i for i, value in enumerate(key.values)}.__getitem__
