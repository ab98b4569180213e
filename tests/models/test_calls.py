"""A layer's call wherever in a loss it stands: the clipped sum is the one formed example by
example, without forming any where a tap can be handed through."""

import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

import example_by_example as naive
from tacit.learning.clipping import Flat
from tacit.models.bookkeeping import SlowGradientWarning
from tacit.models.calls import called, found
from tacit.models.layers import Dense
from tacit.models.per_example import Instances
from tacit.models.recurrent import GRU, LSTM

KEY = random.key(0)
MASK = jnp.array([True, True, False, True])
INPUTS = jnp.asarray(np.random.default_rng(0).normal(size=(len(MASK), 4, 2, 3)), jnp.float32)


class Using(eqx.Module):
    """A layer of three numbers, used in a way."""

    layer: eqx.Module
    way: object = eqx.field(static=True)

    def __call__(self, table):
        return jnp.tanh(self.way(self.layer, table)).sum(axis=(0, 1))


def scanned(layer, table):
    """A scan whose carry is what the layer said before."""

    def step(carry, rows):
        said = jax.vmap(lambda row, before: layer(row + before))(rows, carry)
        return said, said

    return lax.scan(step, jnp.zeros(table.shape[1:]), table)[1]


def looped(layer, table):
    """A loop of a known number of rounds, backwards among other things."""
    return lax.fori_loop(0, 3, lambda turn, rows: jnp.sin(layer(rows)) + turn, table)


def with_a_fixed_row(layer, table):
    """Of a sum, one part of which is the same for all that are mapped."""
    return jax.vmap(lambda row: layer(table[0, 0]) * row)(table[:, 0])[:, None]


FAST = {
    "all at once": lambda layer, table: layer(table),
    "mapped": lambda layer, table: jax.vmap(layer)(table),
    "mapped twice": lambda layer, table: jax.vmap(jax.vmap(layer))(table),
    "mapped along another axis": lambda layer, table: jax.vmap(layer, 1, 1)(table),
    "a map in a scan": scanned,
    "a scan in a map": lambda layer, table: jax.vmap(
        lambda rows: lax.scan(lambda _, row: (None, layer(row)), None, rows)[1], 1, 1
    )(table),
    "a scan in a scan": lambda layer, table: lax.map(lambda rows: lax.map(layer, rows), table),
    "a loop": looped,
    "compiled": lambda layer, table: jax.jit(lambda rows: layer(2 * rows))(table),
    "compiled by itself": lambda layer, table: jax.vmap(jax.jit(lambda rows: layer(rows)))(table),
    "checkpoint": lambda layer, table: jax.checkpoint(lambda rows: jnp.sin(layer(rows)))(table),
    "checkpoints in a scan": lambda layer, table: lax.map(
        jax.checkpoint(lambda rows: jnp.sin(layer(rows))), table
    ),
    "a row for all": with_a_fixed_row,
    "a key that makes no difference": lambda layer, table: layer(table, key=KEY),
}


@pytest.mark.parametrize("way", FAST)
def test_equals_one_example_at_a_time(way):
    """Of a layer that takes leading axes, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        naive.assert_clipped_sum_is_right(Using(Dense(3, 3, KEY), FAST[way]), INPUTS, MASK)


@pytest.mark.parametrize("way", ["a map in a scan", "a scan in a map", "checkpoints in a scan"])
def test_compiled_equals_not_compiled(way):
    """The compiler changes no sum."""
    naive.assert_compiled_equals_not_compiled(Using(Dense(3, 3, KEY), FAST[way]), INPUTS, MASK)


@pytest.mark.parametrize("kind", [LSTM, GRU])
def test_a_recurrent_layer_of_several_sequences(kind):
    """A whole sequence at every call."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        model = Using(kind(3, 3, KEY), lambda layer, table: jax.vmap(layer, 1)(table))
        naive.assert_clipped_sum_is_right(model, INPUTS, MASK)


def sloped(layer, table):
    """A derivative of the layer."""
    return jax.grad(lambda rows: jnp.sum(jnp.sin(layer(rows))))(table)


def called_and_sloped(layer, table):
    """A derivative of the layer, and what it says."""
    return layer(table) * sloped(layer, table)


SLOW = {
    "inside another transformation: a branch": lambda layer, table: lax.cond(
        table[0, 0, 0] > 0, lambda rows: layer(rows), jnp.sin, table
    ),
    "inside another transformation: a derivative": sloped,
    "inside another transformation: a derivative and a call": called_and_sloped,
    "more than once: twice": lambda layer, table: layer(jnp.sin(jax.vmap(layer)(table))),
}


@pytest.mark.parametrize("way", SLOW)
def test_where_no_tap_reaches_it_is_formed_for_every_example(way):
    """A warning says why, and the sum is right."""
    model = Using(Dense(3, 3, KEY), SLOW[way])
    with pytest.warns(SlowGradientWarning, match=way.split(":")[0]):
        naive.assert_clipped_sum_is_right(model, INPUTS, MASK)


