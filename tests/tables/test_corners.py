"""How far noise moves sums between corners."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import tacit
from tables.released import noisy
from tacit import tables
from tacit.tables.caps import Caps
from tacit.tables.corners import _FINE, reach_of, simplices


def laplace_beyond(weights, t):
    """How often a sum of Laplace numbers of scale one, so weighted, is beyond t: by partial
    fractions of its characteristic function, whose poles are apart."""
    parts = []
    for own in weights:
        others = [own**2 / (own**2 - other**2) for other in weights if other != own]
        parts.append(np.prod(others) * np.exp(-t / own))
    return sum(parts)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("part, weights", [(0.1, (0.25, 0.5, 0.75)), (0.9, (1.0, 0.125, 0.5))])
def test_the_reach_is_the_exact_quantile_of_the_noise(delta, part, weights):
    """No nearer, which two thirds of it are, and no more than a hundredth farther."""
    shape = tables.variance("days", 0, 30).shape(Caps(1, 1, 1), 1)
    released = noisy(shape, np.zeros(3), tacit.Central(1.0, delta), 1)
    server: Any = released.noise
    law, chance = server.mechanism, part * released.chance
    if delta:
        exact = law.sigma * np.linalg.norm(weights) * norm.isf(chance / 2)
    else:
        scale = law.step / law.noise.parameter
        exact = scale * brentq(lambda t: laplace_beyond(weights, t) - chance, 1e-3, 100)

    assert exact <= reach_of(released)(part, [[weights], [(0.1, 0.0, 0.2)]]) <= 1.01 * exact


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_several_sums_have_the_reach_of_the_farthest(delta):
    """Or a bit more, where noise moves all alike: of weights that are no smaller than any's."""
    shape = tables.variance("days", 0, 30).shape(Caps(1, 1, 1), 1)
    reach = reach_of(noisy(shape, np.zeros(3), tacit.Central(1.0, delta), 1))
    sums = [(1.0, 0.5, 0.25), (0.5, 1.0, 0.5), (0.0, 0.75, 0.0)]
    each = [reach(0.9, [[own]]) for own in sums]

    together = reach(0.9, [[own] for own in sums])
    assert max(each) <= together <= (1.0 if delta else 1.03) * max(each)
    assert reach(0.9, [[(2.0, 1.0, 0.5)]]) == pytest.approx(2 * each[0])


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_no_sum_between_corners_is_moved_farther_than_they_say(delta):
    """Weights on the way from one to the other, of either sign; where noise is Gaussian, no farther
    than the farthest corner's."""
    shape = tables.variance("days", 0, 30).shape(Caps(1, 1, 1), 1)
    reach = reach_of(noisy(shape, np.zeros(3), tacit.Central(1.0, delta), 1))
    rng = np.random.default_rng(1)
    for one, other in rng.uniform(-1, 1, (30, 2, 3)):
        corners = reach(0.9, [[tuple(one), tuple(other)]])
        between = [reach(0.9, [[tuple(one + x * (other - one))]]) for x in np.arange(9) / 8]
        assert max(between) <= corners * (1 + 1e-12)
        assert not delta or corners <= max(between) * (1 + 1e-12)


@pytest.mark.parametrize("sizes", [2, 3])
def test_a_point_is_the_mean_of_the_corners_around_it(sizes):
    """With shares that are not negative and add up to one; at the cube's own ends as well."""
    points = np.concatenate([np.random.default_rng(2).random((200, sizes)), np.eye(sizes)])
    places, shares = simplices(points)
    corners = places[..., None] // (_FINE + 1) ** np.arange(sizes) % (_FINE + 1) / _FINE

    assert (shares >= 0).all() and np.ones(len(points)) == pytest.approx(shares.sum(axis=1))
    assert points == pytest.approx((corners * shares[..., None]).sum(axis=1))
    assert (np.abs(corners - points[:, None]) <= 1 / _FINE * (1 + 1e-12)).all()


def test_pure_noise_moves_no_sum_between_corners_farther_than_the_farthest():
    """The exact quantile, of weights on the way from one to another."""
    shape = tables.variance("days", 0, 30).shape(Caps(1, 1, 1), 1)
    released = noisy(shape, np.zeros(3), tacit.Central(1.0, 0.0), 1)
    server: Any = released.noise
    law, reach = server.mechanism, reach_of(released)
    scale, rng = law.step / law.noise.parameter, np.random.default_rng(4)
    for one, other in rng.uniform(0.1, 1, (20, 2, 3)):
        middle = (one + other) / 2
        exact = scale * brentq(lambda t, own=middle: laplace_beyond(own, t) - 0.05, 1e-3, 100)
        assert exact <= reach(1.0, [[tuple(one), tuple(other)]])
