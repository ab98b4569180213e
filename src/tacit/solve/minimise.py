"""The minimiser of a regularised linear model, with a proof of how near the answer is to it.

The objective of n people with rows x_i and labels y_i, as a sum and not a mean, is

    F(w) = sum_i l(<w, x_i>, y_i) + s|w|²/2 + <b, w>,    s = `people` times the penalty's ridge,

with a public number of people, however many there are. F is s-strongly convex, so at any w

    |w - w*| <= |grad F(w)| / s,

since s|w - w*|² <= <grad F(w) - grad F(w*), w - w*> and grad F(w*) = 0. What is certified is the
gradient's norm, whatever the solver did to get there.

**Rounding.** Write u = 2^-53 and g_m = mu/(1 - mu), the relative error of a float64 sum of m
products in any order (Higham, section 3.1). A computed score is within g_d |w||x_i| of the true
one, so its slope within C times that. Evaluating a slope errs by at most 2^-48 k (C + |l'|), for k
scores: NumPy's exp and tanh err by a few u, and a probability p by u|z|p = u|z|e^-|z| more. Rows
come in blocks, so that every coordinate of the gradient is a sum of few sums: of m = rows a block +
blocks terms, not of n. Its error is within g_m R sum_i |l'_i| in norm. Adding the penalty and b
rounds thrice, and the norm has an error of its own. Together, with 1% for the errors of this bound:

    1.01 (R (n C (g_(d+4) |w| R + 2^-48 k) + (g_m + 2^-48 k) sum|l'_i|)
          + g_(dk+4) (|grad sum| + s|w| + |b|)).

Rows are within R = `Objective.reach`, 2^-20 above the bound that was declared.

**Newton.** The step is found by conjugate gradients on the exact Hessian, and halved until the
objective falls. Their preconditioner is one block of the Hessian, at the mean curvature of a
person's scores, of a sample of m rows: for one score it is within about (d/m)^(1/2) of the Hessian,
so two or three products with all rows are enough. Starts are minima of samples themselves, of every
64th row or so, then of every eighth.

References:
    Nocedal and Wright 2006, "Numerical optimization", Algorithms 3.1 and 5.3.
    Higham 2002, "Accuracy and stability of numerical algorithms".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Shaped
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from tacit.solve.losses import Loss
from tacit.solve.regularisers import Penalty

_UNIT, _SLOPE = 2.0**-53, 2.0**-48
_ROWS, _MANY_ROWS = 2**13, 2**16
# Rows a first, cheap start needs for each weight, and how many more the next has.
_START, _GROWTH = 64, 8
_MOST_STEPS, _MOST_HALVINGS, _MOST_DIRECTIONS = 60, 40, 200
_DECREASE, _FLAT, _ENOUGH = 1e-4, 1e-13, 1e-6

Weights = Float[np.ndarray, " dim *outputs"]
Rows = Shaped[np.ndarray, "people dim"]


class NotConverged(RuntimeError):
    """The solver stopped before the gradient was as small as asked."""


@final
@dataclass(frozen=True)
class Objective:
    """What is minimised: public, without the data.

    Args:
        loss: One with a bound on its curvature.
        penalty: One with strong convexity and smoothness; per person.
        bound: The largest L2 norm of a row, a constant feature included; from 2^-40 to 2^40.
        people: The public number that the penalty is multiplied by; at least 1.
        dimension: The length of a row, from 1 to 4096.

    Raises:
        ValueError: if one of them is not as said; what is missing is named.
    """

    loss: Loss
    penalty: Penalty
    bound: float
    people: int
    dimension: int

    def __post_init__(self):
        if not 2.0**-40 <= self.bound <= 2.0**40:
            raise ValueError(f"bound must be between 2^-40 and 2^40, got {self.bound}")
        if not 1 <= self.people < 2**48:
            raise ValueError(f"people must be between 1 and 2^48, got {self.people}")
        if not 1 <= self.dimension <= 4096:
            raise ValueError(f"dimension must be between 1 and 4096, got {self.dimension}")
        # Both refuse by name if there is none.
        _ = self.penalty.smoothness, self.loss.smoothness(self.bound)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the weights: a column for each score."""
        return (self.dimension, *self.loss.outputs)

    @property
    def size(self) -> int:
        """How many weights there are."""
        return math.prod(self.shape)

    @property
    def reach(self) -> float:
        """What no row's norm exceeds after `cut`."""
        return self.bound * (1 + 2.0**-20)

    @property
    def strength(self) -> float:
        """s: how strongly convex the sum is."""
        return self.people * self.penalty.strong_convexity

    @property
    def lipschitz(self) -> float:
        """How far one person moves the gradient of the sum, at most."""
        return self.loss.lipschitz(self.reach)


