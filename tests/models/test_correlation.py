"""A correlation equals JAX's own, value and gradient, compiled or not, in loops and out."""

import os
import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random
from numpy.lib.stride_tricks import sliding_window_view

from tacit.models import correlation
from tacit.models.correlation import Sliding, correlate
from tacit.models.pooling import max_pool

SAME = Sliding(padding=(2, 2))
# batch, height, width, channels, rows, columns, filters, and how the kernel slides
CASES = [
    ((1, 6, 6, 1, 5, 5, 4), SAME),
    ((7, 8, 10, 3, 3, 5, 40), Sliding(padding=(1, 2))),
    ((5, 6, 8, 32, 5, 5, 64), SAME),
    ((33, 7, 5, 40, 3, 1, 33), Sliding((2, 3), (0, 2))),
    ((3, 4, 4, 32, 7, 7, 32), Sliding(padding=(3, 3))),
    ((2, 11, 8, 32, 2, 4, 32), Sliding((3, 2), (3, 1))),
    ((3, 12, 9, 1, 8, 7, 5), Sliding((2, 2), (3, 3))),
    ((2, 11, 14, 3, 3, 2, 4), Sliding((1, 3), (0, 1))),
    ((2, 9, 10, 4, 2, 3, 31), Sliding((4, 2), (1, 5))),
    ((2, 8, 8, 2, 1, 1, 3), Sliding((3, 3), (0, 0))),
]
FACTORS = jnp.array([1.0, -2.0, 0.5])


def ours(sliding):
    """The correlation of one sliding."""
    return lambda images, kernel: correlate(images, kernel, sliding)


def jaxs(sliding):
    """The same by JAX's convolution, with its own gradients."""

    def reference(images, kernel):
        edges = [(edge, edge) for edge in sliding.padding]
        order = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(
            images, kernel, sliding.stride, edges, dimension_numbers=order
        )

    return reference


def example(shape, sliding):
    """Images, a kernel and a cotangent of the given shape."""
    batch, height, width, channels, rows, columns, filters = shape
    keys = random.split(random.key(0), 3)
    images = random.normal(keys[0], (batch, height, width, channels))
    kernel = random.normal(keys[1], (rows, columns, channels, filters))
    spans = sliding.spans((height, width), (rows, columns))
    return images, kernel, random.normal(keys[2], (batch, *spans, filters))


def pull_back(function, images, kernel, cotangent):
    """The value with both gradients."""
    value, back = jax.vjp(function, images, kernel)
    return value, *back(cotangent)


def assert_close(actual, expected):
    """Each array agrees to a millionth of its largest entry, times the few sums involved."""
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-5 * float(jnp.abs(e).max()))


@pytest.mark.parametrize("shape, sliding", CASES)
def test_equals_the_convolution_of_jax_with_its_gradients(shape, sliding):
    """Value and both gradients agree for narrow, wide, even and oblong kernels, at any stride."""
    arguments = example(shape, sliding)
    expected = pull_back(jaxs(sliding), *arguments)
    assert_close(pull_back(ours(sliding), *arguments), expected)


@pytest.mark.parametrize("shape, sliding", CASES)
def test_compiled_equals_not_compiled(shape, sliding):
    """The compiler changes no gradient."""
    arguments = example(shape, sliding)
    compiled = jax.jit(lambda *a: pull_back(ours(sliding), *a))(*arguments)
    assert_close(compiled, pull_back(ours(sliding), *arguments))


@pytest.mark.parametrize("batch", [5, 23])
def test_on_one_core_equals_the_convolution_of_jax_with_its_gradients(monkeypatch, batch):
    """Of as many images as are taken at a time, and of more with some left over."""
    monkeypatch.setattr(correlation, "_has_several_cores", lambda: False)
    shape, sliding = (batch, *CASES[3][0][1:]), CASES[3][1]
    arguments = example(shape, sliding)
    expected = pull_back(jaxs(sliding), *arguments)
    assert_close(pull_back(ours(sliding), *arguments), expected)
    assert_close(jax.jit(lambda *a: pull_back(ours(sliding), *a))(*arguments), expected)


