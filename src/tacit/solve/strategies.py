"""Which sums to add noise to so that a set of linear queries has the least error: with its proof.

W holds a query in each row, over the counts of N cells. Noise is added not to the answers Wh, and
not to the counts h, but to Ah: answers are W A^-1 (Ah + z). With X = A'A and normal noise of
deviation sigma, the errors have the variances sigma² diag(W X^-1 W'), in sum sigma² tr(V X^-1) for
V = W'W. One person moves Ah by at most the largest length of a column of A, sqrt(max X_jj), which
is held at one. So the best A is a root of the X that solves

    minimise tr(V X^-1)   where X is positive definite and diag X <= 1.

1. *Dual.* For any v > 0, S = (D_v^(1/2) V D_v^(1/2))^(1/2) and feasible X, tr(D_v X) <= sum v, and

       tr(V X^-1) sum v >= tr(V X^-1) tr(D_v X) >= (tr S)²

   by Cauchy and Schwarz in the Frobenius norm, as tr S = |D_v^(1/2) V^(1/2)|_* is at most the
   product of |D_v^(1/2) X^(1/2)|_F and |X^(-1/2) V^(1/2)|_F. So `lower` = (tr S)² / sum v.
2. *Primal.* X = D_v^(-1/2) S D_v^(-1/2) has the diagonal s/v, with s that of S, and tr(V X^-1) is
   tr S. Divided by max(s/v) it is feasible: `upper` = tr S max(s/v).
3. Both meet where s = v, and v is moved there by v <- v (s/v)^p, with p = 5/2. Nothing rests on
   that: the two bounds are computed in every turn, and the best of each are kept.
4. *Queries that leave something open*, as fewer queries than cells do, have a singular V. Then X is
   made with V + k, k being 1e-10 of the mean of V's diagonal, and tr(V X^-1) is below that of
   V + k. The dual is that of V itself.

Only tr S and diag S are needed in a step. Where V^-1 is tridiagonal, as for prefix sums and ranges,
so is that of D_v^(1/2) V D_v^(1/2), and the step takes linear time (`inverse_root`).

References:
    Li, Miklau, Hay, McGregor and Rastogi 2015, "The matrix mechanism", VLDB Journal (the SVD bound:
        v = 1).
    McKenna, Miklau, Hay and Machanavajjhala 2018, "Optimizing error of high-dimensional statistical
        queries under differential privacy"; Yuan, Yang, Zhang and Hao 2016 (the convex program).
    Denisov, McMahan, Rush, Smith and Thakurta 2022, "Improved differential privacy for SGD via
        optimal private linear operators on adaptive streams" (the fixed point, p = 1).
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

import numpy as np
from jaxtyping import Float
from scipy.linalg import solveh_banded

from tacit.solve.inverse_root import Tridiagonal

# The power and the most steps of v, and after how many without a better bound it ends: bounds say
# what was reached.
_POWER, _STEPS, _STALE = 2.5, 80, 8
# What computing the bounds in floats may have moved them by, relatively.
_ROUNDING = 1e-9
# k, in units of the mean of V's diagonal; and what eigenvalues in floats are off by, relatively.
_ADDED, _FLOATS = 1e-10, 2.0**-52

Weights = Float[np.ndarray, " cells"]
Square = Float[np.ndarray, "cells cells"]


class Root(NamedTuple):
    """What a step takes of S.

    Args:
      least: its trace, at least.
      trace: that of the S that X is made of.
      diagonal: the same.
    """

    least: float
    trace: float
    diagonal: Weights


class Gram(Protocol):
    """V = W'W."""

    @property
    def cells(self) -> int: ...

    def root(self, weights: Weights) -> Root:
        """S = (D^(1/2) V D^(1/2))^(1/2), for D with these on its diagonal."""
        ...

    def dense(self) -> Square:
        """V itself."""
        ...