@final
@dataclass(frozen=True)
class Examples:
    """Rows within the bound and valid labels, and how many of them had to be changed.

    That number depends on the data: it is for the data's keeper, not for the public.
    """

    rows: Rows
    labels: Shaped[np.ndarray, " people"]
    changed: int


@final
@dataclass(frozen=True)
class Minimum:
    """A point, and its proof.

    Args:
        point: The weights.
        gradient: At least the norm of the exact gradient of the sum there.
        distance: At least the distance from the exact minimiser.
        steps: Newton steps on all rows.
    """

    point: Weights
    gradient: float
    distance: float
    steps: int


def cut(objective: Objective, rows: Rows, labels: Shaped[np.ndarray, " people"]) -> Examples:
    """Each person alone, made to fit what was declared.

    | person | becomes |
    | --- | --- |
    | a row longer than the bound | the row, scaled down to it |
    | NaN or infinity in a row | a row of zeros, so no part in the minimum |
    | a label that is none | a row of zeros |

    Raises:
        ValueError: if the rows are not of the declared dimension, or the labels not as many.
    """
    rows, labels = np.asarray(rows), np.asarray(labels)
    if rows.ndim != 2 or rows.shape[1] != objective.dimension or labels.shape != rows.shape[:1]:
        raise ValueError(
            f"rows must be people x {objective.dimension} with a label each, "
            f"got {rows.shape} and {labels.shape}"
        )
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    labels = labels.astype(np.float64)
    scales = _scales(objective.bound, rows) * objective.loss.valid(labels)
    changed = np.flatnonzero(scales != 1)
    if len(changed):
        rows = rows.copy()
        rows[changed] = np.nan_to_num(rows[changed], nan=0, posinf=0, neginf=0)
        rows[changed] = rows[changed] * scales[changed, None]
        labels = np.where(scales > 0, labels, 1.0)
    return Examples(rows, labels, len(changed))


def minimise(
    objective: Objective,
    examples: Examples,
    tolerance: float,
    tilt: Weights | None = None,
) -> Minimum:
    """A point where the exact gradient of the sum is at most `tolerance` in norm.

    Args:
        objective: What is minimised.
        examples: From `cut`.
        tolerance: Positive; the smallest possible grows with the number of people.
        tilt: The linear term b, zero if left out; finite.

    Raises:
        NotConverged: if no such point was found: nothing is returned that is not proved.
        ValueError: if `tolerance` is not positive.
    """
    if not tolerance > 0:
        raise ValueError(f"tolerance must be positive, got {tolerance}")
    tilt = np.zeros(objective.shape) if tilt is None else np.asarray(tilt, np.float64)
    weights = np.zeros(objective.shape)
    # Blocks are too small to be worth waiting for a second thread, which may be busy elsewhere.
    with threadpool_limits(1, user_api="blas"):
        for stride in _strides(len(examples.rows), objective.dimension):
            # A sample's own minimum is not nearer to that of all than this.
            enough = math.sqrt(stride * len(examples.rows)) * objective.bound / 8
            weights = _newton(_Problem(objective, examples, tilt, stride), weights, enough)[0]
        problem = _Problem(objective, examples, tilt, 1)
        weights, certified, steps = _newton(problem, weights, tolerance)
    if not certified <= tolerance:
        raise NotConverged(
            f"the gradient is proved to be at most {certified:.3g} after {steps} steps, "
            f"not {tolerance:.3g}"
        )
    return Minimum(weights, certified, certified / objective.strength, steps)


