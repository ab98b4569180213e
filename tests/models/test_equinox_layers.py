"""Of Equinox's own layers the clipped sum equals the one formed example by example, and no gradient
is formed for every one of them."""

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
from tacit.models.bookkeeping import SlowGradientWarning
from tacit.models.equinox_layers import rule_of

KEY = random.key(0)
MASK = jnp.array([True, True, False, True, True, True])


def data(*shape):
    return random.normal(KEY, (len(MASK), *shape))


def conv(channels, filters, size, **others):
    return eqx.nn.Conv2d(channels, filters, size, key=KEY, **others)


def linear(inputs, outputs, **others):
    return eqx.nn.Linear(inputs, outputs, key=KEY, **others)


class Positions(eqx.Module):
    """A layer of every position, as Equinox's documents call it."""

    layer: eqx.Module

    def __call__(self, rows):
        return jnp.tanh(jax.vmap(self.layer)(rows)).mean(axis=0)


class Attending(eqx.Module):
    """Attention from a sequence to itself, causal or not."""

    attention: eqx.nn.MultiheadAttention
    last: eqx.nn.Linear
    causal: bool = eqx.field(static=True)

    def __call__(self, rows):
        mask = jnp.tril(jnp.ones((len(rows), len(rows)), bool)) if self.causal else None
        return self.last(jnp.sin(self.attention(rows, rows, rows, mask=mask)).mean(axis=0))


class Looking(eqx.Module):
    """Attention from the first rows of some columns to all of others, under a mask of each head."""

    attention: eqx.nn.MultiheadAttention

    def __call__(self, rows):
        query, keys, values = rows[:3, :4], rows[:, :5], rows[:, 3:]
        mask = jnp.stack([jnp.tri(3, len(rows), 1), jnp.ones((3, len(rows)))]) > 0
        key = random.key(3) if self.attention.dropout.p else None
        found = self.attention(query, keys, values, mask=mask, key=key)
        return jnp.sin(found).sum(axis=0)


def looking(**others):
    """Of sizes that all differ, with every bias."""
    sizes = {"key_size": 5, "value_size": 3, "output_size": 7, "qk_size": 2, "vo_size": 6}
    biases = {f"use_{name}_bias": True for name in ("query", "key", "value", "output")}
    return Looking(eqx.nn.MultiheadAttention(2, 4, key=KEY, **sizes, **biases, **others))


def attending(causal, **others):
    layer = eqx.nn.MultiheadAttention(2, 6, key=KEY, **others)
    return Attending(layer, linear(6, 3), causal)


