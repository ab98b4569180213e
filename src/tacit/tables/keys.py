"""Declared keys: the groups there are, whoever turns up in them.

Groups are declared, because which keys a table has is about people: one that nobody else has would
tell of its only person. A row whose key is none of them is left out, and a group that nobody is in
is answered like any other. `None` among the values is the group of rows without one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self, final

from tacit.argument import got
from tacit.tables.language import ibis

MOST_GROUPS = 2**14


@final
@dataclass(frozen=True)
class Key:
    """A column and the values of it that are asked about.

    Args:
      column: its name.
      values: text, whole numbers or truth values, all of one kind, each once; None for none.
    """

    column: str
    values: tuple[Any, ...]

    @classmethod
    def of(cls, column: Any, values: Any) -> Self:
        """Of values in any sequence.

        Raises:
          ValueError: if they are no values of a key.
        """
        listed = isinstance(values, Sequence) and not isinstance(values, str | bytes)
        given: Any = values if listed else getattr(values, "tolist", tuple)()
        plain = tuple(given)
        kinds = {type(each) for each in plain if each is not None}
        if not (
            isinstance(column, str) and column and len(kinds) == 1 and kinds <= {str, int, bool}
        ):
            raise ValueError(
                f"a key is a column and its declared values, all text, whole numbers or truth "
                f'values, e.g. ward=["A", "B"], got {got(values)} for {got(column)}'
            )
        if not len(set(plain)) == len(plain) <= MOST_GROUPS:
            raise ValueError(
                f"the values of key {column!r} must be {MOST_GROUPS:,} at most, each once"
            )
        return cls(column, plain)

    @property
    def labels(self) -> list[str]:
        return [str(each) for each in self.values]

    def place(self, rows: Any) -> Any:
        """The number of each row's value among these; missing where it is none of them.

        Raises:
          ValueError: if there is no such column, or it holds values of another kind.
        """
        if self.column not in rows.columns:
            there = ", ".join(rows.columns)
            raise ValueError(f"there is no column {self.column!r}; there are {there}")
        own = rows[self.column]
        self._refuse_other_kind(own.type())
        named = [(own == each, i) for i, each in enumerate(self.values) if each is not None]
        place = ibis().cases(*named, else_=None)
        if None in self.values:
            place = ibis().ifelse(own.isnull(), self.values.index(None), place)
        return place.cast("int64")

    def _refuse_other_kind(self, kind: Any) -> None:
        own = next(type(each) for each in self.values if each is not None)
        like = {str: kind.is_string(), int: kind.is_integer(), bool: kind.is_boolean()}
        if not like[own]:
            raise ValueError(
                f"column {self.column!r} is of type {kind}, and its declared values are "
                f"{own.__name__}"
            )


@final
@dataclass(frozen=True)
class DeclaredKeys:
    """Several keys crossed; with none there is one group, of all rows."""

    each: tuple[Key, ...]

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> Self:
        """Of columns and their values.

        Raises:
          ValueError: if one is no key, or they make too many groups.
        """
        made = cls(tuple(Key.of(*item) for item in named.items()))
        if not made.groups <= MOST_GROUPS:
            raise ValueError(
                f"there may be {MOST_GROUPS:,} groups at most, and these keys make {made.groups:,}"
            )
        return made

    @property
    def groups(self) -> int:
        """How many there are."""
        many = 1
        for key in self.each:
            many *= len(key.values)
        return many

    @property
    def names(self) -> list[str]:
        return [key.column for key in self.each]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values of every group, in order."""
        return list(product(*(key.values for key in self.each)))

    def place(self, rows: Any) -> Any:
        """The number of each row's group; missing where it is in none."""
        place = ibis().literal(0, "int64")
        for key in self.each:
            place = place * len(key.values) + key.place(rows)
        return place
