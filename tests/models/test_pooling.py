"""The maximum over windows and where its gradient goes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from tacit.models.pooling import max_pool


def reference(images, size, stride):
    """JAX's own windowed maximum, with its own gradient."""
    batch = (1,) * (images.ndim - 3)
    window, strides = (*batch, *size, 1), (*batch, *stride, 1)
    return lax.reduce_window(images, -jnp.inf, lax.max, window, strides, "VALID")


@pytest.mark.parametrize("shape", [(7, 8, 3), (3, 7, 8, 4)])
@pytest.mark.parametrize(
    "size, stride",
    [
        ((2, 2), (1, 1)),
        ((3, 2), (2, 3)),
        ((2, 2), (2, 2)),
        ((3, 3), (2, 2)),
        ((5, 4), (2, 1)),
        ((1, 2), (3, 4)),
        ((7, 8), (9, 9)),
    ],
)
def test_equals_the_windowed_maximum_of_jax_with_its_gradient(shape, size, stride):
    """One image and several; windows that overlap, with gaps, rows left over; compiled and not."""
    images = random.normal(random.key(0), shape)
    value, back = jax.vjp(lambda x: reference(x, size, stride), images)
    slope = random.normal(random.key(1), value.shape)

    def both(x, g):
        return max_pool(x, size, stride), jax.vjp(lambda y: max_pool(y, size, stride), x)[1](g)[0]

    for way in (jax.jit, lambda f: f):
        actual, pulled = way(both)(images, slope)
        np.testing.assert_array_equal(actual, value)
        np.testing.assert_allclose(pulled, back(slope)[0], atol=1e-6)


def test_ties_give_the_whole_gradient_to_the_first():
    """Equal entries share nothing: the first in reading order takes it all, so sums are kept."""
    gradient = jax.grad(lambda x: max_pool(x, (2, 2), (2, 2)).sum())(jnp.zeros((1, 2, 2, 1)))
    np.testing.assert_array_equal(gradient[0, :, :, 0], [[1, 0], [0, 0]])


@pytest.mark.parametrize(
    "size, stride, words",
    [
        ((0, 1), (1, 1), "1 to 127 entries"),
        ((2, 2), (1, 0), "a stride of at least 1"),
        ((5, 1), (1, 1), "must fit the image of 4x4"),
    ],
)
def test_refuses_windows_that_cannot_be(size, stride, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        max_pool(jnp.zeros((4, 4, 1)), size, stride)
