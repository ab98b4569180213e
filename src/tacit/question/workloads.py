"""Workloads: sets of linear queries about how many people are in each of N ordered cells.

A query is a weighted sum of the counts. A workload has a *basis*, a few queries of which every
answer is one or a difference of two, so that half a million ranges need no matrix of their own.

| workload | queries | basis |
| --- | --- | --- |
| `Prefix(N)` | how many are in the first j cells, j = 1..N | themselves |
| `Ranges(N)` | how many are in the cells i..j, for all i <= j | prefix sums |
| `Queries(matrix)` | the rows of any matrix | themselves |

`gram` is V = W'W, all that the strategy of the least sum of variances depends on
(`solve.strategies`); `weighed` and `sides` are what the least worst one takes
(`solve.worst_error`):

* prefix sums: V_ij = N - max(i, j), from zero; its inverse is the path's Laplacian, 1, 2, 2, ...
  on the diagonal and -1 beside it;
* ranges: V_ij = min(i, j) (N + 1 - max(i, j)), from one; its inverse is 2/(N + 1) on the diagonal
  and -1/(N + 1) beside it.
* prefix sums of importance u: V_ij = u_k + ... + u_N from k = max(i, j) on, and its inverse is
  1/u_(i-1) + 1/u_i on the diagonal, without the first term for i = 1, and -1/u_i beside it. Read
  from the end, prefix sums are their own transpose: so what holds of cells holds of queries.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float

from tacit.argument import got
from tacit.question.cell_limits import MOST_PREFIX, refuse_too_many, whole_cells
from tacit.solve.inverse_root import Tridiagonal
from tacit.solve.strategies import DenseGram, Gram, PathGram, Weights
from tacit.solve.worst_error import Importances, Sides, Weighable, Written, dense_sides

# Squares of smaller numbers, and of larger ones than its inverse, leave the floats in products.
_LEAST = 1e-12
Matrix = Float[np.ndarray, "queries cells"]
Answers = Float[np.ndarray, " queries"]


@runtime_checkable
class Workload(Weighable, Written, Protocol):
    """A set of linear queries: how many `queries`, about how many `cells`, and their algebra."""

    def gram(self) -> Gram:
        """W'W."""
        ...

    @property
    def basis_size(self) -> int:
        """How many queries its basis has."""
        ...

    def answers(self, basis: Any) -> Any:
        """All answers, of those to the basis: NumPy's or JAX's."""
        ...

    def largest(self) -> Answers:
        """The size of the largest weight in each query."""
        ...

    def worded(self, query: int) -> str:
        """Which one the query of this number is: both, and its cells, are numbered from zero."""
        ...


@final
@dataclass(frozen=True)
class Prefix:
    """How many people are in the first cell, in the first two, ... in all of them.

    Args:
      cells: how many cells there are, from 2 to 65,536: up to 4,096 of them can be written out,
        and of more a curator answers, with a delta (`server.convolved`).
    """

    cells: int

    def __post_init__(self):
        object.__setattr__(self, "cells", whole_cells(self.cells, MOST_PREFIX))

    @property
    def queries(self) -> int:
        return self.cells

    def gram(self) -> Gram:
        return self.weighed(np.ones(self.cells))

    def weighed(self, importances: Importances) -> Gram:
        main = 1 / importances
        beside = -main[:-1]
        main[1:] -= beside
        return PathGram(Tridiagonal(main, beside), np.cumsum(importances[::-1])[::-1])

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        right = self.weighed(importances).root(weights)
        left = self.weighed(weights[::-1]).root(importances[::-1])
        return Sides(right.least, left.diagonal[::-1] / importances, right.diagonal)

    def basis(self) -> Matrix:
        refuse_too_many(self)
        return np.tri(self.cells)

    @property
    def basis_size(self) -> int:
        return self.cells

    def answers(self, basis: Any) -> Any:
        return basis

    def largest(self) -> Answers:
        return np.ones(self.queries)

    def worded(self, query: int) -> str:
        return f"cells 0 to {query}"

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        return (factor**2).sum(1)