def test_a_layer_may_be_called_by_names():
    """As by place."""
    model = Using(
        eqx.nn.Linear(3, 3, key=KEY), lambda layer, table: layer(x=table[0, 0])[None, None]
    )
    naive.assert_clipped_sum_is_right(model, INPUTS, MASK)


class Of(eqx.Module):
    """What has the rule of a layer, whatever else it does."""

    dense: Dense

    def tap(self, inputs):
        return self.dense.tap(inputs)

    def recorded(self, tap, inputs):
        return self.dense.recorded(tap, inputs)

    def gradients(self, record, slope):
        return type(self)(self.dense.gradients(record, slope))


class Louder(Of):
    """A layer with an input that has no place, and none named key."""

    def __call__(self, inputs, *, by=1.0):
        return by * self.dense(inputs)


class Dropping(Of):
    """A layer that does something with a key."""

    def __call__(self, inputs, *, key=None):
        said = self.dense(inputs)
        return said if key is None else said * random.bernoulli(key, 0.5, said.shape)


class Doubling(Of):
    """A layer that asks whether there is a key."""

    def __call__(self, inputs, *, key=None):
        return (1.0 if key is None else 2.0) * self.dense(inputs)


class Random(Of):
    """A layer that needs a key."""

    def __call__(self, inputs, *, key=None):
        if key is None:
            raise ValueError("a key is needed")
        said = self.dense(inputs)
        return said * random.uniform(key, said.shape)


class Looking(Of):
    """A layer with an input that is named as keys are."""

    def __call__(self, query, key):
        return query * self.dense(key)


NAMED = {
    "by": lambda dense: (Louder(dense), lambda layer, table: layer(table, by=3.0)),
    "a key": lambda dense: (Dropping(dense), lambda layer, table: layer(table, key=KEY)),
    "any key": lambda dense: (Doubling(dense), lambda layer, table: layer(table, key=KEY)),
    "a key it needs": lambda dense: (Random(dense), lambda layer, table: layer(table, key=KEY)),
    "an input": lambda dense: (Looking(dense), lambda layer, table: layer(table, key=table)),
}


@pytest.mark.parametrize("case", NAMED)
def test_what_is_given_by_a_name_only_is_not_left_out(case):
    """A rule does not know it, so gradients are formed."""
    model = Using(*NAMED[case](Dense(3, 3, KEY)))
    with pytest.warns(SlowGradientWarning, match="in a way that its rule does not know"):
        naive.assert_clipped_sum_is_right(model, INPUTS, MASK)


class Learnt(eqx.Module):
    """A row that depends on nothing."""

    row: Any

    def __call__(self, *, key=None):
        return self.row

    def tap(self):
        return self.row.shape

    def recorded(self, tap):
        return self.row + tap, ()

    def gradients(self, record, slope):
        return Learnt(Instances(slope))


def test_a_layer_without_inputs_is_formed_for_every_example():
    """Nothing says how often it is called."""
    model = Using(Learnt(jnp.ones(3)), lambda layer, table: layer() * table)
    with pytest.warns(SlowGradientWarning, match="in a way that its rule does not know"):
        naive.assert_clipped_sum_is_right(model, INPUTS, MASK)


def test_finds_every_call_with_the_shape_of_its_tap():
    """Axes of scans and maps stand before the layer's own; None stands where no tap reaches."""
    layer = Dense(3, 5, KEY)

    def program(table):
        one = jax.vmap(lambda rows: called(0, layer, layer, (rows,), set()))(table)
        two = lax.map(lambda rows: called(1, layer, layer, (rows,), set()), table)
        three = lax.cond(
            one[0, 0, 0] > 0, lambda: called(2, layer, layer, (table,), set()), lambda: two
        )
        return one + two + three

    calls = list(found(jax.make_jaxpr(program)(INPUTS[0]).jaxpr))

    assert [(0, (4, 2, 5)), (1, (4, 2, 5)), (2, None)] == calls


def test_a_loss_that_calls_another_layer_the_second_time_is_refused():
    """A tap of the one would be added to the other."""
    times = []

    def loss(model, example):
        times.append(None)
        return naive.cross_entropy(lambda row: model[len(times) > 1](row), example)

    models = [Dense(3, 3, KEY), Dense(3, 3, KEY)]
    batch = (INPUTS[:, 0, 0], jnp.arange(len(MASK)) % 3)
    with (
        pytest.warns(SlowGradientWarning, match="never called"),
        pytest.raises(RuntimeError, match="must do the same each time"),
    ):
        naive.fast_clipped_sum(loss, models, batch, MASK, Flat(1.0))


def test_a_layer_whose_arrays_were_replaced_has_no_gradient():
    """Shapes alone were read of it, so nothing that it answers depends on its arrays."""

    def loss(model, example):
        return naive.cross_entropy(jax.tree.map(jnp.ones_like, model), example)

    batch = (INPUTS[:, 0, 0], jnp.arange(len(MASK)) % 3)
    with pytest.warns(SlowGradientWarning, match="replaced or handed over"):
        sums = naive.fast_clipped_sum(loss, Dense(3, 3, KEY), batch, MASK, Flat(1.0))

    assert all(jnp.all(leaf == 0) for leaf in jax.tree.leaves(sums))
