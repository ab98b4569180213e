"""Euclidean K-norm noise: the closed density against samples, Laplace, and the generic bound."""

import math

import numpy as np
import pytest
from scipy.special import iv, kv
from scipy.stats import beta

from accounting.pairs.closed_forms import laplace_delta
from tacit.accounting import events as ev
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import knorm, laplace

_SHAPES = [(1, 1.0), (2, 1.0), (3, 2.0), (5, 4.0), (50, 3.0), (100_000, 1.0)]


def _values(losses: Losses) -> np.ndarray:
    return losses.interval * (losses.lowest + np.arange(len(losses.masses)))


def _delta(losses: Losses, epsilon: float) -> float:
    values = _values(losses)
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def _grid(dimension: int, epsilon: float) -> Losses:
    event = ev.euclidean_norm(epsilon, dimension)
    return knorm.losses(event, min(1e-3, knorm.spread(event) / 20), 1e-20)[0]


def _samples(dimension: int, epsilon: float, size: int, distance: float = 1.0) -> np.ndarray:
    """Losses of actual noise: a gamma radius and one coordinate of a uniform direction."""
    rng = np.random.default_rng(dimension)
    radius = rng.gamma(dimension, 1 / epsilon, size)
    cosine = 2 * rng.beta((dimension - 1) / 2, (dimension - 1) / 2, size) - 1
    moved = np.sqrt(radius**2 - 2 * distance * radius * cosine + distance**2)
    return epsilon * distance * (distance - 2 * radius * cosine) / (moved + radius)


def _between(losses: np.ndarray, epsilon: float) -> tuple[float, float]:
    """Clopper-Pearson bounds on delta, each wrong one time in a million.

    An event of probability delta: the loss, less an independent exponential, is above epsilon.
    """
    clock = np.random.default_rng(7).exponential(size=len(losses))
    hits, size = int((losses - clock > epsilon).sum()), len(losses)
    high = beta.isf(1e-6, hits + 1, size - hits)
    return float(beta.ppf(1e-6, hits, size - hits + 1)), float(high)


@pytest.mark.parametrize(("dimension", "epsilon"), _SHAPES[1:])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6])
def test_delta_is_that_of_actual_noise(dimension: int, epsilon: float, part: float) -> None:
    """Delta lies within what a hundred thousand sampled losses allow."""
    at = part * knorm.spread(ev.euclidean_norm(epsilon, dimension))
    low, high = _between(_samples(dimension, epsilon, 100_000), at)
    assert low <= _delta(_grid(dimension, epsilon), at) <= high * 1.001


@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 1.0), (50, 3.0)])
def test_five_releases_are_five_sums_of_noise(dimension: int, epsilon: float) -> None:
    """Five releases composed on the grid lie within what sums of sampled losses allow."""
    one = _grid(dimension, epsilon)
    size = 5 * (len(one.masses) - 1) + 1
    masses = np.maximum(np.fft.irfft(np.fft.rfft(one.masses, size) ** 5, size), 0)
    composed = Losses(one.interval, 5 * one.lowest, masses, 0.0)
    sums = _samples(dimension, epsilon, 500_000).reshape(-1, 5).sum(axis=1)
    for at in (0.0, knorm.spread(ev.euclidean_norm(epsilon, dimension))):
        low, high = _between(sums, at)
        assert low <= _delta(composed, at) <= high * 1.001


def test_a_larger_distance_would_be_caught() -> None:
    """The sampled bounds tell the noise from two-thirds of it."""
    low, _ = _between(_samples(5, 4.0, 100_000, distance=1.5), 0.5)
    assert _delta(_grid(5, 4.0), 0.5) < low


@pytest.mark.parametrize("distance", [0.3, 0.9])
def test_a_smaller_distance_is_no_worse(distance: float) -> None:
    """Neighbours nearer than 1 have a smaller delta."""
    _, high = _between(_samples(5, 4.0, 100_000, distance=distance), 0.5)
    assert high < _delta(_grid(5, 4.0), 0.5) * 1.02


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_dimension_is_laplace(epsilon: float) -> None:
    """In one dimension everything is the Laplace mechanism's."""
    event, orders = ev.euclidean_norm(epsilon, 1), np.array([1.5, 8.0])
    for part in (0.0, 0.4, 0.9):
        exact = laplace_delta(1 / epsilon, part * epsilon)
        assert math.isclose(_delta(_grid(1, epsilon), part * epsilon), exact, rel_tol=2e-3)
    same = laplace.renyi(ev.laplace(1 / epsilon), orders)
    np.testing.assert_array_equal(knorm.renyi(event, orders), same)


