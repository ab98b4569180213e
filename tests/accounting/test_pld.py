"""Privacy losses on a grid: splitting, composing and reading, always upwards."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from tacit.accounting import events as ev
from tacit.accounting import local, pld, sampling


def _values(losses: pld.Losses) -> np.ndarray:
    return losses.interval * (losses.lowest + np.arange(len(losses.masses)))


def _delta(losses: pld.Losses, epsilon: float) -> float:
    values = _values(losses)
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def test_splitting_keeps_both_masses() -> None:
    """The P-mass and the Q-mass of every loss survive the grid."""
    rng = np.random.default_rng(1)
    losses, masses = rng.normal(size=1000), rng.dirichlet(np.ones(1000))
    grid = pld.on_grid(losses, masses, 0.0, 0.01)
    assert math.isclose(masses.sum(), grid.masses.sum(), rel_tol=1e-13)
    assert math.isclose(
        masses @ np.exp(-losses), grid.masses @ np.exp(-_values(grid)), rel_tol=1e-12
    )
    assert grid.masses.min() >= 0


@pytest.mark.parametrize("epsilon", [0.0, 0.113, 0.5, 1.7])
def test_splitting_is_pessimistic(epsilon: float) -> None:
    """Delta on the grid is never below the delta of the losses themselves."""
    rng = np.random.default_rng(2)
    losses, masses = rng.normal(size=1000), rng.dirichlet(np.ones(1000))
    above = losses > epsilon
    exact = -float(np.expm1(epsilon - losses[above]) @ masses[above])
    grid = _delta(pld.on_grid(losses, masses, 0.0, 0.01), epsilon)
    assert exact * (1 - 1e-13) <= grid <= exact * 1.01


def test_rounding_down_would_be_caught() -> None:
    """The pessimism test can fail: losses rounded down give too small a delta."""
    losses, masses = np.array([0.995, -0.995]), np.array([0.73, 0.27])
    exact = -math.expm1(-0.995) * 0.73
    rounded_down = pld.on_grid(np.floor(losses * 10) / 10, masses, 0.0, 0.1)
    split = pld.on_grid(losses, masses, 0.0, 0.1)
    assert _delta(rounded_down, 0.0) < exact * 0.95
    assert _delta(split, 0.0) >= exact * (1 - 1e-13)


@pytest.mark.parametrize(("epsilon", "count", "delta"), [(1.0, 3, 1e-3), (0.1, 400, 1e-6)])
def test_composition_is_randomised_response_exactly(epsilon, count, delta) -> None:
    """On a grid that fits, FFT composition gives the binomial sum."""
    both = local.losses(ev.local(epsilon), epsilon / 4)
    composed = pld.epsilon_at(pld.compose([(both, count)]), delta, count)
    assert math.isclose(local.repeated_epsilon(epsilon, count, delta), composed, rel_tol=1e-6)


def test_delta_below_the_rounding_is_not_claimed() -> None:
    """Where the convolution cannot resolve delta, no finite epsilon is claimed."""
    both = local.losses(ev.local(0.1), 0.025)
    assert pld.epsilon_at(pld.compose([(both, 400)]), 1e-15, 400) == math.inf


@pytest.mark.parametrize(
    ("rate", "count", "epsilon"),
    [(0.01, 10_000, 9.0), (0.01, 10_000, 12.0), (0.01, 100_000, 35.0), (0.001, 100, 0.5)],
)
def test_rounding_covers_the_convolution(rate: float, count: int, epsilon: float) -> None:
    """FFT delta falls short of a tilted convolution's by at most a fifth of the allowance."""
    one = sampling.poisson_losses(rate, 1.0, 1e-4)[0]
    values = _values(one)

    def surplus(tilt: float) -> float:
        weights = one.masses * np.exp(tilt * values)
        return count * float(weights @ values) / float(weights.sum()) - epsilon

    tilt = brentq(surplus, 0, 40)
    weights = one.masses * np.exp(tilt * values)
    log_moment = math.log(weights.sum())
    tilted = pld.compose(
        [((pld.Losses(1e-4, one.lowest, weights / weights.sum(), 0.0),) * 2, count)]
    )
    back = np.exp(count * log_moment - tilt * _values(tilted[0])) * tilted[0].masses
    exact = _delta(pld.Losses(1e-4, tilted[0].lowest, back, 0.0), epsilon)
    plain = _delta(pld.compose([((one, one), count)])[0], epsilon)
    assert abs(plain - exact) <= pld.rounding(count) / 5 or plain > exact
    assert plain + pld.rounding(count) >= exact