CASES = {
    "linear": lambda: (Chain([linear(7, 5), jnp.tanh, linear(5, 3)]), data(7)),
    "no bias": lambda: (Chain([linear(7, 5, use_bias=False), jnp.sin, linear(5, 3)]), data(7)),
    "numbers": lambda: (Chain([linear("scalar", 3)]), data()),
    "to a number": lambda: (
        Chain([linear(4, "scalar"), lambda x: x * jnp.arange(3.0)]),
        data(4),
    ),
    "multi-layer perceptron": lambda: (eqx.nn.MLP(6, 3, 8, 2, key=KEY), data(6)),
    "layer norm": lambda: (Chain([linear(7, 5), eqx.nn.LayerNorm(5), jnp.sin]), data(7)),
    "layer norm of a picture": lambda: (
        Chain([eqx.nn.LayerNorm((3, 4)), jnp.sin, flat, linear(12, 3)]),
        data(3, 4),
    ),
    "layer norm, no shift": lambda: (
        Chain([eqx.nn.LayerNorm(5, use_bias=False), jnp.sin]),
        data(5),
    ),
    "convolution": lambda: (
        Chain([conv(2, 3, 3), jnp.tanh, flat, linear(3 * 3 * 4, 3)]),
        data(2, 5, 6),
    ),
    "oblong, in steps, between zeros": lambda: (
        Chain([conv(1, 4, (3, 2), stride=(2, 1), padding=(1, 2)), jnp.tanh, flat]),
        data(1, 7, 5),
    ),
    "convolution without a bias": lambda: (
        Chain([conv(2, 3, 2, use_bias=False), jnp.tanh, conv(3, 2, 2), flat]),
        data(2, 4, 4),
    ),
    "convolution padded to the same size": lambda: (
        Chain([conv(2, 3, (3, 5), padding="SAME"), jnp.tanh, flat, linear(3 * 4 * 6, 3)]),
        data(2, 4, 6),
    ),
    "convolution where the kernel fits": lambda: (
        Chain([conv(2, 3, (2, 3), padding="VALID", stride=2), jnp.tanh, flat]),
        data(2, 5, 6),
    ),
    "convolution of lines of the same length": lambda: (
        Chain([eqx.nn.Conv1d(2, 3, 5, padding="SAME_LOWER", key=KEY), jnp.tanh, flat]),
        data(2, 7),
    ),
    "convolution of lines": lambda: (
        Chain([eqx.nn.Conv1d(2, 3, 3, 2, 1, key=KEY), jnp.tanh, flat, linear(3 * 4, 3)]),
        data(2, 7),
    ),
    "convolution of lines at every position": lambda: (
        Chain([Positions(eqx.nn.Conv1d(2, 3, 3, use_bias=False, key=KEY)), flat]),
        data(3, 2, 7),
    ),
    "convolution at every position": lambda: (
        Chain([Positions(conv(2, 3, 3, padding=1)), flat, linear(3 * 4 * 5, 3)]),
        data(3, 2, 4, 5),
    ),
    "wide at few positions": lambda: (Positions(linear(9, 7)), data(3, 9)),
    "narrow at many": lambda: (Positions(linear(3, 4)), data(20, 3)),
    "every entry of a table": lambda: (Positions(Positions(linear(3, 4))), data(4, 2, 3)),
    "numbers at every position": lambda: (Positions(linear("scalar", 3)), data(5)),
    "perceptron at every position": lambda: (
        Positions(eqx.nn.MLP(4, 3, 6, 1, key=KEY)),
        data(5, 4),
    ),
    "layer norm at every position": lambda: (
        Chain([Positions(Chain([eqx.nn.LayerNorm(5), jnp.sin])), linear(5, 3)]),
        data(4, 5),
    ),
    "root mean square": lambda: (Chain([linear(7, 5), eqx.nn.RMSNorm(5), jnp.sin]), data(7)),
    "root mean square at every position, no shift": lambda: (
        Positions(eqx.nn.RMSNorm(5, use_bias=False)),
        data(4, 5),
    ),
    "group norm": lambda: (
        Chain([eqx.nn.GroupNorm(2, 4), jnp.sin, flat, linear(24, 3)]),
        data(4, 2, 3),
    ),
    "group norm at every position": lambda: (
        Chain([Positions(eqx.nn.GroupNorm(2, 4)), jnp.sin, flat, linear(12, 3)]),
        data(5, 4, 3),
    ),
    "attention": lambda: (attending(False), data(5, 6)),
    "causal attention with biases": lambda: (
        attending(True, use_query_bias=True, use_output_bias=True),
        data(4, 6),
    ),
    "attention of other sizes, masked": lambda: (looking(), data(4, 6)),
    "attention that drops": lambda: (looking(dropout_p=0.3), data(4, 6)),
    "attention at every position": lambda: (
        Positions(Attending(eqx.nn.MultiheadAttention(2, 4, key=KEY), linear(4, 3), False)),
        data(3, 5, 4),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_one_example_at_a_time(name):
    """With half of the gradients shortened and one example masked; without a warning."""
    model, inputs = CASES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowGradientWarning)
        naive.assert_clipped_sum_is_right(model, inputs, MASK)


@pytest.mark.parametrize(
    "name", ["convolution", "attention", "attention that drops", "group norm at every position"]
)
def test_compiled_equals_not_compiled(name):
    """The compiler changes no sum."""
    model, inputs = CASES[name]()
    naive.assert_compiled_equals_not_compiled(model, inputs, MASK)


@pytest.mark.parametrize(
    "name",
    [
        "multi-layer perceptron",
        "convolution",
        "layer norm",
        "attention of other sizes, masked",
        "narrow at many",
    ],
)
def test_a_persons_sum_is_clipped_as_a_whole(name):
    """Equals adding each person's gradients first, with one person of one masked example."""
    model, inputs = CASES[name]()
    naive.assert_a_persons_sum_is_clipped(model, inputs, MASK, jnp.array([0, 1, 3, 1, 0, 1]))


def of_zeros(made):
    """The layer with its parameters at zero: nothing is compiled to draw them."""
    arrays, rest = eqx.partition(
        eqx.filter_eval_shape(made), lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct)
    )
    zeros = jax.tree.map(lambda leaf: jnp.asarray(np.zeros(leaf.shape, leaf.dtype)), arrays)
    return eqx.combine(zeros, rest)


