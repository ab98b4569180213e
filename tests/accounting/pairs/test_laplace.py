"""Laplace noise: the losses on the grid against the closed form, the peer and a vector release."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.dp_event import LaplaceDpEvent
from dp_accounting.pld import privacy_loss_distribution as peer
from dp_accounting.rdp import RdpAccountant
from mpmath import mp, mpf

from accounting.pairs.closed_forms import laplace_delta
from tacit.accounting import events as ev
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import laplace

_SCALES = [0.02, 0.3, 1.0, 7.0, 1000.0]


def _delta(losses: Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def _interval(event: LaplaceDpEvent) -> float:
    return min(1e-3, laplace.spread(event) / 20)


@pytest.mark.parametrize("scale", _SCALES)
@pytest.mark.parametrize("part", [0.0, 0.2345, 0.5, 0.9, 1.1])
def test_delta_is_the_closed_form(scale: float, part: float) -> None:
    """On the grid delta is the exact one, or above it by a hair."""
    event = ev.laplace(scale)
    both, _ = laplace.losses(event, _interval(event), 1e-20)
    exact = laplace_delta(scale, part / scale)
    assert exact * (1 - 1e-12) <= _delta(both, part / scale) <= exact * 1.002 + 2e-20


def test_two_thirds_of_the_noise_would_be_caught() -> None:
    """The comparison above can fail: with two-thirds of the noise delta is far larger."""
    assert laplace_delta(2 / 3, 0.2) > 1.3 * laplace_delta(1.0, 0.2)


@pytest.mark.parametrize("scale", _SCALES)
def test_both_masses_are_kept(scale: float) -> None:
    """All P-mass is on the grid or infinite, and the Q-masses too sum to 1 unless they are cut."""
    event = ev.laplace(scale)
    both, other = laplace.losses(event, _interval(event), 1e-20)
    values = both.interval * (both.lowest + np.arange(len(both.masses)))
    assert both is other
    assert math.isclose(both.masses.sum() + both.infinite, 1, rel_tol=1e-13)
    assert both.infinite <= 1e-20
    if both.infinite == 0:
        assert math.isclose(both.masses @ np.exp(-values), 1, rel_tol=1e-12)


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0])
def test_between_the_exact_value_and_the_peer(scale: float) -> None:
    """dp_accounting's rounded losses are above the exact delta, and never below ours by much."""
    rounded = peer.from_laplace_mechanism(scale, value_discretization_interval=1e-3)
    both, _ = laplace.losses(ev.laplace(scale), 1e-3, 1e-20)
    for epsilon in np.array([0.0, 0.3, 0.8]) / scale:
        ours, theirs = _delta(both, epsilon), rounded.get_delta_for_epsilon(epsilon)
        assert laplace_delta(scale, epsilon) * (1 - 1e-12) <= ours <= theirs * (1 + 1e-6)


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0])
def test_renyi_agrees_with_the_peer(scale: float) -> None:
    """The closed form is dp_accounting's."""
    orders = np.array([1.5, 2.0, 8.0, 60.0])
    theirs = RdpAccountant(orders.tolist()).compose(LaplaceDpEvent(scale)).rdp
    np.testing.assert_allclose(laplace.renyi(ev.laplace(scale), orders), theirs, rtol=1e-10)


def test_renyi_keeps_its_digits_when_small() -> None:
    """For a little noise the divergence of order a tends to a eta^2 / 2, not to rounding."""
    orders = np.array([1.01, 1.5, 4.0])
    divergences = laplace.renyi(ev.laplace(1e6), orders)
    np.testing.assert_allclose(divergences, orders * 1e-12 / 2, rtol=1e-5)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.8])
def test_a_vector_is_no_worse_than_a_number(epsilon: float) -> None:
    """Two coordinates that share an L1 distance of 1 cost less than one that has it all."""
    halves = laplace.losses(ev.laplace(2.0), 1e-3, 1e-20)[0]
    masses = np.convolve(halves.masses, halves.masses)
    shared = _delta(Losses(1e-3, 2 * halves.lowest, masses, 0.0), epsilon)
    assert shared < 0.95 * laplace_delta(1.0, epsilon)


def test_pure_epsilon_is_where_delta_ends() -> None:
    """From 1 / scale on delta is zero, and just before it is not."""
    pure = laplace.pure_epsilon(ev.laplace(0.5))
    assert pure == 2.0
    assert laplace_delta(0.5, pure) == 0.0 < laplace_delta(0.5, pure - 1e-9)


def test_what_is_cut_off_counts_as_failure() -> None:
    """However much of the noise that is, with the atom below it."""
    both, _ = laplace.losses(ev.laplace(0.05), 1e-2, 1e-3)
    assert 0 < both.infinite <= 1e-3
    assert math.isclose(1, both.masses.sum() + both.infinite, rel_tol=1e-12)


@pytest.mark.parametrize("noise_multiplier", [1e6, 3.0, 7.1, 49.0, 10.0])
def test_a_pure_epsilon_is_no_rounding_below(noise_multiplier: float) -> None:
    """The least float that is at least one over the multiplier."""
    found = laplace.pure_epsilon(ev.laplace(noise_multiplier))
    asked = 1 / Fraction(noise_multiplier)
    assert Fraction(found) >= asked > Fraction(math.nextafter(found, 0.0))


@pytest.mark.parametrize("noise_multiplier", [0.01, 0.7, 30.0, 1e6, 1e12, 1e16, 1e200])
def test_divergences_are_never_below_what_they_are(noise_multiplier: float) -> None:
    """By no rounding, where losses are so small that they nearly cancel."""
    orders = np.array([1 + 1e-6, 1.5, 2.0, 7.0, 300.0])
    found = laplace.renyi(ev.laplace(noise_multiplier), orders)
    with mp.workdps(500):
        eta = 1 / mpf(noise_multiplier)
        for order, own in zip(map(mpf, orders.tolist()), found, strict=True):
            mean = order * mp.exp((order - 1) * eta) + (order - 1) * mp.exp(-order * eta)
            assert 0 < mp.log(mean / (2 * order - 1)) / (order - 1) <= mpf(float(own))
    assert all(found <= laplace.pure_epsilon(ev.laplace(noise_multiplier)))
