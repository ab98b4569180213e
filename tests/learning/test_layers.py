"""For every layer the clipped sum equals the one formed example by example."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random
import example_by_example as naive

from tacit.learning.clipping import Flat, clipped_sum, clipped_sum_by_person
from tacit.learning.convolution import Convolution
from tacit.learning.layers import Attention, Dense, Embedding, GroupNorm, LayerNorm
from tacit.learning.pooling import max_pool
from tacit.learning.recurrent import LSTM

KEY = random.key(0)
BATCH = 6
MASK = jnp.array([True, True, False, True, True, True])


class Chain(eqx.Module):
    """Layers and functions one after another."""

    steps: list

    def __call__(self, inputs):
        for step in self.steps:
            inputs = step(inputs)
        return inputs


def flat(values):
    return values.reshape(-1)


def mean(values):
    return jnp.mean(values, axis=0)


def image(height, width, channels):
    return random.normal(KEY, (BATCH, height, width, channels))


def vectors(*shape):
    return random.normal(KEY, (BATCH, *shape))


WORDS = random.randint(KEY, (BATCH, 9), 0, 5)

CASES = {
    "dense": lambda: (Chain([Dense(7, 5, KEY), jnp.tanh, Dense(5, 3, KEY)]), vectors(7)),
    "dense, few positions": lambda: (Chain([Dense(12, 9, KEY), jnp.tanh, mean]), vectors(4, 12)),
    "dense, many positions": lambda: (Chain([Dense(4, 3, KEY), jnp.tanh, mean]), vectors(30, 4)),
    "dense, two axes": lambda: (
        Chain([Dense(4, 3, KEY), jnp.tanh, mean, mean]),
        vectors(5, 6, 4),
    ),
    "embedding, repeated words": lambda: (
        Chain([Embedding(5, 4, KEY), jnp.tanh, mean, Dense(4, 3, KEY)]),
        WORDS,
    ),
    "one word": lambda: (Chain([Embedding(5, 4, KEY), Dense(4, 3, KEY)]), WORDS[:, 0]),
    "layer norm": lambda: (Chain([Dense(7, 5, KEY), LayerNorm(5), jnp.sin]), vectors(7)),
    "layer norm of a sequence": lambda: (
        Chain([LayerNorm(5), jnp.sin, mean]),
        vectors(8, 5),
    ),
    "group norm": lambda: (
        Chain([Convolution(2, 6, (3, 3), KEY), GroupNorm(6, 3), jnp.sin, flat, Dense(54, 3, KEY)]),
        image(5, 5, 2),
    ),
    "attention": lambda: (Chain([Attention(8, 2, KEY), mean, Dense(8, 3, KEY)]), vectors(5, 8)),
    "causal attention": lambda: (
        Chain([Attention(8, 4, KEY, causal=True), jnp.tanh, mean]),
        vectors(5, 8),
    ),
    "lstm, few steps": lambda: (Chain([LSTM(6, 5, KEY), mean, Dense(5, 3, KEY)]), vectors(4, 6)),
    "lstm, many steps": lambda: (Chain([LSTM(3, 2, KEY), mean, Dense(2, 3, KEY)]), vectors(20, 3)),
    "two lstms": lambda: (
        Chain([LSTM(3, 4, KEY), LSTM(4, 3, KEY), mean]),
        vectors(6, 3),
    ),
    "oblong kernel of one channel": lambda: (
        Chain([Convolution(1, 3, (2, 5), KEY), jnp.tanh, flat]),
        image(4, 7, 1),
    ),
    "late convolution, kept as patches": lambda: (
        Chain([Convolution(8, 16, (3, 3), KEY), jnp.tanh, flat]),
        image(5, 4, 8),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_one_example_at_a_time(name):
    """With half of the gradients shortened and one example masked."""
    model, inputs = CASES[name]()
    assert_equals_naive(model, inputs)


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
    assert_equals_naive(Chain([*steps, second, jnp.tanh, flat]), image(13, 14, 2))


def assert_equals_naive(model, inputs):
    labels = jnp.arange(BATCH) % 3
    alone = naive.gradients(naive.cross_entropy, model, (inputs, labels))
    bound = naive.median_norm(alone)
    expected = naive.clipped_sum(alone, MASK, bound)
    arguments = (naive.cross_entropy, model, (inputs, labels), MASK, Flat(bound))
    naive.assert_equal(eqx.filter_jit(clipped_sum)(*arguments).total, expected)


@pytest.mark.parametrize("name", ["dense", "embedding, repeated words", "two convolutions"])
def test_compiled_equals_not_compiled(name):
    """The compiler changes no sum. The stack with pooling between is where one once did."""
    if name == "two convolutions":
        steps = [Convolution(1, 2, (3, 3), KEY), lambda x: max_pool(x, (2, 2), (1, 1))]
        model = Chain([*steps, Convolution(2, 3, (2, 2), KEY, (2, 2)), jnp.tanh, flat])
        inputs = image(8, 8, 1)
    else:
        model, inputs = CASES[name]()
    batch = (inputs, jnp.arange(BATCH) % 3)
    arguments = (naive.cross_entropy, model, batch, MASK, Flat(0.3))
    compiled, not_compiled = eqx.filter_jit(clipped_sum)(*arguments), clipped_sum(*arguments)
    for a, e in zip(jax.tree.leaves(compiled), jax.tree.leaves(not_compiled), strict=True):
        np.testing.assert_allclose(a, e, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    ["dense", "dense, many positions", "embedding, repeated words", "lstm, few steps"],
)
def test_a_persons_sum_is_clipped_as_a_whole(name):
    """Equals adding each person's gradients first, with one person of one masked example."""
    model, inputs = CASES[name]()
    labels, person = jnp.arange(BATCH) % 3, jnp.array([0, 1, 3, 1, 0, 1])
    alone = naive.gradients(naive.cross_entropy, model, (inputs, labels))
    sums = [
        [
            sum(alone[i][leaf] for i in range(BATCH) if person[i] == p)
            for leaf in range(len(alone[0]))
        ]
        for p in (0, 1)
    ]
    bound = naive.median_norm(sums)
    actual = eqx.filter_jit(clipped_sum_by_person)(
        naive.cross_entropy, model, (inputs, labels), MASK, person, 4, Flat(bound)
    )
    naive.assert_equal(actual.total, naive.clipped_sum(sums, [True, True], bound))
    assert int(actual.shortened) == 1


