"""Means that are moved to a side."""

import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.noise.fixed import FixedPoint
from tacit.plan import Identity
from tacit.server.means import plain_mean
from tacit.server.moved import MovedMean


@pytest.mark.parametrize("side", [-1.0, 0.5, 7.0])
def test_a_mean_is_moved_by_the_tolerance_at_most(side):
    """In proportion to the side, of which more than one is cut off."""
    shape = tacit.Cube(2, -1.0, 1.0)
    means = plain_mean(Identity(shape), tacit.Mean(shape, tacit.Everyone(), 1, 4))
    moved = MovedMean(means, 0.25, lambda answers: jnp.full_like(answers, side))
    terms = jnp.array([[0.5, -1.0], [1.0, 0.0]])
    total = shape.add(FixedPoint.zero((2,), jnp.asarray(moved.grid)), terms, jnp.ones(2, bool))
    _, answer, halted = moved.step(moved.init(), quick_keys.key(0), total)

    assert halted is None and 0 == moved.facts.noise
    expected = np.array([0.375, -0.25]) + 0.25 * min(side, 1.0)
    np.testing.assert_allclose(answer, expected, atol=1e-6)
