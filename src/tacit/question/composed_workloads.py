"""Workloads made of others: of two columns at a time, of several at once, beside one cell more.

| workload | queries |
| --- | --- |
| `Kronecker(first, second)` | each of one column with each of the other, about pairs of cells |
| `Union(workload, ...)` | all of them, about the same cells |
| `WithNone(workload)` | the same, of people some of whom are in no cell |

Of a product, the cell (i, j) is number i N + j, for the N cells of the second, and so are queries:
`Kronecker(Prefix(16), Prefix(8))` asks how many are in the first i and the first j, for all i, j.
Its best strategy is the product of theirs, and so is its least error (`question.objectives`), so it
is found from the factors alone; only a plan writes it out. Of unions neither is so.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_made
from tacit.question.cell_limits import refuse_too_many
from tacit.question.workloads import Answers, Matrix, Workload
from tacit.solve.strategies import DenseGram, Gram, Weights
from tacit.solve.worst_error import Importances, Sides, dense_sides


@final
@dataclass(frozen=True)
class Kronecker:
    """Every query of one column together with every query of another.

    Args:
      first, second: of the columns.
    """

    first: Workload
    second: Workload

    def __post_init__(self):
        for each in (self.first, self.second):
            _refuse_no_workload(each)

    @property
    def cells(self) -> int:
        return self.first.cells * self.second.cells

    @property
    def queries(self) -> int:
        return self.first.queries * self.second.queries

    def gram(self) -> Gram:
        refuse_too_many(self)
        return DenseGram(np.kron(self.first.gram().dense(), self.second.gram().dense()))

    def weighed(self, importances: Importances) -> Gram:
        refuse_too_many(self)
        rows = self.first.answers(self.first.basis())
        found = np.zeros((self.cells, self.cells))
        for own, shares in zip(rows, importances.reshape(len(rows), -1), strict=True):
            found += np.kron(np.outer(own, own), self.second.weighed(shares).dense())
        return DenseGram(found)

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        return dense_sides(self, importances, weights)

    def basis(self) -> Matrix:
        refuse_too_many(self)
        return np.kron(self.first.basis(), self.second.basis())

    @property
    def basis_size(self) -> int:
        return self.first.basis_size * self.second.basis_size

    def answers(self, basis: Any) -> Any:
        rest = basis.shape[1:]
        wide = basis.reshape(self.first.basis_size, -1, *rest)
        first = self.first.answers(wide).swapaxes(0, 1)
        return self.second.answers(first).swapaxes(0, 1).reshape(self.queries, *rest)

    def largest(self) -> Answers:
        return np.kron(self.first.largest(), self.second.largest())

    def worded(self, query: int) -> str:
        first, second = divmod(query, self.second.queries)
        return f"{self.first.worded(first)} x {self.second.worded(second)}"

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        wide = factor.reshape(self.first.basis_size, self.second.basis_size, -1)
        parts = self.first.answers(np.eye(self.first.basis_size))
        return np.concatenate([self.second.variances(_weighted(own, wide)) for own in parts])


@final
@dataclass(frozen=True)
class Union:
    """Several workloads about the same cells, one after the other.

    Args:
      workloads: at least one.
    """

    workloads: tuple[Workload, ...]

    def __init__(self, *workloads: Workload):
        if not workloads:
            raise ValueError("a union is of one workload at least, got none")
        for each in workloads:
            _refuse_no_workload(each)
        sizes = [each.cells for each in workloads]
        if len(set(sizes)) > 1:
            raise ValueError(f"a union's workloads are about the same cells, got {sizes} of them")
        object.__setattr__(self, "workloads", workloads)

    @property
    def cells(self) -> int:
        return self.workloads[0].cells

    @property
    def queries(self) -> int:
        return sum(each.queries for each in self.workloads)

    def gram(self) -> Gram:
        refuse_too_many(self)
        return DenseGram(sum((each.gram().dense() for each in self.workloads), np.zeros(())))

    def weighed(self, importances: Importances) -> Gram:
        refuse_too_many(self)
        own = zip(self.workloads, self._split(importances, self._queries), strict=True)
        return DenseGram(sum((each.weighed(u).dense() for each, u in own), np.zeros(())))

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        return dense_sides(self, importances, weights)

    def basis(self) -> Matrix:
        refuse_too_many(self)
        return np.concatenate([each.basis() for each in self.workloads])

    @property
    def basis_size(self) -> int:
        return sum(each.basis_size for each in self.workloads)

    def answers(self, basis: Any) -> Any:
        own = zip(self.workloads, self._split(basis, self._sizes), strict=True)
        found = [each.answers(rows) for each, rows in own]
        return found[0].__array_namespace__().concatenate(found)

    def largest(self) -> Answers:
        return np.concatenate([each.largest() for each in self.workloads])

    def worded(self, query: int) -> str:
        ends = np.cumsum(self._queries)
        own = int(ends.searchsorted(query, "right"))
        return self.workloads[own].worded(query - int(ends[own]) + self._queries[own])

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        own = zip(self.workloads, self._split(factor, self._sizes), strict=True)
        return np.concatenate([each.variances(rows) for each, rows in own])

    @property
    def _sizes(self) -> list[int]:
        return [each.basis_size for each in self.workloads]

    @property
    def _queries(self) -> list[int]:
        return [each.queries for each in self.workloads]

    def _split(self, rows: Any, sizes: list[int]) -> list[Any]:
        ends = np.cumsum([0, *sizes]).tolist()
        return [rows[low:high] for low, high in pairwise(ends)]


@final
@dataclass(frozen=True)
class WithNone:
    """A workload's queries, beside one more cell that is in none of them: of whoever is in no cell.

    Args:
      workload: of one cell less.
    """

    workload: Workload

    @property
    def cells(self) -> int:
        return self.workload.cells + 1

    @property
    def queries(self) -> int:
        return self.workload.queries

    def gram(self) -> Gram:
        return DenseGram(np.pad(self.workload.gram().dense(), (0, 1)))

    def weighed(self, importances: Importances) -> Gram:
        return DenseGram(np.pad(self.workload.weighed(importances).dense(), (0, 1)))

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        return dense_sides(self, importances, weights)

    def basis(self) -> Matrix:
        return np.pad(self.workload.basis(), ((0, 0), (0, 1)))

    @property
    def basis_size(self) -> int:
        return self.workload.basis_size

    def answers(self, basis: Any) -> Any:
        return self.workload.answers(basis)

    def largest(self) -> Answers:
        return self.workload.largest()

    def worded(self, query: int) -> str:
        return self.workload.worded(query)

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        return self.workload.variances(factor)


def _weighted(
    weights: Float[np.ndarray, " first"], wide: Float[np.ndarray, "first second cells"]
) -> Float[np.ndarray, "second cells"]:
    """A sum over the first axis; most weights are zero."""
    kept = np.flatnonzero(weights)
    return np.tensordot(weights[kept], wide[kept], 1)


def _refuse_no_workload(given: Any) -> None:
    if not is_made(given, Workload):
        raise ValueError(f"workloads are made of workloads, as Prefix(8), got {got(given)}")