@final
@dataclass(frozen=True)
class DenseGram:
    """Any V. A step takes its eigenvectors: cubic time."""

    matrix: Square

    @property
    def cells(self) -> int:
        return len(self.matrix)

    def root(self, weights: Weights) -> Root:
        own = Spectrum.of(self.matrix, weights)
        return Root(own.least, own.trace, own.diagonal())

    def dense(self) -> Square:
        return self.matrix


@final
@dataclass(frozen=True)
class PathGram:
    """V whose inverse is tridiagonal. A step takes linear time.

    Args:
      inverse: V^-1.
      diagonal: of V, whose weighted sum bounds its eigenvalues.
    """

    inverse: Tridiagonal
    diagonal: Weights

    @property
    def cells(self) -> int:
        return len(self.diagonal)

    def root(self, weights: Weights) -> Root:
        least = 1 / float(weights @ self.diagonal)
        found = self.inverse.scaled(weights**-0.5).inverse_root_diagonal(least)
        return Root(float(found.sum()), float(found.sum()), found)

    def dense(self) -> Square:
        bands = np.stack([self.inverse.main, np.append(self.inverse.beside, 0.0)])
        return solveh_banded(bands, np.eye(self.cells), lower=True)


@final
@dataclass(frozen=True)
class LeastSquares:
    """Weights whose X is nearly best, and between which bounds the least tr(V X^-1) lies.

    Args:
      weights: v.
      lower, upper: the least sum of variances at unit noise, for columns of length one at most.
    """

    weights: Weights
    lower: float
    upper: float


def least_squares(gram: Gram, gap: float = 1e-4) -> LeastSquares:
    """The best strategy for the sum of all queries' variances, within a relative `gap` or nearly.

    `upper` and `lower` say how near it is. Where 80 steps do not bring them so near, or eight bring
    nothing, they are those of the best step.
    """
    v = np.ones(gram.cells)
    best, lower, upper, since = v, 0.0, np.inf, 0
    for _ in range(_STEPS):
        least, whole, s = gram.root(v)
        lower = max(lower, (1 - _ROUNDING) * least**2 / float(v.sum()))
        reached = (1 + _ROUNDING) * whole * float((s / v).max())
        since = 0 if reached < (1 - gap / 10) * upper else since + 1
        if reached < upper:
            best, upper = v, reached
        if upper <= (1 + gap) * lower or since > _STALE:
            break
        v = v * (s / v) ** _POWER
        v = v / v.mean()
    return LeastSquares(best, lower, upper)


def strategy(gram: Gram, weights: Weights) -> Square:
    """A lower triangular A with A'A = X for these weights, columns no longer than one.

    Lower triangular, so that it serves a stream too: a sum is about the cells up to its own.
    """
    scale = weights**-0.5
    square = Spectrum.of(gram.dense(), weights).matrix() * scale * scale[:, None]
    square /= square.diagonal().max()
    upper = np.linalg.cholesky(square[::-1, ::-1])[::-1, ::-1]
    return upper.T


@final
@dataclass(frozen=True)
class Spectrum:
    """The S that X is made of, by its eigenvectors.

    Args:
      least: the trace of V's own, at least.
      values: eigenvalues.
      vectors: in columns.
    """

    least: float
    values: Weights
    vectors: Square

    @classmethod
    def of(cls, squares: Square, weights: Weights) -> "Spectrum":
        """Of V and v."""
        half = np.sqrt(weights)
        own = squares * half * half[:, None]
        known = np.linalg.eigvalsh(own)
        off = len(known) * _FLOATS * known[-1]
        values, vectors = np.linalg.eigh(
            own + _ADDED * squares.diagonal().mean() * np.diag(weights)
        )
        least = float(np.sqrt(np.maximum(known - off, 0.0)).sum())
        return cls(least, np.sqrt(np.maximum(values, off)), vectors)

    @property
    def trace(self) -> float:
        return float(self.values.sum())

    def diagonal(self) -> Weights:
        return self.vectors**2 @ self.values

    def matrix(self) -> Square:
        return (self.vectors * self.values) @ self.vectors.T

    def inverse_root(self) -> Square:
        """Some root of S^-1: F with F F' = S^-1."""
        return self.vectors * self.values**-0.5
