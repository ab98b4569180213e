"""The least noise that keeps a promise: accounting run backwards, never past the target.

Epsilon falls as noise grows, and log epsilon is nearly a straight line in log noise. So the search
walks along that line until it holds one multiplier that keeps the promise and one that breaks it,
then narrows the two by the line through them. It returns the one that keeps it, which the
accountant itself has certified: the answer can be 0.05% more noise than needed, and never less.

The same search finds the largest local budget of a shuffled release, whose inverse plays the noise.
"""

import math
from collections.abc import Callable

from dp_accounting import DpEvent

from tacit.accounting import accountant
from tacit.accounting.events import repeated, shuffled
from tacit.accounting.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation

_PRECISION = 5e-4
_LARGEST_STEP = 4.0
_RANGE = (1e-2, 1e9)

Point = tuple[float, float]


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
    breaks, keeps = _bracket(spent, target, guess)
    while keeps[0] > breaks[0] * (1 + _PRECISION) and keeps[0] > _RANGE[0]:
        trial = _between(breaks, keeps, target)
        point = (trial, spent(trial))
        breaks, keeps = (breaks, point) if point[1] <= target else (point, keeps)
    return keeps[0]


def _bracket(spent: Callable[[float], float], target: float, guess: float) -> tuple[Point, Point]:
    """One argument that breaks the promise and a larger one that keeps it."""
    here = (guess, spent(guess))
    slope = -1.0
    while True:
        step = _step(here[1], target, slope)
        there = (max(here[0] * step, _RANGE[0] / 2), math.nan)
        if there[0] <= _RANGE[0]:
            return (there[0], math.inf), here
        if there[0] > _RANGE[1]:
            raise ValueError(f"no noise up to {_RANGE[1]:g} meets epsilon = {target}")
        there = (there[0], spent(there[0]))
        if (there[1] <= target) != (here[1] <= target):
            return max(here, there, key=_spends), min(here, there, key=_spends)
        slope = _slope(here, there)
        here = there


def _step(spends: float, target: float, slope: float) -> float:
    """The factor that the line expects to reach the target, and a little across it."""
    keeps = spends <= target
    factor = (target / max(spends, 1e-300)) ** (1 / slope) if 0 < spends < math.inf else 1.0
    across = max(1 / factor, 1.0) * 1.01 if keeps else max(factor, 1.0) * 1.01
    across = min(across, _LARGEST_STEP) if 0 < spends < math.inf else _LARGEST_STEP
    return 1 / across if keeps else across


def _slope(one: Point, other: Point) -> float:
    if not (0 < one[1] < math.inf and 0 < other[1] < math.inf):
        return -1.0
    rise = math.log(other[1] / one[1]) / math.log(other[0] / one[0])
    return min(rise, -0.2)


def _spends(point: Point) -> float:
    return point[1]


def _between(breaks: Point, keeps: Point, target: float) -> float:
    """Where the line through both crosses the target, moved to whichever side is still wide."""
    low, high = math.log(breaks[0]), math.log(keeps[0])
    share = 0.5
    if 0 < keeps[1] < breaks[1] < math.inf:
        share = math.log(breaks[1] / target) / math.log(breaks[1] / keeps[1])
    margin = min(_PRECISION / 2, (high - low) / 2)
    crossing = low + share * (high - low)
    wide_above = high - crossing > margin
    return math.exp(min(max(crossing + (margin if wide_above else -margin), low), high))
