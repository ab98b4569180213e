"""One statement: what an engine is asked so that only whole sums, of bounded people, come out.

From the inside out:

1. of each row: whose it is; its group's number; the aggregates' own whole numbers. Rows of
   nobody, or of no declared group, are left out;
2. a digest of these, MD5 of text, which is the same in every engine; it ranks a person's rows in a
   group, and one of the person and the group ranks their groups (`caps`);
3. for each group: the sum of what the rows that are kept give to each cell; and, of all rows, two
   sums of a digest, which are the table's fingerprint, whatever order its rows lie in.

Nothing here is chosen at random or by place, sums are of 64-bit whole numbers, and a row's largest
part is 2^24: with fewer than 2^39 rows none overflows.

MD5 hides nothing here and need not: any function of a person's own rows would do.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.tables.asked import Measure
from tacit.tables.caps import Caps
from tacit.tables.keys import DeclaredKeys
from tacit.tables.language import as_number, ibis
from tacit.tables.rowwise import Said, condition

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
        read = self._ranked(self._read(rows))
        kept = self._kept(read)
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

    def _read(self, rows: Any) -> Any:
        """Step 1."""
        for each in self.where:
            rows = rows.filter(condition(rows, each))
        named = {"person": rows[self.person], "group": self.keys.place(rows)}
        for i, aggregate in enumerate(self.aggregates.values()):
            for name, column in aggregate.columns.items():
                named[f"{name}_{i}"] = column(rows)
        read = rows.select(**named)
        return read.filter(read.person.notnull() & read.group.notnull())

    def _ranked(self, read: Any) -> Any:
        """Step 2; what no cap asks for is not ranked."""
        own = [read[name] for name in read.columns if name != "person"]
        read = read.mutate(digest=_md5(_joined([ibis().literal(self.salt), read.person, *own])))
        order = {"place": ibis().row_number().over(group_by=["person", "group"], order_by="digest")}
        if self._few_groups:
            drawn = _joined([ibis().literal(self.salt), read.person, read.group])
            read = read.mutate(drawn=_md5(drawn))
            order["turn"] = ibis().dense_rank().over(group_by="person", order_by="drawn")
        read = read.mutate(**order)
        if self._few_rows:
            rank = ibis().row_number().over(group_by="person", order_by=self._before(read))
            read = read.mutate(rank=rank)
        return read

    def _before(self, read: Any) -> list[Any]:
        """Which rows of a person come first: those of groups and places that count at all, and of
        these the first of each group."""
        capped = [as_number(~self._counts(read))] if self._few_groups else []
        return [*capped, read.place, read.digest]

    def _counts(self, read: Any) -> Any:
        counts = read.place < self.caps.each
        return counts & (read.turn < self.caps.groups) if self._few_groups else counts

    def _kept(self, read: Any) -> Any:
        counts = self._counts(read)
        return counts & (read["rank"] < self.caps.rows) if self._few_rows else counts

    @property
    def _few_groups(self) -> bool:
        """Whether a cap on groups is no consequence of how many groups, or rows, there may be."""
        return self.caps.groups < min(self.keys.groups, self.caps.rows)

    @property
    def _few_rows(self) -> bool:
        """Whether more rows may count, group by group, than count in all."""
        groups = self.caps.groups if self._few_groups else self.keys.groups
        return self.caps.rows < groups * self.caps.each


def _md5(text: Any) -> Any:
    """By the engine's own function, which all have by this name."""

    @ibis().udf.scalar.builtin
    def md5(text: str) -> str: ...

    return md5(text)


def _joined(columns: list[Any]) -> Any:
    """Their texts, each followed by a bar; a missing one is nothing."""
    text = ""
    for each in columns:
        own = each.cast("string").coalesce("")
        text = own + "|" if isinstance(text, str) else text + own + "|"
    return text


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
