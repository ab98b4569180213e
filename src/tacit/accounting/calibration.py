"""Accounting run backwards: the least noise, most rounds or largest sample that keep a promise.

Epsilon moves one way in each of these, and its logarithm is nearly a straight line in theirs. So
the search strides until it holds one value that keeps the promise and one that breaks it, and
Brent's method closes in on the crossing. What is returned has itself been through the accountant,
on the side that keeps the promise: it can be 0.01% more cautious than needed, and never less.

The bracket assumes nothing: it starts anywhere and grows its stride, up to the stated range.
"""

import functools
import math
from collections.abc import Callable
from typing import cast

from dp_accounting import DpEvent
from scipy.optimize import brentq

from tacit.accounting import accountant
from tacit.accounting.events import discrete_gaussian
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation
from tacit.argument import refuse_not_positive

_PRECISION = 1e-4
_LEAST_NOISE = 0.01
_MOST = 1e9
_MOST_ROUNDS = 10**9
# What a search would not find above a share is not searched for.
_ABOVE = 1 + 1e-4
_LARGEST_LOCAL = 100.0
# Shares of a budget are floats, and must not add up to more than all of it.
BELOW_ONE = 1 - 1e-15


def noise_multiplier(
    make_event: Callable[[float], DpEvent], epsilon: float, delta: float, relation: Relation
) -> float:
    """The smallest noise multiplier at which `make_event(multiplier)` keeps the promise.

    **Guarantee.** `accountant.epsilon(make_event(result), delta, relation).epsilon <= epsilon`.

    **Error.** At most 0.01% above the smallest multiplier that keeps it, and never below 0.01.

    Raises:
        ValueError: epsilon or delta is out of range, or no multiplier up to 1e9 is enough.
    """
    _check(epsilon, delta)

    def spent(multiplier: float) -> float:
        return accountant.epsilon(make_event(multiplier), delta, relation).epsilon

    return _smallest(spent, epsilon, gaussian_noise_multiplier(epsilon, delta), _LEAST_NOISE)


def discrete_gaussian_sigma(epsilon: float, delta: float, sensitivity: int) -> float:
    """The smallest parameter of one discrete Gaussian release that keeps the promise.

    **Guarantee, Error.** As `noise_multiplier`, in units of one integer.
    """

    def event(multiplier: float) -> DpEvent:
        return discrete_gaussian(multiplier * sensitivity, sensitivity)

    return sensitivity * noise_multiplier(event, epsilon, delta, Relation.ADD_REMOVE)


def sampling_rate(
    make_event: Callable[[float], DpEvent], epsilon: float, delta: float, relation: Relation
) -> float:
    """The largest sampling rate at which `make_event(rate)` keeps the promise; at most 1.

    **Guarantee.** `accountant.epsilon(make_event(result), delta, relation).epsilon <= epsilon`.

    **Error.** At most 0.01% below the largest rate that keeps it, and never below 1e-9.

    Raises:
        ValueError: epsilon or delta is out of range, or no rate down to 1e-9 is low enough.
    """
    _check(epsilon, delta)

    def spent(inverse: float) -> float:
        return accountant.epsilon(make_event(1 / inverse), delta, relation).epsilon

    return 1 / _smallest(spent, epsilon, 100.0, 1.0)


def rounds(
    make_event: Callable[[int], DpEvent], epsilon: float, delta: float, relation: Relation
) -> int:
    """The largest number of rounds for which `make_event(rounds)` keeps the promise.

    **Guarantee, Error.** Exact: this number keeps the promise and one more does not, or it is 1e9.

    Raises:
        ValueError: epsilon or delta is out of range, or not even one round keeps the promise.
    """
    _check(epsilon, delta)

    def keeps(count: int) -> bool:
        return accountant.epsilon(make_event(count), delta, relation).epsilon <= epsilon

    if not keeps(1):
        raise ValueError(f"not even one round keeps epsilon = {epsilon}, delta = {delta}")
    kept, broken = 1, 2
    while broken <= _MOST_ROUNDS and keeps(broken):
        kept, broken = broken, 2 * broken
    if broken > _MOST_ROUNDS:
        return _MOST_ROUNDS if keeps(_MOST_ROUNDS) else kept
    while broken - kept > 1:
        middle = (kept + broken) // 2
        kept, broken = (middle, broken) if keeps(middle) else (kept, middle)
    return kept


