"""The models: their sizes, their values, their gradients against JAX's own operations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from tacit.models.losses import cross_entropy
from tacit.models.networks import DigitsNetwork, Softmax


def size(model):
    """The number of parameters."""
    return sum(leaf.size for leaf in jax.tree.leaves(model))


def reference(model, images):
    """The same network from JAX's operations: convolution, bias, rectifier, windowed maximum."""
    features = images.reshape(-1, 28, 28, 1)
    for layer in (model.first, model.second):
        features = lax.conv_general_dilated(
            features, layer.kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        features = jax.nn.relu(features + layer.bias)
        features = lax.reduce_window(
            features, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )
    hidden = features.reshape(len(images), -1) @ model.hidden.weight + model.hidden.bias
    return jax.nn.relu(hidden) @ model.output.weight + model.output.bias


def batch(count):
    """Images with a blank margin, as digits have, and their labels."""
    keys = random.split(random.key(1), 2)
    inner = random.uniform(keys[0], (count, 20, 20))
    images = jnp.pad(inner, ((0, 0), (4, 4), (4, 4)))
    return images, random.randint(keys[1], (count,), 0, 10)


def loss(forward):
    """The mean cross-entropy of a forward function over a full batch."""

    def of(model, images, labels):
        return cross_entropy(forward(model, images), labels, jnp.ones(len(labels), bool))

    return of


def test_sizes():
    """The networks have the sizes that published comparisons use."""
    assert size(DigitsNetwork(random.key(0))) == 3_274_634
    assert size(Softmax(64, 10)) == 650


def test_softmax_starts_indifferent():
    """At its start every class is equally likely, and its loss is log(classes)."""
    logits = Softmax(64, 10)(jnp.ones((3, 8, 8)))
    value = cross_entropy(logits, jnp.arange(3), jnp.ones(3, bool))
    np.testing.assert_allclose(value, np.log(10), rtol=1e-6)


def test_images_may_be_flat_or_square():
    """The same pixels give the same logits in either form."""
    images, _ = batch(2)
    model = DigitsNetwork(random.key(0))
    np.testing.assert_array_equal(model(images), model(images.reshape(2, 784)))


def test_start_keeps_the_size_of_signals():
    """At the start logits are of order one: neither dead nor saturated."""
    logits = DigitsNetwork(random.key(0))(batch(20)[0])
    assert 0.1 < float(jnp.std(logits)) < 3


def test_logits_equal_those_of_plain_jax():
    """Reordering rectifier and maximum changes nothing."""
    images, _ = batch(2)
    model = DigitsNetwork(random.key(0))
    expected = jax.jit(reference)(model, images)
    actual = jax.jit(lambda own, rows: own(rows))(model, images)
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 7])
def test_the_gradient_equals_that_of_plain_jax(count):
    """Writing gradients by hand changes nothing."""
    images, labels = batch(count)
    model = DigitsNetwork(random.key(0))
    actual = jax.jit(jax.grad(loss(lambda m, x: m(x))))(model, images, labels)
    expected = jax.grad(loss(reference))(model, images, labels)
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-4 * float(jnp.abs(e).max()))


def test_steps_in_a_loop_equal_steps_one_by_one():
    """Compiled descent in a loop follows the path of steps that are not compiled."""
    images, labels = batch(5)
    gradient = jax.grad(loss(lambda m, x: m(x)))

    def step(_, model):
        slopes = gradient(model, images, labels)
        return jax.tree.map(lambda weight, slope: weight - 0.1 * slope, model, slopes)

    start = DigitsNetwork(random.key(0))
    looped = jax.jit(lambda model: lax.fori_loop(0, 3, step, model))(start)
    alone = step(2, step(1, step(0, start)))
    for a, e in zip(jax.tree.leaves(looped), jax.tree.leaves(alone), strict=True):
        np.testing.assert_allclose(a, e, rtol=0, atol=1e-5 * max(1, float(jnp.abs(e).max())))


def test_descent_lowers_the_loss():
    """Ten plain steps on one batch fit it better than the start does."""
    images, labels = batch(20)
    objective = loss(lambda m, x: m(x))
    model = DigitsNetwork(random.key(0))
    descend = jax.jit(
        lambda m: jax.tree.map(lambda w, g: w - 0.02 * g, m, jax.grad(objective)(m, images, labels))
    )
    before = objective(model, images, labels)
    for _ in range(10):
        model = descend(model)
    assert objective(model, images, labels) < 0.9 * before
