"""One statement: what an engine is asked so that only whole sums, of bounded people, come out.

Of the rows that are read and ranked (`ranked`), for each group: the sum of what the rows that are
kept give to each cell; and, of all rows, two sums of a hash, which are the table's fingerprint,
whatever order its rows lie in. The hash is the engine's own, for it is compared with others of the
same engine only; if it missed a change, exact sums are compared too (`population.totals`).
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
from tacit.tables.language import as_number, hashed, ibis
from tacit.tables.open_keys import Keys, UndeclaredKeys
from tacit.tables.ranked import Ranked
from tacit.tables.rowwise import Said
from tacit.tables.typed_text import unread
from tacit.tables.whose import Whose
from tacit.tables.written import digest_of

# Prime to each other: both remainders tell as much of a hash as 62 of its bits.
_REMAINDERS = 2**31, 2**31 - 1
PRINTS = ("print_one", "print_other")


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
    keys: Keys
    caps: Caps
    aggregates: Mapping[str, Measure]

    def of(self, rows: Any) -> Any:
        """As an expression of the engine's: a row for each group that has any, with its number,
        its cells and its part of the fingerprint; `part` is -1 there. In others it is the number of
        an aggregate, of which so `many` rows are in the cell `node`.

        Of keys that nobody declared a group has its text, how many people count in it, and all of
        the fingerprint.

        Raises:
          ValueError: if a column is missing, or of another kind than is asked of it.
        """
        read, kept, first = self._read(rows)
        sums, below = {}, []
        for name, (i, cell) in self._cells(read, first).items():
            if isinstance(cell, OneOf):
                below.append(_places(read.filter(kept), i, cell.place))
            else:
                sums[name] = _sum_of(kept, cell)
        return _all(self._wide(read, kept, first, sums), below)

    @property
    def digest(self) -> str:
        """Of all that is asked."""
        return digest_of(self)

    def unread(self, rows: Any) -> str:
        """What cells of text count as missing, in words."""
        return unread(self.of(rows))

    def _read(self, rows: Any) -> tuple[Any, Any, Any]:
        """The rows, whether each counts, and whether it is the first of its group."""
        ranked = self._ranked
        if self._asks_for_firsts:
            read = ranked.of(rows)
            return read, ranked.kept(read), as_number(read.place == 0)
        read = ranked.counted(rows)
        return read, read.kept, None

    @property
    def _asks_for_firsts(self) -> bool:
        """Whether what a row gives depends on its being the first of its group."""
        if isinstance(self.keys, UndeclaredKeys):
            return True
        mark, any_row = ibis().param("int64"), dict.fromkeys(self._ranked.columns, _whole(0))
        given = [cell for _, cell in self._cells(any_row, mark).values()]
        made = [each.place if isinstance(each, OneOf) else each for each in given]
        ops = [each.op() for each in made if hasattr(each, "op")]
        return any(mark.op() in op.find(type(mark.op())) for op in ops)

    def _wide(self, read: Any, kept: Any, first: Any, sums: Mapping[str, Any]) -> Any:
        grouped, prints = read.group_by("group"), self._fingerprint(read)
        if not isinstance(self.keys, UndeclaredKeys):
            return grouped.agg(**sums, **prints)
        counted = grouped.agg(people=_sum_of(kept, first), **sums, **prints)
        return _of_enough(counted, self.keys.at_least)

    def _cells(self, read: Any, first: Any) -> dict[str, tuple[int, Any]]:
        """What each row gives, by the cell's name, with its aggregate's number; places are of the
        aggregate's cells."""
        named = {}
        for i, aggregate in enumerate(self.aggregates.values()):
            own, at = {name: read[f"{name}_{i}"] for name in aggregate.columns}, 0
            for cell in aggregate.cells(own, first):
                several = isinstance(cell, OneOf)
                of_all = OneOf(cell.place + at, cell.cells) if several else cell
                named[f"cell_{i}_{at}"] = i, of_all
                at += cell.cells if several else 1
        return named

    def _fingerprint(self, read: Any) -> dict[str, Any]:
        """Of all rows that were read, in any order: two sums, of a hash's remainders.

        Of whole numbers, whose remainders no engine stops at, and not of halves, which Ibis makes
        in double precision: whose row has which hash can be found out, so one that is too large
        would tell of a row.
        """
        own = _hashed([read.person, read.group], [read[name] for name in self._ranked.columns])
        return {
            name: (own % _whole(most)).cast("int64").sum().cast("int64")
            for name, most in zip(PRINTS, _REMAINDERS, strict=True)
        }

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


def _hashed(keys: list[Any], numbers: list[Any]) -> Any:
    """Of a row, by the engine's own hash; where a number is missing stands one that none has."""
    mixed = sum((each.coalesce(-1) * _odd(i) for i, each in enumerate(numbers)), _whole(0))
    for each in keys:
        mixed = hashed(mixed ^ hashed(each))
    return mixed


def _odd(place: int) -> int:
    """A public number of 24 bits: no sum of numbers of 24 bits, times these, overflows."""
    return int.from_bytes(hashlib.sha256(str(place).encode()).digest()[:3]) | 1


def _of_enough(grouped: Any, people: int) -> Any:
    """Keys of fewer people stay in the engine; their rows are in the fingerprint."""
    whole = {name: grouped[name].sum().over().cast("int64") for name in PRINTS}
    return grouped.mutate(**whole).filter(lambda group: group.people >= people)
