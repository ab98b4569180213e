"""Of Equinox's cells in a scan, and words in a map, the clipped sum equals the one formed example
by example, and nobody's gradient goes beyond the bound."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from tacit.learning.clipping import Flat
from tacit.models.bookkeeping import SlowGradientWarning

KEY = random.key(0)
MASK = jnp.array([True, True, False, True])
WORDS = jnp.array([[0, 3, 3, 1, 0], [2, -1, 3, 1, 2], [4, 4, 4, 4, 4], [-5, 0, 1, -2, 3]])


class Read(eqx.Module):
    """A cell in a scan over the sequence, as Equinox's documents have it."""

    cell: eqx.Module
    last: eqx.nn.Linear
    reverse: bool = eqx.field(static=True)
    unroll: int = eqx.field(static=True)

    def __init__(self, kind, inputs, width, reverse=False, unroll=1, **others):
        self.cell = kind(inputs, width, key=KEY, **others)
        self.last = eqx.nn.Linear(width, 3, key=KEY)
        self.reverse, self.unroll = reverse, unroll

    def __call__(self, rows):
        start = jnp.zeros(self.cell.hidden_size)
        start = (start, start) if isinstance(self.cell, eqx.nn.LSTMCell) else start

        def step(state, row):
            return self.cell(row, state), None

        state, _ = jax.lax.scan(step, start, rows, reverse=self.reverse, unroll=self.unroll)
        return self.last(jax.tree.leaves(state)[0])


class Said(eqx.Module):
    """Words as vectors, and their mean."""

    words: eqx.nn.Embedding
    last: eqx.nn.Linear

    def __call__(self, words):
        return self.last(jnp.tanh(jax.vmap(self.words)(words)).mean(axis=0))


def said():
    return Said(eqx.nn.Embedding(5, 4, key=KEY), eqx.nn.Linear(4, 3, key=KEY))


def sequences(steps, inputs):
    return 2 * random.normal(KEY, (len(MASK), steps, inputs))


CELLS = [eqx.nn.LSTMCell, eqx.nn.GRUCell]
WAYS = {
    "factors": {"steps": 3, "inputs": 6, "width": 5},
    "formed": {"steps": 20, "inputs": 3, "width": 2},
    "backwards": {"steps": 4, "inputs": 3, "width": 4, "reverse": True},
    "unrolled": {"steps": 5, "inputs": 2, "width": 3, "unroll": 2},
    "no bias": {"steps": 4, "inputs": 3, "width": 4, "use_bias": False},
    "one step": {"steps": 1, "inputs": 3, "width": 4},
}


def made(kind, way):
    asked = {**WAYS[way]}
    inputs = sequences(asked.pop("steps"), asked["inputs"])
    return Read(kind, **asked), inputs


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("way", WAYS)
def test_equals_one_example_at_a_time(kind, way):
    """Without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        naive.assert_clipped_sum_is_right(*made(kind, way), MASK)


@pytest.mark.parametrize("kind", CELLS)
def test_compiled_equals_not_compiled(kind):
    """The compiler changes no sum."""
    naive.assert_compiled_equals_not_compiled(*made(kind, "factors"), MASK)


def test_words_equal_one_example_at_a_time():
    """Of words read twice, none read, and words counted from the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        naive.assert_clipped_sum_is_right(said(), WORDS, MASK)


@pytest.mark.parametrize("word", [5, 77, -6])
def test_a_word_beyond_the_table_equals_one_example_at_a_time(word):
    """Whatever Equinox reads there."""
    naive.assert_clipped_sum_is_right(said(), WORDS.at[0, 1].set(word), MASK)


@pytest.mark.parametrize(
    "case",
    [
        lambda: made(eqx.nn.LSTMCell, "factors"),
        lambda: made(eqx.nn.GRUCell, "formed"),
        lambda: (said(), WORDS),
    ],
    ids=["LSTM", "GRU", "words"],
)
def test_a_persons_sum_is_clipped_as_a_whole(case):
    """Equals adding each person's gradients first."""
    naive.assert_a_persons_sum_is_clipped(*case(), MASK, jnp.array([0, 1, 3, 1]))


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("way", ["factors", "formed"])
def test_nothing_goes_beyond_the_bound(kind, way):
    """Of weights and inputs of any size, saturated gates and gradients that cancel among them."""
    model, inputs = made(kind, way)
    run = eqx.filter_jit(naive.fast_clipped_sum)
    one = jnp.arange(len(MASK)) == 0
    for trial in range(40):
        keys = random.split(random.key(trial), 3)
        sizes = jnp.exp(random.uniform(keys[0], (2,), minval=-8.0, maxval=8.0))
        grown = jax.tree.map(lambda leaf, s=sizes[0]: leaf * s, eqx.filter(model, eqx.is_array))
        whole = eqx.combine(grown, model)
        rows = sizes[1] * random.normal(keys[1], inputs.shape)
        rows = rows.at[:, -1].set(-rows[:, 0]) if trial % 2 else rows
        sums = run(naive.cross_entropy, whole, (rows, jnp.arange(len(MASK)) % 3), one, Flat(0.01))
        length = np.sqrt(
            sum(np.sum(np.asarray(leaf, float) ** 2) for leaf in jax.tree.leaves(sums))
        )
        assert length <= 0.01 * (1 + 1e-5)
