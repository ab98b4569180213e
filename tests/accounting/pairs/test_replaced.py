"""Draws with replacement, against exact mixtures of few draws and the schemes they turn into."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from tacit.accounting import events
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import replaced, sampled_gaussian

_CASES = [(2, 2, 1.0), (3, 2, 1.0), (3, 3, 0.7)]
_EPSILONS = [0.0, 0.1, 0.5, 1.0, 2.0, 3.0]


def _delta(losses: Losses, epsilon: float) -> float:
    above = losses.values > epsilon
    return losses.infinite - float(np.expm1(epsilon - losses.values[above]) @ losses.masses[above])


def _event(people: int, draws: int, multiplier: float):
    return events.with_replacement(people, draws, events.gaussian(multiplier))


def _bound(people: int, draws: int, multiplier: float, epsilon: float) -> float:
    return _delta(replaced.losses(_event(people, draws, multiplier), 1e-3, 1e-18)[0], epsilon)


def _exact(people: int, draws: int, multiplier: float, epsilon: float) -> float:
    """All others at -C, the person at C or at -C: how often it is drawn, and the noise."""
    outcomes = np.linspace(-12, draws / multiplier + 12, 40_001)
    counts = np.arange(draws + 1)
    weights = binom.pmf(counts, draws, 1 / people)
    one = norm.pdf(outcomes[:, None] - counts / multiplier) @ weights
    other, grown = norm.pdf(outcomes), math.exp(epsilon)
    forth, back = np.maximum(one - grown * other, 0), np.maximum(other - grown * one, 0)
    return max(forth.sum(), back.sum()) * (outcomes[1] - outcomes[0])


@pytest.mark.parametrize("epsilon", _EPSILONS)
@pytest.mark.parametrize(("people", "draws", "multiplier"), _CASES)
def test_never_below_few_draws_by_hand(people, draws, multiplier, epsilon) -> None:
    """The bound is at least the delta of actual data, and at small epsilon near it."""
    exact = _exact(people, draws, multiplier, epsilon)
    bound = _bound(people, draws, multiplier, epsilon)
    assert exact <= bound
    assert epsilon > 1 or bound <= 1.06 * exact


@pytest.mark.parametrize(("people", "draws", "multiplier"), _CASES)
def test_half_the_rate_or_noise_too_great_would_be_caught(people, draws, multiplier) -> None:
    """Twice the people, or a tenth more noise, falls below actual data."""
    exact = _exact(people, draws, multiplier, 0.5)
    assert _bound(2 * people, draws, multiplier, 0.5) < exact
    assert _bound(people, draws, 1.1 * multiplier, 0.5) < exact


def test_one_draw_is_a_sample_of_one() -> None:
    """One draw of n is a sample without replacement of one person out of n."""
    known = sampled_gaussian.without_replacement_losses(0.05, 1.5, 1e-4, 1e-18)[0]
    for epsilon in (0.0, 0.01, 0.3):
        assert math.isclose(_bound(20, 1, 1.5, epsilon), _delta(known, epsilon), rel_tol=1e-4)


def test_one_person_is_drawn_every_time() -> None:
    """Of one person all m draws move at once: the Gaussian of multiplier z/m."""
    for epsilon in (0.0, 1.0, 5.0):
        exact = gaussian_delta(2.0 / 3, epsilon)
        assert exact * (1 - 1e-12) <= _bound(1, 3, 2.0, epsilon) <= exact * (1 + 1e-5)


@pytest.mark.parametrize("draws", [1, 40, 5000])
def test_pairs_are_whole_and_symmetric(draws: int) -> None:
    """P-masses sum to one, e^-loss averages to one, up to the tail."""
    found = replaced.losses(_event(1000, draws, 3.0), 5e-3, 1e-12)[0]
    assert math.isclose(found.masses.sum() + found.infinite, 1.0, abs_tol=1e-11)
    assert math.isclose(found.masses @ np.exp(-found.values), 1.0, abs_tol=1e-11)
    assert found.infinite <= 1e-12 * (1 + 1e-9)


def test_spread_is_the_deviation_of_the_losses() -> None:
    """Within a third of the deviation of the pair's own losses."""
    event = _event(1000, 50, 2.0)
    found = replaced.losses(event, 5e-4, 1e-12)[0]
    mean = found.masses @ found.values
    deviation = math.sqrt(found.masses @ (found.values - mean) ** 2)
    assert 0.75 < replaced.spread(event) / deviation < 1.35


@pytest.mark.parametrize(("people", "draws"), [(50, 1), (10, 4)])
def test_renyi_agrees_with_the_grid(people: int, draws: int) -> None:
    """The quadrature over all occurrences gives what the gridded losses sum to."""
    event, orders = _event(people, draws, 2.5), np.array([1.1, 2.0, 3.5, 6.0])
    found = replaced.losses(event, 2e-4, 1e-40)[0]
    moments = [found.masses @ np.exp((order - 1) * found.values) for order in orders]
    assert np.allclose(replaced.renyi(event, orders), np.log(moments) / (orders - 1), rtol=2e-4)


def test_renyi_of_many_draws_counts_the_rarest() -> None:
    """Being drawn every time, however rare, dominates a high order: no occurrence is left out."""
    event, order = _event(1000, 200, 5.0), 32.0
    often = math.log(-math.expm1(200 * math.log1p(-1 / 1000)))
    every = (200 / 5.0) ** 2 / 2 * order * (order - 1) - 200 * math.log(1000)
    every += (order - 1) * often
    found = replaced.renyi(event, np.array([order]))[0]
    assert every / (order - 1) <= found <= every / (order - 1) * 1.001
    larger = replaced.renyi(_event(10**6, 10**5, 5.0), np.array([1.001, order]))
    assert np.all(np.isfinite(larger)) and larger[1] > found


def test_only_gaussian_sums_are_drawn() -> None:
    """Any other event is refused by name; and a Gaussian has no epsilon at delta = 0."""
    with pytest.raises(ValueError, match="LaplaceDpEvent"):
        replaced.losses(events.with_replacement(10, 2, events.laplace(1)), 1e-3, 1e-10)
    with pytest.raises(ValueError, match="tail"):
        replaced.losses(_event(10, 2, 1.0), 1e-3, 0.0)
    assert replaced.pure_epsilon(_event(10, 2, 1.0)) == math.inf
