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
come in parts (`tacit.solve.passes`), so that every coordinate of the gradient is a sum of few sums:
of m = rows a part + parts terms, not of n. A part's own blocks are one order of its sum: b rows to
a block and the blocks beyond the first are together no more than its rows. The error is within
g_m R sum_i |l'_i| in norm. Adding the penalty and b rounds thrice, and the norm has an error of its
own. Together, with 1% for the errors of this bound:

    1.01 (R (n C (g_(d+4) |w| R + 2^-48 k) + (g_m + 2^-48 k) sum|l'_i|)
          + g_(dk+4) (|grad sum| + s|w| + |b|)).

Rows are within R = `Objective.reach`, 2^-20 above the bound that was declared.

**Chords.** Starts are minima of samples, of every 64th row or so, then of every eighth. From there
the Hessian hardly changes, and that of a sample of m rows is within about (d/m)^(1/2) of it: a step
by it leaves that part of the gradient, for one pass over the rows. Float32 rows are multiplied in
float32 until the gradient is lost in its rounding: that takes half the time and proves nothing. The
last passes are in float64, and certify.

**Newton.** Small data have no such start, and losses of several scores or with a corner no such
Hessian. Once a chord leaves more than a quarter of the gradient, steps are found by conjugate
gradients on the exact Hessian, and halved until the objective falls. Their preconditioner is the
sample's Hessian: for several scores one block, at the mean curvature of a person's scores.

References:
    Nocedal and Wright 2006, "Numerical optimization", Algorithms 3.1 and 5.3.
    Higham 2002, "Accuracy and stability of numerical algorithms".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar, final

import numpy as np
from jaxtyping import Float, Shaped
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tacit.solve.losses import Loss
from tacit.solve.passes import PART, Near, blocks, each_part, threads
from tacit.solve.regularisers import Penalty

_UNIT, _SLOPE = 2.0**-53, 2.0**-48
# Rows a first, cheap start needs for each weight, and how many more the next has.
_START, _GROWTH = 64, 8
_MOST_STEPS, _MOST_HALVINGS, _MOST_DIRECTIONS = 60, 40, 200
_DECREASE, _FLAT, _ENOUGH, _BELOW = 1e-4, 1e-13, 1e-6, 4
# Of the gradient, after a chord that is worth another.
_LEFT = 1 / 4

Weights = Float[np.ndarray, " dim *outputs"]
Scores = Float[np.ndarray, " people *outputs"]
Rows = Shaped[np.ndarray, "people dim"]

T = TypeVar("T")


class NotConverged(RuntimeError):
    """The solver stopped before the gradient was as small as asked.

    That it is raised depends on the data. What it says does not: public numbers alone.
    """


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
        steps: On all rows.
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
    with threads() as pool:
        strides = _strides(len(examples.rows), objective.dimension)
        for stride in strides:
            # A sample's own minimum is not nearer to that of all than this.
            enough = math.sqrt(stride * len(examples.rows)) * objective.bound / 8
            sample = _Problem(objective, examples, tilt, stride, pool)
            weights = _newton(sample, sample.state(weights), enough)[0].weights
        problem = _Problem(objective, examples, tilt, 1, pool)
        if strides:
            state, chords = _chords(problem, weights, tolerance)
        else:
            state, chords = problem.state(weights), 0
        state, steps = _newton(problem, state, tolerance)
    if not state.certified <= tolerance:
        raise NotConverged(
            f"no point was proved to have a gradient of at most {tolerance:.3g}: a stronger "
            "penalty makes one easier to find"
        )
    distance = state.certified / objective.strength
    return Minimum(state.weights, state.certified, distance, chords + steps)


class _State(NamedTuple):
    """Of a point: the objective's gradient, a bound on that one's norm, and all scores."""

    weights: Weights
    gradient: Weights
    certified: float
    scores: Scores


@final
class _Problem:
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

    def state(self, weights: Weights, kind: np.dtype | type = np.float64) -> _State:
        """With products of this precision; those of float32 prove nothing."""
        objective = self.objective
        scores = np.empty((len(self.rows), *objective.loss.outputs))
        slopes, gradient = 0.0, np.zeros(objective.shape)
        for sizes, share in self._each(partial(self._share, weights.astype(kind), scores)):
            slopes, gradient = slopes + self.stride * sizes, gradient + self.stride * share
        whole = gradient + objective.strength * weights + self.tilt
        certified = math.inf
        if kind == np.float64:
            error = self._rounding(_size(weights), _size(gradient), _size(self.tilt), slopes)
            certified = _size(whole) + error
        return _State(weights, whole, certified, scores)

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

    def value(self, state: _State) -> float:
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

    def gram(self, state: _State) -> Float[np.ndarray, "dim dim"]:
        """A block of the Hessian at the mean curvature of the scores, from a sample of the rows."""
        dimension = self.objective.dimension
        thin = _GROWTH if len(self.rows) >= _GROWTH * _START * dimension else 1
        rows, scores, labels = (part[::thin] for part in (self.rows, state.scores, self.labels))

        def share(part: slice) -> Float[np.ndarray, "dim dim"]:
            total = np.zeros((dimension, dimension))
            for where in blocks(part, dimension):
                curvature = self.objective.loss.curvature(scores[where], labels[where])
                if curvature.ndim > 1:
                    curvature = np.trace(curvature, axis1=1, axis2=2) / curvature.shape[1]
                scaled = rows[where] * np.sqrt(curvature).astype(rows.dtype)[:, None]
                total += scaled.T @ scaled
            return total

        total = sum(each_part(self.pool, len(rows), share))
        return thin * self.stride * total + self.objective.strength * np.eye(dimension)

    def hessian_times(self, state: _State, change: Weights) -> Weights:
        """In the precision of the rows: Newton's own convergence needs no more."""
        kind, curvature_of = self.rows.dtype, self.objective.loss.curvature
        narrow = change.astype(kind)

        def share(part: slice) -> Weights:
            total = np.zeros_like(change)
            for where in blocks(part, self.objective.dimension):
                rows = self.rows[where]
                curvature = curvature_of(state.scores[where], self.labels[where])
                moved = rows @ narrow
                if curvature.ndim == 1:
                    bent = curvature * moved
                else:
                    bent = (curvature @ moved[..., None])[..., 0]
                total += rows.T @ bent.astype(kind)
            return total

        return self.objective.strength * change + self.stride * sum(self._each(share))

    def _each(self, work: Callable[[slice], T]) -> Iterator[T]:
        return each_part(self.pool, len(self.rows), work)


def _chords(problem: _Problem, weights: Weights, enough: float) -> tuple[_State, int]:
    """Steps by the first point's Hessian, until one leaves more than a quarter of the gradient."""
    narrow, steps, worth = problem.rows.dtype, 0, True
    state = problem.state(weights, narrow)
    factor = _factor(problem.gram(state))
    while worth and steps < _MOST_STEPS and not state.certified <= enough:
        kind = narrow if _size(state.gradient) > problem.grain else np.float64
        step = cho_solve(factor, state.gradient, check_finite=False)
        found = problem.state(state.weights - step, kind)
        before, left = _size(state.gradient), _size(found.gradient)
        worth, steps = left <= _LEFT * before, steps + 1
        state = found if left <= before else state
    if state.certified == math.inf:
        state = problem.state(state.weights)
    return state, steps


def _newton(problem: _Problem, state: _State, enough: float) -> tuple[_State, int]:
    """Newton's method with halved steps, until the certificate is `enough` or nothing moves."""
    for steps in range(_MOST_STEPS):
        if state.certified <= enough:
            return state, steps
        found = _descend(problem, state, _direction(problem, state, enough))
        if found is None:
            return state, steps
        state = found
    return state, _MOST_STEPS


def _descend(problem: _Problem, state: _State, direction: Weights) -> _State | None:
    """The first point on the way, of halved steps, where the objective or the gradient fell."""
    before, fall, length = problem.value(state), float(np.vdot(state.gradient, direction)), 1.0
    flat = _FLAT * (1 + abs(before))
    for _ in range(_MOST_HALVINGS):
        found = problem.state(state.weights + length * direction)
        # So near that the objective no longer tells points apart, the gradient does.
        if -length * fall > flat:
            better = problem.value(found) <= before + _DECREASE * length * fall
        else:
            better = found.certified < state.certified
        if better:
            return found
        length /= 2
    return None


def _direction(problem: _Problem, state: _State, enough: float) -> Weights:
    """The Newton step, nearly: it foresees a gradient well below what is enough, or the last."""
    factor = _factor(problem.gram(state))

    def times(change: Weights) -> Weights:
        return problem.hessian_times(state, change)

    def easier(rest: Weights) -> Weights:
        return cho_solve(factor, rest, check_finite=False)

    near = min(enough, float(np.linalg.norm(state.gradient))) / _BELOW
    return _conjugate(times, easier, -state.gradient, near)


def _factor(gram: Float[np.ndarray, "dim dim"]) -> tuple[np.ndarray, bool]:
    """Of the block, or of one that is a little larger, or of none where float32 overflowed."""
    # The rounding of float32 products can outweigh a weak penalty.
    for share in (0.0, 1e-5):
        with np.errstate(all="ignore"), suppress(LinAlgError, ValueError):
            return cho_factor(gram + share * np.trace(gram) * np.eye(len(gram)))
    return np.eye(len(gram)), False


def _conjugate(
    times: Callable[[Weights], Weights],
    easier: Callable[[Weights], Weights],
    target: Weights,
    small: float,
) -> Weights:
    """Preconditioned conjugate gradients, as exact as Newton's own convergence can use.

    Or until no more than `small` is left, in norm.
    """
    found, rest = np.zeros_like(target), target
    near = easier(rest)
    way, power = near, float(np.vdot(rest, near))
    start = power
    for _ in range(_MOST_DIRECTIONS):
        if power <= _ENOUGH * start or np.linalg.norm(rest) <= small:
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


def _size(gradient: Weights) -> float:
    return float(np.linalg.norm(gradient))


def _rounded(terms: int) -> float:
    """g_m: the relative error of a sum of so many products, in any order."""
    return terms * _UNIT / (1 - terms * _UNIT)
