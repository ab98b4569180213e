"""Accounting run backwards: the least noise, most rounds or largest sample that keep a promise.

Epsilon moves one way in each of these, and its logarithm is nearly a straight line in theirs. So
the search strides until it holds one value that keeps the promise and one that breaks it, and
Brent's method closes in on the crossing. What is returned has itself been through the accountant,
on the side that keeps the promise: it can be 0.01% more cautious than needed, and never less.

The bracket assumes nothing: it starts anywhere and grows its stride, up to the stated range. It is
found by rough epsilons, which cost a tenth where a grid is large; from where they cross, those that
are meant need no more than a step or two.
"""

import functools
import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast, final

from tacit.accounting import accountant
from tacit.accounting.events import discrete_gaussian
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation
from tacit.argument import got, is_number, refuse_negative, refuse_not_counted, refuse_not_positive
from tacit.borrowed import DpEvent
from tacit.late import brentq

# Of logarithms: the 0.01% that every search states as its error.
_PRECISION = 1e-4
# Of a crossing of rough epsilons, and how far from it those that are meant are asked first.
_FINER, _BESIDE = 4e-6, 1e-5
# The first stride of a search, in logarithms, and the longest that an excess makes it: choices, not
# measured. They change how often an accountant is asked, and no answer by more than its error.
_STRIDE, _LONGEST = 0.25, 2.0
# Where searches end, by choice: more noise, fewer rounds and a smaller epsilon keep a promise too;
# and what keeps none up to the second number is refused.
_LEAST_NOISE, _MOST, _MOST_ROUNDS, _LARGEST_LOCAL = 0.01, 1e9, 10**9, 100.0
# What a search would not find above a share is not searched for.
_ABOVE = 1 + 1e-4
# Shares of a budget are floats, and must not add up to more than all of it.
BELOW_ONE = 1 - 1e-15
# How far an epsilon is above what is asked, as logarithms, from the logarithm of a number.
Excess = Callable[[float], float]


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
    search = _Search(make_event, epsilon, delta, relation)
    return search.smallest(gaussian_noise_multiplier(epsilon, delta), _LEAST_NOISE)


def discrete_gaussian_sigma(epsilon: float, delta: float, sensitivity: int) -> float:
    """The smallest parameter of one discrete Gaussian release that keeps the promise.

    **Guarantee, Error.** As `noise_multiplier`, in units of one integer.
    """
    refuse_not_counted("sensitivity", sensitivity)

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
    search = _Search(lambda inverse: make_event(1 / inverse), epsilon, delta, relation)
    return 1 / search.smallest(100.0, 1.0)


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
    between = range(kept + 1, min(broken, _MOST_ROUNDS + 1))
    return kept + bisect_left(between, True, key=lambda count: not keeps(count))


def local_epsilon(
    make_event: Callable[[float], DpEvent], epsilon: float, delta: float, near: float
) -> float:
    """The largest local epsilon, looked for from `near` on, whose shuffled event keeps the promise.

    **Guarantee.** `make_event(result)` is (epsilon, delta)-private under replace-one.

    **Error.** At most 0.01% below the largest that keeps it, and never above 100.

    Raises:
      ValueError: epsilon or delta is out of range, or no local epsilon down to 1e-9 is enough.
    """
    _check(epsilon, delta)
    refuse_not_positive("near", near)
    return _largest(make_event, epsilon, delta, Relation.REPLACE_ONE, near)


def even_share(epsilon: float, times: int) -> float:
    """An equal part of epsilon, so many of which are at most the whole."""
    refuse_negative("epsilon", epsilon)
    refuse_not_counted("times", times)
    share = epsilon / times
    return math.nextafter(share, 0.0) if share * times > epsilon else share


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
    if not (is_number(delta) and delta == 0):
        _check(epsilon, delta)
    share = even_share(epsilon, times)
    kept = accountant.epsilon(make_event(share), delta, relation).epsilon <= epsilon
    if kept and accountant.epsilon(make_event(share * _ABOVE), delta, relation).epsilon > epsilon:
        return share
    return _largest(make_event, epsilon, delta, relation, 1.0)


def _largest(
    make_event: Callable[[float], DpEvent],
    epsilon: float,
    delta: float,
    relation: Relation,
    near: float,
) -> float:
    inverted = _Search(lambda inverse: make_event(1 / inverse), epsilon, delta, relation)
    return 1 / inverted.smallest(1 / near, 1 / _LARGEST_LOCAL)


def _check(epsilon: float, delta: float) -> None:
    refuse_not_positive("epsilon", epsilon)
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be strictly between 0 and 1, got {got(delta)}")


@final
@dataclass(frozen=True)
class _Search:
    """An event of one number, which costs the less the larger that is, and what it may cost."""

    make_event: Callable[[float], DpEvent]
    epsilon: float
    delta: float
    relation: Relation

    def smallest(self, guess: float, least: float) -> float:
        """The smallest number, at least `least`, whose event keeps the promise."""
        lowest = math.log(least)
        found = max(math.log(guess), lowest)
        bracket = _bracket(self._rough_excess, found, lowest, _STRIDE)
        found = _crossing(self._rough_excess, bracket, _FINER)
        if self._excess(found) != self._rough_excess(found):
            bracket = _bracket(self._excess, found, lowest, _BESIDE)
            found = _crossing(self._excess, bracket, _PRECISION)
        return least if found == lowest else math.exp(found)

    @functools.cached_property
    def _rough_excess(self) -> Excess:
        return self._above(accountant.rough_epsilon)

    @functools.cached_property
    def _excess(self) -> Excess:
        return self._above(lambda *asked: accountant.epsilon(*asked).epsilon)

    def _above(self, spent: Callable[[DpEvent, float, Relation], float]) -> Excess:
        @functools.cache
        def excess(log_number: float) -> float:
            event = self.make_event(math.exp(log_number))
            ratio = spent(event, self.delta, self.relation) / self.epsilon
            return math.log(min(max(ratio, 1e-20), 1e20))

        return excess


def _crossing(excess: Excess, bracket: tuple[float, float], precision: float) -> float:
    """An argument in the bracket without excess, at most so far above the first of them."""
    low, high = bracket
    if high - low <= precision:
        return high
    crossing = cast(float, brentq(excess, low, high, xtol=precision / 4))
    while excess(crossing) > 0:
        crossing = min(crossing + precision / 2, high)
    return crossing


def _bracket(excess: Excess, here: float, lowest: float, stride: float) -> tuple[float, float]:
    """An argument that spends too much and a larger one that does not, or `lowest` twice."""
    direction = 1.0 if excess(here) > 0 else -1.0
    while here > lowest or direction > 0:
        # Where epsilon is as its number, or one over it, the excess is the whole way.
        stride = max(stride, min(abs(excess(here)), _LONGEST))
        there = max(here + direction * stride, lowest)
        if there >= math.log(_MOST):
            raise ValueError(f"nothing up to {_MOST:g} keeps the promise")
        if (excess(there) > 0) != (direction > 0):
            return min(here, there), max(here, there)
        here, stride = there, 1.6 * stride
    return lowest, lowest
