"""The published split: as high a cap as its bounds allow, and a promise that is kept."""

import math

import pytest

from tacit.experiments.separated_bounds import as_published, height


@pytest.mark.parametrize("epsilon", [10.0, 25.4, 203.1])
def test_a_height_spends_the_second_bound(epsilon):
    """To its last digit, where that allows more than the first."""
    gamma, dim = height(500, epsilon), 500
    shrink = (dim - 1) / 2 * math.log1p(-gamma * gamma)
    spent = math.log(dim) / 2 + math.log(6) - shrink + math.log(gamma)

    assert gamma > math.sqrt(2 / dim)
    assert spent == pytest.approx(epsilon, rel=1e-6)


def test_little_budget_has_the_first_bound():
    """Where the second allows nothing."""
    first = math.tanh(0.25) * math.sqrt(math.pi / (2 * 499))

    assert height(500, 0.5) == pytest.approx(first)


@pytest.mark.parametrize("epsilon", [7.8, 31.2, 250.0])
def test_a_device_keeps_its_budget_with_something_left(epsilon):
    """Bounds are above losses: less than a tenth is unspent, and something is."""
    device = as_published(500, epsilon, 1.0, 0.5)
    unit, scalar = device.mechanism.direction, device.mechanism.magnitude

    assert 0.9 * epsilon < device.facts.epsilon < epsilon
    assert unit.p == pytest.approx(1 / (1 + math.exp(-epsilon / 16)), abs=1e-9)
    assert scalar.epsilon == epsilon / 8
    assert scalar.levels == math.ceil(math.exp(epsilon / 24))


@pytest.mark.parametrize(("epsilon", "moment"), [(31.2, 3.98), (62.5, 1.43), (125, 0.734)])
def test_second_moments_are_near_those_of_all_norms(epsilon, moment):
    """The mean over gradients at theta*, whose norms spread around a half, is within a tenth."""
    found = as_published(500, epsilon, 1.0, 0.5).facts.typical_error + 0.25

    assert found == pytest.approx(moment, rel=0.1)
