"""Recurrent layers: what they compute, and whose gradients their taps give."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from example_by_example import Chain
from tacit.learning.clipping import Flat
from tacit.models.layers import Dense
from tacit.models.recurrent import GRU, LSTM

KEY = random.key(0)
MASK = jnp.array([True, True, False, True])


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def lstm_by_hand(layer: LSTM, sequence: np.ndarray) -> np.ndarray:
    """Its published formulas, in double precision."""
    hidden = cell = np.zeros(layer.bias.size // 4)
    states = []
    for now in sequence:
        gates = now @ layer.input_weight + hidden @ layer.recurrent_weight + layer.bias
        write, keep, candidate, read = np.split(gates, 4)
        cell = sigmoid(keep) * cell + sigmoid(write) * np.tanh(candidate)
        hidden = sigmoid(read) * np.tanh(cell)
        states.append(hidden)
    return np.array(states)


def gru_by_hand(layer: GRU, sequence: np.ndarray) -> np.ndarray:
    """The formulas in cuDNN's manual, whose recurrent biases of two gates are part of `bias`."""
    hidden, states = np.zeros(layer.reset_bias.size), []
    for now in sequence:
        reset, update, candidate = np.split(now @ layer.input_weight + layer.bias, 3)
        to_reset, to_update, to_candidate = np.split(hidden @ layer.recurrent_weight, 3)
        reset, update = sigmoid(reset + to_reset), sigmoid(update + to_update)
        candidate = np.tanh(candidate + reset * (to_candidate + layer.reset_bias))
        hidden = (1 - update) * candidate + update * hidden
        states.append(hidden)
    return np.array(states)


def shaken(layer):
    """With biases that are not zero, so that their places are tried."""
    leaves, structure = jax.tree.flatten(layer)
    keys = random.split(KEY, len(leaves))
    moved = [
        leaf + 0.5 * random.normal(k, leaf.shape) for leaf, k in zip(leaves, keys, strict=True)
    ]
    return jax.tree.unflatten(structure, moved)


@pytest.mark.parametrize("kind, by_hand", [(LSTM, lstm_by_hand), (GRU, gru_by_hand)])
def test_computes_its_formulas(kind, by_hand):
    """Every state of a sequence of nine steps."""
    layer, sequence = shaken(kind(3, 4, KEY)), random.normal(KEY, (9, 3))
    exact = jax.tree.map(lambda leaf: np.asarray(leaf, float), layer)
    np.testing.assert_allclose(layer(sequence), by_hand(exact, np.asarray(sequence)), atol=1e-6)


@pytest.mark.parametrize("kind", [LSTM, GRU])
@pytest.mark.parametrize("steps, inputs, width", [(3, 6, 5), (20, 3, 2)])
def test_equals_one_example_at_a_time(kind, steps, inputs, width):
    """Where factors are kept, and where gradients are formed."""
    layer = shaken(kind(inputs, width, KEY))
    model = Chain([layer, lambda states: jnp.sum(states, axis=0), Dense(width, 3, KEY)])
    sequences = 2 * random.normal(KEY, (len(MASK), steps, inputs))
    naive.assert_clipped_sum_is_right(model, sequences, MASK)


@pytest.mark.parametrize("kind", [LSTM, GRU])
def test_compiled_equals_not_compiled(kind):
    """The compiler changes no sum; a layer may also follow another."""
    steps = [kind(2, 3, KEY), shaken(kind(3, 3, KEY)), lambda states: states[-1]]
    naive.assert_compiled_equals_not_compiled(
        Chain(steps), random.normal(KEY, (len(MASK), 4, 2)), MASK
    )


def lstm_as_a_scan(layer: LSTM, sequence):
    """Its published formulas, for JAX to differentiate."""

    def step(carry, now):
        hidden, cell = carry
        driven = now @ layer.input_weight + hidden @ layer.recurrent_weight + layer.bias
        write, keep, candidate, read = jnp.split(driven, 4)
        cell = jax.nn.sigmoid(keep) * cell + jax.nn.sigmoid(write) * jnp.tanh(candidate)
        hidden = jax.nn.sigmoid(read) * jnp.tanh(cell)
        return (hidden, cell), hidden

    start = jnp.zeros(len(layer.recurrent_weight))
    return jax.lax.scan(step, (start, start), sequence)[1]


def gru_as_a_scan(layer: GRU, sequence):
    """Its published formulas, for JAX to differentiate."""

    def step(before, now):
        driven = jnp.split(now @ layer.input_weight + layer.bias, 3)
        products = jnp.split(before @ layer.recurrent_weight, 3)
        reset, update = (jax.nn.sigmoid(driven[gate] + products[gate]) for gate in (0, 1))
        candidate = jnp.tanh(driven[2] + reset * (products[2] + layer.reset_bias))
        hidden = (1 - update) * candidate + update * before
        return hidden, hidden

    return jax.lax.scan(step, jnp.zeros(len(layer.recurrent_weight)), sequence)[1]


@pytest.mark.parametrize("kind, as_a_scan", [(LSTM, lstm_as_a_scan), (GRU, gru_as_a_scan)])
@pytest.mark.parametrize(
    "steps, inputs, width, compiled",
    [(1, 3, 2, True), (2, 1, 2, True), (7, 3, 4, True), (7, 3, 4, False), (20, 2, 5, True)],
)
def test_gradient_is_that_of_the_formulas(kind, as_a_scan, steps, inputs, width, compiled):
    """In the sequence and in every parameter, of every state: of several sequences at once, and of
    several people who have a network each."""
    layer, keys = shaken(kind(inputs, width, KEY)), random.split(KEY, 4)
    layers = jax.tree.map(lambda leaf: jnp.stack([leaf, -leaf / 2]), layer)
    sequences = 2 * random.normal(keys[0], (2, 3, steps, inputs))
    slopes = random.normal(keys[1], (steps, width))

    def gradients(way):
        one = jax.grad(lambda own, seen: jnp.sum(slopes * way(own, seen)), (0, 1))
        several = jax.vmap(jax.vmap(one, (None, 0)))
        return (jax.jit(several) if compiled else several)(layers, sequences)

    ours, jaxs = (gradients(way) for way in (kind.__call__, as_a_scan))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5), ours, jaxs)


@pytest.mark.parametrize("kind", [LSTM, GRU])
@pytest.mark.parametrize("steps, inputs, width", [(3, 6, 5), (20, 3, 2)])
def test_nothing_goes_beyond_the_bound(kind, steps, inputs, width):
    """Of weights and inputs of any size, saturated gates and gradients that cancel among them."""
    model = Chain([shaken(kind(inputs, width, KEY)), lambda states: states[-1]])
    run, one = eqx.filter_jit(naive.fast_clipped_sum), jnp.arange(len(MASK)) == 0
    labels = jnp.arange(len(MASK)) % width
    for trial in range(40):
        keys = random.split(random.key(trial), 3)
        sizes = jnp.exp(random.uniform(keys[0], (2,), minval=-8.0, maxval=8.0))
        grown, rest = eqx.partition(model, eqx.is_array)
        whole = eqx.combine(jax.tree.map(lambda leaf, s=sizes[0]: leaf * s, grown), rest)
        rows = sizes[1] * random.normal(keys[1], (len(MASK), steps, inputs))
        rows = rows.at[:, -1].set(-rows[:, 0]) if trial % 2 else rows
        sums = run(naive.cross_entropy, whole, (rows, labels), one, Flat(0.01))
        leaves = [np.asarray(leaf, float) for leaf in jax.tree.leaves(sums)]
        assert naive.norm(leaves) <= 0.01 * (1 + 1e-5)
