"""How far Laplace noise moves weighted sums: further than it does, and not much."""

import numpy as np
import pytest

from tacit.mechanisms.additive.laplace import Laplace
from tacit.server.laplace_reach import laplace_reach
from tacit.server.laplace_sum import LaplaceSum

NOISE = Laplace.calibrate(1.0, 1.0, 2.0**-14)
WEIGHTS = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [4.0, 1.0, 0.1, 0.0]])


def reach(chance: float) -> np.ndarray:
    sizes = np.linalg.norm(WEIGHTS, axis=1), np.abs(WEIGHTS).max(1), np.abs(WEIGHTS).sum(1)
    return laplace_reach(NOISE, chance, *sizes)


@pytest.mark.parametrize("chance", [0.1, 0.05, 0.001])
def test_the_bound_is_above_the_tail_and_near_it(chance):
    """By another bound, an inversion; with two fifths of it the tail would be above the chance."""
    for weights, far in zip(WEIGHTS, reach(chance), strict=True):
        own = LaplaceSum.of(weights)
        assert own.tail(far) <= chance < own.tail(0.4 * far)


def test_draws_are_within_it():
    """As often as is said."""
    drawn = np.random.default_rng(0).laplace(size=(200_000, 4)) @ WEIGHTS.T

    assert ((np.abs(drawn) > reach(0.05)).mean(0) < 0.05).all()


def test_without_a_chance_nothing_is_known():
    """And where all weights are zero, there is no noise."""
    assert np.isinf(reach(0.0)).all()
    assert laplace_reach(NOISE, 0.05, *np.zeros((3, 1)))[0] < 1e-100
