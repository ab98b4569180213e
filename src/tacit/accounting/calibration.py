"""The least noise that keeps a promise: accounting run backwards, never past the target.

Epsilon falls as noise grows, and log epsilon is nearly a straight line in log noise. So the search
strides until it holds one multiplier that keeps the promise and one that breaks it, and Brent's
method closes in on the crossing. What is returned has itself been through the accountant, on the
side that keeps the promise: it can be 0.05% more noise than needed, and never less.

The same search finds the largest local budget of a shuffled release, whose inverse plays the noise.
"""

import math
from collections.abc import Callable
from typing import cast

from dp_accounting import DpEvent
from scipy.optimize import brentq

from tacit.accounting import accountant
from tacit.accounting.events import repeated, shuffled
from tacit.accounting.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation

_PRECISION = 5e-4
_RANGE = (1e-2, 1e9)


def noise_multiplier(
    make_event: Callable[[float], DpEvent], epsilon: float, delta: float, relation: Relation
) -> float:
    """The smallest noise multiplier at which `make_event(multiplier)` keeps the promise.

    **Guarantee.** `accountant.epsilon(make_event(result), delta, relation).epsilon <= epsilon`.

    **Error.** At most 0.05% above the smallest multiplier that keeps it, and never below 0.01.

    Raises:
        ValueError: epsilon or delta is out of range, or no multiplier up to 1e9 is enough.
    """
    _check(epsilon, delta)

    def spent(multiplier: float) -> float:
        return accountant.epsilon(make_event(multiplier), delta, relation).epsilon

    return _smallest(spent, epsilon, gaussian_noise_multiplier(epsilon, delta))


def local_epsilon(people: int, epsilon: float, delta: float, rounds: int) -> float:
    """The largest local epsilon whose shuffled release over `rounds` passes keeps the promise.

    **Guarantee.** `rounds` shuffled passes over `people` reports of that local epsilon are
    (epsilon, delta)-private under replace-one, each pass's randomisers chosen adaptively.

    **Error.** At most 0.05% below the largest that keeps it, and never above 100.

    Raises:
        ValueError: epsilon, delta, people or rounds is out of range.
    """
    _check(epsilon, delta)

    def spent(inverse: float) -> float:
        event = repeated(shuffled(1 / inverse, people), rounds)
        return accountant.epsilon(event, delta, Relation.REPLACE_ONE).epsilon

    return 1 / _smallest(spent, epsilon, min(rounds / epsilon, 1.0))


def _check(epsilon: float, delta: float) -> None:
    if not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be positive and finite, got {epsilon}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be strictly between 0 and 1, got {delta}")


def _smallest(spent: Callable[[float], float], target: float, guess: float) -> float:
    """The smallest argument at which the decreasing function `spent` is at most `target`."""

    def excess(log_argument: float) -> float:
        ratio = spent(math.exp(log_argument)) / target
        return math.log(min(max(ratio, 1e-20), 1e20))

    low, high = _bracket(excess, math.log(guess))
    if low <= math.log(_RANGE[0]):
        return math.exp(high)
    crossing = cast(float, brentq(excess, low, high, xtol=_PRECISION / 4))
    while excess(crossing) > 0:
        crossing = min(crossing + _PRECISION / 2, high)
    return math.exp(crossing)


def _bracket(excess: Callable[[float], float], guess: float) -> tuple[float, float]:
    """An argument that spends too much, and a larger one that does not; in logarithms."""
    direction = 1.0 if excess(guess) > 0 else -1.0
    stride, here = 0.25, guess
    while True:
        there = here + direction * stride
        if there <= math.log(_RANGE[0]):
            return there, here
        if there >= math.log(_RANGE[1]):
            raise ValueError(f"no noise up to {_RANGE[1]:g} keeps the promise")
        if (excess(there) > 0) != (direction > 0):
            return min(here, there), max(here, there)
        here, stride = there, 1.6 * stride
