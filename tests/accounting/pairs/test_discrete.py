"""Discrete noises: the losses against sums over integers straight from the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from mpmath import mp, mpf

from accounting.pairs.closed_forms import laplace_delta
from tacit.accounting import events as ev
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import discrete

_LAPLACES = [(1.0, 1), (0.1, 5), (2.0, 3), (1e-3, 400), (20.0, 2)]
_GAUSSIANS = [(0.3, 1), (1.0, 1), (1.0, 3), (7.3, 2), (200.0, 50)]


def _delta(losses: Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


def _laplace_logs(a: float, shift: int) -> np.ndarray:
    k = np.arange(-math.ceil(60 / a), math.ceil(60 / a) + 500)
    return math.log(math.tanh(a / 2)) - a * np.abs(k - shift)


def _gaussian_logs(sigma: float, shift: int) -> np.ndarray:
    k = np.arange(-math.ceil(40 * sigma) - 9, math.ceil(40 * sigma) + 100)
    normaliser = np.logaddexp.reduce(-((k / sigma) ** 2) / 2)
    return -(((k - shift) / sigma) ** 2) / 2 - normaliser


def _exact(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    loss = first - second
    return -float(np.expm1(np.minimum(epsilon - loss, 0)) @ np.exp(first))


@pytest.mark.parametrize(("a", "shift"), _LAPLACES)
@pytest.mark.parametrize("part", [0.0, 0.31, 0.77])
def test_discrete_laplace_is_its_definition(a: float, shift: int, part: float) -> None:
    """On the grid delta is the definition's, or above it by a hair."""
    event, epsilon = ev.discrete_laplace(a, shift), part * a * shift
    both, other = discrete.discrete_laplace_losses(event, 1e-3, 1e-20)
    exact = _exact(_laplace_logs(a, 0), _laplace_logs(a, shift), epsilon)
    assert both is other
    assert exact * (1 - 1e-12) <= _delta(both, epsilon) <= exact * (1 + 1e-5)
    assert math.isclose(both.masses.sum() + both.infinite, 1, rel_tol=1e-12)
    assert both.infinite <= 1e-20


@pytest.mark.parametrize(("a", "shift"), _LAPLACES)
def test_discrete_laplace_renyi_is_its_sum(a: float, shift: int) -> None:
    """The closed form is the sum over the integers."""
    first, second = _laplace_logs(a, 0), _laplace_logs(a, shift)
    for order in (1.1, 2.0, 9.0):
        exact = np.logaddexp.reduce(order * first + (1 - order) * second) / (order - 1)
        event = ev.discrete_laplace(a, shift)
        ours = discrete.discrete_laplace_renyi(event, np.array([order]))[0]
        assert math.isclose(ours, exact, rel_tol=1e-9)


def test_a_fine_integer_grid_is_laplace() -> None:
    """A billion steps of a billionth are the Laplace mechanism, and cost no more memory."""
    both, _ = discrete.discrete_laplace_losses(ev.discrete_laplace(1e-9, 10**9), 1e-3, 1e-20)
    assert len(both.masses) < 2010
    assert math.isclose(_delta(both, 0.3), laplace_delta(1.0, 0.3), rel_tol=1e-6)


def test_a_large_discrete_laplace_loss_is_cut_not_lost() -> None:
    """Integers beyond the tail count as an infinite loss; those before it stay."""
    both, _ = discrete.discrete_laplace_losses(ev.discrete_laplace(5.0, 100), 1e-2, 1e-20)
    assert 0 < both.infinite <= 1e-20
    assert math.isclose(both.masses.sum(), 1, rel_tol=1e-13)


@pytest.mark.parametrize(("sigma", "shift"), _GAUSSIANS)
@pytest.mark.parametrize("part", [0.0, 0.6, 2.0])
def test_discrete_gaussian_is_its_definition(sigma: float, shift: int, part: float) -> None:
    """Both the grid's delta and the direct one are the definition's, or above it by a hair."""
    event, epsilon = ev.discrete_gaussian(sigma, shift), part * shift / sigma
    both, other = discrete.discrete_gaussian_losses(event, 1e-3, 1e-20)
    exact = _exact(_gaussian_logs(sigma, 0), _gaussian_logs(sigma, shift), epsilon)
    direct = discrete.discrete_gaussian_delta(sigma, shift, epsilon)
    assert both is other
    assert exact * (1 - 1e-11) <= direct <= exact * (1 + 1e-11)
    assert exact * (1 - 1e-11) <= _delta(both, epsilon) <= exact * (1 + 1e-4) + 1e-20
    assert math.isclose(both.masses.sum() + both.infinite, 1, rel_tol=1e-12)
    assert both.infinite <= 1e-20


def test_two_thirds_of_the_noise_would_be_caught() -> None:
    """The comparisons above can fail: two-thirds of the noise changes delta by far more."""
    right = discrete.discrete_gaussian_delta(6.0, 1, 0.2)
    assert discrete.discrete_gaussian_delta(4.0, 1, 0.2) > 2 * right


def test_much_noise_is_the_gaussian() -> None:
    """At sigma = 10,000 the integers no longer matter."""
    for epsilon in (0.0, 1e-4, 5e-4):
        ours = discrete.discrete_gaussian_delta(1e4, 1, epsilon)
        assert math.isclose(ours, gaussian_delta(1e4, epsilon), rel_tol=1e-4)


def test_hardly_any_noise_gives_everything_away() -> None:
    """At sigma = 0.01 the one loss that occurs is 5,000."""
    both, _ = discrete.discrete_gaussian_losses(ev.discrete_gaussian(0.01, 1), 1e-3, 1e-20)
    assert math.isclose(_delta(both, 4999.0), -math.expm1(-1), rel_tol=1e-6)
    assert _delta(both, 5000.01) == both.infinite


