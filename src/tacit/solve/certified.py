"""The objective, its gradient and its Hessian on the rows, and a proof of how long the gradient is.

**Rounding.** Write u = 2^-53 and g_m = mu/(1 - mu), the relative error of a float64 sum of m
products in any order (Higham, section 3.1).

1. A computed score is within g_d |w||x_i| of the true one, so its slope within C times that.
2. Evaluating a slope errs by at most 2^-48 k (C + |l'|), for k scores: NumPy's exp and tanh err by
   a few u, and a probability p by u|z|p = u|z|e^-|z| more.
3. Rows come in parts (`tacit.solve.passes`), so that every coordinate of the gradient is a sum of
   few sums: of m = rows a part + parts terms, not of n. A part's own blocks are one order of its
   sum: b rows to a block and the blocks beyond the first are together no more than its rows. The
   error is within g_m R sum_i |l'_i| in norm.
4. Adding the penalty and b rounds thrice, and the norm has an error of its own.
5. Together, with 1% for the errors of this bound:

       1.01 (R (n C (g_(d+4) |w| R + 2^-48 k) + (g_m + 2^-48 k) sum|l'_i|)
             + g_(dk+4) (|grad sum| + s|w| + |b|)).

Rows are within R = `Objective.reach`, 2^-20 above the bound that was declared.

References:
    Higham 2002, "Accuracy and stability of numerical algorithms".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple, TypeVar, final

import numpy as np
from jaxtyping import Float

from tacit.solve.objective import Examples, Objective
from tacit.solve.passes import PART, Near, blocks, each_part

# u, and what evaluating a slope is off by (step 2).
_UNIT, _SLOPE = 2.0**-53, 2.0**-48
# A block of the Hessian is of every eighth row where that leaves 64 for each weight.
_ROWS, _THIN = 64, 8

Weights = Float[np.ndarray, " dim *outputs"]
Scores = Float[np.ndarray, " people *outputs"]
Bends = Float[np.ndarray, " people *outputs_by_outputs"]

T = TypeVar("T")


class State(NamedTuple):
    """Of a point: the objective's gradient, a bound on that one's norm, and all scores."""

    weights: Weights
    gradient: Weights
    certified: float
    scores: Scores


@final
class Summed:
    """The objective on every `stride`-th person, each counted as so many."""

    def __init__(
        self,
        objective: Objective,
        examples: Examples,
        tilt: Weights,
        stride: int,
        pool: Executor,
    ):
        self.objective, self.tilt, self.stride = objective, tilt, stride
        # Copied once: rows that lie far apart are slow to read.
        own = examples.rows[::stride]
        self.rows = own if stride == 1 else np.ascontiguousarray(own)
        self.labels = examples.labels[::stride]
        self.pool, self.near = pool, Near()

    @property
    def grain(self) -> float:
        """What float32 cannot tell of a gradient, about."""
        return self.stride * len(self.rows) * self.objective.reach * 2.0**-24

    def state(self, weights: Weights, kind: np.dtype | type = np.float64) -> State:
        """With products of this precision; those of float32 prove nothing."""
        objective = self.objective
        scores = np.empty((len(self.rows), *objective.loss.outputs))
        slopes, gradient = 0.0, np.zeros(objective.shape)
        for sizes, share in self._each(partial(self._share, weights.astype(kind), scores)):
            slopes, gradient = slopes + self.stride * sizes, gradient + self.stride * share
        whole = gradient + objective.strength * weights + self.tilt
        certified = math.inf
        if kind == np.float64:
            error = self._rounding(norm(weights), norm(gradient), norm(self.tilt), slopes)
            certified = norm(whole) + error
        return State(weights, whole, certified, scores)

    def _share(self, weights: Weights, scores: Scores, part: slice) -> tuple[float, Weights]:
        """A part's sizes of slopes and its gradient; its scores are written down."""
        loss = self.objective.loss
        sizes, gradient = 0.0, np.zeros(weights.shape)
        for where in blocks(part, self.objective.dimension):
            rows, labels = self.rows[where], self.labels[where]
            if weights.dtype == np.float64:
                rows = self.near.widened(rows)
            scores[where] = rows @ weights
            slope = loss.slope(scores[where], labels)
            sizes += float(np.sqrt(slope * slope if slope.ndim == 1 else (slope**2).sum(1)).sum())
            gradient += rows.T @ slope.astype(weights.dtype)
        return sizes, gradient

    def value(self, state: State) -> float:
        """The objective there."""
        loss, weights = self.objective.loss, state.weights

        def share(part: slice) -> float:
            return float(loss.value(state.scores[part], self.labels[part]).sum())

        quadratic = self.objective.strength / 2 * float(np.vdot(weights, weights))
        return self.stride * sum(self._each(share)) + quadratic + float(np.vdot(self.tilt, weights))

    def _rounding(self, weights: float, data: float, tilt: float, slopes: float) -> float:
        objective, people = self.objective, self.stride * len(self.rows)
        score = _rounded(objective.dimension + 4) * weights * objective.reach
        evaluation = _SLOPE * objective.size / objective.dimension
        rows = len(self.rows)
        sums = _rounded(min(rows, PART) + rows // PART + 1) + evaluation
        bends = people * objective.loss.curvature_bound * (score + evaluation)
        last = data + objective.strength * weights + tilt
        return 1.01 * (
            objective.reach * (bends + sums * slopes) + _rounded(objective.size + 4) * last
        )

    def gram(self, state: State) -> Float[np.ndarray, "dim dim"]:
        """A block of the Hessian at the mean curvature of the scores, from a sample of the rows."""
        dimension = self.objective.dimension
        thin = _THIN if len(self.rows) >= _THIN * _ROWS * dimension else 1
        rows, scores, labels = (part[::thin] for part in (self.rows, state.scores, self.labels))

        def share(part: slice) -> Float[np.ndarray, "dim dim"]:
            total = np.zeros((dimension, dimension))
            for where in blocks(part, dimension):
                curvature = _mean(self.objective.loss.curvature(scores[where], labels[where]))
                scaled = rows[where] * np.sqrt(curvature).astype(rows.dtype)[:, None]
                total += scaled.T @ scaled
            return total

        total = sum(each_part(self.pool, len(rows), share))
        return thin * self.stride * total + self.objective.strength * np.eye(dimension)

    def hessian_times(self, state: State, change: Weights) -> Weights:
        """In the precision of the rows: Newton's own convergence needs no more."""
        kind, curvature_of = self.rows.dtype, self.objective.loss.curvature
        narrow = change.astype(kind)

        def share(part: slice) -> Weights:
            total = np.zeros_like(change)
            for where in blocks(part, self.objective.dimension):
                rows = self.rows[where]
                curvature = curvature_of(state.scores[where], self.labels[where])
                total += rows.T @ _bent(curvature, rows @ narrow).astype(kind)
            return total

        return self.objective.strength * change + self.stride * sum(self._each(share))

    def _each(self, work: Callable[[slice], T]) -> Iterator[T]:
        return each_part(self.pool, len(self.rows), work)


def norm(gradient: Weights) -> float:
    """Its Euclidean norm."""
    return float(np.linalg.norm(gradient))


def _mean(curvature: Bends) -> Float[np.ndarray, " people"]:
    """Of a person's scores, where there are several."""
    if curvature.ndim == 1:
        return curvature
    return np.trace(curvature, axis1=1, axis2=2) / curvature.shape[1]


def _bent(curvature: Bends, moved: Scores) -> Scores:
    """How far slopes move with the scores."""
    return curvature * moved if curvature.ndim == 1 else (curvature @ moved[..., None])[..., 0]


def _rounded(terms: int) -> float:
    """g_m: the relative error of a sum of so many products, in any order."""
    return terms * _UNIT / (1 - terms * _UNIT)
