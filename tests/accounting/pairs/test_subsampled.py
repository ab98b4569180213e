"""Samples of any release, against exact small cases, the Gaussian and dp_accounting."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism
from mpmath import mp, mpf

from tacit.accounting import events
from tacit.accounting.loss.pld import Directions, Losses, on_grid
from tacit.accounting.pairs import laplace, pure, sampled_gaussian, subsampled

_WITH = np.array([0.70, 0.25, 0.04, 0.01, 0.0])
_WITHOUT = np.array([0.30, 0.10, 0.38, 0.20, 0.02])


def _delta(losses: Losses, epsilon: float) -> float:
    above = losses.values > epsilon
    return losses.infinite - float(np.expm1(epsilon - losses.values[above]) @ losses.masses[above])


def _exact(one: np.ndarray, other: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def _losses(one: np.ndarray, other: np.ndarray, interval: float) -> Losses:
    both = (one > 0) & (other > 0)
    values = np.log(one[both] / other[both])
    return on_grid(values, one[both], float(one[other == 0].sum()), interval)


def _base(interval: float = 1e-4) -> Directions:
    """An asymmetric pair, one of whose outcomes only one neighbour has."""
    return _losses(_WITH, _WITHOUT, interval), _losses(_WITHOUT, _WITH, interval)


def _known(epsilon: float, delta: float) -> Directions:
    """The worst (epsilon, delta)-private pair, on a grid that its losses lie on."""
    truth = (1 - delta) / (1 + math.exp(-epsilon))
    masses = np.array([truth, truth * math.exp(-epsilon)])
    both = on_grid(np.array([epsilon, -epsilon]), masses, delta, epsilon / 256)
    return both, both


@pytest.mark.parametrize("sample", [subsampled.poisson, subsampled.without_replacement])
@pytest.mark.parametrize(("delta", "rate"), [(0.0, 0.01), (1e-3, 0.3), (1e-12, 0.9), (0.1, 1.0)])
def test_any_private_release_is_amplified_exactly(sample, delta: float, rate: float) -> None:
    """Of (epsilon, delta) just log(1 + q (e^epsilon - 1)) and q delta are left."""
    epsilon = 1.5
    expected, left = subsampled.amplified(epsilon, delta, rate)
    assert math.isclose(expected, math.log(1 + rate * (math.exp(epsilon) - 1)), rel_tol=1e-14)
    exactly = Fraction(rate) * Fraction(delta)
    assert Fraction(left) >= exactly > Fraction(math.nextafter(left, -1.0))
    found = sample(_known(epsilon, delta), rate, expected / 64)
    at, before = (max(_delta(one, e) for one in found) for e in (expected, 0.99 * expected))
    assert math.isclose(at, left, rel_tol=1e-9, abs_tol=1e-13)
    assert before > left + 1e-6 * rate


@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("rate", [0.05, 0.4, 1.0])
def test_poisson_of_an_asymmetric_pair_is_exact_in_each_direction(rate, epsilon) -> None:
    """Removing and adding have the deltas of the two exact sampled pairs."""
    sampled = (1 - rate) * _WITHOUT + rate * _WITH
    removed, added = subsampled.poisson(_base(), rate, 1e-4)
    exact = _exact(sampled, _WITHOUT, epsilon), _exact(_WITHOUT, sampled, epsilon)
    for found, known in zip((removed, added), exact, strict=True):
        assert known - 1e-12 <= _delta(found, epsilon) <= known + 1e-4 * rate


def test_exchanged_directions_would_be_caught() -> None:
    """Built from the wrong one of the base's directions, each falls below an exact value."""
    _, added = subsampled.poisson(_base()[::-1], 0.4, 1e-4)
    assert _delta(added, 0.3) < _exact(_WITHOUT, 0.6 * _WITHOUT + 0.4 * _WITH, 0.3) - 0.05
    removed, _ = subsampled.poisson(_base(), 0.4, 1e-4)
    assert _delta(removed, 0.3) < _exact(0.6 * _WITH + 0.4 * _WITHOUT, _WITH, 0.3) - 0.05


def test_half_the_rate_would_be_caught() -> None:
    """A sample taken for half as large as it is falls below the exact delta."""
    sampled = 0.6 * _WITHOUT + 0.4 * _WITH
    removed, added = subsampled.poisson(_base(), 0.2, 1e-4)
    assert _delta(removed, 0.1) < _exact(sampled, _WITHOUT, 0.1)
    assert _delta(added, 0.1) < _exact(_WITHOUT, sampled, 0.1)


@pytest.mark.parametrize("sample", [subsampled.poisson, subsampled.without_replacement])
def test_sampled_pairs_are_whole(sample) -> None:
    """P-masses sum to one, and Q-masses e^-loss to at most one."""
    for found in sample(_base(), 0.3, 1e-4):
        assert math.isclose(found.masses.sum() + found.infinite, 1.0, abs_tol=1e-12)
        assert found.masses @ np.exp(-found.values) <= 1 + 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.25, 0.4])
def test_fixed_samples_bound_both_orders(epsilon: float) -> None:
    """One of two people's reports: the other may hold either value, so both orders are bounded."""
    half = (_WITH + _WITHOUT) / 2
    pairs = [(half, _WITHOUT), (half, _WITH), (_WITHOUT, half), (_WITH, half)]
    worst = max(_exact(one, other, epsilon) for one, other in pairs)
    found = subsampled.without_replacement(_base(), 0.5, 1e-4)
    assert found[0] is found[1]
    assert worst - 1e-12 <= _delta(found[0], epsilon) <= worst + 1e-4


