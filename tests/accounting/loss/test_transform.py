"""The tilted transform against direct convolution, and the bound on its error."""

import math

import numpy as np
import pytest

from tacit.accounting.loss.pld import on_grid
from tacit.accounting.loss.transform import norm, tilted_sum


def test_rounding_bound_covers_the_transform() -> None:
    """The transform differs from direct convolution by less than the bound it states."""
    rng = np.random.default_rng(3)
    one = on_grid(rng.normal(size=200) * 0.2, rng.dirichlet(np.ones(200)), 0.0, 0.01)
    tilted, error = tilted_sum([(one, 3)], 2.0, 2048)
    weights = one.masses * np.exp(2.0 * one.values)
    weights /= weights.sum()
    direct = np.convolve(np.convolve(weights, weights), weights)
    placed = np.zeros(2048)
    placed[(3 * one.lowest + np.arange(len(direct))) % 2048] = direct
    assert 0 < norm(tilted - placed) <= error


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200])
def test_a_norm_has_no_square_that_no_float_holds(size: float) -> None:
    """Of small values it is no zero, and of large ones finite."""
    assert norm(size * np.array([3.0, 0.0, 4.0])) == pytest.approx(5 * size, rel=1e-2)
    assert 0.0 == norm(np.zeros(3)) == norm(np.zeros(0))
    assert math.inf == norm(np.array([1.0, math.inf]))


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_a_power_is_the_product(count: int) -> None:
    """A count is as many single terms, within the sum of both bounds."""
    one = on_grid(np.array([0.1, -0.1]), np.array([0.6, 0.4]), 0.0, 0.05)
    together, first = tilted_sum([(one, count)], 0.5, 1024)
    apart, second = tilted_sum([(one, 1)] * count, 0.5, 1024)
    assert norm(together - apart) <= first + second


def test_the_bound_grows_with_the_terms() -> None:
    """A thousand multiplications may err a thousand times; the bound is not of one alone."""
    one = on_grid(np.array([0.1, -0.1]), np.array([0.6, 0.4]), 0.0, 0.05)
    (_, single), (_, many) = (tilted_sum([(one, count)], 0.5, 1024) for count in (1, 1000))
    assert many > 300 * single


def test_dropping_a_term_would_be_caught() -> None:
    """The bound is far below what one missing term changes."""
    one = on_grid(np.array([0.1, -0.1]), np.array([0.6, 0.4]), 0.0, 0.05)
    whole, error = tilted_sum([(one, 5)], 0.5, 1024)
    fewer, _ = tilted_sum([(one, 4)], 0.5, 1024)
    assert norm(whole - fewer) > 1e6 * error
