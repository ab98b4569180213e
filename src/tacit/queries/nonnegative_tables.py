"""The likeliest tables without a negative cell, of noisy contrasts.

Each contrast, times its set's weight, has noise of one deviation. So of all contrasts whose tables
have no negative cell the nearest, in that unit, are the likeliest under Gaussian noise: they are
sought (`solve.nonnegative`), and tables made of them agree with one another whatever they are. The
number of records is held at what was released, or at zero: if it were free, it would take up what
negative cells are raised by, and rise with their number.

| released | what comes of it |
| --- | --- |
| no negative cell | the same |
| a number of records of zero or less | zero everywhere |
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.queries.closure import Blocks, Set, Tables, inverse_of, subsets
from tacit.solve.nonnegative import Numbers, Values, nearest

# The distance to reach, for each contrast: a hundredth of what noise moves them by.
_NEAR, _STEPS = 0.01, 2_000


@final
@dataclass(frozen=True)
class LargestTables:
    """All cells of the largest tables, of contrasts times their weights, side by side."""

    tables: Tables

    @property
    def largest(self) -> list[Set]:
        """The tables that are no other's part."""
        sets = [set(each) for each in self.tables.sets]
        return [one for one in self.tables.sets if not any(set(one) < each for each in sets)]

    def forward(self, numbers: Numbers) -> Values:
        blocks = self.tables.split(numbers)
        return np.concatenate([self.tables.table(own, blocks).ravel() for own in self.largest])

    def backward(self, prices: Values) -> Numbers:
        found, start = dict.fromkeys(self.tables.closure, np.zeros(())), 0
        for own in self.largest:
            sizes = tuple(self.tables.sizes[i] for i in own)
            stop = start + math.prod(sizes)
            for part, block in self._contrasts(own, prices[start:stop].reshape(sizes)).items():
                found[part] = found[part] + block
            start = stop
        shape = self.tables.shape
        each = zip(shape.sets, shape.weights, strict=True)
        return np.concatenate([np.ravel(found[own]) / weight for own, weight in each])

    def _contrasts(self, attributes: Set, table: Float[np.ndarray, "*sizes"]) -> Blocks:
        """The adjoint of `Tables.table`."""
        for axis, i in enumerate(attributes):
            inverse = inverse_of(self.tables.sizes[i]).T
            table = np.moveaxis(np.tensordot(inverse, table, (1, axis)), 0, axis)
        parts = subsets(attributes)
        return {
            own: table[tuple(slice(1, None) if i in own else 0 for i in attributes)]
            for own in parts
        }


@final
@dataclass(frozen=True)
class _Held:
    """The same, where the number of records does not move."""

    cells: LargestTables

    def forward(self, numbers: Numbers) -> Values:
        return self.cells.forward(np.concatenate([[0.0], numbers]))

    def backward(self, prices: Values) -> Numbers:
        return self.cells.backward(prices)[1:]


def unit_of(tables: Tables, deviation: float) -> float:
    """In which distances are: the noise on one contrast, or where there is none, one record."""
    return deviation if deviation > 0 else tables.shape.sensitivity(Relation.ADD_REMOVE)


def likeliest(tables: Tables, sums: Numbers, deviation: float) -> tuple[Blocks, float]:
    """Contrasts of weight one, whose tables have no negative cell; and how far from the likeliest.

    Args:
      tables: what was asked for.
      sums: the noisy contrasts, times their weights.
      deviation: of the noise on each.
    """
    # The closure begins with the set of no attributes, whose contrast is the number of records.
    unit, cells = unit_of(tables, deviation), LargestTables(tables)
    many = np.zeros_like(sums)
    many[0] = max(sums[0], 0.0) / unit
    near = _NEAR * math.sqrt(len(sums))
    held = np.maximum(cells.forward(many), 0.0)
    found = nearest(_Held(cells), held, sums[1:] / unit, near, _STEPS)
    whole = np.concatenate([many[:1], found.numbers])
    return tables.split(unit * whole), found.distance