OTHERS = {
    "groups": lambda: conv(2, 4, 3, groups=2),
    "dilation": lambda: conv(2, 4, 3, dilation=2),
    "the same size in steps": lambda: conv(2, 4, 3, padding="SAME", stride=(1, 2)),
    "an even kernel, lower": lambda: conv(2, 4, (3, 2), padding="SAME_LOWER"),
    "uneven zeros": lambda: conv(2, 4, 3, padding=((1, 0), (0, 1))),
    "reflected": lambda: conv(2, 4, 3, padding=1, padding_mode="REFLECT"),
    "groups of lines": lambda: eqx.nn.Conv1d(2, 4, 3, groups=2, key=KEY),
    "three axes": lambda: eqx.nn.Conv3d(2, 4, 3, key=KEY),
    "somebody's layer": lambda: type("Mine", (eqx.nn.Linear,), {})(3, 2, key=KEY),
    "somebody's cell": lambda: type("Mine", (eqx.nn.LSTMCell,), {})(3, 2, key=KEY),
    "a number": lambda: 3.0,
    "none": lambda: None,
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_have_no_rule(name):
    """They are formed one by one, and a warning says so."""
    assert rule_of(of_zeros(OTHERS[name])) is None


def test_so_made_a_layer_has_its_rule():
    """What is at zero is as good as any."""
    assert rule_of(of_zeros(lambda: conv(2, 4, 3))) is not None


def test_a_convolution_of_other_settings_is_still_right():
    """Formed one by one."""
    model = Chain([conv(2, 4, 3, groups=2, dilation=2), jnp.tanh, flat])
    with pytest.warns(SlowGradientWarning, match="not in a layer with a rule"):
        naive.assert_clipped_sum_is_right(model, data(2, 6, 7), MASK)


@pytest.mark.parametrize("name", ["wide at few positions", "attention of other sizes, masked"])
def test_nothing_goes_beyond_the_bound(name):
    """Of weights and inputs of any size, saturated attention and gradients that cancel."""
    model, inputs = CASES[name]()
    run, one = eqx.filter_jit(naive.fast_clipped_sum), jnp.arange(len(MASK)) == 0
    arrays, rest = eqx.partition(model, eqx.is_array)
    for trial in range(40):
        keys = random.split(random.key(trial), 2)
        sizes = jnp.exp(random.uniform(keys[0], (2,), minval=-8.0, maxval=8.0))
        grown = jax.tree.map(lambda leaf, s=sizes[0]: leaf * s, arrays)
        rows = sizes[1] * random.normal(keys[1], inputs.shape)
        rows = rows.at[:, -1].set(-rows[:, 0]) if trial % 2 else rows
        batch = rows, jnp.arange(len(MASK)) % 3
        sums = run(naive.cross_entropy, eqx.combine(grown, rest), batch, one, Flat(0.01))
        leaves = [np.asarray(leaf, float) for leaf in jax.tree.leaves(sums)]
        assert naive.norm(leaves) <= 0.01 * (1 + 1e-5)


@pytest.mark.parametrize(
    "made, tap",
    [(lambda: eqx.nn.LayerNorm(3), (3,)), (lambda: eqx.nn.GroupNorm(1, 3), (3, 1))],
    ids=["one", "group"],
)
def test_a_state_passes_through(made, tap):
    """As Equinox's own batch norms are called."""
    norm = made()
    (output, state), _ = rule_of(norm).recorded(jnp.zeros(tap), jnp.arange(3.0), "state")

    assert state == "state"
    np.testing.assert_allclose(output, norm(jnp.arange(3.0)), rtol=1e-6, atol=1e-6)
