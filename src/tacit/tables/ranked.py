"""The rows of a table that count: read in whole numbers, and ranked within each person's own.

1. Of each row: whose it is; its group's number, or text where nobody declared the groups; whole
   numbers, as they are asked for. Rows of nobody, or of no declared group, are left out.
2. A digest of these, MD5 of text, which is the same in every engine; it ranks a person's rows in a
   group, and one of the person and the group ranks their groups (`caps`).

Who has no more rows than the least cap keeps all of them, whatever their ranks. Where ranks are for
nothing else, nobody ranks them (`counted`): that is one look more at the same rows, in one
statement, for which an engine reads one state of its table.

MD5 hides nothing here and need not: any function of a person's own rows would do. Nor does a cap
rest on it: where two digests are the same, groups and rows are told apart by themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from tacit.tables.caps import Caps
from tacit.tables.language import as_number, ibis
from tacit.tables.open_keys import Keys
from tacit.tables.rowwise import Said, condition
from tacit.tables.tried import tried
from tacit.tables.whose import Whose


@final
@dataclass(frozen=True)
class Ranked:
    """Which rows are read, what of them, and how many of one person count.

    Args:
      whose: each row is.
      salt: goes into every digest: other people's tables are cut otherwise.
      where: conditions that rows have to meet.
      keys: the groups.
      caps: how much of one person's rows counts.
      columns: whole numbers of each row, by name.
      needed: those without which a row is left out.
    """

    whose: Whose
    salt: str
    where: tuple[Said, ...]
    keys: Keys
    caps: Caps
    columns: Mapping[str, Callable[[Any], Any]]
    needed: tuple[str, ...] = ()

    def of(self, rows: Any) -> Any:
        """Every row that is read, with its ranks.

        Raises:
          ValueError: if a column is missing, or of another kind than is asked of it.
        """
        return self._ranked(self._read(rows))

    def kept(self, read: Any) -> Any:
        """Whether a row of `of` counts."""
        counts = self._counts(read)
        return counts & (read["rank"] < self.caps.rows) if self._few_rows else counts

    def counted(self, rows: Any) -> Any:
        """Every row that is read, without ranks; `kept` is whether it counts.

        Raises:
          ValueError: as of `of`.
        """
        read = self._read(rows)
        each = read.group_by("person").agg(rows=read.count())
        many = each.filter(each.rows > self._free)[["person"]]
        ranked, rest = self._ranked(read.semi_join(many, "person")), read.anti_join(many, "person")
        some = ranked.mutate(kept=self.kept(ranked))[[*read.columns, "kept"]]
        return some.union(rest.mutate(kept=True))

    def _read(self, rows: Any) -> Any:
        """Step 1."""
        for each in self.where:
            rows = rows.filter(tried(rows, condition(rows, each)))
        named = {"person": self.whose.of(rows), "group": tried(rows, self.keys.place(rows))}
        named |= {name: tried(rows, column(rows)) for name, column in self.columns.items()}
        read = rows.select(**named)
        return read.filter([read[name].notnull() for name in ("person", "group", *self.needed)])

    def _ranked(self, read: Any) -> Any:
        """Step 2; what no cap asks for is not ranked."""
        own = [read[name] for name in read.columns if name != "person"]
        read = read.mutate(digest=md5(joined([ibis().literal(self.salt), read.person, *own])))
        within = {"group_by": ["person", "group"], "order_by": ["digest", *self.columns]}
        order = {"place": ibis().row_number().over(**within)}
        if self._few_groups:
            drawn = joined([ibis().literal(self.salt), read.person, read.group])
            read = read.mutate(drawn=md5(drawn))
            order["turn"] = ibis().dense_rank().over(group_by="person", order_by=["drawn", "group"])
        read = read.mutate(**order)
        if self._few_rows:
            rank = ibis().row_number().over(group_by="person", order_by=self._before(read))
            read = read.mutate(rank=rank)
        return read

    def _before(self, read: Any) -> list[Any]:
        """Which rows of a person come first: those of groups and places that count at all, and of
        these the first of each group."""
        capped = [as_number(~self._counts(read))] if self._few_groups else []
        return [
            *capped,
            read.place,
            read.digest,
            read["group"],
            *map(read.__getitem__, self.columns),
        ]

    def _counts(self, read: Any) -> Any:
        counts = read.place < self.caps.each
        return counts & (read.turn < self.caps.groups) if self._few_groups else counts

    @property
    def _free(self) -> int:
        """How many rows of a person are within every cap."""
        caps = self.caps
        return min(caps.rows, caps.each, caps.groups if self._few_groups else caps.rows)

    @property
    def _few_groups(self) -> bool:
        """Whether a cap on groups is no consequence of how many groups, or rows, there may be."""
        return self.caps.groups < min(self.keys.possible, self.caps.rows)

    @property
    def _few_rows(self) -> bool:
        """Whether more rows may count, group by group, than count in all."""
        groups = self.caps.groups if self._few_groups else self.keys.possible
        return self.caps.rows < groups * self.caps.each


def md5(text: Any) -> Any:
    """By the engine's own function, which all have by this name."""

    @ibis().udf.scalar.builtin
    def md5(text: str) -> str: ...

    return md5(text)


def joined(columns: list[Any]) -> Any:
    """Their texts, each followed by a bar; a missing one is nothing."""
    text = ""
    for each in columns:
        own = each.cast("string").coalesce("")
        text = own + "|" if isinstance(text, str) else text + own + "|"
    return text
