"""Gates of recurrent layers: the slopes that are written out, beside those that JAX finds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

from tacit.models import gates
from tacit.models.activations import tanh

WIDTH = 5


def drawn(*many, size=2.0):
    """Vectors of so many widths each."""
    keys = random.split(random.key(len(many)), len(many))
    return [size * random.normal(k, (n * WIDTH,)) for k, n in zip(keys, many, strict=True)]


def assert_close(ours, theirs):
    """To float32, relative to the largest."""
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=2e-6 * max(1, np.abs(other).max()))


def lstm(driven, before):
    """A step by its published formulas."""
    write, keep, seen, read = jnp.split(driven, 4)
    cell = jax.nn.sigmoid(keep) * before + jax.nn.sigmoid(write) * tanh(seen)
    return jax.nn.sigmoid(read) * tanh(cell), cell


def gru(driven, product, before):
    """A step by its published formulas."""
    one, other = jnp.split(driven, 3), jnp.split(product, 3)
    reset, update = jax.nn.sigmoid(one[0] + other[0]), jax.nn.sigmoid(one[1] + other[1])
    candidate = tanh(one[2] + reset * other[2])
    return (1 - update) * candidate + update * before


@pytest.mark.parametrize("size", [0.01, 2.0, 50.0])
def test_an_lstms_slopes_are_those_that_jax_finds(size):
    """Of gates that hardly move, that do, and that are saturated."""
    driven, before, to_hidden, to_cell = drawn(4, 1, 1, 1, size=size)
    (_, cell), back = jax.vjp(lstm, driven, before)
    opened = gates.lstm_gates(driven)
    to_before, to_driven = gates.lstm_slopes(to_hidden, to_cell, opened, cell, before)
    assert_close((to_driven, to_before), back((to_hidden, to_cell)))


@pytest.mark.parametrize("size", [0.01, 2.0, 50.0])
def test_a_grus_slopes_are_those_that_jax_finds(size):
    """At both parts of what drives its gates."""
    driven, product, before, to_hidden = drawn(3, 3, 1, 1, size=size)
    state, back = jax.vjp(gru, driven, product, before)
    opened = gates.gru_gates(driven, product)
    to_before, to_driven = gates.gru_slopes(to_hidden, opened, product[-WIDTH:], before)
    to_product = gates.let_through(to_driven, opened[:WIDTH])
    assert_close([gates.gru_state(opened, before)], [state])
    assert_close((to_driven, to_product, to_before), back(to_hidden))


def test_what_a_reset_gate_lets_through_has_its_part_of_the_slope():
    """Other gates' slopes are as they were, in every row."""
    slopes, reset = jnp.ones((2, 6)), jnp.array([[0.5, 0.25], [0.0, 1.0]])
    expected = [[1, 1, 1, 1, 0.5, 0.25], [1, 1, 1, 1, 0, 1]]
    np.testing.assert_array_equal(gates.let_through(slopes, reset), expected)