def test_one_order_alone_would_be_caught() -> None:
    """Of an asymmetric base, one direction alone falls below the exact value of the other order."""
    forth = _base()[0]
    found = subsampled.without_replacement((forth, forth), 0.5, 1e-4)[0]
    assert _delta(found, 0.3) < _exact((_WITH + _WITHOUT) / 2, _WITH, 0.3) - 0.1


@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_gaussian_samples_match_the_gaussian_pairs(rate: float) -> None:
    """From the plain Gaussian's losses come the sampled Gaussian's, to a millionth."""
    base = sampled_gaussian.poisson_losses(1.0, 1.0, 1e-4, 1e-25)
    cases = [
        (subsampled.poisson, sampled_gaussian.poisson_losses),
        (subsampled.without_replacement, sampled_gaussian.without_replacement_losses),
    ]
    for sample, known in cases:
        found = sample(base, rate, 1e-4)
        for one, other in zip(found, known(rate, 1.0, 1e-4, 1e-25), strict=True):
            for epsilon in (0.0, 0.005, 0.3, 1.0):
                expected = _delta(other, epsilon)
                if expected > 1e-15:
                    assert math.isclose(_delta(one, epsilon), expected, rel_tol=2e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.05, 0.1, 0.15])
def test_poisson_laplace_matches_dp_accounting(epsilon: float) -> None:
    """Both directions of a Poisson-sampled Laplace release agree with dp_accounting's."""
    theirs = from_laplace_mechanism(1.0, sampling_prob=0.1)
    base = laplace.losses(events.laplace(1.0), 1e-4, 1e-20)
    ours = max(_delta(one, epsilon) for one in subsampled.poisson(base, 0.1, 1e-4))
    assert math.isclose(ours, float(theirs.get_delta_for_epsilon(epsilon)), rel_tol=1e-6)


def test_large_losses_do_not_overflow() -> None:
    """Losses beyond the exponents of a float keep their masses."""
    base = on_grid(np.array([2000.0, -2000.0]), np.array([1.0, 0.0]), 0.0, 0.5)
    removed, _ = subsampled.poisson((base, base), 0.1, 0.5)
    assert math.isclose(
        removed.values[removed.masses > 0.05].max(), 2000 + math.log(0.1), abs_tol=1
    )


def test_renyi_of_a_grid_is_the_sum_over_its_atoms() -> None:
    """On randomised response, the closed form; of an asymmetric pair, the larger direction."""
    orders = np.array([1.01, 2.0, 7.5, 500.0])
    report = events.local(1.0)
    found = subsampled.renyi(pure.losses(report, 1 / 4096, 1e-20), orders)
    assert np.allclose(found, pure.renyi(report, orders), rtol=1e-7)
    one, other = _WITH[:4] / _WITH[:4].sum(), _WITHOUT[:4] / _WITHOUT[:4].sum()
    pair = _losses(one, other, 1e-5), _losses(other, one, 1e-5)
    squares = max(np.log(one**2 @ (1 / other)), np.log(other**2 @ (1 / one)))
    assert math.isclose(subsampled.renyi(pair, np.array([2.0]))[0], squares, rel_tol=1e-6)


def test_renyi_is_infinite_where_a_loss_is() -> None:
    """An infinite loss in either direction makes every order infinite."""
    assert np.all(np.isinf(subsampled.renyi(_base(), np.array([1.1, 2.0]))))


def test_a_union_averages_the_deltas() -> None:
    """Telling which of two pairs was released has the mean of their deltas, in each direction."""
    other = _known(0.256, 0.01)[0]
    other = on_grid(other.values, other.masses, other.infinite, 1e-3)
    base = _base(1e-3)
    both = subsampled.union([(0.3, base), (0.7, (other, other))])
    for found, one in zip(both, base, strict=True):
        expected = 0.3 * _delta(one, 0.1) + 0.7 * _delta(other, 0.1)
        assert math.isclose(_delta(found, 0.1), expected, rel_tol=1e-12)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, math.nan])
def test_impossible_rates_are_refused(rate: float) -> None:
    """A rate is above 0 and at most 1."""
    with pytest.raises(ValueError, match="rate must be"):
        subsampled.poisson(_base(), rate, 1e-4)
    with pytest.raises(ValueError, match="rate must be"):
        subsampled.amplified(1.0, 0.0, rate)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.99])
def test_small_epsilons_are_amplified_by_the_same_formula(epsilon: float) -> None:
    """Less than q epsilon would be promised too much."""
    found, left = subsampled.amplified(epsilon, 1e-6, 0.3)
    assert math.isclose(found, math.log(1 + 0.3 * (math.exp(epsilon) - 1)), rel_tol=1e-12)
    assert found > 0.3 * epsilon and left == 0.3 * 1e-6


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.5, 1.0, 30.0, 800.0])
@pytest.mark.parametrize("rate", [1e-300, 1e-12, 0.3, 1.0])
def test_what_a_sample_leaves_is_no_rounding_below(epsilon: float, rate: float) -> None:
    """And never zero, nor above the release's own."""
    found, _ = subsampled.amplified(epsilon, 0.0, rate)
    with mp.workdps(700):
        assert 0 < mp.log1p(mpf(rate) * mp.expm1(mpf(epsilon))) <= mpf(found)
    assert found <= epsilon