class _State(NamedTuple):
    """Of a point: the objective, its gradient, a bound on that one's norm, and all scores."""

    weights: Weights
    value: float
    gradient: Weights
    certified: float
    scores: Float[np.ndarray, " people *outputs"]


@final
class _Problem:
    """The objective on every `stride`-th person, each counted as so many."""

    def __init__(self, objective: Objective, examples: Examples, tilt: Weights, stride: int):
        self.objective, self.tilt, self.stride = objective, tilt, stride
        # Copied once: rows that lie apart are slow to read.
        self.rows = np.ascontiguousarray(examples.rows[::stride])
        self.labels = examples.labels[::stride]
        self.wide = np.empty((_ROWS, objective.dimension))

    def state(self, weights: Weights) -> _State:
        objective, loss = self.objective, self.objective.loss
        scores = np.empty((len(self.rows), *loss.outputs))
        total, slopes, gradient = 0.0, 0.0, np.zeros(objective.shape)
        for where in _blocks(len(self.rows), _ROWS):
            labels = self.labels[where]
            wide = self.wide[: len(labels)]
            wide[...] = self.rows[where]
            scores[where] = wide @ weights
            total += float(loss.value(scores[where], labels).sum())
            slope = loss.slope(scores[where], labels)
            slopes += float(np.sqrt(slope * slope if slope.ndim == 1 else (slope**2).sum(1)).sum())
            gradient += wide.T @ slope
        strength, size = objective.strength, self.stride
        quadratic = strength / 2 * float(np.vdot(weights, weights)) + float(
            np.vdot(self.tilt, weights)
        )
        whole = size * gradient + strength * weights + self.tilt
        of_weights, of_data, of_tilt = (
            float(np.linalg.norm(each)) for each in (weights, size * gradient, self.tilt)
        )
        error = self._rounding(of_weights, of_data, of_tilt, size * slopes)
        certified = float(np.linalg.norm(whole)) + error
        return _State(weights, size * total + quadratic, whole, certified, scores)

    def _rounding(self, weights: float, data: float, tilt: float, slopes: float) -> float:
        objective, people = self.objective, self.stride * len(self.rows)
        score = _rounded(objective.dimension + 4) * weights * objective.reach
        evaluation = _SLOPE * objective.size / objective.dimension
        rows = len(self.rows)
        sums = _rounded(min(rows, _ROWS) + rows // _ROWS + 1) + evaluation
        bends = people * objective.loss.curvature_bound * (score + evaluation)
        last = data + objective.strength * weights + tilt
        return 1.01 * (
            objective.reach * (bends + sums * slopes) + _rounded(objective.size + 4) * last
        )

    def gram(self, state: _State) -> Float[np.ndarray, "dim dim"]:
        """A block of the Hessian at the mean curvature of the scores, from a sample of the rows."""
        dimension = self.objective.dimension
        thin = _GROWTH if len(self.rows) >= _GROWTH * _START * dimension else 1
        rows, scores, labels = (part[::thin] for part in (self.rows, state.scores, self.labels))
        curvature = self.objective.loss.curvature(scores, labels)
        if curvature.ndim > 1:
            curvature = np.trace(curvature, axis1=1, axis2=2) / curvature.shape[1]
        total = np.zeros((dimension, dimension))
        for where in _blocks(len(rows), _MANY_ROWS):
            scaled = rows[where] * np.sqrt(curvature[where]).astype(rows.dtype)[:, None]
            total += scaled.T @ scaled
        return thin * self.stride * total + self.objective.strength * np.eye(dimension)

    def hessian_times(self, state: _State, change: Weights) -> Weights:
        """In the precision of the rows: Newton's own convergence needs no more."""
        total, kind = self.objective.strength * change, self.rows.dtype
        for where in _blocks(len(self.rows), _MANY_ROWS):
            rows, labels = self.rows[where], self.labels[where]
            curvature = self.objective.loss.curvature(state.scores[where], labels)
            moved = rows @ change.astype(kind)
            if curvature.ndim == 1:
                bent = curvature * moved
            else:
                bent = (curvature @ moved[..., None])[..., 0]
            total = total + self.stride * (rows.T @ bent.astype(kind))
        return total


def _newton(problem: _Problem, weights: Weights, enough: float) -> tuple[Weights, float, int]:
    """Newton's method with halved steps, until the certificate is `enough` or nothing moves."""
    state = problem.state(weights)
    for steps in range(_MOST_STEPS):
        if state.certified <= enough:
            return state.weights, state.certified, steps
        found = _descend(problem, state, _direction(problem, state))
        if found is None:
            return state.weights, state.certified, steps
        state = found
    return state.weights, state.certified, _MOST_STEPS


def _descend(problem: _Problem, state: _State, direction: Weights) -> _State | None:
    """The first point on the way, of halved steps, where the objective or the gradient fell."""
    fall, length = float(np.vdot(state.gradient, direction)), 1.0
    flat = _FLAT * (1 + abs(state.value))
    for _ in range(_MOST_HALVINGS):
        found = problem.state(state.weights + length * direction)
        # So near that the objective no longer tells points apart, the gradient does.
        if -length * fall > flat:
            better = found.value <= state.value + _DECREASE * length * fall
        else:
            better = found.certified < state.certified
        if better:
            return found
        length /= 2
    return None


def _direction(problem: _Problem, state: _State) -> Weights:
    """The Newton step, nearly."""
    gram = problem.gram(state)
    try:
        factor = cho_factor(gram)
    except LinAlgError:
        # The rounding of float32 products can outweigh a weak penalty.
        factor = cho_factor(gram + 1e-5 * np.trace(gram) * np.eye(len(gram)))

    def times(change: Weights) -> Weights:
        return problem.hessian_times(state, change)

    def easier(rest: Weights) -> Weights:
        return cho_solve(factor, rest)

    return _conjugate(times, easier, -state.gradient)


def _conjugate(
    times: Callable[[Weights], Weights], easier: Callable[[Weights], Weights], target: Weights
) -> Weights:
    """Preconditioned conjugate gradients, as exact as Newton's own convergence can use."""
    found, rest = np.zeros_like(target), target
    near = easier(rest)
    way, power = near, float(np.vdot(rest, near))
    start = power
    for _ in range(_MOST_DIRECTIONS):
        if power <= _ENOUGH * start:
            break
        bent = times(way)
        length = power / float(np.vdot(way, bent))
        found, rest = found + length * way, rest - length * bent
        near = easier(rest)
        before, power = power, float(np.vdot(rest, near))
        way = near + power / before * way
    return found


def _strides(people: int, dimension: int) -> list[int]:
    """Of the samples to start from: the coarsest, with the fewest people, is the first."""
    strides, stride = [], _GROWTH
    while people // stride >= _START * dimension:
        strides.append(stride)
        stride *= _GROWTH
    return strides[::-1]


def _scales(bound: float, rows: Rows) -> Float[np.ndarray, " people"]:
    """What brings each row within the bound; zero for one that is no row of numbers.

    Squares in float32 are right to 2^-11 for 4096 of them; only rows near the bound need more.
    """
    scales = np.ones(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("nd,nd->n", rows, rows)
    doubtful = np.flatnonzero(~(squares <= (bound * (1 - 2.0**-8)) ** 2))
    wide = rows[doubtful].astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0)
    finite = np.isfinite(largest)
    unit = np.where(finite & (largest > 0), largest, 1.0)
    # No square of a row over its largest number overflows.
    norms = np.linalg.norm(np.where(finite[:, None], wide, 0.0) / unit[:, None], axis=1)
    longest = bound / unit
    fitted = np.where(norms <= longest, 1.0, longest / np.maximum(norms, 1.0))
    scales[doubtful] = np.where(finite, fitted, 0.0)
    return scales


def _blocks(people: int, rows: int) -> list[slice]:
    return [slice(start, start + rows) for start in range(0, people, rows)]


def _rounded(terms: int) -> float:
    """g_m: the relative error of a sum of so many products, in any order."""
    return terms * _UNIT / (1 - terms * _UNIT)
