"""The exponential mechanism: the dominating pair against real choices and two-point pairs."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import log_softmax

from accounting.pairs.closed_forms import exponential_delta
from tacit.accounting import events as ev
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import exponential, pure

_RANGES = [1e-3, 0.1, 1.0, 6.0, 60.0]


def _values(losses: Losses) -> np.ndarray:
    return losses.interval * (losses.lowest + np.arange(len(losses.masses)))


def _delta(losses: Losses, epsilon: float) -> float:
    values = _values(losses)
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def _losses(eta: float) -> Losses:
    event = ev.exponential_mechanism(eta)
    return exponential.losses(event, min(1e-3, exponential.spread(event) / 20), 1e-20)[0]


def _two_points(eta: float, top: float) -> tuple[np.ndarray, np.ndarray]:
    """The losses top and top - eta, and their P-masses."""
    likely = math.expm1(top - eta) / math.expm1(-eta)
    return np.array([top, top - eta]), np.array([likely, math.expm1(top) / math.expm1(eta)])


def _choice(eta: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The losses of a real mechanism on random neighbouring scores, and their P-masses."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=3 / eta, size=rng.integers(2, 9))
    moves = rng.choice([-1, 1, rng.uniform(-1, 1)], size=len(scores))
    first, second = log_softmax(eta / 2 * scores), log_softmax(eta / 2 * (scores + moves))
    return first - second, np.exp(first)


def _exact(values: np.ndarray, masses: np.ndarray, epsilon: float) -> float:
    return -float(np.expm1(np.minimum(epsilon - values, 0)) @ masses)


@pytest.mark.parametrize("eta", _RANGES)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 1.1])
def test_delta_is_the_closed_form(eta: float, part: float) -> None:
    """On the grid delta is the closed form, or above it by a hair."""
    exact, grid = exponential_delta(eta, part * eta), _delta(_losses(eta), part * eta)
    assert exact * (1 - 1e-12) <= grid <= exact * 1.02 + 1e-20


@pytest.mark.parametrize("eta", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("part", [0.0, 0.5])
def test_the_worst_two_points_meet_the_bound(eta: float, part: float) -> None:
    """No pair of two losses a range apart is above the bound, and the worst one is on it."""
    tops = np.linspace(0, eta, 2001)
    worst = max(_exact(*_two_points(eta, top), part * eta) for top in tops)
    bound = exponential_delta(eta, part * eta)
    assert bound * (1 - 1e-5) <= worst <= bound * (1 + 1e-12)


@pytest.mark.parametrize("eta", [0.5, 2.0])
def test_no_real_choice_is_above(eta: float) -> None:
    """Five hundred exponential mechanisms, each at several epsilons, both ways, stay below."""
    for seed in range(500):
        values, masses = _choice(eta, seed)
        for epsilon in (0.0, 0.2 * eta, 0.5 * eta):
            bound = exponential_delta(eta, epsilon) * (1 + 1e-12)
            assert _exact(values, masses, epsilon) <= bound
            assert _exact(-values, masses * np.exp(-values), epsilon) <= bound


def test_a_wrong_factor_of_two_would_be_caught() -> None:
    """Some of these choices are above the bound for half the range."""
    pairs = [_choice(2.0, seed) for seed in range(500)]
    worst = max(_exact(values, masses, 0.2) for values, masses in pairs)
    assert worst > 1.5 * exponential_delta(1.0, 0.2)


@pytest.mark.parametrize("eta", [0.1, 1.0, 3.0])
def test_real_choices_composed_stay_below(eta: float) -> None:
    """Three different two-point pairs composed are below the dominating pair composed."""
    one = _losses(eta)
    three = np.convolve(np.convolve(one.masses, one.masses), one.masses)
    composed = Losses(one.interval, 3 * one.lowest, three, 0.0)
    rng = np.random.default_rng(3)
    for _ in range(15):
        values, masses = np.zeros(1), np.ones(1)
        for top in rng.uniform(0, eta, 3):
            ends, weights = _two_points(eta, top)
            values = np.add.outer(values, ends).ravel()
            masses = np.outer(masses, weights).ravel()
        for epsilon in (0.0, 0.5 * eta, eta):
            assert _exact(values, masses, epsilon) <= _delta(composed, epsilon) * (1 + 1e-12)


def test_a_hundred_choices_beat_randomised_response() -> None:
    """A hundred choices of range 0.1 cost 2.32 at delta = 1e-5; randomised response costs 4.31."""
    one = exponential.losses(ev.exponential_mechanism(0.1), 1e-3, 1e-20)[0]
    size = 100 * (len(one.masses) - 1) + 1
    masses = np.maximum(np.fft.irfft(np.fft.rfft(one.masses, size) ** 100, size), 0)
    composed = Losses(1e-3, 100 * one.lowest, masses, 0.0)
    assert _delta(composed, 2.323) < 1e-5 < _delta(composed, 2.320)
    assert 4.306 < pure.repeated_epsilon(0.1, 100, 1e-5) < 4.308


@pytest.mark.parametrize("eta", _RANGES)
def test_both_masses_are_kept(eta: float) -> None:
    """The P-masses sum to 1 with what is cut, and so do the Q-masses where nothing is."""
    losses = _losses(eta)
    assert math.isclose(losses.masses.sum() + losses.infinite, 1, rel_tol=1e-12)
    assert losses.infinite <= 1.0001e-20
    if losses.infinite == 0:
        assert math.isclose(losses.masses @ np.exp(-_values(losses)), 1, rel_tol=1e-12)


@pytest.mark.parametrize("eta", _RANGES)
@pytest.mark.parametrize("order", [1.01, 2.0, 17.0])
def test_renyi_is_that_of_the_worst_two_points(eta: float, order: float) -> None:
    """The closed form is the largest divergence of two losses, and at most eta^2 / 8 times a."""
    tops = np.linspace(0, eta, 2001)[1:-1]
    pairs = [_two_points(eta, top) for top in tops]
    moments = [
        float(np.logaddexp.reduce((order - 1) * values + np.log(masses)))
        for values, masses in pairs
    ]
    ours = exponential.renyi(ev.exponential_mechanism(eta), np.array([order]))[0]
    assert max(moments) / (order - 1) - 1e-12 <= ours <= order * eta**2 / 8
    assert ours <= max(moments) / (order - 1) * 1.001 + 1e-12
    assert ours <= eta


@pytest.mark.parametrize("eta", [1e-5, 0.00999, 0.0101, 0.3, 20.0])
def test_renyi_is_never_below_its_closed_form(eta: float) -> None:
    """Also at orders near 1, where rounding is divided by a small number."""
    orders = [1.001, 1.1, 2.0, 500.0]
    found = exponential.renyi(ev.exponential_mechanism(eta), np.array(orders)).tolist()
    with mpmath.workdps(40):
        for order, ours in zip(map(mpmath.mpf, orders), found, strict=True):
            growth, r = mpmath.exp(eta), mpmath.exp(-(order - 1) * eta)
            top = (order - 1) * (growth - r) / (order * (1 - r))
            moment = top ** (order - 1) * (growth - r) / (order * (growth - 1))
            exact = mpmath.log(moment) / (order - 1)
            assert exact <= ours <= exact * (1 + 1e-5)


def test_pure_epsilon_is_the_range() -> None:
    """At delta = 0 a choice costs its range, where the closed form ends."""
    assert exponential.pure_epsilon(ev.exponential_mechanism(0.3)) == 0.3
    assert exponential_delta(0.3, 0.3) == 0.0