@pytest.mark.parametrize("cores, devices, spacing", [(1, 1, 1), (2, 1, 2), (2, 2, 1), (3, 2, 2)])
def test_takes_the_kernel_of_many_threads_where_a_device_has_them(
    monkeypatch, cores, devices, spacing
):
    """Of wide images, by the cores that this process may run on and the devices they are for."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)), raising=False)
    monkeypatch.setattr(jax, "local_device_count", lambda backend: devices)
    images, kernel, _ = example(*CASES[2])
    text = str(jax.jit(ours(CASES[2][1])).lower(images, kernel).compile().as_text())

    assert ("lhs_dilate=2x1" in text) == (spacing == 2)


@pytest.mark.parametrize("channels", [1, 40])
def test_of_no_images_there_is_nothing(channels):
    """Of few channels and of many, with kernels that just fit."""
    images, kernel = jnp.zeros((0, 3, 3, channels)), jnp.ones((3, 3, channels, 2))
    assert correlate(images, kernel, Sliding()).shape == (0, 1, 1, 2)


@pytest.mark.parametrize("channels", [1, 40])
@pytest.mark.parametrize("size", [(2, 3), (3, 2), (1, 1)])
def test_refuses_images_that_are_smaller_than_the_kernel(channels, size):
    """In one sentence, with their zeros counted; images that just fit are taken."""
    images, kernel = jnp.zeros((2, *size, channels)), jnp.ones((3, 3, channels, 2))
    with pytest.raises(ValueError, match=r"^images and \(0, 0\) zeros .* as the kernel, \(3, 3\)"):
        correlate(images, kernel, Sliding())
    assert correlate(images, kernel, Sliding(padding=(1, 1))).shape == (2, *size, 2)


@pytest.mark.parametrize("channels", [1, 40])
def test_takes_images_of_shorter_floats(channels):
    """As the kernel's own type, compiled or not."""
    images, kernel, _ = example((3, 6, 5, channels, 3, 3, 4), Sliding())
    short = images.astype(jnp.bfloat16)
    expected = [correlate(short.astype(jnp.float32), kernel, Sliding())]
    assert_close([correlate(short, kernel, Sliding())], expected)
    assert_close([jax.jit(ours(Sliding()))(short, kernel)], expected)


def test_patches_are_laid_out_a_few_images_at_a_time(monkeypatch):
    """With one left over; the products are those of all at once."""
    images, kernel, _ = example(*CASES[1])
    there = correlate(images, kernel, CASES[1][1])
    monkeypatch.setattr(correlation, "_TOGETHER", 3 * there[0, :, :, 0].size * kernel[..., 0].size)

    assert correlation.at_once(len(images), there[0, :, :, 0].size * kernel[..., 0].size) == 3
    assert_close([correlate(images, kernel, CASES[1][1])], [there])


@pytest.mark.parametrize("shape, sliding", [*CASES[1:3], CASES[-1]])
def test_inside_a_loop_equals_outside(shape, sliding):
    """The body of a scan computes what the same function computes outside."""
    images, kernel, cotangent = example(shape, sliding)

    def scanned(x, w, g):
        return lax.scan(lambda c, f: (c, pull_back(ours(sliding), f * x, w, g)), 0, FACTORS)

    _, inside = jax.jit(scanned)(images, kernel, cotangent)
    for t, factor in enumerate(FACTORS):
        outside = pull_back(jaxs(sliding), factor * images, kernel, cotangent)
        assert_close([part[t] for part in inside], outside)


def test_under_vmap_over_kernels_equals_one_by_one():
    """A batch of kernels, each with its own images, gives each its own gradient."""
    images, kernel, cotangent = example(*CASES[2])
    factors = jnp.array([1.0, 3.0])
    alone = partial(pull_back, ours(SAME))
    batched = jax.vmap(lambda f: alone(images / f, kernel * f, cotangent))(factors)
    for t, factor in enumerate(factors):
        expected = pull_back(jaxs(SAME), images / factor, kernel * factor, cotangent)
        assert_close([part[t] for part in batched], expected)


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
    images, first, _ = example((3, 8, 8, 1, 5, 5, 32), SAME)
    _, second, cotangent = example((3, 4, 4, 32, 5, 5, 32), SAME)
    direction = np.asarray(random.normal(random.key(1), first.shape), float)

    def loss(kernel):
        pooled = max_pool(ours(SAME)(images, kernel), (2, 2), (2, 2))
        return jnp.vdot(ours(SAME)(pooled, second), cotangent)

    def loss_by_hand(step):
        features = by_hand(np.asarray(images, float), np.asarray(first, float) + step * direction)
        pooled = features.reshape(3, 4, 2, 4, 2, 32).max((2, 4))
        return np.vdot(by_hand(pooled, np.asarray(second, float)), np.asarray(cotangent, float))

    difference = (loss_by_hand(1e-6) - loss_by_hand(-1e-6)) / 2e-6
    slope = jnp.vdot(jax.jit(jax.grad(loss))(first), direction.astype(np.float32))
    np.testing.assert_allclose(slope, difference, rtol=1e-4)


@pytest.mark.parametrize("shape, sliding", [CASES[0], CASES[2], CASES[-1]])
def test_every_loop_convolution_is_in_the_order_the_fast_kernels_take(shape, sliding):
    """In the compiled body of a loop no convolution has dimensions in another order.

    Another order is what makes JAX's own gradient forty times slower there.
    """
    images, kernel, _ = example(shape, sliding)

    def orders(function):
        slope = jax.grad(lambda weights: jnp.sum(function(images, weights) ** 2))
        descend = jax.jit(lambda w: lax.fori_loop(0, 2, lambda _, v: v - slope(v), w))
        text = str(descend.lower(kernel).compile().as_text())
        return set(re.findall(r" convolution\(.*dim_labels=([^,]+)", text))

    assert orders(ours(sliding)) == {"b01f_01io->b01f"}
    assert orders(jaxs(sliding)) > {"b01f_01io->b01f"}