@pytest.mark.parametrize("word", [-1, 5])
def test_a_word_outside_the_vocabulary_makes_its_example_zero(word):
    """It is not read as another word, and the other examples are not touched."""
    model, words = CASES["embedding, repeated words"]()
    labels = jnp.arange(BATCH) % 3
    bad = words.at[0, 2].set(word)
    mask = MASK.at[0].set(False)
    compiled = eqx.filter_jit(clipped_sum)
    actual = compiled(naive.cross_entropy, model, (bad, labels), MASK, Flat(0.1))
    expected = compiled(naive.cross_entropy, model, (words, labels), mask, Flat(0.1))
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, atol=1e-7)


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
        (lambda: GroupNorm(5, 2), "groups must divide"),
        (lambda: Attention(5, 2, KEY), "heads must divide"),
        (lambda: max_pool(jnp.zeros((4, 4, 1)), (0, 1), (1, 1)), "1 to 127 entries"),
        (lambda: max_pool(jnp.zeros((4, 4, 1)), (5, 1), (1, 1)), "must fit the image"),
    ],
)
def test_refuses_shapes_that_cannot_be(build, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        build()


def test_no_layer_warns():
    """Every case above takes the fast way."""
    for case in CASES.values():
        model, inputs = case()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            eqx.filter_eval_shape(
                lambda m, x: clipped_sum(
                    naive.cross_entropy, m, (x, jnp.zeros(BATCH, int)), MASK, Flat(1.0)
                ),
                model,
                inputs,
            )
