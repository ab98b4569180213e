"""A public table beside people's rows: what everybody knows of a ward, a product or a day.

Each of the people's rows gets the columns of the public row that has the same value, or missing
ones where there is none (a left join). What is public has to be public: no row of it may be about
one of these people.

**Why nothing is charged for it.** A row's new columns are a function of that row and of public
values, as an expression of one row is; so a person's rows with their new columns depend on that
person's rows alone. Caps are kept after that: even if an engine took two public values for one and
doubled a row, no more of one person's rows would count than before.

A value that stands there twice would double rows, and be counted twice: such a table is refused. It
is read once, here, and held in this process; the engine gets a copy, quoted by Ibis.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

from tacit.argument import got
from tacit.tables.bytewise import alike, by_digits, bytewise
from tacit.tables.engine import quoting_nobody
from tacit.tables.files import no_column
from tacit.tables.language import arrow, ibis
from tacit.tables.lengths import MOST_LETTERS
from tacit.tables.rowwise import typed, value
from tacit.tables.written import digest_of


@final
@dataclass(frozen=True, eq=False)
class PublicTable:
    """Rows that everybody may know, each with a value of its own.

    Args:
      rows: in this process, as Arrow has them.
      on: the column that tells them apart, here and in people's rows.
    """

    rows: Any
    on: str

    @classmethod
    def of(cls, source: Any, on: Any) -> Self:
        """Of a table that Ibis has; rows without a value match nothing, and are left out.

        Raises:
          ValueError: if there is no such column, or a value stands there more than once.
          EngineError: if its engine stops, whose words may tell of people: a public view is of
            their database.
        """
        if not (isinstance(on, str) and on in source.columns):
            raise ValueError(f"on must be a column of the public table, and {got(on)} is none")
        rows = quoting_nobody(source.filter(source[on].notnull()).to_pyarrow)
        if not len(set(rows[on].to_pylist())) == len(rows):
            raise ValueError(
                f"a value of {on!r} stands more than once in the public table, which would count "
                "rows twice: keep one row for each value"
            )
        _refuse_long(rows)
        return cls(rows, on)

    @cached_property
    def digest(self) -> str:
        """Of its rows, in whatever order they came, and of which column tells them apart."""
        told = [(field.name, str(field.type)) for field in self.rows.schema]
        # Python's own values, of which Python writes all.
        rows = sorted(map(repr, zip(*self.rows.to_pydict().values(), strict=True)))
        return digest_of([self.on, told, rows])

    def beside(self, rows: Any) -> Any:
        """People's rows with these columns.

        Raises:
          ValueError: if they have no such column, or one of another type, or have a column of the
            same name as one that is public.
        """
        own = self._of_people(rows)
        more = [name for name in self.rows.column_names if name != self.on]
        taken = {name.casefold() for name in rows.columns}
        if twice := sorted(name for name in more if name.casefold() in taken):
            raise ValueError(
                f"both tables have a column {twice[0]!r}, whatever the case of its letters: give "
                "the public one another name"
            )
        key = _apart(self.on, [*rows.columns, *more])
        public = ibis().memtable(self._told_as(own))
        there = public.select(**{key: public[self.on]}, **{name: public[name] for name in more})
        return rows.left_join(there, bytewise(own) == there[key])[[*rows.columns, *more]]

    def _of_people(self, rows: Any) -> Any:
        """The column of people's rows that tells which public row is theirs."""
        if self.on not in rows.columns:
            raise ValueError(no_column(self.on))
        kind = ibis().memtable(self.rows)[self.on].type()
        own = typed(value(rows, self.on) if kind.is_integer() else rows[self.on], kind)
        self._refuse_other_kind(own.type(), kind)
        return own

    def _told_as(self, own: Any) -> Any:
        """The rows, told apart as the engine tells this column's of people's rows."""
        if not by_digits(own):
            return self.rows
        told = arrow().array(alike(own, self.rows[self.on].to_pylist()), "string")
        return self.rows.set_column(self.rows.column_names.index(self.on), self.on, told)

    def _refuse_other_kind(self, own: Any, public: Any) -> None:
        tests = "is_string", "is_integer", "is_boolean", "is_date"
        if not any(getattr(own, test)() and getattr(public, test)() for test in tests):
            raise ValueError(
                f"column {self.on!r} is of type {own}, and of type {public} in the public table: "
                "both must be text, whole numbers, truth values or dates"
            )


def _refuse_long(rows: Any) -> None:
    """A long text beside one person's row alone would slow an engine down, or stop it."""
    texts = [own for own in rows.columns if own.type in (arrow().string(), arrow().large_string())]
    if any(len(each) > MOST_LETTERS for own in texts for each in own.to_pylist() if each):
        raise ValueError(f"a public table's texts have {MOST_LETTERS:,} letters at most")


def _apart(on: str, names: list[str]) -> str:
    """A name of the key's own: after a left join both sides' would be there."""
    key, taken = f"{on}_of_the_public", {each.casefold() for each in names}
    while key.casefold() in taken:
        key += "_"
    return key
