"""One statement: what an engine is asked so that only whole sums, of bounded people, come out.

Of the rows that are read and ranked (`ranked`), for each group: the sum of what the rows that are
kept give to each cell; and, of all rows, two sums of a digest, which are the table's fingerprint,
whatever order its rows lie in.
Below these, where rows are in one of several cells: for each group and cell, how many are.

Nothing here is chosen at random or by place, sums are of 64-bit whole numbers, and a row's largest
part is 2^24: with fewer than 2^39 rows none overflows.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.tables.asked import Measure, OneOf
from tacit.tables.caps import Caps
from tacit.tables.keys import DeclaredKeys
from tacit.tables.language import as_number, ibis
from tacit.tables.ranked import Ranked
from tacit.tables.rowwise import Said
from tacit.tables.whose import Whose

_HALF = 2**32
PRINTS = ("print_high", "print_low")


@final
@dataclass(frozen=True)
class Statement:
    """What is asked of the rows of a table.

    Args:
      whose: each row is.
      salt: goes into every digest: other people's tables are cut otherwise.
      where: conditions that rows have to meet.
      keys: the groups.
      caps: how much of one person's rows counts.
      aggregates: what is asked, by name.
    """

    whose: Whose
    salt: str
    where: tuple[Said, ...]
    keys: DeclaredKeys
    caps: Caps
    aggregates: Mapping[str, Measure]

    def of(self, rows: Any) -> Any:
        """As an expression of the engine's: a row for each group that has any, with its number,
        its cells and its part of the fingerprint; `part` is -1 there. In others it is the number of
        an aggregate, of which so `many` rows are in the cell `node`.

        Raises:
          ValueError: if a column is missing, or of another kind than is asked of it.
        """
        ranked = self._ranked
        read = ranked.of(rows)
        kept, sums, below = ranked.kept(read), {}, []
        for name, (i, cell) in self._cells(read).items():
            if isinstance(cell, OneOf):
                below.append(_places(read.filter(kept), i, cell.place))
            else:
                sums[name] = _sum_of(kept, cell)
        wide = read.group_by("group").agg(**sums, **_fingerprint(read))
        return _all(wide, below)

    @property
    def digest(self) -> str:
        """Of all that is asked."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def _cells(self, read: Any) -> dict[str, tuple[int, Any]]:
        """What each row gives, by the cell's name, with its aggregate's number; places are of the
        aggregate's cells."""
        named, first = {}, as_number(read.place == 0)
        for i, aggregate in enumerate(self.aggregates.values()):
            own, at = {name: read[f"{name}_{i}"] for name in aggregate.columns}, 0
            for cell in aggregate.cells(own, first):
                several = isinstance(cell, OneOf)
                of_all = OneOf(cell.place + at, cell.cells) if several else cell
                named[f"cell_{i}_{at}"] = i, of_all
                at += cell.cells if several else 1
        return named

    @property
    def _ranked(self) -> Ranked:
        columns = {
            f"{name}_{i}": column
            for i, aggregate in enumerate(self.aggregates.values())
            for name, column in aggregate.columns.items()
        }
        return Ranked(self.whose, self.salt, self.where, self.keys, self.caps, columns)


def _places(kept: Any, part: int, place: Any) -> Any:
    """How many of these rows of each group are in each cell of an aggregate."""
    there = kept.select("group", node=place.cast("int64"))
    counted = there.filter(there.node.notnull()).group_by("group", "node")
    many = counted.agg(many=lambda rows: rows.count().cast("int64"))
    return many.mutate(part=_whole(part))


def _all(wide: Any, below: list[Any]) -> Any:
    """Both in one, each with zeros in the other's columns."""
    if not below:
        return wide
    first = wide.mutate(part=_whole(-1), node=_whole(0), many=_whole(0))
    none = {name: _whole(0) for name in wide.columns if name != "group"}
    others = [each.mutate(**none).select(first.columns) for each in below]
    return ibis().union(first, *others, distinct=False)


def _whole(number: int) -> Any:
    return ibis().literal(number, "int64")


def _sum_of(kept: Any, cell: Any) -> Any:
    """Of what kept rows give; a missing number is nothing."""
    given = ibis().ifelse(kept, cell, 0)
    return given.cast("int64").coalesce(0).sum().cast("int64")


def _fingerprint(read: Any) -> dict[str, Any]:
    """Of all rows that were read, in any order: two sums, of either half of a digest."""
    digest = read.digest.hash()
    high = digest // _HALF
    low = digest - high * _HALF
    return {
        name: half.cast("int64").sum().cast("int64")
        for name, half in zip(PRINTS, (high, low), strict=True)
    }
