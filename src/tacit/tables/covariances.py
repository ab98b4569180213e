"""Covariances of several numbers between bounds: a matrix, a pair of columns at a time.

Of every two columns, and of each with itself, a row gives products of levels that add up to the
same whatever they are (`products`). All pairs share one charge: with d columns a row gives to
d(d + 1)/2 of them, and noise grows with the root of that, or with that where it is pure. A product
of few levels is multiplied by a whole number, so that it fills its cell as others do.

A row that lacks one of the numbers is in none of them. Levels are within h = 1/(2L) of their
numbers, and no deviation is above 1/2 of the bounds' distance: so a covariance of levels is within
(h + h')/2 + h h' of the numbers', and limits are widened by that.

Entries are estimated one by one: a matrix of them may have an eigenvalue below zero, as noise has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement
from operator import and_
from typing import Any, Self, final

import numpy as np

from tacit.argument import got
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.corners import Reach, reach_of
from tacit.tables.language import ibis
from tacit.tables.measured import found
from tacit.tables.products import (
    MOST_LEVELS,
    Products,
    finest,
    refuse_more_rows,
)
from tacit.tables.reaches import reaches
from tacit.tables.rowwise import number

# All pairs share one charge: of ten columns a row gives to 55.
MOST_COLUMNS = 10
_TOLD = 'covariance({"days": (0, 30), "age": (0, 120)})'


@final
@dataclass(frozen=True)
class Pair:
    """Two columns, or one with itself.

    Args:
      one, other: their numbers.
      same: whether it is one with itself.
      most: levels of either.
    """

    one: Between
    other: Between
    same: bool
    most: int

    @property
    def levels(self) -> tuple[int, int]:
        return self.one.levels(self.most), self.other.levels(self.most)

    @property
    def times(self) -> int:
        """What products are multiplied by."""
        first, second = self.levels
        return self.most**2 // (first * second)

    @property
    def given(self) -> int:
        """What a row gives to all cells."""
        first, second = self.levels
        return first * second * self.times

    @property
    def many(self) -> int:
        """How many cells there are."""
        return 3 if self.same else 4

    def cells(self, one: Any, other: Any) -> list[Any]:
        first, second = self.levels
        up, down = one * self.times, (first - one) * self.times
        if self.many == 3:
            return [up * one, 2 * up * (first - one), down * (first - one)]
        return [up * other, up * (second - other), down * other, down * (second - other)]

    def read(self, sums: list[float], reach: Reach) -> tuple[float, float, float]:
        """The covariance with its limits, in the columns' own units."""
        halves = [1 / (2 * level) for level in self.levels]
        more, unit = sum(halves) / 2 + halves[0] * halves[1], self.one.width * self.other.width
        middle, low, high = Products(tuple(sums), reach).covariance
        limits = max(low - more, self._least), min(high + more, 0.25)
        return middle * unit, limits[0] * unit, limits[1] * unit

    @property
    def within(self) -> tuple[float, float]:
        """What any such covariance is between."""
        unit = self.one.width * self.other.width
        return self._least * unit, 0.25 * unit

    @property
    def _least(self) -> float:
        """Of places between bounds."""
        return 0.0 if self.many == 3 else -0.25


@final
@dataclass(frozen=True)
class ColumnCovariances:
    """The covariances of numbers between bounds, of rows that have all of them.

    Args:
      numbers: by the names they have in the answer's columns.
      most: levels of each.
    """

    numbers: tuple[tuple[str, Between], ...]
    most: int = MOST_LEVELS

    def __post_init__(self):
        many = len(self.numbers)
        if not len(self.pairs) == many * (many + 1) // 2:
            raise ValueError(
                f"two covariances of {', '.join(dict(self.numbers))} would have one name: give "
                "these columns names whose pairs differ"
            )

    def within(self, caps: Caps) -> Self:
        return replace(self, most=finest(caps, len(self.pairs)))

    @property
    def pairs(self) -> dict[str, tuple[int, int, Pair]]:
        """Of every two columns, in order, by what is added to the aggregate's name."""
        each = combinations_with_replacement(range(len(self.numbers)), 2)
        named = {}
        for i, j in each:
            (one, first), (other, second) = self.numbers[i], self.numbers[j]
            named[f"_{one}_{other}"] = i, j, Pair(first, second, i == j, self.most)
        return named

    @property
    def columns(self) -> Mapping[str, Any]:
        def one(i: int) -> Any:
            return lambda rows: self._level(rows, i)

        return {f"level{i}": one(i) for i in range(len(self.numbers))}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        levels = [row[f"level{i}"] for i in range(len(self.numbers))]
        return [
            cell for i, j, pair in self.pairs.values() for cell in pair.cells(levels[i], levels[j])
        ]

    def shape(self, caps: Caps, groups: int) -> Contribution:
        refuse_more_rows("covariance", caps)
        each = [pair for *_, pair in self.pairs.values()]
        given = [pair.given for pair in each]
        return caps.counts(sum(pair.many for pair in each) * groups, max(given), sum(given))

    @property
    def words(self) -> str:
        return f"the covariances of {', '.join(each.named for _, each in self.numbers)}"

    @property
    def behind(self) -> list[str]:
        return limited(*self.pairs)

    def read(self, noisy: Noisy) -> dict[str, Found]:
        answer, at, reach = {}, 0, reach_of(noisy)
        for name, (_, _, pair) in self.pairs.items():
            own = noisy.cells[:, at : at + pair.many].tolist()
            answer[name] = found([pair.read(sums, reach) for sums in own], pair.within)
            at += pair.many
        return answer

    def width(self, noise: Server, chance: float) -> str:
        return width_in_words(noise, chance, min(pair.given for *_, pair in self.pairs.values()))

    def _level(self, rows: Any, which: int) -> Any:
        """Missing where any of the numbers is."""
        levels = [
            each.level(number(rows, each.number), each.levels(self.most))
            for _, each in self.numbers
        ]
        known = reduce(and_, (level.notnull() for level in levels))
        return ibis().ifelse(known, levels[which], None)


def width_in_words(noise: Server, chance: float, given: int) -> str:
    """How wide intervals will be, of a pair to whose cells a row gives so much."""
    far = float(reaches(noise, chance, np.full((1, 4), 0.25))[0]) / given
    return f"about ± {far / 1000:,.3g} of both bounds' distances, of 1,000 rows"


def covariance(columns: Mapping[str, tuple[Any, ...]]) -> ColumnCovariances:
    """The covariance of every two of several columns, and the variance of each.

    Args:
      columns: from two to ten, each by its name with its public bounds, (lower, upper); or by a
        name of its own with an expression of one row before them.
    """
    if not (isinstance(columns, Mapping) and 2 <= len(columns) <= MOST_COLUMNS):
        raise ValueError(
            f"covariances are of 2 to {MOST_COLUMNS} columns with bounds, e.g. {_TOLD}, got "
            f"{got(columns)}"
        )
    return ColumnCovariances(tuple((name, _between(name, own)) for name, own in columns.items()))


def _between(name: Any, own: Any) -> Between:
    listed = isinstance(own, tuple | list) and isinstance(name, str)
    if not (listed and 2 <= len(own) <= 3):
        raise ValueError(
            f"a column of covariances is its name and bounds, e.g. {_TOLD}, got {got(own)} for "
            f"{got(name)}"
        )
    return Between(*own) if len(own) == 3 else Between(name, *own)
