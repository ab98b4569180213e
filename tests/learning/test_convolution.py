"""Convolutions and pooling: the clipped sum equals the one formed example by example."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from example_by_example import Chain, flat
from tacit.learning.convolution import Convolution
from tacit.learning.pooling import max_pool

KEY = random.key(0)
MASK = jnp.array([True, True, False, True, True, True])


def image(height, width, channels):
    return random.normal(KEY, (len(MASK), height, width, channels))


@pytest.mark.parametrize(
    "stride, padding, pool",
    [
        ((1, 1), (0, 0), None),
        ((1, 1), (1, 2), ((2, 2), (1, 1))),
        ((2, 1), (0, 0), ((2, 2), (2, 2))),
        ((2, 1), (3, 0), ((3, 2), (2, 1))),
        ((3, 2), (1, 2), None),
        ((3, 2), (3, 0), ((2, 2), (1, 1))),
    ],
)
def test_equals_one_example_at_a_time_for_stride_padding_and_pooling(stride, padding, pool):
    """Two convolutions, so that the gradient in the first's output is tried too."""
    first = Convolution(2, 3, (3, 4), KEY, stride, padding)
    second = Convolution(3, 4, (2, 3), KEY, stride, padding)
    steps = [first, jnp.tanh]
    if pool is not None:
        steps.append(lambda features: max_pool(features, *pool))
    model = Chain([*steps, second, jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, image(13, 14, 2), MASK)


@pytest.mark.parametrize(
    "channels, filters, size, pixels", [(1, 3, (2, 5), (4, 7)), (8, 16, (3, 3), (5, 4))]
)
def test_equals_one_example_at_a_time_for_oblong_kernels_and_patches(
    channels, filters, size, pixels
):
    """One channel, and an image so small that patches are kept as factors."""
    model = Chain([Convolution(channels, filters, size, KEY), jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, image(*pixels, channels), MASK)


def test_compiled_equals_not_compiled_with_overlapping_pooling_between():
    """The first layer of such a stack is where a compiled gradient once came out wrong."""
    steps = [Convolution(1, 2, (3, 3), KEY), lambda x: max_pool(x, (2, 2), (1, 1))]
    model = Chain([*steps, Convolution(2, 3, (2, 2), KEY, (2, 2)), jnp.tanh, flat])
    naive.assert_compiled_equals_not_compiled(model, image(8, 8, 1), MASK)


@pytest.mark.parametrize("size, stride", [((2, 2), (1, 1)), ((3, 2), (2, 3)), ((2, 2), (2, 2))])
def test_pooling_equals_jax_with_its_gradient(size, stride):
    """Overlapping windows, windows with gaps and rows left over, compiled and not."""
    features = random.normal(KEY, (7, 8, 3))

    def reference(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (*size, 1), (*stride, 1), "VALID")

    value, back = jax.vjp(reference, features)
    slope = random.normal(random.key(1), value.shape)
    for way in (jax.jit, lambda f: f):
        actual, pulled = way(
            lambda x, g: (
                max_pool(x, size, stride),
                jax.vjp(lambda y: max_pool(y, size, stride), x)[1](g)[0],
            )
        )(features, slope)
        np.testing.assert_array_equal(actual, value)
        np.testing.assert_allclose(pulled, back(slope)[0], atol=1e-6)


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: Convolution(1, 1, (0, 3), KEY), "size and stride must be at least 1"),
        (lambda: Convolution(1, 1, (3, 3), KEY, padding=(-1, 0)), "padding must be at least 0"),
        (lambda: max_pool(jnp.zeros((4, 4, 1)), (0, 1), (1, 1)), "1 to 127 entries"),
        (lambda: max_pool(jnp.zeros((4, 4, 1)), (5, 1), (1, 1)), "must fit the image"),
    ],
)
def test_refuses_shapes_that_cannot_be(build, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        build()