@final
@dataclass(frozen=True)
class Ranges:
    """How many people are in the cells from i to j, for all i <= j, (1, 1), (1, 2), ... (N, N).

    Args:
      cells: how many cells there are, from 2 to 4096.
    """

    cells: int

    def __post_init__(self):
        object.__setattr__(self, "cells", whole_cells(self.cells))

    @property
    def queries(self) -> int:
        return self.cells * (self.cells + 1) // 2

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last cell of each range, from zero."""
        return np.triu_indices(self.cells)

    def gram(self) -> Gram:
        n = self.cells
        places = np.arange(1.0, n + 1)
        inverse = Tridiagonal(np.full(n, 2 / (n + 1)), np.full(n - 1, -1 / (n + 1)))
        return PathGram(inverse, places * (n + 1 - places))

    def weighed(self, importances: Importances) -> Gram:
        table = np.zeros((self.cells, self.cells))
        table[self.ends] = importances
        # Of ranges that begin at a cell or before, and end at another or after.
        around = np.triu(np.cumsum(np.cumsum(table, 0)[:, ::-1], 1)[:, ::-1])
        return DenseGram(around + np.triu(around, 1).T)

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        return dense_sides(self, importances, weights)

    def basis(self) -> Matrix:
        return np.tri(self.cells)

    @property
    def basis_size(self) -> int:
        return self.cells

    def answers(self, basis: Any) -> Any:
        first, last = self.ends
        begun = (first > 0).reshape(-1, *(1,) * (basis.ndim - 1))
        return basis[last] - basis[np.maximum(first - 1, 0)] * begun

    def largest(self) -> Answers:
        return np.ones(self.queries)

    def worded(self, query: int) -> str:
        # i (2N + 1 - i) / 2 ranges begin before cell i: the largest i for which these are not more.
        odd = 2 * self.cells + 1
        first = (odd - 1 - math.isqrt(odd**2 - 8 * query - 1)) // 2
        return f"cells {first} to {first + query - first * (odd - first) // 2}"

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        squares = np.zeros((self.cells + 1,) * 2)
        squares[1:, 1:] = factor @ factor.T
        first, last = self.ends
        own, diagonal = squares[first, last + 1], squares.diagonal()
        return diagonal[first] + diagonal[last + 1] - 2 * own


@final
@dataclass(frozen=True, eq=False)
class Queries:
    """The rows of a matrix: query i is the sum over cells j of matrix[i, j] times their count.

    Args:
      matrix: a row for each query, a column for each of 2 to 4096 cells; of numbers of which the
        largest is from 1e-12 to 1e12 in size.
    """

    matrix: Matrix = field(repr=False)

    def __post_init__(self):
        given = np.asarray(self.matrix)
        if not (given.ndim == 2 and given.size and given.dtype.kind in "biuf"):
            raise ValueError(f"queries are a matrix of numbers, a row each, got {got(self.matrix)}")
        if not np.isfinite(own := np.array(given, np.float64)).all():
            raise ValueError("a matrix of queries must be finite numbers, got one that is not")
        if not _LEAST <= np.abs(own).max() <= 1 / _LEAST:
            raise ValueError("queries' largest number must be from 1e-12 to 1e12 in size")
        whole_cells(own.shape[1])
        own.flags.writeable = False
        object.__setattr__(self, "matrix", own)

    @property
    def cells(self) -> int:
        return self.matrix.shape[1]

    @property
    def queries(self) -> int:
        return self.matrix.shape[0]

    def gram(self) -> Gram:
        return self.weighed(np.ones(self.queries))

    def weighed(self, importances: Importances) -> Gram:
        return DenseGram((self.matrix.T * importances) @ self.matrix)

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        return dense_sides(self, importances, weights)

    def basis(self) -> Matrix:
        return self.matrix

    @property
    def basis_size(self) -> int:
        return self.queries

    def answers(self, basis: Any) -> Any:
        return basis

    def largest(self) -> Answers:
        return np.abs(self.matrix).max(1)

    def worded(self, query: int) -> str:
        return f"row {query}"

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        return (factor**2).sum(1)
