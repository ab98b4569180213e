"""Of any model that can be differentiated, everybody's term from one pass is the one formed alone,
and no longer than the bound; where gradients are formed, a warning says truly why."""

import copy
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from equinox import nn
from jax import lax, random

from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.models.bookkeeping import SlowGradientWarning

KEYS = random.split(random.key(0), 3)
DRAWN = np.random.default_rng(0)
ROWS = jnp.asarray(DRAWN.normal(size=(4, 4)), jnp.float32)
TABLES = jnp.asarray(DRAWN.normal(size=(4, 4, 6)), jnp.float32)
WORDS = jnp.array([[0, 1, 1], [5, 2, 0], [3, 3, 3], [4, 0, 1]])
BOUND = 0.5


def linear(inputs=4, outputs=4, key=KEYS[1], **others):
    return nn.Linear(inputs, outputs, key=key, **others)


def loss_by(way, bend):
    """The sum of what a model says in this way, bent so that slopes differ."""
    return lambda model, example: bend(way(model, example)).astype(jnp.float32).sum()


def called(model, example):
    return model(example)


def agree(model, way, people, nearly, bound=BOUND, bend=jnp.sin):
    """Everybody's term from one pass and alone."""
    learner = Descent(model, loss_by(way, bend), Flat(bound), optax.sgd(1.0))
    state, count = learner.init(), len(people)

    def terms(state, people):
        whole = learner.terms(state, people)
        return jax.vmap(lambda weights: whole.weighted_sum(weights[:, None]))(jnp.eye(count))

    found = np.asarray(jax.jit(terms)(state, people), float).reshape(count, learner.dim)
    alone = [np.asarray(learner.ask(state, person), float) for person in people]
    alone = np.reshape(alone, found.shape)
    largest = np.abs(alone).max(initial=0)
    np.testing.assert_allclose(found, alone, rtol=0, atol=nearly * largest)
    assert np.all(np.linalg.norm(found, axis=1) <= bound * (1 + 1e-5))


def whole_numbers(layer, name="weight"):
    def rounded(leaf):
        return jnp.round(3 * leaf).astype(jnp.int32)

    return eqx.tree_at(lambda own: getattr(own, name), layer, replace_fn=rounded)


def recurrent(start):
    def way(cell, rows):
        state, _ = lax.scan(lambda state, row: (cell(row, state), None), start, rows)
        return jax.tree.leaves(state)[0]

    return way


def of_halves(layer, kind=jnp.bfloat16):
    return jax.tree.map(lambda leaf: leaf.astype(kind), layer)


def after_a_norm(way):
    """A layer, and a norm without parameters."""
    return (nn.LayerNorm(4, use_weight=False, use_bias=False), linear()), way, ROWS