@pytest.mark.parametrize(("dimension", "epsilon"), _SHAPES)
def test_both_masses_are_kept(dimension: int, epsilon: float) -> None:
    """The P-masses sum to 1 with what is cut, and the Q-masses to 1: the pair is a pair."""
    losses = _grid(dimension, epsilon)
    assert losses.infinite <= 1e-20
    assert math.isclose(losses.masses.sum() + losses.infinite, 1, rel_tol=1e-12)
    assert math.isclose(losses.masses @ np.exp(-_values(losses)), 1, rel_tol=1e-12)


@pytest.mark.parametrize(("dimension", "epsilon"), _SHAPES)
def test_renyi_is_the_divergence_of_the_losses(dimension: int, epsilon: float) -> None:
    """The quadrature and the grid, which share only the density, agree; the grid is above."""
    losses, orders = _grid(dimension, epsilon), np.array([1.1, 2.0, 10.0])
    direct = knorm.renyi(ev.euclidean_norm(epsilon, dimension), orders)
    for order, divergence in zip(orders, direct, strict=True):
        moment = losses.masses @ np.expm1((order - 1) * _values(losses))
        gridded = math.log1p(moment + losses.infinite) / (order - 1)
        assert divergence * (1 - 1e-9) <= gridded <= divergence * 1.002


@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 1.0), (3, 5.0), (8, 0.7)])
def test_renyi_is_a_ratio_of_bessel_functions(dimension: int, epsilon: float) -> None:
    """In few dimensions the integrals are Bessel's I, and the divergence is their ratio's log."""
    v = dimension / 2 - 1
    across = 2 * (dimension - 1) / epsilon * kv(v + 1, epsilon / 2) / kv(v, epsilon / 2)

    def integral(t: float) -> float:
        return across * iv(v, t) / t**v + (2 * v + 1) * iv(v + 1, t) / t ** (v + 1)

    orders = np.array([1.2, 3.0, 12.0])
    exact = [math.log(integral((a - 0.5) * epsilon) / integral(epsilon / 2)) for a in orders]
    ours = knorm.renyi(ev.euclidean_norm(epsilon, dimension), orders)
    np.testing.assert_allclose(ours, np.array(exact) / (orders - 1), rtol=1e-9)


@pytest.mark.parametrize(("dimension", "epsilon"), _SHAPES)
def test_never_above_the_generic_pure_bound(dimension: int, epsilon: float) -> None:
    """Delta is at most that of randomised response, and no loss is above epsilon."""
    losses = _grid(dimension, epsilon)
    assert _values(losses)[-1] < epsilon + 2 * losses.interval
    for part in (0.0, 0.5, 0.9):
        generic = -math.expm1((part - 1) * epsilon) / (1 + math.exp(-epsilon))
        assert _delta(losses, part * epsilon) < generic


@pytest.mark.parametrize("below", [0.5, 2.0, 9.0])
def test_hardly_any_noise_has_its_limit(below: float) -> None:
    """In three dimensions epsilon less the loss tends to the density (2 + x) e^(-x/2) / 8."""
    losses, x = _grid(3, 10_000.0), (np.arange(10_000) + 0.5) * below / 10_000
    density = (2 + x) * np.exp(-x / 2) / 8
    exact = -float(np.expm1(x - below) @ density) * below / 10_000
    assert math.isclose(_delta(losses, 10_000 - below), exact, rel_tol=1e-3)
    assert losses.infinite <= 1e-20


def test_a_million_dimensions_are_gaussian() -> None:
    """In a million dimensions the divergences are a epsilon^2 / (2 d), to all digits that count."""
    orders = np.array([1.01, 2.0, 32.0])
    divergences = knorm.renyi(ev.euclidean_norm(0.01, 10**6), orders)
    np.testing.assert_allclose(divergences, orders * 1e-4 / 2e6, rtol=1e-5)


def test_pure_epsilon_is_epsilon() -> None:
    """At delta = 0 the promise is epsilon in every dimension."""
    assert knorm.pure_epsilon(ev.euclidean_norm(0.7, 12)) == 0.7


def test_what_is_cut_off_counts_as_failure() -> None:
    """However much of the directions that is."""
    both, _ = knorm.losses(ev.euclidean_norm(2.0, 50), 1e-3, 1e-3)
    assert 0 < both.infinite <= 1e-3
    assert math.isclose(1, both.masses.sum() + both.infinite, rel_tol=1e-12)
