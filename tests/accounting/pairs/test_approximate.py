"""Releases known by (epsilon, delta) only: the four atoms."""

import math

import numpy as np
import pytest

from tacit.accounting import events as ev
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import approximate, pure


def _delta(losses: Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


@pytest.mark.parametrize("delta", [0.0, 1e-9, 0.2])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 40.0])
def test_the_promise_is_met_exactly(epsilon: float, delta: float) -> None:
    """At the event's own epsilon delta is its own; at zero it is the closed form."""
    both, other = approximate.losses(ev.epsilon_delta(epsilon, delta), epsilon / 8, 1e-20)
    assert both is other
    assert _delta(both, epsilon * (1 + 1e-9)) == delta
    exact = delta + (1 - delta) * math.tanh(epsilon / 2)
    assert math.isclose(_delta(both, 0.0), exact, rel_tol=1e-12)
    assert math.isclose(both.masses.sum() + both.infinite, 1, rel_tol=1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 1.5])
def test_a_gaussian_release_is_below_where_it_must_be(epsilon: float) -> None:
    """A Gaussian that is (1, d)-private is within the atoms at 1 and below, and not above."""
    delta = gaussian_delta(2.0, 1.0)
    both, _ = approximate.losses(ev.epsilon_delta(1.0, delta), 0.125, 1e-20)
    gaussian = gaussian_delta(2.0, epsilon)
    assert gaussian <= _delta(both, epsilon) * (1 + 1e-12)


def test_a_forgotten_delta_would_be_caught() -> None:
    """Without the atom at infinity the promise at epsilon would be zero."""
    both, _ = approximate.losses(ev.epsilon_delta(1.0, 1e-3), 0.125, 1e-20)
    assert _delta(Losses(both.interval, both.lowest, both.masses, 0.0), 1.0) < 1e-3


def test_renyi_and_pure_epsilon_need_delta_zero() -> None:
    """With delta = 0 it is randomised response; with more, every divergence is infinite."""
    orders = np.array([1.5, 2.0, 30.0])
    certain, likely = ev.epsilon_delta(0.7, 0.0), ev.epsilon_delta(0.7, 1e-9)
    generic = pure.renyi(ev.local(0.7), orders)
    np.testing.assert_array_equal(approximate.renyi(certain, orders), generic)
    assert np.all(approximate.renyi(likely, orders) == math.inf)
    assert approximate.pure_epsilon(certain) == 0.7
    assert approximate.pure_epsilon(likely) == math.inf