HALF = jnp.zeros(3, jnp.bfloat16)
FAST = {
    "a key for each layer": lambda: (
        nn.Sequential([linear(), nn.Dropout(0.5), linear(4, 3)]),
        lambda layers, row: layers(row, key=KEYS[2]),
        ROWS,
    ),
    "a norm without parameters that is called twice": lambda: after_a_norm(
        lambda layers, row: layers[1](layers[0](jnp.sin(layers[0](row))))
    ),
    "a norm without parameters that is never called": lambda: after_a_norm(
        lambda layers, row: layers[1](row)
    ),
    "a frozen matrix before others": lambda: (
        nn.Sequential([whole_numbers(linear()), nn.Lambda(jnp.tanh), linear(4, 30)]),
        called,
        ROWS,
    ),
    "a frozen matrix": lambda: (whole_numbers(linear()), called, ROWS),
    "a frozen bias": lambda: (whole_numbers(linear(), "bias"), called, ROWS),
    "a frozen matrix of a cell": lambda: (
        whole_numbers(nn.GRUCell(6, 3, key=KEYS[1]), "weight_hh"),
        recurrent(jnp.zeros(3)),
        TABLES,
    ),
    "nobody": lambda: (linear(), called, ROWS[:0]),
    "norms of nobody": lambda: (
        nn.Sequential([nn.LayerNorm(4), nn.GroupNorm(2, 4)]),
        called,
        ROWS[:0],
    ),
}
HALVES = {
    "bfloat16": lambda: (of_halves(linear()), called, ROWS.astype(jnp.bfloat16)),
    "float16": lambda: (
        of_halves(linear(), jnp.float16),
        called,
        ROWS.astype(jnp.float16),
    ),
    "LSTM": lambda: (
        of_halves(nn.LSTMCell(6, 3, key=KEYS[1])),
        recurrent((HALF, HALF)),
        TABLES.astype(jnp.bfloat16),
    ),
    "GRU": lambda: (
        of_halves(nn.GRUCell(6, 3, key=KEYS[1])),
        recurrent(HALF),
        TABLES.astype(jnp.bfloat16),
    ),
    "words": lambda: (
        of_halves(nn.Embedding(6, 3, key=KEYS[1])),
        lambda layer, words: jax.vmap(layer)(words),
        WORDS,
    ),
    "convolution": lambda: (
        of_halves(nn.Conv1d(4, 3, 3, key=KEYS[1])),
        called,
        TABLES.astype(jnp.bfloat16),
    ),
}
NORMS = {
    "layer norm": lambda: nn.LayerNorm(4),
    "root mean square": lambda: nn.RMSNorm(4),
    "group norm": lambda: nn.GroupNorm(2, 4),
}


@pytest.mark.parametrize("case", FAST)
def test_the_terms_are_those_formed_alone(case):
    """Of layers whose arrays are not all parameters, or that have none, with a key that only a
    dropout uses, and of no people; without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        agree(*FAST[case](), nearly=1e-5)


@pytest.mark.parametrize("case", HALVES)
def test_of_layers_of_halves_as_far_as_halves_go(case):
    """Without a warning, and within the bound to float32."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        agree(*HALVES[case](), nearly=2e-2)


@pytest.mark.parametrize("case", NORMS)
def test_of_norms_between_halves_to_float32(case):
    """A norm's own numbers are not halves, nor is anything that their gradients are made of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        rows = ROWS.astype(jnp.bfloat16)
        # Of slopes that no rounding moves.
        agree(NORMS[case](), called, rows, nearly=1e-5, bend=jax.nn.relu)


def test_sums_of_the_slopes_of_halves_are_not_rounded_to_halves():
    """Three hundred and one ones are more than what bfloat16 counts to."""
    rows = jnp.zeros((1, 301, 4), jnp.bfloat16)
    loss = loss_by(lambda layer, rows: jax.vmap(layer)(rows), jnp.negative)
    learner = Descent(of_halves(linear(4, 1)), loss, Flat(1e3), optax.sgd(1.0))
    terms = learner.terms(learner.init(), rows)

    np.testing.assert_allclose(terms.weighted_sum(jnp.ones((1, 1)))[-1], -301, rtol=1e-6)


def test_single_precision_among_doubles():
    """Taps are of the layer's type, not of what JAX makes zeros of."""
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        cell = nn.GRUCell(6, 3, key=KEYS[1], dtype=jnp.float32)
        agree(cell, recurrent(jnp.zeros(3, jnp.float32)), TABLES, 1e-5)


class Tied(eqx.Module):
    """Two layers of one matrix."""

    first: nn.Linear
    second: nn.Linear

    def __call__(self, row):
        second = eqx.tree_at(lambda own: own.weight, self.second, self.first.weight)
        return second(jnp.tanh(self.first(row)))


