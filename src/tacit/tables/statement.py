"""One statement: what an engine is asked so that only whole sums, of bounded people, come out.

Of the rows that are read and ranked (`ranked`), for each group: the sum of what the rows that are
kept give to each cell; and, of all rows, two sums of a digest, which are the table's fingerprint,
whatever order its rows lie in.

Nothing here is chosen at random or by place, sums are of 64-bit whole numbers, and a row's largest
part is 2^24: with fewer than 2^39 rows none overflows.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.tables.asked import Measure
from tacit.tables.caps import Caps
from tacit.tables.keys import DeclaredKeys
from tacit.tables.language import as_number, ibis
from tacit.tables.ranked import Ranked
from tacit.tables.rowwise import Said

_HALF = 2**32
PRINTS = ("print_high", "print_low")


@final
@dataclass(frozen=True)
class Statement:
    """What is asked of the rows of a table.

    Args:
      person: the column that says whose each row is.
      salt: goes into every digest: other people's tables are cut otherwise.
      where: conditions that rows have to meet.
      keys: the groups.
      caps: how much of one person's rows counts.
      aggregates: what is asked, by name.
    """

    person: str
    salt: str
    where: tuple[Said, ...]
    keys: DeclaredKeys
    caps: Caps
    aggregates: Mapping[str, Measure]

    def of(self, rows: Any) -> Any:
        """As an expression of the engine's: a row for each group that has any, with its number,
        its cells and its part of the fingerprint.

        Raises:
          ValueError: if a column is missing, or of another kind than is asked of it.
        """
        ranked = self._ranked
        read = ranked.of(rows)
        kept = ranked.kept(read)
        first = as_number(read.place == 0)
        sums = {}
        for i, aggregate in enumerate(self.aggregates.values()):
            own = {name: read[f"{name}_{i}"] for name in aggregate.columns}
            for j, cell in enumerate(aggregate.cells(own, first)):
                sums[f"cell_{i}_{j}"] = _sum_of(kept, cell)
        sums |= _fingerprint(read)
        return read.group_by("group").agg(**sums)

    @property
    def digest(self) -> str:
        """Of all that is asked."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    @property
    def _ranked(self) -> Ranked:
        columns = {
            f"{name}_{i}": column
            for i, aggregate in enumerate(self.aggregates.values())
            for name, column in aggregate.columns.items()
        }
        return Ranked(self.person, self.salt, self.where, self.keys, self.caps, columns)


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
