"""The maximum over two-by-two squares and where its gradient goes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from tacit.federated.pooling import max_pool


def reference(images):
    """JAX's own windowed maximum."""
    return lax.reduce_window(images, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@pytest.mark.parametrize("shape", [(1, 2, 2, 1), (3, 4, 6, 32)])
def test_equals_the_windowed_maximum_of_jax_with_its_gradient(shape):
    """Value and gradient agree, compiled and not."""
    images = random.normal(random.key(0), shape)
    value, back = jax.vjp(reference, images)
    cotangent = random.normal(random.key(1), value.shape)
    for compile_or_not in (jax.jit, lambda f: f):
        actual, pulled = compile_or_not(lambda x, g: (max_pool(x), jax.vjp(max_pool, x)[1](g)[0]))(
            images, cotangent
        )
        np.testing.assert_array_equal(actual, value)
        np.testing.assert_array_equal(pulled, back(cotangent)[0])


def test_ties_give_the_whole_gradient_to_the_first():
    """Equal entries share nothing: the first in reading order takes it all, so sums are kept."""
    gradient = jax.grad(lambda x: max_pool(x).sum())(jnp.zeros((1, 2, 2, 1)))
    np.testing.assert_array_equal(gradient[0, :, :, 0], [[1, 0], [0, 0]])


@pytest.mark.parametrize("shape", [(1, 3, 4, 1), (1, 4, 5, 1)])
def test_refuses_odd_sizes(shape):
    """A row or column without a partner is refused rather than dropped."""
    with pytest.raises(ValueError, match="must be even"):
        max_pool(jnp.zeros(shape))
