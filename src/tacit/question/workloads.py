"""Workloads: sets of linear queries about how many people are in each of N ordered cells.

A query is a weighted sum of the counts. A workload has a *basis*, a few queries of which every
answer is one or a difference of two, so that half a million ranges need no matrix of their own.

| workload | queries | basis |
| --- | --- | --- |
| `Prefix(N)` | how many are in the first j cells, j = 1..N | themselves |
| `Ranges(N)` | how many are in the cells i..j, for all i <= j | prefix sums |
| `Queries(matrix)` | the rows of any matrix | themselves |

`gram` is V = W'W, all that the best strategy depends on (`solve.strategies`):

* prefix sums: V_ij = N - max(i, j), from zero; its inverse is the path's Laplacian, 1, 2, 2, ...
  on the diagonal and -1 beside it;
* ranges: V_ij = min(i, j) (N + 1 - max(i, j)), from one; its inverse is 2/(N + 1) on the diagonal
  and -1/(N + 1) beside it.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float

from tacit.argument import counted, got, is_whole
from tacit.solve.inverse_root import Tridiagonal
from tacit.solve.strategies import DenseGram, Gram, PathGram

# A strategy is a square of so many sums: eigenvectors of more take minutes.
MOST_CELLS = 4096
# Of a workload with fewer queries than cells: so much of its mean query is asked of every cell.
_RIDGE = 1e-8

Matrix = Float[np.ndarray, "queries cells"]
Answers = Float[np.ndarray, " queries"]


@runtime_checkable
class Workload(Protocol):
    """A set of linear queries."""

    @property
    def cells(self) -> int:
        """How many counts they are about."""
        ...

    @property
    def queries(self) -> int:
        """How many they are."""
        ...

    def gram(self) -> Gram:
        """W'W, made positive definite where it is not."""
        ...

    def basis(self) -> Matrix:
        """A few queries of which every answer is made."""
        ...

    def answers(self, basis: Any) -> Any:
        """All answers, of those to the basis: NumPy's or JAX's."""
        ...

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        """Of all answers, if those to the basis have the noise `factor` z, z of unit variance."""
        ...


@final
@dataclass(frozen=True)
class Prefix:
    """How many people are in the first cell, in the first two, ... in all of them.

    Args:
      cells: how many cells there are, from 2 to 4096.
    """

    cells: int

    def __post_init__(self):
        object.__setattr__(self, "cells", _cells(self.cells))

    @property
    def queries(self) -> int:
        return self.cells

    def gram(self) -> Gram:
        main = np.full(self.cells, 2.0)
        main[0] = 1.0
        diagonal = np.arange(self.cells, 0, -1.0)
        return PathGram(Tridiagonal(main, np.full(self.cells - 1, -1.0)), diagonal)

    def basis(self) -> Matrix:
        return np.tri(self.cells)

    def answers(self, basis: Any) -> Any:
        return basis

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
        object.__setattr__(self, "cells", _cells(self.cells))

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

    def basis(self) -> Matrix:
        return np.tri(self.cells)

    def answers(self, basis: Any) -> Any:
        first, last = self.ends
        begun = (first > 0).reshape(-1, *(1,) * (basis.ndim - 1))
        return basis[last] - basis[np.maximum(first - 1, 0)] * begun

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
      matrix: finite numbers, a row for each query, a column for each of 2 to 4096 cells.
    """

    matrix: Matrix = field(repr=False)

    def __post_init__(self):
        given = np.asarray(self.matrix)
        if not (given.ndim == 2 and given.size and np.issubdtype(given.dtype, np.number)):
            raise ValueError(f"queries are a matrix of numbers, a row each, got {got(self.matrix)}")
        own = np.array(given, np.float64)
        if not (np.isfinite(own).all() and own.any()):
            raise ValueError("queries must be finite numbers, not all of them zero")
        _cells(own.shape[1])
        own.flags.writeable = False
        object.__setattr__(self, "matrix", own)

    @property
    def cells(self) -> int:
        return self.matrix.shape[1]

    @property
    def queries(self) -> int:
        return self.matrix.shape[0]

    def gram(self) -> Gram:
        squares = self.matrix.T @ self.matrix
        return DenseGram(squares + _RIDGE * np.trace(squares) / self.cells * np.eye(self.cells))

    def basis(self) -> Matrix:
        return self.matrix

    def answers(self, basis: Any) -> Any:
        return basis

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        return (factor**2).sum(1)


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
        squares = np.pad(self.workload.gram().dense(), (0, 1))
        return DenseGram(squares + _RIDGE * np.trace(squares) / self.cells * np.eye(self.cells))

    def basis(self) -> Matrix:
        return np.pad(self.workload.basis(), ((0, 0), (0, 1)))

    def answers(self, basis: Any) -> Any:
        return self.workload.answers(basis)

    def variances(self, factor: Float[np.ndarray, "basis cells"]) -> Answers:
        return self.workload.variances(factor)


def _cells(cells: Any) -> int:
    whole = counted(cells)
    if not (is_whole(whole) and 2 <= whole <= MOST_CELLS):
        raise ValueError(f"a workload is about 2 to {MOST_CELLS:,} cells, got {got(cells)}")
    return whole
