"""Shares of all combinations of columns, and what their tables say of them: multiplicative weights.

A *query* is one cell of one table: which share of people has these values in the table's columns.
All combinations of all columns together have shares a(x), none negative, of sum one. Told that a
query q has m people of n instead of n q(a), the shares of its combinations are multiplied by

    exp((m/n - q(a)) / 2),

and all are divided by their sum.

**Theorem.** Let b be the shares of n people, v = m/n - q(b), and m from 0 to n. The entropy
sum b(x) log(b(x)/a(x)) falls by at least ((q(a) - q(b))² - v²)/4.

*Proof.*

1. With y the exponent above, it falls by y q(b) - log(sum a(x) e^(y q(x))).
2. Since |y| <= 1/2 and q(x) is 0 or 1, e^(yq) <= 1 + yq + y², so that is at least
   y (q(b) - q(a)) - y².
3. With d = q(b) - q(a) and y = (d + v)/2 that is (d² - v²)/4.

From even shares it can fall by log |X| in all, |X| the combinations. So of T queries in turn, each
told within v_t, the squares of d_t sum to at most 4 log |X| + sum v_t².

References:
    Hardt and Rothblum 2010, "A multiplicative weights mechanism for privacy-preserving data
        analysis".
    Hardt, Ligett and McSherry 2012, "A simple and practical algorithm for differentially private
        data release", appendix A.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import final

import numpy as np
from jaxtyping import Float, Int32, Int64, Num

Place = tuple[slice | int, ...]
Shares = Float[np.ndarray, "*sizes"]
# A query's number, and what share of people it has.
Told = tuple[int, float]


@final
@dataclass(frozen=True)
class TableCells:
    """The cells of some tables, as queries about all columns together.

    Args:
      sizes: how many values each column has.
      sets: the columns of each table, by number, rising.
    """

    sizes: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]

    @property
    def combinations(self) -> int:
        """|X|."""
        return math.prod(self.sizes)

    @property
    def queries(self) -> int:
        """How many cells the tables have."""
        return self._ends[-1]

    def databases(self, rows: int) -> int:
        """How many databases of so many rows there are, whose order does not matter."""
        return math.comb(self.combinations + rows - 1, rows)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate((math.prod(s) for s in map(self._own, self.sets)), initial=0))

    def _own(self, columns: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.sizes[i] for i in columns)

    def of(self, table: Num[np.ndarray, "*sizes"]) -> Num[np.ndarray, "queries *more"]:
        """What all queries say of a table of all columns; of several, along more axes."""
        every, more = range(len(self.sizes)), table.shape[len(self.sizes) :]
        sums = (table.sum(tuple(set(every) - set(columns))) for columns in self.sets)
        return np.concatenate([each.reshape(-1, *more) for each in sums])

    def counted(self, numbers: Int32[np.ndarray, " people"]) -> Int64[np.ndarray, "*sizes"]:
        """How many people have each combination, of the number of each one's; others in none."""
        known = numbers[(numbers >= 0) & (numbers < self.combinations)]
        return np.bincount(known, minlength=self.combinations).reshape(self.sizes)

    def place(self, query: int) -> Place:
        """Of its combinations, in a table of all columns."""
        own = bisect_right(self._ends, query) - 1
        columns = self.sets[own]
        cell = np.unravel_index(query - self._ends[own], self._own(columns))
        known = dict(zip(columns, map(int, cell), strict=True))
        return tuple(known.get(i, slice(None)) for i in range(len(self.sizes)))

    def named(self, query: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Its columns, and its value of each."""
        own = self.sets[bisect_right(self._ends, query) - 1]
        place = self.place(query)
        return own, tuple(int(place[i]) for i in own)  # pyright: ignore[reportArgumentType]

    def even(self) -> Shares:
        """The same share for every combination."""
        return np.full(self.sizes, 1 / self.combinations)


def moved(shares: Shares, place: Place, told: float) -> Shares:
    """The shares once it is told what share of people the combinations in this place have."""
    found = shares.copy()
    found[place] *= math.exp((told - float(shares[place].sum())) / 2)
    return found / found.sum()


def taught(cells: TableCells, shares: Shares, told: Sequence[Told], repeats: int) -> Shares:
    """The shares once they are told the last of these, and all of them again, so many times."""
    query, share = told[-1]
    shares = moved(shares, cells.place(query), share)
    for query, share in tuple(told) * repeats:
        shares = moved(shares, cells.place(query), share)
    return shares


def before_each(cells: TableCells, told: Sequence[Told], repeats: int) -> Iterator[Shares]:
    """The shares as they were before each of these was told, and last what they are after all."""
    shares = cells.even()
    yield shares
    for many in range(1, len(told) + 1):
        shares = taught(cells, shares, told[:many], repeats)
        yield shares
