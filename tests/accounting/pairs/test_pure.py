"""Local reports: exact randomised response, never above the plain sum."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from dp_accounting.pld.common import DifferentialPrivacyParameters
from dp_accounting.pld.privacy_loss_distribution import from_privacy_parameters

from tacit.accounting.events import local as report
from tacit.accounting.pairs import pure


@pytest.mark.parametrize(("epsilon", "expected"), [(0.5, 33.32), (1.0, 83.53), (2.0, 199.60)])
def test_a_hundred_reports(epsilon: float, expected: float) -> None:
    """Known values: 100 reports at delta = 1e-6."""
    assert abs(pure.repeated_epsilon(epsilon, 100, 1e-6) - expected) < 0.01


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-9, 0.1])
def test_never_above_the_plain_sum(count: int, delta: float) -> None:
    """At every delta the bound is at most count times epsilon, and that rounded up at 0."""
    bound, plain = pure.repeated_epsilon(0.7, count, delta), count * Fraction(0.7)
    assert Fraction(math.nextafter(bound, 0.0)) < plain
    assert delta > 0 or bound >= plain


def test_agrees_with_a_coarse_privacy_loss_distribution() -> None:
    """dp_accounting's rounded randomised response is a little above, never below."""
    pair = from_privacy_parameters(
        DifferentialPrivacyParameters(0.3), value_discretization_interval=1e-3
    )
    rounded = pair.self_compose(50).get_epsilon_for_delta(1e-6)
    exact = pure.repeated_epsilon(0.3, 50, 1e-6)
    assert exact <= rounded * (1 + 1e-9) <= exact + 50 * 1e-3


def _exact(epsilon: float, count: int, delta: float) -> mpmath.mpf:
    """Epsilon by four hundred bits: the largest log((U - delta) / B) over all tails."""
    with mpmath.workprec(400):
        e, best = mpmath.mpf(epsilon), mpmath.mpf(0)
        truth, present, absent = 1 / (1 + mpmath.exp(-e)), mpmath.mpf(0), mpmath.mpf(0)
        for true in range(count, -1, -1):
            mass = math.comb(count, true) * truth**count * mpmath.exp(-(count - true) * e)
            present += mass
            absent += mass * mpmath.exp(-(2 * true - count) * e)
            if present > delta:
                best = max(best, mpmath.log((present - delta) / absent))
        return best


def test_epsilon_is_the_least_float_not_below_the_exact_one() -> None:
    """Over settings of every size the next smaller float is below the truth; this one is not."""
    rng = np.random.default_rng(9)
    settings = [(6.989419603427, 65, 2.5e-29), (6.989410565513678, 65, 2.5e-29)]
    for _ in range(300):
        epsilon, delta = np.exp(rng.uniform(np.log([1e-3, 1e-30]), np.log([40.0, 0.5]))).tolist()
        settings.append((epsilon, int(np.exp(rng.uniform(0, 4.8))), delta))
    for epsilon, count, delta in settings:
        bound, exact = pure.repeated_epsilon(epsilon, count, delta), _exact(epsilon, count, delta)
        assert bound >= exact
        assert bound == 0 or math.nextafter(bound, 0.0) < exact


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.1])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_an_epsilon_of_next_to_nothing_is_right_to_its_own_digits(epsilon, count) -> None:
    """Where delta is hardly below that of epsilon 0, all but the last of many digits cancel."""
    delta = pure.certified_delta(epsilon, count, 0.0)
    for _ in range(3):
        delta = math.nextafter(delta, 0.0)
        bound, exact = pure.repeated_epsilon(epsilon, count, delta), _exact(epsilon, count, delta)
        assert math.nextafter(bound, 0.0) < exact <= bound < 1e-14


