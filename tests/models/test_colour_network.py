"""The network for colour crops: its size, its values, its gradients against JAX's own layers."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

import example_by_example as naive
from tacit.learning.clipping import Flat
from tacit.models.colour_network import ColourNetwork, normalised
from tacit.models.losses import cross_entropy

LABELS = np.array([0, 9, 3, 3], np.int32)


@cache
def network():
    """As it starts."""
    return ColourNetwork(random.key(0))


@cache
def own_crops():
    """Four of noise."""
    return random.normal(random.key(1), (4, 24, 24, 3))


def reference(model, crops):
    """From JAX's operations: SAME convolutions and maxima, normalisation by its sum."""

    def convolved(layer, features):
        numbers = ("NHWC", "HWIO", "NHWC")
        wide = lax.conv_general_dilated(
            features, layer.kernel, (1, 1), "SAME", dimension_numbers=numbers
        )
        return jax.nn.relu(wide + layer.bias)

    def divided(features):
        around = jnp.pad(jnp.square(features), ((0, 0), (0, 0), (0, 0), (4, 4)))
        energy = sum(around[..., shift : shift + 64] for shift in range(9))
        return features / (1 + 0.001 / 9 * energy) ** 0.75

    def largest(features):
        return lax.reduce_window(features, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")

    features = divided(largest(convolved(model.first, crops)))
    features = largest(divided(convolved(model.second, features))).reshape(len(crops), -1)
    for layer in (model.wide, model.narrow):
        features = jax.nn.relu(features @ layer.weight + layer.bias)
    return features @ model.output.weight + model.output.bias


def loss(forward):
    """The mean cross-entropy of a forward function."""
    crops, labels = own_crops(), jnp.asarray(LABELS)
    return lambda model: cross_entropy(forward(model, crops), labels, jnp.ones(4, bool))


def test_it_has_the_published_size():
    """1,068,298 parameters, layer by layer as the file says."""
    made = network()
    layers = (made.first, made.second, made.wide, made.narrow, made.output)
    sizes = [sum(leaf.size for leaf in jax.tree.leaves(layer)) for layer in layers]

    assert [4_864, 102_464, 885_120, 73_920, 1_930] == sizes
    assert sum(sizes) == 1_068_298


def test_logits_are_those_of_plain_jax():
    """Zeros beyond the edges are those of SAME; sums over channels are products."""
    expected = jax.jit(reference)(network(), own_crops())
    actual = jax.jit(lambda model, crops: model(crops))(network(), own_crops())
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def test_the_gradient_is_that_of_plain_jax():
    """Of every layer's numbers."""
    actual = jax.jit(jax.grad(loss(lambda model, crops: model(crops))))(network())
    expected = jax.jit(jax.grad(loss(reference)))(network())
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-4 * float(jnp.abs(e).max()))


def test_normalisation_reaches_four_channels_to_either_side():
    """One loud channel of eleven quietens those that are at most four away."""
    features = np.full((1, 1, 1, 11), 2.0, np.float32)
    features[..., 5] = 3000.0
    quiet = np.asarray(normalised(features))[0, 0, 0]
    around = 3000.0**2 + 4 * np.r_[0, 5:9, 8, 8:4:-1, 0]

    np.testing.assert_allclose(quiet[[0, 10]], 2 / (1 + 0.004 / 9 * 5) ** 0.75, rtol=1e-6)
    expected = features[0, 0, 0, 1:10] / (1 + 0.001 / 9 * around[1:10]) ** 0.75
    np.testing.assert_allclose(quiet[1:10], expected, rtol=1e-5)


def test_start_keeps_the_size_of_signals():
    """At the start logits are of order one: neither dead nor saturated."""
    assert 0.1 < float(jnp.std(network()(own_crops()))) < 5


def test_other_sizes_are_refused():
    """A whole photograph is no crop."""
    with pytest.raises(TypeError, match="dot_general"):
        network()(jnp.zeros((2, 32, 32, 3)))


def test_clipped_sums_are_those_of_one_example_at_a_time():
    """But for the slack of norms that are bounded by a sum of rounded products: 0.2% here."""
    batch, mask = (own_crops()[:3], LABELS[:3]), jnp.array([True, False, True])
    alone = naive.gradients(naive.cross_entropy, network(), batch)
    bound = naive.median_norm(alone)
    fast = eqx.filter_jit(naive.fast_clipped_sum)
    actual = fast(naive.cross_entropy, network(), batch, mask, Flat(bound))
    expected = naive.clipped_sum(alone, mask, bound)
    gap = [a - e for a, e in zip(jax.tree.leaves(actual), expected, strict=True)]

    assert naive.norm(gap) <= 5e-3 * naive.norm(expected)
