"""A sampled kind: exact for a response of two outcomes, and no stronger than its theorems."""

import math
from typing import Any

import numpy as np
import pytest

from tacit.accounting import events
from tacit.accounting.kinds import kind_of
from tacit.accounting.sampled import FIXED, POISSON, Sampled

ORDERS = np.array([1.5, 2.0, 3.0, 12.0, 200.0])
BY_CHANCE, BY_SIZE = Sampled(POISSON, kind_of), Sampled(FIXED, kind_of)


def poisson(rate: float, event: Any) -> Any:
    return events.poisson(rate, event)


def divergence(one: np.ndarray, other: np.ndarray, order: float) -> float:
    """Of two laws on the same few outcomes, in full."""
    return math.log(float(np.sum(one**order * other ** (1 - order)))) / (order - 1)


def test_a_sampled_response_is_exact() -> None:
    """Randomised response at 1.2, a third of the time: mean, deviation, divergences and epsilon."""
    rate, epsilon = 1 / 3, 1.2
    event = poisson(rate, events.local(epsilon))
    true = 1 / (1 + math.exp(-epsilon))
    absent = np.array([1 - true, true])
    present = (1 - rate) * absent + rate * absent[::-1]
    losses = np.log(present / absent)
    mean = present @ losses
    assert BY_CHANCE.spread(event) == pytest.approx(math.sqrt(present @ (losses - mean) ** 2), 1e-3)
    exact = [
        max(divergence(present, absent, a), divergence(absent, present, a)) for a in ORDERS[:3]
    ]
    assert BY_CHANCE.renyi(event, ORDERS[:3]) == pytest.approx(exact, rel=1e-3)
    assert BY_CHANCE.pure(event) == pytest.approx(math.log1p(rate * math.expm1(epsilon)), 1e-14)
    assert BY_CHANCE.pure(event) == pytest.approx(losses.max(), rel=1e-14)
    assert BY_CHANCE.reach(event) == pytest.approx(np.abs(losses).max(), rel=1e-14)


@pytest.mark.parametrize("rate", [0.01, 0.5, 0.999])
def test_the_reach_is_of_both_directions(rate: float) -> None:
    """No loss of who is present, or of who is absent, lies above it; and it is not much more."""
    epsilon, reach = 9.0, BY_CHANCE.reach(poisson(rate, events.local(9.0)))
    present = math.log1p(rate * math.expm1(epsilon))
    absent = -math.log1p(rate * math.expm1(-epsilon))
    assert max(present, absent) <= reach * (1 + 1e-12)
    assert reach <= max(present, -math.log1p(-rate)) * (1 + 1e-12)


@pytest.mark.parametrize("event", [events.local(1.5), events.gaussian(0.8)])
def test_all_drawn_is_no_sample(event) -> None:
    """At rate 1 the reach is that of what is sampled, without a logarithm of nothing."""
    assert BY_CHANCE.reach(poisson(1.0, event)) == kind_of(event).reach(event)


def test_a_fixed_size_is_its_share_of_the_people() -> None:
    """Twenty of a hundred are a fifth, and one outcome of the pair gives that fifth away."""
    event: Any = events.without_replacement(100, 20, events.local(2.0))
    assert BY_SIZE.pure(event) == BY_CHANCE.pure(poisson(0.2, events.local(2.0)))
    assert BY_SIZE.reach(event) == BY_CHANCE.reach(poisson(0.2, events.local(2.0)))
    for one in BY_SIZE.losses(event, 1e-3, 0.0):
        last = one.values[one.masses > 1e-12].max()
        assert BY_SIZE.pure(event) <= last + 1e-3 and last < BY_SIZE.pure(event) + 0.05


@pytest.mark.parametrize("event", [events.gaussian(1.0), events.zcdp(0.1)])
def test_what_is_not_pure_is_not_pure_when_sampled(event) -> None:
    """No rate makes an infinite epsilon finite."""
    assert BY_CHANCE.pure(poisson(1e-9, event)) == math.inf


def test_an_outcome_that_gives_all_away_stays_infinite() -> None:
    """A thousandth of it is no tail that was cut off: no order's divergence is finite."""
    leaks = poisson(1e-3, events.epsilon_delta(0.5, 1e-9))
    assert np.all(BY_CHANCE.renyi(leaks, ORDERS) == math.inf)
    hidden = poisson(1e-3, events.laplace(2.0))
    assert np.all(np.isfinite(BY_CHANCE.renyi(hidden, ORDERS)))


def test_far_orders_of_discrete_noise_fall_back_to_no_sampling() -> None:
    """Ten sigmas are seen, with the gain of a sample; beyond, the tails that were cut off could
    hide, and the divergence is that of a release to all."""
    inner = events.discrete_gaussian(2.0, 1)
    orders = np.array([2.0, 20.0, 20.5, 50.0])
    plain = kind_of(inner).renyi(inner, orders)
    found = BY_CHANCE.renyi(poisson(0.1, inner), orders)
    assert np.all(found[:2] < 0.95 * plain[:2])
    assert np.array_equal(found[2:], plain[2:])
    assert found[0] == pytest.approx(math.log1p(0.01 * math.expm1(0.25)), rel=1e-3)