def test_far_tails_keep_their_digits() -> None:
    """A delta of 1e-200 is the Gaussian's, up to what the integers themselves change."""
    ours = discrete.discrete_gaussian_delta(100.0, 100, 30.0)
    assert math.isclose(ours, gaussian_delta(1.0, 30.0), rel_tol=0.2)
    assert 0 < ours < 1e-180


@pytest.mark.parametrize(("sigma", "shift"), _GAUSSIANS)
def test_gaussian_renyi_bounds_the_sum(sigma: float, shift: int) -> None:
    """The bound is above the divergence summed over the integers, and met at whole orders."""
    first, second = _gaussian_logs(sigma, 0), _gaussian_logs(sigma, shift)
    for order in (1.3, 2.0, 6.5):
        exact = np.logaddexp.reduce(order * first + (1 - order) * second) / (order - 1)
        event = ev.discrete_gaussian(sigma, shift)
        bound = discrete.discrete_gaussian_renyi(event, np.array([order]))[0]
        assert bound >= exact * (1 - 1e-9)
        assert order != 2 or math.isclose(bound, exact, rel_tol=1e-9)


@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (7.3, 2)])
def test_gaussian_is_never_above_the_peer(sigma: float, shift: int) -> None:
    """dp_accounting's rounded discrete Gaussian is above the exact delta, and so never below."""
    rounded = peer.from_discrete_gaussian_mechanism(sigma, shift)
    for epsilon in (0.0, 0.5, 1.0):
        ours = discrete.discrete_gaussian_delta(sigma, shift, epsilon)
        assert ours <= rounded.get_delta_for_epsilon(epsilon) * (1 + 1e-9) <= ours * 1.001 + 1e-9


@pytest.mark.parametrize(("a", "shift"), [(1.0, 1), (0.1, 5)])
def test_laplace_is_never_above_the_peer(a: float, shift: int) -> None:
    """dp_accounting's rounded discrete Laplace is above ours by no more than its rounding."""
    rounded = peer.from_discrete_laplace_mechanism(a, shift)
    both, _ = discrete.discrete_laplace_losses(ev.discrete_laplace(a, shift), 1e-4, 1e-20)
    for epsilon in (0.0, 0.2, 0.4):
        ours, theirs = _delta(both, epsilon), rounded.get_delta_for_epsilon(epsilon)
        assert ours * (1 - 1e-9) <= theirs + 1e-9 <= ours + 2e-4


def test_pure_epsilons() -> None:
    """Discrete Laplace has one; the discrete Gaussian has none."""
    assert discrete.discrete_laplace_pure_epsilon(ev.discrete_laplace(0.5, 4)) == 2.0
    assert discrete.discrete_gaussian_pure_epsilon(ev.discrete_gaussian(1.0, 1)) == math.inf


@pytest.mark.parametrize(
    ("sigma", "shift", "epsilon", "name"),
    [
        (math.nan, 1, 1.0, "sigma"),
        (0.0, 1, 1.0, "sigma"),
        (1e7, 1, 1.0, "sigma"),
        (1.0, 0, 1.0, "sensitivity"),
        (1.0, 1.5, 1.0, "sensitivity"),
        (1.0, 1, -1.0, "epsilon"),
        (1.0, 1, math.nan, "epsilon"),
    ],
)
def test_arguments_that_are_none_are_refused(sigma, shift, epsilon, name) -> None:
    """An argument outside its range is named."""
    with pytest.raises(ValueError, match=f"^{name} must be"):
        discrete.discrete_gaussian_delta(sigma, shift, epsilon)


def test_what_is_cut_off_counts_as_failure() -> None:
    """However much of the tails that is: both of them."""
    both, _ = discrete.discrete_gaussian_losses(ev.discrete_gaussian(7.3, 2), 1e-3, 1e-3)
    assert 0 < both.infinite <= 1e-3
    assert 1 - 1e-12 <= both.masses.sum() + both.infinite <= 1 + 1e-4


def test_a_discrete_laplace_epsilon_is_no_rounding_below() -> None:
    """The least float that is at least the parameter times the distance."""
    for parameter in np.random.default_rng(2).uniform(0.01, 2, 100):
        event = ev.discrete_laplace(float(parameter), 7)
        found = discrete.discrete_laplace_pure_epsilon(event)
        exact = 7 * Fraction(float(parameter))
        assert Fraction(found) >= exact > Fraction(math.nextafter(found, 0.0))


@pytest.mark.parametrize("parameter", [1e-200, 1e-16, 1e-12, 1e-6, 0.3, 3.0])
@pytest.mark.parametrize("sensitivity", [1, 5])
def test_divergences_of_a_discrete_laplace_are_never_below_what_they_are(
    parameter: float, sensitivity: int
) -> None:
    """By no rounding, where losses are so small that they nearly cancel."""
    event, orders = ev.discrete_laplace(parameter, sensitivity), np.array([1 + 1e-6, 1.5, 7.0])
    found = discrete.discrete_laplace_renyi(event, orders)
    with mp.workdps(500):
        a, s = mpf(parameter), sensitivity
        w = mp.exp(-a)
        for order, own in zip(map(mpf, orders.tolist()), found, strict=True):
            r = mp.exp(-(2 * order - 1) * a)
            left = 1 - (w - r) * (1 - r**s) / ((1 + w) * (1 - r))
            exact = a * s + mp.log(left) / (order - 1)
            assert 0 < exact <= mpf(float(own))
