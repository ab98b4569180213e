"""Declared keys: the groups there are, whoever turns up in them.

Groups are declared, because which keys a table has is about people: one that nobody else has would
tell of its only person. A row whose key is none of them is left out, and a group that nobody is in
is answered like any other. `None` among the values is the group of rows without one.

A key is a column, or derived: an expression of one row, or the bins of a number. (Keys that nobody
declared, and what they cost, are in `open_keys`.)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any, Protocol, Self, final, runtime_checkable

from tacit.argument import got, is_made
from tacit.tables.bytewise import alike, bytewise
from tacit.tables.kinds import to_declare
from tacit.tables.language import ibis
from tacit.tables.rowwise import Said, typed, value

# Every group is a row of what the engine answers, with noise of its own.
MOST_GROUPS = 2**14
_TYPES = {str: "string", int: "int64", bool: "boolean", date: "date"}


@runtime_checkable
class Places(Protocol):
    """Public kinds of rows, such as the bins of a number."""

    @property
    def labels(self) -> list[str]:
        """What each is called."""
        ...

    def place(self, rows: Any) -> Any:
        """The number of each row's kind; missing where it is none of them."""
        ...


@final
@dataclass(frozen=True)
class Key:
    """A column and the values of it that are asked about.

    Args:
      column: its name, in the answer too.
      values: text, whole numbers, truth values or dates, of one kind, each once; None for none.
      derived: the expression of one row whose values they are; None for the column itself.
    """

    column: str
    values: tuple[Any, ...]
    derived: Said = None

    @classmethod
    def of(cls, column: Any, values: Any) -> Self:
        """Of values in any sequence, or of an expression of one row with its values.

        Raises:
          ValueError: if they are no values of a key.
        """
        if isinstance(values, tuple) and len(values) == 2 and hasattr(values[0], "resolve"):
            return cls(column, cls.of(column, values[1]).values, values[0])
        plain = told(values)
        _refuse_no_key(column, values, plain)
        if not len(set(plain)) == len(plain) <= MOST_GROUPS:
            raise ValueError(
                f"the values of key {column!r} must stand there once each, {MOST_GROUPS:,} at most"
            )
        return cls(column, plain)

    @property
    def labels(self) -> list[str]:
        return [str(each) for each in self.values]

    @property
    def words(self) -> str:
        """To have one of them."""
        return f"have each of {len(self.values):,} values of {self.column}"

    def place(self, rows: Any) -> Any:
        """The number of each row's value among these; missing where it is none of them.

        Raises:
          ValueError: if there is no such column, or it holds values of another kind.
        """
        own = self.read(rows)
        told_by, each = bytewise(own), alike(own, self.values)
        named = [(told_by == value, i) for i, value in enumerate(each) if value is not None]
        return self.or_none(own, ibis().cases(*named, else_=None))

    def read(self, rows: Any) -> Any:
        """Each row's value; of a time without a zone its day, where days are declared.

        Raises:
          ValueError: if there is no such column, or it holds values of another kind.
        """
        own = value(rows, self.column if self.derived is None else self.derived)
        own = typed(own, _TYPES[self._kind])
        if self._kind is date and own.type().is_timestamp() and own.type().timezone is None:
            own = own.date()
        self._refuse_other_kind(own.type())
        return own

    def or_none(self, own: Any, place: Any) -> Any:
        """These places, and that of none for rows without a value where it is declared."""
        if None in self.values:
            place = ibis().ifelse(own.isnull(), self.values.index(None), place)
        return place.cast("int64")

    @property
    def _kind(self) -> type:
        return next(type(each) for each in self.values if each is not None)

    def _refuse_other_kind(self, kind: Any) -> None:
        own = self._kind
        like = {str: "is_string", int: "is_integer", bool: "is_boolean", date: "is_date"}
        if not getattr(kind, like[own])():
            holds = "of numbers" if kind.is_numeric() else f"of type {kind}"
            raise ValueError(
                f"column {self.column!r} is {holds}, and its declared values are {own.__name__}"
                f"{to_declare(kind)}"
            )


@final
@dataclass(frozen=True)
class KindsKey:
    """Kinds of rows as a key; `None` is none of them, so such rows are left out.

    Args:
      column: its name in the answer.
      kinds: what rows are told apart by.
    """

    column: str
    kinds: Places

    def __post_init__(self):
        refuse_alike(self.kinds.labels)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(self.kinds.labels)

    def place(self, rows: Any) -> Any:
        return self.kinds.place(rows)


def declared(column: str, values: Any) -> Key | KindsKey:
    """The key of this name.

    Raises:
      ValueError: if it is none.
    """
    return KindsKey(column, values) if is_made(values, Places) else Key.of(column, values)


def told(values: Any) -> tuple[Any, ...]:
    """Each of several values, of a sequence or an array; none of anything else."""
    listed = isinstance(values, Sequence)
    given: Any = values if listed else getattr(values, "tolist", tuple)()
    return (
        tuple(given) if isinstance(given, Sequence) and not isinstance(given, str | bytes) else ()
    )


def _refuse_no_key(column: Any, values: Any, plain: tuple[Any, ...]) -> None:
    kinds = {type(each) for each in plain if each is not None}
    if not (isinstance(column, str) and column and len(kinds) == 1 and kinds <= set(_TYPES)):
        raise ValueError(
            "a key has its declared values in a list, all text, all whole numbers, all truth "
            "values or all dates of datetime.date: "
            'by(ward=["A", "B"]), or by(month=(ibis._.day.month(), [1, 2])) of what is '
            "computed, or tables.undeclared(month=...) where nobody declares its values, "
            f"got {_given(values, plain)} for {got(column)}"
        )


def _given(values: Any, plain: tuple[Any, ...]) -> str:
    """What stands for a key's values; of several their types alone."""
    kinds = sorted({type(each).__name__ for each in plain})
    none = "an empty list" if isinstance(values, list) else got(values)
    return f"a list of {' and '.join(kinds)}" if kinds else none


def refuse_alike(labels: Sequence[str]) -> None:
    """Raises the ValueError of kinds of rows that an answer could not tell apart."""
    for label, many in Counter(labels).items():
        if many > 1:
            raise ValueError(f"{many} kinds of rows would be called {label!r}: declare one of them")


@final
@dataclass(frozen=True)
class DeclaredKeys:
    """Several keys crossed; with none there is one group, of all rows."""

    each: tuple[Key | KindsKey, ...]

    @classmethod
    def of(cls, named: Mapping[str, Any]) -> Self:
        """Of columns and their values.

        Raises:
          ValueError: if one is no key, or they make too many groups.
        """
        made = cls(tuple(declared(*item) for item in named.items()))
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
    def possible(self) -> int:
        """How many a person's rows can be in."""
        return self.groups

    @property
    def names(self) -> list[str]:
        return [key.column for key in self.each]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values of every group, in order."""
        return list(product(*(key.values for key in self.each)))

    def order(self, groups: Sequence[tuple[Any, ...]]) -> Sequence[int]:
        """The places of these groups as an answer has them: as they are declared."""
        return range(len(groups))

    def place(self, rows: Any) -> Any:
        """The number of each row's group; missing where it is in none."""
        place = ibis().literal(0, "int64")
        for key in self.each:
            place = place * len(key.values) + key.place(rows)
        return place
