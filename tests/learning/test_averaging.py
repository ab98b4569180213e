"""Optimisers that stay in a set, and that keep an average, are otherwise what they were."""

import math

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from tacit.learning.averaging import averaged, projected


def onto(vector):
    """The unit ball."""
    return optax.projections.projection_l2_ball(vector, 1.0)


@pytest.mark.parametrize("power", [0, 1, 2])
def test_the_average_has_polynomial_weights(power):
    """Of the points at which gradients were given, not of those they led to."""
    optimizer, points = averaged(optax.sgd(0.1), power), np.arange(12.0).reshape(6, 2) ** 2
    state = optimizer.init(jnp.full(2, 99.0))
    for point in points:
        _, state = optimizer.update(jnp.ones(2), state, jnp.asarray(point))
    weights = [math.comb(t + power, power) for t in range(6)]

    np.testing.assert_allclose(
        state.average, np.average(points, axis=0, weights=weights), rtol=1e-6
    )


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_projected_weights_stay_in_the_set(rate):
    """Also where only a part of a step is taken; steps inside of it are the optimiser's own."""
    optimizer, plain = projected(optax.adam(0.5), onto), optax.adam(0.5)
    weights, gradient = jnp.zeros(3), jnp.array([-1.0, 2.0, 0.0])
    state, norms = optimizer.init(weights), []
    first = optimizer.update(gradient, state, weights)[0]
    for _ in range(10):
        steps, state = optimizer.update(gradient, state, weights)
        weights = weights + rate * steps
        norms.append(float(jnp.linalg.norm(weights)))

    assert max(norms) <= 1 + 1e-6 and norms[-1] > 0.95
    np.testing.assert_allclose(first, plain.update(gradient, plain.init(weights))[0], rtol=1e-6)


def test_an_average_without_weights_is_refused():
    """Negative powers of time have none for the first."""
    with pytest.raises(ValueError, match="power must be at least zero, got -1"):
        averaged(optax.sgd(1.0), -1)
