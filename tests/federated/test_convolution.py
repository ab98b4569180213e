"""The convolution equals JAX's own, value and gradient, compiled or not, in loops and out."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random
from numpy.lib.stride_tricks import sliding_window_view

from tacit.federated.convolution import convolve
from tacit.federated.pooling import max_pool

SHAPES = [
    # batch, height, width, channels, rows, columns, filters
    (1, 6, 6, 1, 5, 5, 4),
    (7, 8, 10, 3, 3, 5, 40),
    (5, 6, 8, 32, 5, 5, 64),
    (33, 7, 5, 40, 3, 1, 33),
    (3, 4, 4, 32, 7, 7, 32),
]
FACTORS = jnp.array([1.0, -2.0, 0.5])


def reference(images, kernel):
    """JAX's convolution with zeros beyond the edges."""
    return lax.conv_general_dilated(
        images, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def example(shape):
    """Images, a kernel and a cotangent of the given shape."""
    batch, height, width, channels, rows, columns, filters = shape
    keys = random.split(random.key(0), 3)
    images = random.normal(keys[0], (batch, height, width, channels))
    kernel = random.normal(keys[1], (rows, columns, channels, filters))
    return images, kernel, random.normal(keys[2], (batch, height, width, filters))


def pull_back(function, images, kernel, cotangent):
    """The value with both gradients."""
    value, back = jax.vjp(function, images, kernel)
    return value, *back(cotangent)


def assert_close(actual, expected):
    """Each array agrees to a millionth of its largest entry, times the few sums involved."""
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-5 * float(jnp.abs(e).max()))


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_convolution_of_jax_with_its_gradients(shape):
    """Value, image gradient and kernel gradient agree on narrow, wide, odd and oblong shapes."""
    arguments = example(shape)
    assert_close(pull_back(convolve, *arguments), pull_back(reference, *arguments))


@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_equals_not_compiled(shape):
    """The compiler changes no gradient."""
    arguments = example(shape)
    compiled = jax.jit(lambda *a: pull_back(convolve, *a))(*arguments)
    assert_close(compiled, pull_back(convolve, *arguments))


@pytest.mark.parametrize("shape", SHAPES[1:3])
def test_inside_a_loop_equals_outside(shape):
    """The body of a scan computes what the same function computes outside."""
    images, kernel, cotangent = example(shape)
    _, inside = jax.jit(
        lambda x, w, g: lax.scan(lambda c, f: (c, pull_back(convolve, f * x, w, g)), 0, FACTORS)
    )(images, kernel, cotangent)
    for t, factor in enumerate(FACTORS):
        outside = pull_back(reference, factor * images, kernel, cotangent)
        assert_close([part[t] for part in inside], outside)


def test_under_vmap_over_kernels_equals_one_by_one():
    """A batch of kernels, each with its own images, gives each its own gradient."""
    images, kernel, cotangent = example(SHAPES[2])
    factors = jnp.array([1.0, 3.0])
    batched = jax.vmap(lambda f: pull_back(convolve, images / f, kernel * f, cotangent))(factors)
    for t, factor in enumerate(factors):
        alone = pull_back(reference, images / factor, kernel * factor, cotangent)
        assert_close([part[t] for part in batched], alone)


def by_hand(images, kernel):
    """The convolution in NumPy, in double precision: windows of a padded image."""
    rows, columns = kernel.shape[:2]
    edges = ((0, 0), (rows // 2, rows // 2), (columns // 2, columns // 2), (0, 0))
    windows = sliding_window_view(np.pad(images, edges), (rows, columns), axis=(1, 2))
    return np.einsum("bhwcij,ijcf->bhwf", windows, kernel)


def test_gradient_agrees_with_finite_differences_through_pooling():
    """Two convolutions with a pooling between, compiled, match differences taken in NumPy.

    The first layer of such a stack is where a wrong gradient hid from tests of single layers.
    """
    images, first, _ = example((3, 8, 8, 1, 5, 5, 32))
    _, second, cotangent = example((3, 4, 4, 32, 5, 5, 32))
    direction = np.asarray(random.normal(random.key(1), first.shape), float)

    def loss(kernel):
        return jnp.vdot(convolve(max_pool(convolve(images, kernel)), second), cotangent)

    def loss_by_hand(step):
        features = by_hand(np.asarray(images, float), np.asarray(first, float) + step * direction)
        pooled = features.reshape(3, 4, 2, 4, 2, 32).max((2, 4))
        return np.vdot(by_hand(pooled, np.asarray(second, float)), np.asarray(cotangent, float))

    difference = (loss_by_hand(1e-6) - loss_by_hand(-1e-6)) / 2e-6
    slope = jnp.vdot(jax.jit(jax.grad(loss))(first), direction.astype(np.float32))
    np.testing.assert_allclose(slope, difference, rtol=1e-4)


@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[2]])
def test_every_loop_convolution_is_in_the_order_the_fast_kernels_take(shape):
    """In the compiled body of a loop no convolution has dimensions in another order.

    Another order is what makes JAX's own gradient forty times slower there.
    """
    images, kernel, _ = example(shape)

    def orders(function):
        slope = jax.grad(lambda weights: jnp.sum(function(images, weights) ** 2))
        descend = jax.jit(lambda w: lax.fori_loop(0, 2, lambda _, v: v - slope(v), w))
        text = str(descend.lower(kernel).compile().as_text())
        return set(re.findall(r" convolution\(.*dim_labels=([^,]+)", text))

    assert orders(convolve) == {"b01f_01io->b01f"}
    assert orders(reference) > {"b01f_01io->b01f"}


@pytest.mark.parametrize("rows, columns", [(2, 3), (3, 4)])
def test_refuses_a_kernel_of_even_size(rows, columns):
    """An even kernel has no middle, so it is refused by name of what is allowed."""
    with pytest.raises(ValueError, match="must be odd"):
        convolve(jnp.zeros((1, 4, 4, 1)), jnp.zeros((rows, columns, 1, 1)))
