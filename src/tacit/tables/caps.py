"""How much of one person's rows is counted, and which of them.

At most `each` rows in a group, in at most `groups` groups, at most `rows` in all. Which rows those
are is decided by a digest of the row, and which groups by one of the person and the group: never by
where a row is stored, and never anew. So what is kept of a person depends on that person's own rows
alone, whoever else is there and whichever engine looks; and rows of equal digest are equal in all
that is summed, so it does not matter which of them is kept.

Where only `rows` is stated, a person's first row of every group comes before any second one.
"""

from dataclasses import dataclass
from typing import Any, Self, final

from tacit.argument import counted, got, is_whole
from tacit.contribution import Contribution, Grid, Tally
from tacit.contribution.numbers import MOST_STEPS

# Of one person: noise is scaled to as many.
MOST_ROWS = 2**10


@final
@dataclass(frozen=True)
class Caps:
    """Rows of one person: in a group, in groups, and in all.

    Args:
      rows: in all, at most.
      groups: in so many groups at most.
      each: in one group, at most.
    """

    rows: int
    groups: int
    each: int

    @classmethod
    def of(cls, rows: Any, groups: Any, each: Any) -> Self:
        """From what was stated; what was not follows from the others.

        Raises:
          ValueError: if too little was, or what is no whole number of rows.
        """
        _refuse_no_number("rows_per_person", rows)
        _refuse_no_number("groups_per_person", groups)
        _refuse_no_number("rows_per_group", each)
        if rows is None and (groups is None or each is None):
            raise ValueError(
                "say how many rows of one person count: rows_per_person=5, or "
                "groups_per_person=2 and rows_per_group=3"
            )
        if rows is None:
            return cls(
                min(counted(groups) * counted(each), MOST_ROWS), *map(counted, (groups, each))
            )
        most = counted(rows)
        return cls(most, min(counted(groups or most), most), min(counted(each or most), most))

    def within(self, groups: int) -> Self:
        """The same of so many groups as there are."""
        fewer = min(self.groups, groups)
        return type(self)(min(self.rows, fewer * self.each), fewer, self.each)

    def words(self, groups: int, unit: str) -> str:
        """The same of so many groups and one unit, to be read."""
        caps, own = self.within(groups), f"of one {unit}"
        if groups == 1:
            return f"at most {_rows(caps.each)} {own}"
        some = f"{caps.groups:,} group" + "s" * (caps.groups > 1)
        return f"at most {_rows(caps.rows)} {own}, in at most {some}, {caps.each:,} in each"

    def counts(self, cells: int, weight: int = 1, given: int | None = None) -> Contribution:
        """What one person's rows add to so many cells.

        Args:
          cells: of all groups together.
          weight: what a row gives to one cell at most.
          given: what a row gives to all cells at most; `weight` unless told.
        """
        if cells == 1 and self.each * weight <= MOST_STEPS:
            return Grid(0, self.each * weight)
        return Tally(cells, self.each * weight, self.rows * (given or weight))

    def presences(self, cells: int) -> Contribution:
        """The same if a person gives one to each of their groups."""
        return Grid(0, 1) if cells == 1 else Tally(cells, 1, min(self.groups, self.rows))


def _rows(many: int) -> str:
    return "1 row" if many == 1 else f"{many:,} rows"


def _refuse_no_number(name: str, stated: Any) -> None:
    """Raises a ValueError if something is stated that is no number of rows."""
    if stated is not None and not (is_whole(stated) and 1 <= stated <= MOST_ROWS):
        raise ValueError(
            f"{name} must be a whole number from 1 to {MOST_ROWS:,}, got {got(stated)}"
        )