def test_delta_is_the_least_float_not_below_the_exact_one() -> None:
    """The same, the other way round: the largest U - e^epsilon B, in four hundred bits."""
    rng = np.random.default_rng(10)
    for _ in range(100):
        local, count = float(np.exp(rng.uniform(-6, 3))), int(np.exp(rng.uniform(0, 4.5)))
        target = float(rng.uniform(0, local * count))
        bound = pure.certified_delta(local, count, target)
        assert _exact(local, count, bound) <= target * (1 + 1e-60)
        assert _exact(local, count, math.nextafter(bound, 0.0)) > target


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 33.0, 36.4, 36.6, 40.0, 300.0, 730.0, 744.0, 800.0])
def test_one_report_costs_its_epsilon_however_large(epsilon: float) -> None:
    """At delta = d one report costs log(e^epsilon (1 - d) - d), its own epsilon less next to d."""
    delta = 1e-9 if epsilon >= 1 else 1e-6
    exact = epsilon + math.log(1 - delta - delta * math.exp(-epsilon))
    assert exact <= pure.repeated_epsilon(epsilon, 1, delta) * (1 + 1e-12)
    assert math.isclose(pure.repeated_epsilon(epsilon, 1, delta), exact, rel_tol=1e-8)


@pytest.mark.parametrize("epsilon", [33.0, 36.4, 60.0])
def test_ten_large_reports_cost_all_ten(epsilon: float) -> None:
    """Where lying is rarer than delta / 10, delta buys nothing: ten reports cost ten epsilons."""
    bound = pure.repeated_epsilon(epsilon, 10, 1e-9)
    assert 10 * epsilon - 2e-9 <= bound <= 10 * epsilon


@pytest.mark.parametrize("epsilon", [0.5, 33.0, 36.6, 50.0])
def test_losses_keep_the_weight_of_a_lie(epsilon: float) -> None:
    """On the grid, the P-mass near -epsilon is e^-epsilon times the P-mass near +epsilon."""
    both, _ = pure.losses(report(epsilon), 1e-3, 0.0)
    truthful, lie = both.masses[-3:].sum(), both.masses[:3].sum()
    assert math.isclose(lie / truthful, math.exp(-epsilon), rel_tol=1e-9)


def test_renyi_is_bounded_by_epsilon() -> None:
    """The divergence grows with the order up to epsilon itself."""
    orders = np.array([1.5, 2, 10, 1e4])
    divergences = pure.renyi(report(2.0), orders)
    assert np.all(np.diff(divergences) > 0)
    assert 1.99 < divergences[-1] <= 2.0


def test_spread_is_the_deviation_of_the_loss() -> None:
    """The loss is +epsilon or -epsilon, and its standard deviation is spread."""
    truthful = 1 / (1 + math.exp(-1.3))
    exact = 1.3 * 2 * math.sqrt(truthful * (1 - truthful))
    assert math.isclose(exact, pure.spread(report(1.3)), rel_tol=1e-12)


@pytest.mark.parametrize("target", [0.0, 0.4, 2.0, 30.0])
def test_delta_and_epsilon_are_inverse(target: float) -> None:
    """At the delta of a target, the smallest epsilon is that target."""
    delta = float(pure.repeated_delta(0.5, 100, np.array([target]))[0])
    assert math.isclose(target, pure.repeated_epsilon(0.5, 100, delta), abs_tol=1e-9)


def test_below_every_loss_that_is_kept_nothing_is_hidden() -> None:
    """A million reports nearly surely lose far more than nothing."""
    assert 1.0 == float(pure.repeated_delta(0.5, 10**6, np.array([0.0]))[0])


@pytest.mark.parametrize("epsilon", [1e-5, 1e-8, 1e-12])
def test_renyi_of_a_tiny_epsilon_keeps_its_digits(epsilon: float) -> None:
    """a epsilon^2 / 2, and not a difference of logarithms that rounds to 0: many of them add up."""
    orders = np.array([1.001, 1.1, 2.0, 40.0])

    found = pure.renyi(report(epsilon), orders)

    np.testing.assert_allclose(found, orders * epsilon**2 / 2, rtol=1e-6)
