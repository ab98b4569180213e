"""How a direction's mean follows the vector's."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tacit.statistics.towards import pull, pulls


@pytest.mark.parametrize("dim, distance", [(3, 0.5), (3, 30.0), (10, 4.0), (50, 7.0)])
def test_a_direction_is_pulled_as_far_as_people_say(dim, distance):
    """200,000 of them: the mean of one number below one, within five of its deviations."""
    drawn = np.random.default_rng(dim).normal(size=(200_000, dim))
    drawn[:, 0] += distance
    along = drawn[:, 0] / np.linalg.norm(drawn, axis=1)

    off = 5 * along.std() / math.sqrt(len(along))
    assert abs(pulls(distance, dim)[0] * distance - along.mean()) <= off


def test_one_number_is_pulled_as_its_sign():
    """Of a single number g r is 2 Phi(r) - 1, and its slope 2 phi(r), to the last digits."""
    for distance in (1e-3, 0.7, 3.0, 9.0):
        across, along = pulls(distance, 1)
        assert across * distance == pytest.approx(1 - 2 * stats.norm.sf(distance), rel=1e-12)
        assert along == pytest.approx(2 * stats.norm.pdf(distance), abs=1e-12)


def test_a_slope_is_that_of_the_pull():
    """By differences, near and far."""
    for dim, distance in ((3, 1.0), (10, 3.0), (50, 40.0), (1_000, 30.0)):
        high, low = ((distance + way) * pulls(distance + way, dim)[0] for way in (1e-4, -1e-4))
        assert pulls(distance, dim)[1] == pytest.approx((high - low) / 2e-4, rel=1e-6, abs=1e-9)


def test_what_a_program_has_is_the_same():
    """In float32, at no distance as at a million, where it is one over the distance."""
    far = np.array([0.0, 1.0, 20.0, 300.0, 1e6])
    exact = [pulls(distance, 50)[0] for distance in far]

    assert np.asarray(pull(jnp.asarray(far), 50)) == pytest.approx(exact, rel=1e-5)
    assert exact[-1] == pytest.approx(1e-6, rel=1e-6)
    half = math.exp(math.lgamma(49 / 2) - math.lgamma(50 / 2)) / math.sqrt(2)
    assert exact[0] == pytest.approx((1 - 1 / 50) * half, rel=1e-12)
