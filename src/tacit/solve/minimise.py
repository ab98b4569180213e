"""The minimiser of a regularised linear model, with a proof of how near the answer is to it.

The objective F of `tacit.solve.objective` is s-strongly convex, so at any w

    |w - w*| <= |grad F(w)| / s,

since s|w - w*|² <= <grad F(w) - grad F(w*), w - w*> and grad F(w*) = 0. What is certified is the
gradient's norm (`tacit.solve.certified`), whatever the solver did to get there.

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
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tacit.argument import got, is_number
from tacit.solve.certified import State, Summed, Weights, norm
from tacit.solve.objective import Examples, Objective
from tacit.solve.passes import threads

# Rows a first, cheap start needs for each weight, and how many more the next has.
_START, _GROWTH = 64, 8
# Where searches end in any case: choices, not measured. What is certified does not rest on them.
_MOST_STEPS, _MOST_HALVINGS, _MOST_DIRECTIONS = 60, 40, 200
# Which part of the fall that a slope promises is enough (Nocedal and Wright, chapter 3), and which
# part of the objective is lost in its rounding: some hundreds of what one sum's is.
_DECREASE, _FLAT = 1e-4, 1e-13
# Conjugate gradients end at a thousandth of their first residual (a choice; this is its square), or
# at a quarter of the gradient that is enough, so that what they leave does not decide.
_ENOUGH, _BELOW = 1e-6, 4
# Of the gradient, after a chord that is worth another.
_LEFT = 1 / 4


class NotConverged(RuntimeError):
    """The solver stopped before the gradient was as small as asked.

    That it is raised depends on the data. What it says does not: public numbers alone.
    """


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
    if not (is_number(tolerance) and tolerance > 0):
        raise ValueError(f"tolerance must be positive, got {got(tolerance)}")
    tilt = np.zeros(objective.shape) if tilt is None else np.asarray(tilt, np.float64)
    state, steps = _sought(objective, examples, tilt, tolerance)
    if not state.certified <= tolerance:
        raise NotConverged(
            f"no point was proved to have a gradient of at most {tolerance:.3g}: a stronger "
            "penalty makes one easier to find"
        )
    distance = state.certified / objective.strength
    return Minimum(state.weights, state.certified, distance, steps)


def _sought(
    objective: Objective, examples: Examples, tilt: Weights, tolerance: float
) -> tuple[State, int]:
    """Where the solver stopped, and after how many steps on all rows."""
    with threads() as pool:
        weights = _of_samples(objective, examples, tilt, pool)
        problem = Summed(objective, examples, tilt, 1, pool)
        if weights is None:
            state, chords = problem.state(np.zeros(objective.shape)), 0
        else:
            state, chords = _chords(problem, weights, tolerance)
        state, steps = _newton(problem, state, tolerance)
        return state, chords + steps


def _of_samples(
    objective: Objective, examples: Examples, tilt: Weights, pool: Executor
) -> Weights | None:
    """The minimum of ever larger samples; None where there are too few rows for one."""
    weights = None
    for stride in _strides(len(examples.rows), objective.dimension):
        # A sample's own minimum is not nearer to that of all than this.
        enough = math.sqrt(stride * len(examples.rows)) * objective.bound / 8
        sample = Summed(objective, examples, tilt, stride, pool)
        start = np.zeros(objective.shape) if weights is None else weights
        weights = _newton(sample, sample.state(start), enough)[0].weights
    return weights


def _chords(problem: Summed, weights: Weights, enough: float) -> tuple[State, int]:
    """Steps by the first point's Hessian, until one leaves more than a quarter of the gradient."""
    narrow, steps, worth = problem.rows.dtype, 0, True
    state = problem.state(weights, narrow)
    factor = _factor(problem.gram(state))
    while worth and steps < _MOST_STEPS and not state.certified <= enough:
        kind = narrow if norm(state.gradient) > problem.grain else np.float64
        step = cho_solve(factor, state.gradient, check_finite=False)
        found = problem.state(state.weights - step, kind)
        before, left = norm(state.gradient), norm(found.gradient)
        worth, steps = left <= _LEFT * before, steps + 1
        state = found if left <= before else state
    if state.certified == math.inf:
        state = problem.state(state.weights)
    return state, steps


def _newton(problem: Summed, state: State, enough: float) -> tuple[State, int]:
    """Newton's method with halved steps, until the certificate is `enough` or nothing moves."""
    for steps in range(_MOST_STEPS):
        if state.certified <= enough:
            return state, steps
        found = _descend(problem, state, _direction(problem, state, enough))
        if found is None:
            return state, steps
        state = found
    return state, _MOST_STEPS


def _descend(problem: Summed, state: State, direction: Weights) -> State | None:
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


def _direction(problem: Summed, state: State, enough: float) -> Weights:
    """The Newton step, nearly: it foresees a gradient well below what is enough, or the last."""
    factor = _factor(problem.gram(state))

    def times(change: Weights) -> Weights:
        return problem.hessian_times(state, change)

    def easier(rest: Weights) -> Weights:
        return cho_solve(factor, rest, check_finite=False)

    near = min(enough, norm(state.gradient)) / _BELOW
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
