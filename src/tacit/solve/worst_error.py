"""Which sums to add noise to so that the worst of a set of linear queries is off least: gamma_2.

As in `solve.strategies`, noise of deviation one on Ah gives the answer to the query w_i, a row of
W, the variance w_i X^-1 w_i', X = A'A. The least of their largest, over positive definite X with
diag X <= 1, is gamma_2(W)²: the factorisation norm, the least product |R|_(2 -> inf) |A|_(1 -> 2)
over W = RA, of the longest row of R and the longest column of A.

1. *Dual.* For weights u > 0 of the queries and v > 0 of the cells, B = D_u^(1/2) W D_v^(1/2),

       max_i w_i X^-1 w_i' * sum u * sum v >= tr(W'D_u W X^-1) tr(D_v X) >= (tr (B'B)^(1/2))²,

   by step 1 of `solve.strategies` with the squares V = W'D_u W.
2. *Primal.* With S = (B'B)^(1/2), X = D_v^(-1/2) S D_v^(-1/2) has the diagonal s/v, and the query i
   the variance q_i, where u_i q_i is the diagonal of (BB')^(1/2). So `upper` = max q max(s/v).
3. Both meet where s = v and q = 1, up to scale, and the weights are moved there by
   v <- v (s/v)^(3/2) and u <- u q^(3/2); nothing rests on that. Squares would swap the weights of
   queries that share no cell for ever.

Under a Kronecker product both bounds multiply, as do the weights.

References:
    Linial, Mendelson, Schechtman and Shraibman 2007, "Complexity measures of sign matrices".
    Lee, Shraibman and Spalek 2008, "A direct product theorem for discrepancy".
    Edmonds, Nikolov and Ullman 2020, "The power of factorization mechanisms in local and central
        differential privacy".
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

import numpy as np
from jaxtyping import Float

from tacit.solve.strategies import Gram, Spectrum, Weights

# The power and the most steps of the weights: bounds say what was reached.
_POWER, _STEPS = 1.5, 200
# What computing the bounds in floats may have moved them by, relatively.
_ROUNDING = 1e-9

Importances = Float[np.ndarray, " queries"]
Basis = Float[np.ndarray, "basis cells"]


class Sides(NamedTuple):
    """What a step takes of B.

    Args:
      least: the trace of (B'B)^(1/2), at least.
      variances: q, of the queries under X.
      diagonal: s, of X times v.
    """

    least: float
    variances: Importances
    diagonal: Weights


class Written(Protocol):
    """Queries that can be written out, all of them or a basis that gives them."""

    def weighed(self, importances: Importances) -> Gram:
        """W'D W, for a positive weight of each query."""
        ...

    def basis(self) -> Basis:
        """A few queries of which every answer is made."""
        ...

    def variances(self, factor: Basis) -> Importances:
        """Of all answers, if those to the basis have the noise `factor` z, z of unit variance."""
        ...


class Weighable(Protocol):
    """Queries that can be weighed."""

    @property
    def cells(self) -> int: ...

    @property
    def queries(self) -> int: ...

    def sides(self, importances: Importances, weights: Weights) -> Sides:
        """Of B for these weights of queries and of cells."""
        ...


@final
@dataclass(frozen=True)
class LeastWorst:
    """Weights whose X is nearly best, and between which bounds gamma_2² lies.

    Args:
      importances: u.
      weights: v.
      lower, upper: the least largest variance at unit noise, for columns of length one at most.
    """

    importances: Importances
    weights: Weights
    lower: float
    upper: float


def least_worst(workload: Weighable, gap: float = 1e-3) -> LeastWorst:
    """The best strategy for the largest variance, within a relative `gap` or nearly.

    `upper` and `lower` say how near it is. Where 200 steps do not bring them so near, they are
    those of the best step.
    """
    u, v = np.ones(workload.queries), np.ones(workload.cells)
    best, lower, upper = (u, v), 0.0, np.inf
    for _ in range(_STEPS):
        least, q, s = workload.sides(u, v)
        lower = max(lower, (1 - _ROUNDING) * least**2 / float(u.sum() * v.sum()))
        reached = (1 + _ROUNDING) * float(q.max() * (s / v).max())
        if reached < upper:
            best, upper = (u, v), reached
        if upper <= (1 + gap) * lower:
            break
        u, v = u * (q / q.mean()) ** _POWER, v * (s / v) ** _POWER
        u, v = np.maximum(u / u.mean(), 1e-12), v / v.mean()
    return LeastWorst(*best, lower, upper)


def dense_sides(queries: Written, importances: Importances, weights: Weights) -> Sides:
    """By eigenvectors: cubic time.

    Args:
      importances: u.
      weights: v.
    """
    own = Spectrum.of(queries.weighed(importances).dense(), weights)
    factor = (queries.basis() * np.sqrt(weights)) @ own.inverse_root()
    return Sides(own.least, queries.variances(factor), own.diagonal())
