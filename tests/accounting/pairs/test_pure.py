"""Local reports: exact randomised response, never above the plain sum."""

import math

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
    """At every delta the bound is at most count times epsilon, and meets it at 0."""
    bound = pure.repeated_epsilon(0.7, count, delta)
    assert bound <= count * 0.7
    assert delta > 0 or math.isclose(bound, count * 0.7, rel_tol=1e-12)


def test_agrees_with_a_coarse_privacy_loss_distribution() -> None:
    """dp_accounting's rounded randomised response is a little above, never below."""
    pair = from_privacy_parameters(
        DifferentialPrivacyParameters(0.3), value_discretization_interval=1e-3
    )
    rounded = pair.self_compose(50).get_epsilon_for_delta(1e-6)
    exact = pure.repeated_epsilon(0.3, 50, 1e-6)
    assert exact <= rounded * (1 + 1e-9) <= exact + 50 * 1e-3


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