def local_epsilon(make_event: Callable[[float], DpEvent], epsilon: float, delta: float) -> float:
    """The largest local epsilon at which the shuffled `make_event` of it keeps the promise.

    **Guarantee.** `make_event(result)` is (epsilon, delta)-private under replace-one.

    **Error.** At most 0.01% below the largest that keeps it, and never above 100.

    Raises:
        ValueError: epsilon or delta is out of range, or no local epsilon down to 1e-9 is enough.
    """
    _check(epsilon, delta)
    return _largest(make_event, epsilon, delta, Relation.REPLACE_ONE)


def even_share(epsilon: float, parts: int) -> float:
    """An equal part of epsilon, so many of which are at most the whole."""
    share = epsilon / parts
    return math.nextafter(share, 0.0) if share * parts > epsilon else share


def release_epsilon(
    make_event: Callable[[float], DpEvent],
    times: int,
    epsilon: float,
    delta: float,
    relation: Relation,
) -> float:
    """The largest epsilon of one pure release at which `make_event` of it keeps the promise.

    Args:
        make_event: all releases together, from one release's epsilon.
        times: in how many of them one person may be; an even share is taken if nothing larger is
            allowed, so that one release of a pure promise gets all of it, exactly.
        delta: zero for a pure promise.

    **Guarantee.** `make_event(result)` is (epsilon, delta)-private under `relation`.

    **Error.** At most 0.01% below the largest that keeps it, and never above 100 but for the share.
    """
    if delta != 0:
        _check(epsilon, delta)
    share = even_share(epsilon, times)
    if accountant.epsilon(make_event(share), delta, relation).epsilon <= epsilon:
        beyond = accountant.epsilon(make_event(share * _ABOVE), delta, relation).epsilon
        if beyond > epsilon:
            return share
    return _largest(make_event, epsilon, delta, relation)


def _largest(
    make_event: Callable[[float], DpEvent], epsilon: float, delta: float, relation: Relation
) -> float:
    def spent(inverse: float) -> float:
        return accountant.epsilon(make_event(1 / inverse), delta, relation).epsilon

    return 1 / _smallest(spent, epsilon, 1.0, 1 / _LARGEST_LOCAL)


def _check(epsilon: float, delta: float) -> None:
    refuse_not_positive("epsilon", epsilon)
    if not 0 < delta < 1:
        raise ValueError(f"delta must be strictly between 0 and 1, got {delta}")


def _smallest(spent: Callable[[float], float], target: float, guess: float, least: float) -> float:
    """The smallest argument, at least `least`, at which the falling `spent` is at most `target`."""

    @functools.cache
    def excess(log_argument: float) -> float:
        ratio = spent(math.exp(log_argument)) / target
        return math.log(min(max(ratio, 1e-20), 1e20))

    lowest = math.log(least)
    low, high = _bracket(excess, max(math.log(guess), lowest), lowest)
    if low == high:
        return least
    crossing = cast(float, brentq(excess, low, high, xtol=_PRECISION / 4))
    while excess(crossing) > 0:
        crossing = min(crossing + _PRECISION / 2, high)
    return math.exp(crossing)


def _bracket(excess: Callable[[float], float], guess: float, lowest: float) -> tuple[float, float]:
    """An argument that spends too much and a larger one that does not, or `lowest` twice."""
    direction = 1.0 if excess(guess) > 0 else -1.0
    stride, here = 0.25, guess
    while here > lowest or direction > 0:
        there = max(here + direction * stride, lowest)
        if there >= math.log(_MOST):
            raise ValueError(f"nothing up to {_MOST:g} keeps the promise")
        if (excess(there) > 0) != (direction > 0):
            return min(here, there), max(here, there)
        here, stride = there, 1.6 * stride
    return lowest, lowest
