"""Pairs known by a bound on their profile, against the Gaussian's exact one."""

import math

import numpy as np
import pytest

from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.loss.pld import Losses, on_grid
from tacit.accounting.pairs import profile, sampled_gaussian


def _delta(losses: Losses, epsilon: float) -> float:
    above = losses.values > epsilon
    return losses.infinite - float(np.expm1(epsilon - losses.values[above]) @ losses.masses[above])


def _gaussian(epsilons: np.ndarray) -> np.ndarray:
    return np.array([gaussian_delta(1.0, float(e)) for e in epsilons])


def _mirrored(epsilon: float) -> float:
    """The Gaussian's delta at any epsilon, below 0 by symmetry."""
    if epsilon >= 0:
        return gaussian_delta(1.0, epsilon)
    return -math.expm1(epsilon) + math.exp(epsilon) * gaussian_delta(1.0, -epsilon)


@pytest.mark.parametrize("epsilon", [-5.0, -0.3333, 0.0, 0.0137, 1.0, 5.0003, 20.0, 30.0])
def test_a_convex_profile_is_met_far_into_its_tail(epsilon: float) -> None:
    """Never below the true delta, and within 0.01% of it down to 1e-200."""
    both, _ = profile.from_profile(_gaussian, 36.0, 1e-2, 0.0)
    known = _mirrored(epsilon)
    assert known * (1 - 1e-11) <= _delta(both, epsilon) <= known * (1 + 1e-3)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_bound_that_is_not_convex_stays_a_bound(seed: int) -> None:
    """Of points up to half too high, the hull still lies above the true profile, below 0 too."""
    noise = np.random.default_rng(seed)
    found, _ = profile.from_profile(
        lambda e: _gaussian(e) * (1 + 0.5 * noise.random(len(e))), 8.0, 1e-2, 0.0
    )
    assert np.all(found.masses >= 0)
    assert math.isclose(found.masses.sum() + found.infinite, 1.0, abs_tol=1e-12)
    for epsilon in np.linspace(-7, 9, 97):
        assert _delta(found, epsilon) >= _mirrored(float(epsilon)) * (1 - 1e-11)


def test_a_bound_too_low_at_one_point_would_be_caught() -> None:
    """The hull follows its lowest points: one false promise pulls the profile below the truth."""
    found, _ = profile.from_profile(
        lambda e: _gaussian(e) * np.where(np.abs(e - 2) < 0.005, 0.9, 1.0), 8.0, 1e-2, 0.0
    )
    assert _delta(found, 2.0) < gaussian_delta(1.0, 2.0) * 0.91


def test_one_known_point_is_the_worst_private_pair() -> None:
    """A promise of (1, 0.01) and no other becomes the pair of Kairouz, Oh and Viswanath."""
    found, _ = profile.from_profile(lambda e: np.where(e < 1 - 1e-9, 1.0, 0.01), 2.0, 1 / 64, 0.0)
    for epsilon in (0.0, 0.4, 0.9, 1.0, 1.5):
        known = 0.01 + 0.99 * max(0.0, -math.expm1(epsilon - 1)) / (1 + math.exp(-1))
        assert math.isclose(_delta(found, epsilon), known, rel_tol=1e-12)


def test_what_is_left_out_is_added_everywhere() -> None:
    """The extra mass is part of every delta, and an infinite loss in the end."""
    found, _ = profile.from_profile(_gaussian, 9.0, 1e-2, 1e-3)
    assert math.isclose(_delta(found, 8.0), 1e-3 + gaussian_delta(1.0, 8.0), rel_tol=1e-6)
    assert found.infinite >= 1e-3


def test_deltas_are_read_without_cancellation() -> None:
    """On a grid's own points, the deltas of its losses, in the tail as at 0."""
    losses = sampled_gaussian.poisson_losses(0.1, 1.0, 1e-3, 1e-40)[0]
    found = profile.deltas_of(losses, 12_000)
    for point in (0, 1, 700, 9000):
        assert math.isclose(found[point], _delta(losses, point * 1e-3), rel_tol=1e-10)
    assert found[-1] == losses.infinite


def test_the_worse_of_two_directions_bounds_both() -> None:
    """At every point of the grid the symmetric pair's delta is the larger of the two."""
    pair = sampled_gaussian.poisson_losses(0.3, 0.8, 1e-3, 1e-20)
    both = profile.worse_of(pair)
    for epsilon in (0.0, 0.1, 0.35, 2.0, 6.0):
        larger = max(_delta(one, epsilon) for one in pair)
        assert larger * (1 - 1e-9) <= _delta(both, epsilon) <= larger * (1 + 1e-6)
    assert profile.worse_of((both, both)) is both


def test_losses_below_zero_alone_have_no_delta() -> None:
    """A grid that ends below 0 has delta 0 at every epsilon."""
    losses = on_grid(np.array([-0.5]), np.array([1.0]), 0.0, 0.1)
    assert np.all(profile.deltas_of(losses, 4) == 0.0)


@pytest.mark.parametrize(("span", "interval"), [(0.0, 0.1), (1.0, 0.0), (math.inf, 1.0), (1, 2)])
def test_impossible_grids_are_refused(span: float, interval: float) -> None:
    """The interval is positive and at most the span, which is finite."""
    with pytest.raises(ValueError, match="interval"):
        profile.from_profile(_gaussian, span, interval, 0.0)


def test_deltas_that_are_no_numbers_are_refused() -> None:
    """A bound of NaN, or below 0, is not a bound."""
    with pytest.raises(ValueError, match="at least 0"):
        profile.from_profile(lambda e: np.full(len(e), math.nan), 1.0, 0.1, 0.0)
