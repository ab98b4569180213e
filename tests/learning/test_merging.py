"""Merging: k-means of points with weights, from public draws."""

import jax
import jax.numpy as jnp
import numpy as np

from tacit.learning.merging import STARTS, draws_of, merged

MIDDLES = np.array([[0.5, 0.5], [-0.5, 0.5], [0.0, -0.5]])
POINTS = np.repeat(MIDDLES, 4, axis=0) + 0.05 * np.random.default_rng(0).normal(size=(12, 2))
run = jax.jit(merged)


def found(weights) -> np.ndarray:
    given = POINTS, weights, draws_of(3)
    return np.asarray(run(*(jnp.asarray(each, jnp.float32) for each in given)))


def test_centres_are_the_weighted_means_of_the_points_nearest_to_them():
    """Of the best start; a point of no weight is nobody's."""
    weights = np.random.default_rng(1).uniform(0.1, 1, 12)
    weights[::4] = 0.0
    means = [
        np.average(POINTS[at : at + 4], axis=0, weights=weights[at : at + 4]) for at in (0, 4, 8)
    ]
    centres = found(weights)
    order = [np.linalg.norm(centres - mean, axis=1).argmin() for mean in means]

    assert [0, 1, 2] == sorted(order)
    np.testing.assert_allclose(centres[order], means, atol=1e-5)


def test_fewer_points_of_weight_than_centres_are_answered():
    """With finite centres, of which some lie on the first point."""
    weights = np.zeros(12)
    assert np.allclose(found(weights), POINTS[0])
    weights[5] = 1.0
    centres = found(weights)
    on = [np.abs(centres - POINTS[at]).max(axis=1) < 1e-6 for at in (0, 5)]
    assert on[1].any() and (on[0] | on[1]).all()


def test_draws_are_the_same_for_everybody():
    """In the unit interval, one for each centre of a start."""
    np.testing.assert_array_equal(draws_of(3), draws_of(3))
    assert (STARTS, 3) == draws_of(3).shape
    assert (draws_of(3) >= 0).all() and (draws_of(3) < 1).all()
