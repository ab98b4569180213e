"""For every layer the clipped sum equals the one formed example by example."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from example_by_example import Chain, flat
from tacit.learning.clipping import Flat
from tacit.models.convolution import Convolution
from tacit.models.layers import Attention, Dense, Embedding, GroupNorm, LayerNorm
from tacit.models.recurrent import GRU, LSTM

KEY = random.key(0)
BATCH = 6
MASK = jnp.array([True, True, False, True, True, True])


def mean(values):
    return jnp.mean(values, axis=0)


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
        vectors(5, 5, 2),
    ),
    "attention": lambda: (Chain([Attention(8, 2, KEY), mean, Dense(8, 3, KEY)]), vectors(5, 8)),
    "causal attention": lambda: (
        Chain([Attention(8, 4, KEY, causal=True), jnp.tanh, mean]),
        vectors(5, 8),
    ),
}

RECURRENT = {
    "lstm": lambda: (Chain([LSTM(6, 5, KEY), mean, Dense(5, 3, KEY)]), vectors(4, 6)),
    "gru": lambda: (Chain([GRU(6, 5, KEY), mean, Dense(5, 3, KEY)]), vectors(4, 6)),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_one_example_at_a_time(name):
    """With half of the gradients shortened and one example masked."""
    model, inputs = CASES[name]()
    naive.assert_clipped_sum_is_right(model, inputs, MASK)


def test_compiled_equals_not_compiled():
    """The compiler changes no sum."""
    model, inputs = CASES["embedding, repeated words"]()
    naive.assert_compiled_equals_not_compiled(model, inputs, MASK)


@pytest.mark.parametrize(
    "name",
    ["dense", "dense, many positions", "embedding, repeated words", "lstm", "gru"],
)
def test_a_persons_sum_is_clipped_as_a_whole(name):
    """Equals adding each person's gradients first, with one person of one masked example."""
    model, inputs = (CASES | RECURRENT)[name]()
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
    actual = eqx.filter_jit(naive.sum_by_person)(
        naive.cross_entropy, model, (inputs, labels), MASK, person, 4, Flat(bound)
    )
    naive.assert_equal(actual, naive.clipped_sum(sums, [True, True], bound))


@pytest.mark.parametrize("word", [-1, 5])
def test_a_word_outside_the_vocabulary_makes_its_example_zero(word):
    """It is not read as another word, and the other examples are not touched."""
    model, words = CASES["embedding, repeated words"]()
    labels = jnp.arange(BATCH) % 3
    bad = words.at[0, 2].set(word)
    mask = MASK.at[0].set(False)
    compiled = eqx.filter_jit(naive.fast_clipped_sum)
    actual = compiled(naive.cross_entropy, model, (bad, labels), MASK, Flat(0.1))
    expected = compiled(naive.cross_entropy, model, (words, labels), mask, Flat(0.1))
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, atol=1e-7)


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: GroupNorm(5, 2), "groups must divide"),
        (lambda: Attention(5, 2, KEY), "heads must divide"),
        (lambda: GroupNorm(4, "2"), "groups must divide the 4 channels, got '2'"),
        (lambda: Attention(4, None, KEY), "heads must divide the width 4, got None"),
        (lambda: Dense("3", 2, KEY), "inputs must be a whole number of at least 1, got '3'"),
        (lambda: Dense(3, -2, KEY), "outputs must be a whole number of at least 1, got -2"),
        (lambda: Embedding(None, 2, KEY), "size must be a whole number of at least 1, got None"),
        (lambda: LayerNorm(2.5), "width must be a whole number of at least 1, got 2.5"),
    ],
)
def test_refuses_shapes_that_cannot_be(build, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        build()


def test_a_word_whose_slopes_cancel_takes_nothing_from_others():
    """Twice in one example, with huge slopes that add up to nothing."""
    words, slopes = jnp.zeros((BATCH, 2), int), jnp.full((BATCH, 2, 4), 0.1)
    slopes = slopes.at[4, 0].set(1e15).at[4, 1].set(-1e15)

    def loss(model, example):
        return jnp.sum(model(example[0]) * example[1])

    answer, others = (
        eqx.filter_jit(naive.fast_clipped_sum)(
            loss, Embedding(5, 4, KEY), (words, slopes), mask, Flat(1.0)
        ).table
        for mask in (MASK, MASK.at[4].set(False))
    )
    np.testing.assert_allclose(answer, others, atol=1e-5)
    assert np.linalg.norm(others) > 1


def test_no_layer_warns():
    """Every case above takes the fast way."""
    for case in (CASES | RECURRENT).values():
        model, inputs = eqx.filter_eval_shape(case)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            eqx.filter_eval_shape(
                lambda m, x: naive.fast_clipped_sum(
                    naive.cross_entropy, m, (x, jnp.zeros(BATCH, int)), MASK, Flat(1.0)
                ),
                model,
                inputs,
            )


def test_a_layer_at_zero_is_one_like_any_other_but_zero(caplog):
    """Of the same shapes and types, and no program that draws is compiled for it."""
    with jax.log_compiles():
        zero = Dense.at_zero(17, 3)
        compiled = [r.getMessage() for r in caplog.records if "XLA compilation" in r.getMessage()]
    drawn = eqx.filter_eval_shape(Dense, 17, 3, KEY)

    assert not [name for name in compiled if "normal" in name]
    assert jax.tree.structure(drawn) == jax.tree.structure(zero)
    for one, other in zip(jax.tree.leaves(drawn), jax.tree.leaves(zero), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype) and not other.any()
