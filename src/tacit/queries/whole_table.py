"""A table of all columns together, of whole numbers: people who could be those that were asked.

Smaller tables of it are whole, none negative, and agree with one another, because there is one set
of records that has them all. It is found in two steps.

1. *Fit.* Of all tables that add up to the released number of records, the one whose contrasts are
   nearest to those released, each in units of its noise (`solve.combination`); or as Barak et
   al. 2007 do (`least_maximum`).
2. *Rounding* (`solve.whole_numbers`): with m contrasts, no table is moved by more than m/2 in all
   its cells together, and most are by much less. That is the price of whole numbers.

All columns together have as many cells as their sizes' product, so this is for few columns.
"""

import math
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from jaxtyping import Float, Int64

from tacit.queries.closure import Set, Tables, with_ones
from tacit.queries.nonnegative_tables import unit_of
from tacit.solve.combination import Combination, combination
from tacit.solve.nonnegative import Numbers
from tacit.solve.whole_numbers import rounded

# A column of contrasts for each cell: half a GiB, were all laid out.
MOST_CELLS, MOST_CONTRASTS = 2**16, 2**10
# Of the noise that contrasts have in all: nearer is nothing to it. And steps until one gives up.
_NEAR, _STEPS = 0.01, 2_000

Whole = Int64[np.ndarray, "*sizes"]


@final
@dataclass(frozen=True)
class AllColumns:
    """Contrasts times their weights, of a table of all columns together.

    Args:
      tables: whose contrasts.

    Raises:
      ValueError: if the columns together have too many cells, or the tables too many contrasts.
    """

    tables: Tables

    def __post_init__(self):
        cells, (numbers,) = math.prod(self.tables.sizes), self.tables.shape.answer_shape
        if not (cells <= MOST_CELLS and numbers <= MOST_CONTRASTS):
            raise ValueError(
                f"whole numbers are found for columns of at most {MOST_CELLS:,} cells together, "
                f"and tables of at most {MOST_CONTRASTS:,} contrasts, and these have {cells:,} and "
                f"{numbers:,}: rows of tacit.synthesis are whole people too"
            )

    def forward(self, counts: Float[np.ndarray, " cells"]) -> Numbers:
        table = counts.reshape(self.tables.sizes)
        for axis, size in enumerate(self.tables.sizes):
            table = np.moveaxis(np.tensordot(with_ones(size), table, (1, axis)), 0, axis)
        return np.concatenate([w * table[self._place(own)].ravel() for own, w in self._weighted])

    def backward(self, numbers: Numbers) -> Float[np.ndarray, " cells"]:
        table, start = np.zeros(self.tables.sizes), 0
        for own, weight in self._weighted:
            rows = self.tables.shape.rows(own)
            stop = start + math.prod(rows)
            table[self._place(own)] = weight * numbers[start:stop].reshape(rows)
            start = stop
        for axis, size in enumerate(self.tables.sizes):
            table = np.moveaxis(np.tensordot(with_ones(size).T, table, (1, axis)), 0, axis)
        return table.ravel()

    def columns(self, places: Int64[np.ndarray, " places"]) -> Float[np.ndarray, "sums places"]:
        """The contrasts of one record in each of these cells."""
        cells = np.unravel_index(places, self.tables.sizes)
        factors = [with_ones(n)[:, own] for n, own in zip(self.tables.sizes, cells, strict=True)]
        parts = []
        for own, weight in self._weighted:
            part = np.full((1, len(places)), float(weight))
            for i in own:
                part = (part[:, None] * factors[i][1:]).reshape(-1, len(places))
            parts.append(part)
        return np.concatenate(parts)

    @property
    def _weighted(self) -> list[tuple[Set, int]]:
        return list(zip(self.tables.shape.sets, self.tables.shape.weights, strict=True))

    def _place(self, attributes: Set) -> tuple[slice | int, ...]:
        columns = range(len(self.tables.sizes))
        return tuple(slice(1, None) if i in attributes else 0 for i in columns)


class Fit(Protocol):
    """Finds counts of all columns together, not yet whole, for noisy contrasts."""

    def fit(self, tables: Tables, sums: Numbers, deviation: float) -> Combination:
        """Counts, and how far they are from the best.

        Args:
          tables: what was asked for.
          sums: the noisy contrasts, times their weights.
          deviation: of the noise on each.

        Raises:
          ValueError: if the columns together have too many cells, or the tables too many contrasts.
        """
        ...


@final
@dataclass(frozen=True)
class LeastSquaresFit:
    """The counts whose contrasts are nearest: under Gaussian noise the likeliest."""

    def fit(self, tables: Tables, sums: Numbers, deviation: float) -> Combination:
        everything, unit = AllColumns(tables), unit_of(tables, deviation)
        # The closure begins with the set of no attributes, whose contrast is the number of records.
        many = float(sums[0]) / tables.shape.weights[0]
        if not many > 0.5:
            return Combination(np.zeros(math.prod(tables.sizes)), 0.0)
        return combination(
            lambda counts: everything.forward(counts) / unit,
            lambda numbers: everything.backward(numbers) / unit,
            sums / unit,
            many,
            _NEAR * math.sqrt(len(sums)),
            _STEPS,
        )


def whole(tables: Tables, fit: Combination) -> Whole:
    """Its counts in whole numbers."""
    counts = rounded(fit.counts, AllColumns(tables).columns)
    return counts.astype(np.int64).reshape(tables.sizes)
