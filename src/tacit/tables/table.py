"""A table of records and the accounts of the people it is about.

The rows stay where they are. A `Table` knows whose each row is, and in which ledger these people's
accounts are kept; what is asked of it is an `Ask`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Self, cast, final

from tacit.accounting.relation import Relation
from tacit.argument import counted, got, is_whole, refuse_no_name
from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.population.arrays import Arrays
from tacit.queries.domain import Cells, Domain
from tacit.queries.record_source import RecordSource
from tacit.tables.ask import Ask
from tacit.tables.beside_rows import refuse_no_conditions, refuse_no_sources
from tacit.tables.caps import Caps
from tacit.tables.doubles import in_double
from tacit.tables.engine import rows_of
from tacit.tables.features import RecordColumn
from tacit.tables.filled import RecordArrays
from tacit.tables.granting import refuse_no_room
from tacit.tables.keys import DeclaredKeys
from tacit.tables.open_keys import Keys, UndeclaredKeys, undeclared
from tacit.tables.placed import cells_of
from tacit.tables.planned import MANY_PEOPLE
from tacit.tables.public import PublicTable
from tacit.tables.ranked import Ranked
from tacit.tables.rowwise import Said
from tacit.tables.whose import Whose


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table(RecordSource):
    """Records of people, known to their ledger by `name`.

    Args:
      rows: a DataFrame, the path of a file, or a table of an Ibis connection: see `engine.rows_of`.
      person: the column that says whose each row is, or several that do so together; see `whose`.
        Rows without one are nobody's, and left out. Where each row is another person, number them.
      name: whose budget this is. Two tables of the same people share one name.
      ledger: these people's ledger, or its path.
      people: how many there may be, public: sums have room for so many. More cost some digits.
        Under replace-one their number is public, and this has to be it.
      unit: what `person` tells apart, where that is no person: a household, a day of a person.
        Accounts are of one unit: what is asked of households is charged to theirs alone.
      conditions: that rows have to meet: see `where`.
      publics: public tables beside the rows: see `join`.

    Raises:
      ValueError: if it is no table, has no such column, or another argument is not of its kind.
    """

    rows: Any
    person: Said | Sequence[Said]
    name: str
    ledger: LedgerOrPath
    people: int = MANY_PEOPLE
    unit: str | None = None
    conditions: tuple[Said, ...] = field(default=(), kw_only=True)
    publics: tuple[PublicTable, ...] = field(default=(), kw_only=True)

    def __post_init__(self):
        object.__setattr__(self, "rows", rows_of(in_double(self.rows)))
        refuse_no_name("name", self.name)
        refuse_no_sources(self.ledger, self.publics)
        self.whose.of(self.joined)
        refuse_no_conditions(self.joined, self.conditions)
        if not (is_whole(self.people) and 1 <= self.people <= 2**32):
            raise ValueError(f"people must be a whole number, 1 to 2^32, got {got(self.people)}")
        object.__setattr__(self, "people", counted(self.people))

    def __repr__(self) -> str:
        return f"Table(name={self.name!r}, unit={self.whose.unit!r})"

    @cached_property
    def whose(self) -> Whose:
        """What tells its units apart."""
        return Whose.told(self.person, self.unit)

    @cached_property
    def joined(self) -> Any:
        """The rows with the columns of every public table, as Ibis has them."""
        return reduce(lambda rows, each: each.beside(rows), self.publics, self.rows)

    def budget(
        self, epsilon: float, delta: float, relation: Relation = Relation.ADD_REMOVE
    ) -> None:
        """Sets what these people agree to, once: all that is ever released of them.

        Raises:
          LedgerError: if they agreed to something else before.
          ValueError: if that has no room for any question: a pure one takes a tiny delta too.
        """
        refuse_no_room(delta)
        opened(self.ledger).limit(self.name, "public", relation, epsilon, delta, self.whose.unit)

    def where(self, holds: Said) -> Self:
        """The rows where a condition on the row holds, e.g. `ibis._.days > 0`.

        Raises:
          ValueError: if it is no condition on one row.
        """
        return replace(self, conditions=(*self.conditions, holds))

    def join(self, public: Any, *, on: str) -> Self:
        """The same rows with the columns of a public table, by a value that each row of it has for
        itself; missing ones where it has no such row.

        Args:
          public: a DataFrame, the path of a file, or a table of an Ibis connection.
          on: the column that both have.

        Raises:
          ValueError: if a value stands in the public table twice, or the tables do not fit.
          EngineError: if the public table's engine stops.
        """
        return replace(self, publics=(*self.publics, PublicTable.of(rows_of(public), on)))

    def by(self, *found: "str | UndeclaredKeys", **keys: Any) -> "Grouped":
        """Groups, by columns and their declared values; several are crossed.

        Args:
          found: columns whose values nobody declared, or one `tables.undeclared(...)`.
          keys: by column, its values; or by a name, an expression of one row with its values, or
            `tables.binned(...)`.

        Raises:
          ValueError: if they are no keys.
        """
        if not found:
            return Grouped(self, DeclaredKeys.of(keys))
        one = found[0] if len(found) == 1 else None
        unsaid = one if isinstance(one, UndeclaredKeys) else undeclared(*cast(Any, found))
        return Grouped(self, unsaid.crossed(keys))

    def sql(
        self,
        text: str,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        keys: Mapping[str, Any] | None = None,
        rows_per_person: int | None = None,
        groups_per_person: int | None = None,
        rows_per_group: int | None = None,
        confidence: float = 0.95,
    ) -> Ask:
        """The same asked in SQL: the page of `tacit.tables.sql` says which.

        Args:
          text: one SELECT, of this table, whatever it is called in it.
          bounds: of every number that is summed: by its column, or if it is an expression by the
            name of the result.
          keys: the declared values of columns of GROUP BY; those of others are found.
          rows_per_person, groups_per_person, rows_per_group, confidence: as of `ask`.

        Raises:
          ValueError: if it is not a statement of this kind, or too little is stated.
        """
        from tacit.tables.sql import asked

        caps = Caps.of(rows_per_person, groups_per_person, rows_per_group)
        between, declared = ({} if each is None else each for each in (bounds, keys))
        return asked(self, text, between, declared, caps, confidence)

    def ask(
        self,
        *,
        rows_per_person: int | None = None,
        groups_per_person: int | None = None,
        rows_per_group: int | None = None,
        confidence: float = 0.95,
        **aggregates: Any,
    ) -> Ask:
        """What is asked of all rows; of groups, `by(...).ask(...)`.

        Args:
          rows_per_person: how many rows of one person count at most.
          groups_per_person, rows_per_group: in how many groups, and how many in each; either these
            or `rows_per_person` have to be stated.
          confidence: of each interval.
          aggregates: what is asked, by the name its column will have.

        Raises:
          ValueError: if an argument is not of its kind, or a column is missing or of another type.
        """
        caps = Caps.of(rows_per_person, groups_per_person, rows_per_group)
        return Ask(self, DeclaredKeys(()), aggregates, caps, confidence)

    def arrays(
        self,
        features: Sequence[RecordColumn],
        target: RecordColumn | None = None,
        *,
        at_most: int,
    ) -> Arrays:
        """These people with their records, for learners: a population of the same accounts.

        It is read now; nothing is charged before it is asked. Its data are an array of features,
        with the target's beside it where there is one; of several records a person, a `Group`
        (`holding=Several()`). How many have a whole record is secret: plans are under add/remove.

        Args:
          features: `tables.number(...)` and `tables.category(...)`.
          target: one of these; what is to be learnt.
          at_most: how many records of one person are kept, chosen as rows that count are.

        Raises:
          ValueError: if an argument is not of its kind, or a column is missing or of another type.
          EngineError: if the engine stops.
        """
        records = RecordArrays.told(features, target, at_most)
        caps, wholes = Caps.of(at_most, None, None), records.wholes
        read = self.whose, self.name, self.conditions, DeclaredKeys(()), caps
        ranked = Ranked(*read, wholes, tuple(wholes))
        return Arrays(records.of(ranked, self.joined), self.name, self.whose.unit, everybody=False)

    def cells_in(self, domain: Domain) -> Cells:
        return cells_of(self, domain)


@final
@dataclass(frozen=True, eq=False)
class Grouped:
    """A table's rows in groups.

    Args:
      table: whose rows.
      keys: the groups.
    """

    table: Table
    keys: Keys

    def ask(
        self,
        *,
        rows_per_person: int | None = None,
        groups_per_person: int | None = None,
        rows_per_group: int | None = None,
        confidence: float = 0.95,
        **aggregates: Any,
    ) -> Ask:
        """What is asked of each group; arguments as of `Table.ask`."""
        caps = Caps.of(rows_per_person, groups_per_person, rows_per_group)
        return Ask(self.table, self.keys, aggregates, caps, confidence)
