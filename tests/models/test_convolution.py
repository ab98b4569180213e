"""Convolutions and pooling: the clipped sum equals the one formed example by example."""

from itertools import product

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random
from numpy.lib.stride_tricks import sliding_window_view

import example_by_example as naive
from example_by_example import Chain, flat
from tacit.learning.clipping import Flat, clipped
from tacit.models import correlation
from tacit.models.convolution import Convolution
from tacit.models.layers import Dense
from tacit.models.pooling import max_pool

KEY = random.key(0)
MASK = jnp.array([True, True, False, True, True, True])
compiled = eqx.filter_jit(naive.fast_clipped_sum)


def image(height, width, channels):
    return random.normal(KEY, (len(MASK), height, width, channels))


def windowed(features, size, stride):
    """JAX's own maximum over windows, with its own gradient."""
    return lax.reduce_window(features, -jnp.inf, lax.max, (*size, 1), (*stride, 1), "VALID")


@pytest.mark.parametrize(
    "stride, padding, pool", [((2, 1), (3, 0), ((3, 2), (2, 1))), ((3, 2), (1, 2), None)]
)
def test_equals_one_example_at_a_time_for_two_convolutions(stride, padding, pool):
    """With more padding than the kernel reaches, and with strides that leave pixels over."""
    first = Convolution(2, 3, (3, 4), KEY, stride, padding)
    second = Convolution(3, 4, (2, 3), KEY, stride, padding)
    steps = [first, jnp.tanh]
    if pool is not None:
        steps.append(lambda features: max_pool(features, *pool))
    model = Chain([*steps, second, jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, image(13, 14, 2), MASK)


# Every kernel with every stride, without padding and with; an axis does not know of the other, so
# each branch below tries one of these on rows and another one on columns.
AXES = [(reach, step, edge) for reach, step in product((1, 2, 3, 5), (1, 2, 3)) for edge in (0, 1)]
PAIRS = list(zip(AXES[::2], AXES[:0:-2], strict=True))


class Branches(eqx.Module):
    """Chains side by side, one number each: one program for many small networks."""

    chains: list

    def __call__(self, image):
        each = [chain(image).reshape(-1) for chain in self.chains]
        return jnp.stack([jnp.vdot(row, jnp.cos(jnp.arange(row.size))) for row in each])


def branches(pairs, pooling, stride) -> Branches:
    """A layer before each convolution, so that its gradient in the image is needed too."""

    def chain(rows, columns):
        size, step, edge = zip(rows, columns, strict=True)
        padding = tuple(k // 2 + (k == 1) if e else 0 for k, e in zip(size, edge, strict=True))
        convolution = Convolution(2, 2, size, KEY, step, padding)
        pool = [jnp.tanh, lambda features: pooling(features, (2, 2), stride), jnp.tanh]
        return Chain([Dense(1, 2, KEY), jnp.tanh, convolution, *pool])

    return Branches([chain(*pair) for pair in pairs])


def test_every_kernel_stride_and_padding_is_tried():
    """On one axis or the other."""
    assert sorted(AXES) == sorted(axis for pair in PAIRS for axis in pair)


@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize("stride", [(1, 1), (2, 2)], ids=["overlapping", "apart"])
def test_equals_one_example_at_a_time_for_kernels_strides_paddings_and_pools(stride, part):
    """Each after a layer and before a maximum, on an oblong image; JAX's own maximum in the slow
    sum."""
    inputs, mask = image(13, 10, 1)[:3], MASK[1:4]
    ours, usual = (branches(PAIRS[part::6], pooling, stride) for pooling in (max_pool, windowed))
    batch = (inputs, jnp.arange(3))
    alone = naive.gradients(naive.cross_entropy, usual, batch)
    bound = naive.median_norm(alone)
    fast = compiled(naive.cross_entropy, ours, batch, mask, Flat(bound))
    naive.assert_equal(fast, naive.clipped_sum(alone, mask, bound))


def test_compiled_equals_not_compiled():
    """Every kernel and stride once, before maxima that overlap."""
    model = branches(PAIRS[2::4], max_pool, (1, 1))
    naive.assert_compiled_equals_not_compiled(model, image(13, 10, 1), MASK)


@pytest.mark.parametrize(
    "channels, filters, size, pixels, stride",
    [
        (1, 3, (2, 5), (4, 7), (1, 1)),
        (8, 16, (3, 3), (5, 4), (1, 1)),
        (1, 6, (3, 4), (11, 13), (2, 1)),
        (5, 2, (3, 2), (11, 13), (1, 2)),
    ],
)
def test_equals_one_example_at_a_time_for_oblong_kernels_and_patches(
    channels, filters, size, pixels, stride
):
    """One channel; an image so small that patches are factors; short patches, and long ones."""
    model = Chain([Convolution(channels, filters, size, KEY, stride, (1, 0)), jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, image(*pixels, channels), MASK)


@pytest.mark.parametrize("together", [1, 4])
@pytest.mark.parametrize("filters", [2, 17])
def test_equals_one_example_at_a_time_where_few_are_formed_together(monkeypatch, together, filters):
    """One after another, and four with two left over; filters fewer and more than a patch has."""
    monkeypatch.setattr(correlation, "_TOGETHER", together * (5 + together) * 5 * 4 + 1)
    model = Chain([Convolution(1, filters, (2, 2), KEY), jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, image(6 + together, 6, 1), MASK)


@pytest.mark.parametrize("channels, filters", [(1, 2), (1, 17), (8, 3)])
def test_of_nobody_there_is_nothing(channels, filters):
    """No norm and a sum of zeros, on every road a gradient takes."""
    inner = Dense(filters * 25, 3, KEY)
    model = Chain([Convolution(channels, filters, (2, 2), KEY), jnp.tanh, flat, inner])
    nobody = jnp.zeros((0, 6, 6, channels))
    found = clipped(lambda model, one: jnp.sum(model(one) ** 2), model, nobody, Flat(1.0))
    assert found.norms.shape == (0,)
    total = found.weighted_sum(jnp.zeros(0))
    assert all(not each.any() for each in jax.tree.leaves(total))


def test_compiled_equals_not_compiled_where_four_are_formed_together(monkeypatch):
    """With two left over; more filters than a patch has."""
    monkeypatch.setattr(correlation, "_TOGETHER", 4 * 9 * 5 * 4 + 1)
    model = Chain([Convolution(1, 17, (2, 2), KEY), jnp.tanh, flat])
    naive.assert_compiled_equals_not_compiled(model, image(10, 6, 1), MASK)


@pytest.mark.parametrize("filters", [2, 3, 17])
def test_other_platforms_form_the_same_gradients_at_once(filters):
    """Of short patches and of long ones, as many examples as there are."""
    layer = Convolution(2, filters, (2, 3), KEY, (1, 2), (1, 1))
    slopes = image(8 * 4, filters, 1)[..., 0]
    at_once, in_turn = (
        way(layer, image(7, 8, 2), slopes)
        for way in (Convolution._formed_at_once, Convolution._formed_in_turn)
    )
    np.testing.assert_allclose(at_once, in_turn, rtol=1e-5, atol=1e-5)


def test_equals_one_example_at_a_time_for_examples_of_several_images():
    """An example may be a stack of images: leading axes are positions of one gradient."""
    frames = image(6, 5, 4).reshape(len(MASK), 2, 3, 5, 4)
    model = Chain([Convolution(4, 3, (2, 3), KEY, (1, 2), (1, 0)), jnp.tanh, flat])
    naive.assert_clipped_sum_is_right(model, frames, MASK)


class Stack(eqx.Module):
    """A convolution, an overlapping maximum, a convolution: where jaxlib 0.10.2 once compiled the
    gradient of the first kernel wrongly."""

    first: Convolution
    second: Convolution

    def __init__(self):
        self.first = Convolution(1, 3, (3, 3), KEY, (2, 2), (1, 1))
        self.second = Convolution(3, 2, (2, 2), KEY, (2, 2))

    def __call__(self, image):
        features = max_pool(jnp.tanh(self.first(image)), (2, 2), (1, 1))
        return jnp.tanh(self.second(features)).reshape(-1)


def stack_by_hand(arrays, image) -> np.ndarray:
    """The same in NumPy and double precision."""

    def correlated(features, kernel, bias):
        patches = sliding_window_view(features, kernel.shape[:2], (0, 1))[::2, ::2]
        return np.tanh(np.einsum("xyckl,klcf->xyf", patches, kernel) + bias)

    features = correlated(np.pad(image, ((1, 1), (1, 1), (0, 0))), *arrays[:2])
    highest = sliding_window_view(features, (2, 2), (0, 1)).max((3, 4))
    return correlated(highest, *arrays[2:]).reshape(-1)


def differences(arrays, image, label) -> list[np.ndarray]:
    """The gradient of the cross-entropy, one number after the other."""

    def loss(place, index, by):
        moved = [leaf.copy() for leaf in arrays]
        moved[place][index] += by
        scores = stack_by_hand(moved, image)
        return np.log(np.sum(np.exp(scores))) - scores[label]

    found = [np.zeros_like(leaf) for leaf in arrays]
    for place, leaf in enumerate(found):
        for index in np.ndindex(*leaf.shape):
            leaf[index] = (loss(place, index, 1e-6) - loss(place, index, -1e-6)) / 2e-6
    return found


def test_convolution_overlapping_maximum_convolution_is_right_by_finite_differences():
    """Every entry of every kernel, for the sum and for one example alone, compiled and not."""
    model, inputs, labels = Stack(), image(11, 8, 1), jnp.arange(len(MASK)) % 3
    arrays = [np.asarray(leaf, float) for leaf in jax.tree.leaves(model)]
    pairs = zip(np.asarray(inputs, float), labels, strict=True)
    alone = [differences(arrays, pixels, int(label)) for pixels, label in pairs]
    bound = naive.median_norm(alone)
    for way, mask in product(
        (compiled, naive.fast_clipped_sum), (MASK, jnp.arange(len(MASK)) == 1)
    ):
        actual = way(naive.cross_entropy, model, (inputs, labels), mask, Flat(bound))
        naive.assert_equal(actual, naive.clipped_sum(alone, mask, bound))


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: Convolution(1, 1, (0, 3), KEY), "size and stride must be at least 1"),
        (lambda: Convolution(1, 1, (3, 3), KEY, padding=(-1, 0)), "padding must be at least 0"),
        (lambda: Convolution(1, 1, 3, KEY), "at least 1, two whole numbers each, got 3 and"),
        (lambda: Convolution(1, 1, (3, "3"), KEY), r"two whole numbers each, got \(3, '3'\)"),
        (lambda: Convolution("1", 1, (3, 3), KEY), "channels must be a whole number"),
        (lambda: Convolution(1, None, (3, 3), KEY), "filters must be a whole number"),
    ],
)
def test_refuses_shapes_that_cannot_be(build, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        build()
