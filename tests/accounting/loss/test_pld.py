"""Privacy losses on a grid: splitting and reading, always upwards."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from tacit.accounting.loss import pld


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


def test_what_is_trimmed_is_infinite() -> None:
    """The largest losses that are cut count as failure, mass for mass."""
    masses = np.random.default_rng(3).dirichlet(np.ones(100))
    losses = pld.Losses(0.1, -50, masses, 0.01)
    (trimmed, _) = pld.trimmed((losses, losses), 0.05)

    assert len(trimmed.masses) < 100
    assert math.isclose(1.01, trimmed.masses.sum() + trimmed.infinite, rel_tol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.113, 0.5, 1.7])
def test_splitting_is_pessimistic(epsilon: float) -> None:
    """Delta on the grid is never below the delta of the losses themselves."""
    rng = np.random.default_rng(2)
    losses, masses = rng.normal(size=1000), rng.dirichlet(np.ones(1000))
    above = losses > epsilon
    exact = -float(np.expm1(epsilon - losses[above]) @ masses[above])
    grid = _delta(pld.on_grid(losses, masses, 0.0, 0.01), epsilon)
    assert exact * (1 - 1e-13) <= grid <= exact * 1.01


@pytest.mark.parametrize("times", [2, 7, 64])
def test_a_coarser_grid_is_pessimistic(times: int) -> None:
    """Every so many points of a grid keep both masses, and delta is never below the finer one's."""
    rng = np.random.default_rng(3)
    fine = pld.on_grid(rng.normal(size=1000), rng.dirichlet(np.ones(1000)), 1e-7, 0.01)
    coarse = pld.coarser(fine, times)
    masses = [(one.masses.sum(), one.masses @ np.exp(-_values(one))) for one in (fine, coarse)]
    assert np.allclose(*masses, rtol=1e-12)
    assert fine.infinite == coarse.infinite
    for epsilon in (0.0, 0.113, 0.5, 1.7):
        assert _delta(fine, epsilon) * (1 - 1e-13) <= _delta(coarse, epsilon)


def test_rounding_down_would_be_caught() -> None:
    """The pessimism test can fail: losses rounded down give too small a delta."""
    losses, masses = np.array([0.995, -0.995]), np.array([0.73, 0.27])
    exact = -math.expm1(-0.995) * 0.73
    rounded_down = pld.on_grid(np.floor(losses * 10) / 10, masses, 0.0, 0.1)
    split = pld.on_grid(losses, masses, 0.0, 0.1)
    assert _delta(rounded_down, 0.0) < exact * 0.95
    assert _delta(split, 0.0) >= exact * (1 - 1e-13)


@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.1])
def test_reading_epsilon_solves_delta(delta: float) -> None:
    """At the epsilon read off cumulated masses, delta is met exactly; never below the largest loss,
    where only that meets it."""
    losses, masses = np.array([0.4, 1.0, 1.6, 2.2]), np.array([0.4, 0.3, 0.0, 1e-9])
    found = pld.smallest_epsilon(0.4, 0.6, masses, delta)
    above = losses > found
    met = -float(np.expm1(found - losses[above]) @ masses[above])
    at_the_top = delta == 1e-30 and 0 <= found - losses[-1] <= 2e-15
    assert math.isclose(delta, met, rel_tol=1e-6) or at_the_top


@pytest.mark.parametrize("interval", [0.37, 1e-6])
def test_sums_are_read_up_and_what_is_taken_from_them_down(interval: float) -> None:
    """Against sums of fifty digits; by no more than a few roundings a mass."""
    masses = np.random.default_rng(6).dirichlet(np.ones(300))
    upper, below = pld.above(masses, interval)
    with mp.workdps(50):
        factor, whole, part = mp.exp(-mpf(interval)), mpf(0), mpf(0)
        for i in range(299, 0, -1):
            whole, part = whole + mpf(masses[i]), mpf(masses[i]) + factor * part
            assert 0 <= mpf(upper[i - 1]) - whole <= 1e-13 * whole
            assert 0 <= part - mpf(below[i - 1]) <= 2e-13 * part


@pytest.mark.parametrize(("lowest", "interval"), [(-40.0, 0.37), (-0.7, 0.01), (-3e-13, 7e-15)])
def test_what_is_read_is_never_below_what_solves_delta(lowest: float, interval: float) -> None:
    """Not by a digit of fifty, wherever the grid begins, and however many masses are added up."""
    draw = np.random.default_rng(5)
    for size, delta in ((3, 1e-17), (40, 1e-16), (200, 1e-3), (200, 1e-9)) * 5:
        masses = draw.dirichlet(np.ones(size))
        found = pld.smallest_epsilon(lowest, interval, masses, delta)
        with mp.workdps(50):
            losses = [mpf(lowest) + mpf(interval) * i for i in range(size)]
            above = [(loss, mpf(m)) for loss, m in zip(losses, masses, strict=True) if loss > found]
            assert mp.fsum(m * -mp.expm1(found - loss) for loss, m in above) <= delta


def test_reading_far_apart_losses() -> None:
    """Two losses a thousand apart lose no digit: the answer is the larger one's own."""
    found = pld.smallest_epsilon(-800.0, 1600.0, np.array([0.0, 1.0]), 0.25)
    assert math.isclose(800 + math.log(0.75), found, rel_tol=1e-15)


def test_delta_that_rises_again_is_met_only_beyond_its_last_rise() -> None:
    """Some masses are below zero, as rounding leaves them: no loss that misses is passed."""
    masses = np.random.default_rng(0).normal(0.02, 1.0, 400)
    tail = pld.Tail.of(1.0, 0.01, masses)
    there = tail.upper - math.exp(-0.01) * tail.discounted
    losses = 1.0 + 0.01 * np.arange(400)
    for delta in np.linspace(0.01, there.max() * 0.99, 50):
        found = tail.epsilon(delta)
        assert found <= losses[there > delta].max() + 0.01
        assert found >= losses[there > delta].max()


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, 1e30])
def test_losses_off_any_grid_are_refused(bad: float) -> None:
    """An infinite loss, or one too many cells away, is an error and never a small number."""
    with pytest.raises(ValueError, match="losses must be finite and span fewer"):
        pld.on_grid(np.array([0.0, bad]), np.array([0.5, 0.5]), 0.0, 1e-4)