class Shared(eqx.Module):
    """Words that are read from and written to one table."""

    both: nn.Shared

    def __init__(self):
        pair = nn.Embedding(6, 4, key=KEYS[1]), linear(4, 6, use_bias=False)
        self.both = nn.Shared(pair, where=lambda own: own[1].weight, get=lambda own: own[0].weight)

    def __call__(self, words):
        table, written = self.both()
        return jax.vmap(written)(jnp.tanh(jax.vmap(table)(words))).sum(0)


class Doubled(eqx.Module):
    """What a library may put in the place of an array."""

    half: jax.Array

    @property
    def shape(self):
        return self.half.shape

    def astype(self, kind):
        return 2 * self.half.astype(kind)

    def __jax_array__(self):
        return 2 * self.half


def doubled(layer):
    return eqx.tree_at(lambda own: own.weight, layer, replace_fn=Doubled)


def stacked():
    return eqx.filter_vmap(lambda key: linear(key=key))(KEYS)


def together(layers, row):
    return eqx.filter_vmap(lambda layer, row: layer(row), in_axes=(0, None))(layers, row)


def in_turn(layers, row):
    arrays, rest = eqx.partition(layers, eqx.is_array)
    return lax.scan(lambda row, own: (jnp.tanh(eqx.combine(own, rest)(row)), None), row, arrays)[0]


OTHER, UNKNOWN = "arrays that the loss replaced or handed over", "in a way that its rule does not"
SLOW = {
    "tied": (
        lambda: Tied(linear(), linear(key=KEYS[2])),
        called,
        ROWS,
        "first .its weight is read",
    ),
    "shared": (Shared, called, WORDS, "its weight is read outside its call"),
    "without its bias": (
        linear,
        lambda layer, row: eqx.tree_at(lambda own: own.bias, layer, None)(row),
        ROWS,
        OTHER,
    ),
    "a copy": (linear, lambda layer, row: copy.deepcopy(layer)(row), ROWS, OTHER),
    "handed to jit": (linear, lambda layer, row: eqx.filter_jit(layer)(row), ROWS, OTHER),
    "handed to checkpoint": (
        linear,
        lambda layer, row: jax.checkpoint(lambda own, row: own(row))(layer, row),
        ROWS,
        OTHER,
    ),
    "cast": (linear, lambda layer, row: of_halves(layer)(row), ROWS, OTHER),
    "a stack at once": (stacked, together, ROWS, OTHER),
    "a stack in turn": (stacked, in_turn, ROWS, OTHER),
    "a slope through a stack": (
        stacked,
        lambda layers, row: jax.grad(lambda row: jnp.sin(together(layers, row)).sum())(row),
        ROWS,
        OTHER,
    ),
    "a matrix for a vector": (lambda: linear(use_bias=False), called, TABLES, UNKNOWN),
    "one column": (lambda: linear(use_bias=False), called, TABLES[..., :1], UNKNOWN),
    "one column and a bias": (linear, called, TABLES[..., :1], UNKNOWN),
    "fewer zeros than none": (
        lambda: nn.Conv2d(1, 2, 2, padding=-1, key=KEYS[1]),
        called,
        TABLES[:, None],
        UNKNOWN,
    ),
    "a module for a matrix": (
        lambda: doubled(linear()),
        called,
        ROWS,
        "not in a layer with a rule",
    ),
    "a module for a scale": (
        lambda: doubled(nn.LayerNorm(4)),
        called,
        ROWS,
        "not in a layer with a rule",
    ),
}


@pytest.mark.parametrize("case", SLOW)
def test_what_no_rule_describes_is_formed_for_every_example(case):
    """Whatever else JAX differentiates; the warning says what is the matter."""
    made, way, people, why = SLOW[case]
    with pytest.warns(SlowGradientWarning, match=why):
        agree(made(), way, people, nearly=1e-5)


def test_a_call_that_its_layer_refuses_is_refused_in_its_words():
    """Not by what stands in for it."""
    with pytest.raises(TypeError, match="contracting dimensions"):
        agree(linear(), called, TABLES[:, 0], nearly=0)
