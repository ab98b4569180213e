"""What every example adds to the sum: at most the bound, and nothing where it is not finite."""

import math
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from tacit.learning.clipping import Automatic, Flat, PerLayer
from tacit.models.bookkeeping import SlowGradientWarning
from tacit.models.layers import Dense, Embedding
from tacit.models.per_example import Instances, OuterProducts

KEY = random.key(0)
SIZE = 8
INPUTS = jnp.asarray(3 * np.random.default_rng(0).normal(size=(SIZE, 6)), jnp.float32)
LABELS = jnp.asarray(np.arange(SIZE) % 3)
BATCH = (INPUTS, LABELS)
ALL = jnp.ones(SIZE, bool)
compiled = eqx.filter_jit(naive.fast_clipped_sum)


class Network(eqx.Module):
    """Two dense layers."""

    first: Dense
    second: Dense

    def __init__(self):
        self.first, self.second = Dense(6, 5, KEY), Dense(5, 3, KEY)

    def __call__(self, inputs):
        return self.second(jnp.tanh(self.first(inputs)))


@cache
def network() -> Network:
    """As it starts."""
    return Network()


def total(batch=BATCH, mask=ALL, clip=Flat(0.5)):
    """The sum as one vector."""
    tree = compiled(naive.cross_entropy, network(), batch, mask, clip)
    return np.concatenate([np.asarray(leaf).reshape(-1) for leaf in jax.tree.leaves(tree)])


def only(index):
    return jnp.arange(SIZE) == index


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e30])
def test_an_example_that_is_not_finite_adds_zero(bad):
    """NaN, infinity and a gradient whose square overflows; the others are not touched."""
    spoilt = (INPUTS.at[2, 1].set(bad), LABELS)
    if bad == 1e30:
        spoilt = (INPUTS.at[2].set(bad), LABELS)
    np.testing.assert_allclose(total(spoilt), total(mask=ALL.at[2].set(False)), atol=1e-6)


def test_a_masked_example_adds_exactly_zero_whatever_it_holds():
    """Bit by bit, for ordinary numbers and for NaN."""
    mask = ALL.at[2].set(False)
    expected = total(mask=mask)
    np.testing.assert_array_equal(total((INPUTS.at[2].set(7.0), LABELS), mask), expected)
    np.testing.assert_array_equal(total((INPUTS.at[2].set(math.nan), LABELS), mask), expected)
    np.testing.assert_array_equal(total(mask=~ALL), 0)


def test_the_order_of_examples_does_not_matter():
    """A permutation moves the sum by rounding alone."""
    order = random.permutation(KEY, SIZE)
    np.testing.assert_allclose(total((INPUTS[order], LABELS[order])), total(), atol=1e-5)


@pytest.mark.parametrize("clip", [Flat(0.5), PerLayer((0.3, 0.4)), Automatic(0.5)])
def test_no_example_adds_more_than_the_sensitivity(clip):
    """One at a time, among them a gradient far beyond the bound; a rule that leaves the bound out
    would be caught."""
    large = (INPUTS * jnp.array([1e3, *[1.0] * (SIZE - 1)])[:, None], LABELS)
    lengths = [np.linalg.norm(total(large, only(i), clip)) for i in range(SIZE)]
    assert max(lengths) <= clip.sensitivity * (1 + 1e-5)
    assert max(lengths) >= 0.6 * clip.sensitivity
    assert np.linalg.norm(total(large, only(0), Flat(1e9))) > 4 * clip.sensitivity


def test_per_layer_shortens_each_layer_to_its_own_bound():
    """Equals clipping each layer's part of every gradient alone, then adding."""
    alone = naive.gradients(naive.cross_entropy, network(), BATCH)
    first = naive.clipped_sum([gradient[:2] for gradient in alone], ALL, 0.3)
    second = naive.clipped_sum([gradient[2:] for gradient in alone], ALL, 0.2)
    actual = compiled(naive.cross_entropy, network(), BATCH, ALL, PerLayer((0.3, 0.2)))
    naive.assert_equal(actual, first + second)


def test_automatic_divides_by_the_norm_and_the_offset():
    """Equals its formula, example by example."""
    alone = naive.gradients(naive.cross_entropy, network(), BATCH)
    factors = [0.5 / (naive.norm(gradient) + 0.1) for gradient in alone]
    expected = [sum(f * g[leaf] for f, g in zip(factors, alone, strict=True)) for leaf in range(4)]
    actual = compiled(naive.cross_entropy, network(), BATCH, ALL, Automatic(0.5, 0.1))
    naive.assert_equal(actual, expected)


def test_one_bad_example_makes_its_person_zero_and_nobody_else():
    """The rest of that person's examples go with it; strangers' stay."""
    spoilt = (INPUTS.at[2, 1].set(math.nan), LABELS)
    person = jnp.array([0, 0, 1, 1, 2, 2, 3, 9])
    answer = eqx.filter_jit(naive.sum_by_person)(
        naive.cross_entropy, network(), spoilt, ALL, person, 4, Flat(0.5)
    )
    expected = eqx.filter_jit(naive.sum_by_person)(
        naive.cross_entropy, network(), BATCH, (person != 1) & (person != 9), person, 4, Flat(0.5)
    )
    for a, e in zip(jax.tree.leaves(answer), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, e, atol=1e-6)


def test_a_norm_is_never_too_small_where_inner_products_cancel():
    """Two positions whose products nearly cancel: the plain float32 sum falls short of the norm
    by a factor, the kept one does not."""
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((25, 1, 400)).astype(np.float32)
    slopes = generator.standard_normal((25, 1, 400)).astype(np.float32)
    nudged = inputs * np.float32(1 + 3e-7) + np.float32(1e-5) * generator.standard_normal(
        inputs.shape
    ).astype(np.float32)
    inputs, slopes = np.concatenate([inputs, nudged], 1), np.concatenate([slopes, -slopes], 1)
    true = (np.einsum("btd,btp->bdp", inputs.astype(float), slopes) ** 2).sum((1, 2))
    plain = np.einsum("btd,bsd->bts", inputs, inputs) * np.einsum("btd,bsd->bts", slopes, slopes)
    kept = OuterProducts(jnp.asarray(inputs), jnp.asarray(slopes), (400, 400))
    one_person = kept.by_person(jnp.arange(25), 25).squared_norms()
    assert np.min(plain.sum((1, 2)) / true) < 0.5
    assert np.min(kept.squared_norms() / true) >= 1
    assert np.min(one_person / true) >= 1


def test_factors_that_cancel_have_a_norm_to_be_shortened_by():
    """Otherwise their weight would be one, and the sum's rounding as large as they are: a negative
    sum of products must not use up what was added for rounding."""
    generator = np.random.default_rng(0)
    inputs, slopes = generator.standard_normal((2, 200, 1, 40)).astype(np.float32)
    kept = OuterProducts(
        np.concatenate([inputs] * 2, 1), np.concatenate([slopes, -slopes], 1), (40, 40)
    )
    lengths = 2 * np.linalg.norm(inputs, axis=2) * np.linalg.norm(slopes, axis=2)
    least = (40 + 40 + 2 * 2 + 4) * 2.0**-24 * lengths[:, 0] ** 2
    each = kept.squared_norms()
    pooled = kept.by_person(jnp.arange(200), 200).squared_norms()
    assert np.min(each / least) >= 1 - 1e-5
    assert np.min(pooled / least) >= 1 - 1e-5


def linear(model, example):
    """A loss whose slope at the model's output is the example's second half."""
    inputs, slopes = example
    return jnp.sum(model(inputs) * slopes)


def leaves_of(tree):
    return np.concatenate([np.asarray(leaf).reshape(-1) for leaf in jax.tree.leaves(tree)])


@pytest.mark.parametrize("size", [1e6, 1e15, 1e30])
@pytest.mark.parametrize("width", [1, 60])
def test_a_person_whose_records_cancel_takes_nothing_from_others(size, width):
    """Two huge records of opposite slopes add up to nothing; formed sums, and pooled factors."""
    people = 64
    person = jnp.arange(2 * people) // 2
    inputs, slopes = jnp.ones((2 * people, 6)), jnp.full((2 * people, width), 0.02)
    slopes = slopes.at[-2].set(size).at[-1].set(-size)
    model, by_person = Dense(6, width, KEY), eqx.filter_jit(naive.sum_by_person)
    answer, others = (
        leaves_of(by_person(linear, model, (inputs, slopes), mask, person, people, Flat(1.0)))
        for mask in (person >= 0, person != people - 1)
    )
    np.testing.assert_allclose(answer, others, atol=1e-3)
    assert np.linalg.norm(others) > 1


@pytest.mark.parametrize("clip", [Flat(1.0), Automatic(1.0)])
@pytest.mark.parametrize("positions", [1, 2])
def test_numbers_whose_squares_vanish_are_shortened_all_the_same(clip, positions):
    """Inputs and slopes of a product of about one, from one end of float32 to the other."""
    model = Dense(4, 10, KEY)
    worst = 0.0
    for power in range(-37, 38):
        inputs = jnp.zeros((1, positions, 4)).at[..., 0].set(1.8 * 10.0**power)
        slopes = jnp.full((1, positions, 10), 10.0**-power)
        answer = compiled(linear, model, (inputs, slopes), jnp.ones(1, bool), clip)
        worst = max(worst, np.linalg.norm(leaves_of(answer)))
    assert 0.5 < worst <= 1 + 1e-5


@pytest.mark.parametrize("dtype", [jnp.uint8, jnp.int32, jnp.float16, jnp.bfloat16])
def test_inputs_of_any_type_are_measured_in_float32(dtype):
    """Sixteen positions whose products wrap around in bytes, and two that nearly cancel."""
    large = jnp.zeros((1, 16, 28), dtype).at[..., 0].set(16)
    near = jnp.zeros((1, 2, 28), dtype).at[..., 0].set(100).at[0, 1, 1].set(1)
    for inputs, slopes in (
        (large, jnp.ones((1, 16, 64))),
        (near, jnp.array([1e4, -1e4])[None, :, None] * jnp.eye(1, 64)),
    ):
        answer = compiled(linear, Dense(28, 64, KEY), (inputs, slopes), ALL[:1], Flat(1.0))
        assert 0.5 < np.linalg.norm(leaves_of(answer)) <= 1 + 1e-5


def test_a_gradient_of_zeros_adds_zero_whatever_the_offset():
    """The smallest offset that is allowed is a number in float32."""
    answer = compiled(
        linear, Dense(6, 3, KEY), (INPUTS, jnp.zeros((SIZE, 3))), ALL, Automatic(1.0, 1e-12)
    )
    np.testing.assert_array_equal(leaves_of(answer), 0)


def test_refuses_complex_gradients():
    """Their squares may add up to nothing."""
    with pytest.raises(ValueError, match="real parameters and inputs, got complex64"):
        Instances(jnp.array([[1.0, 1.0j]]))


class Tied(eqx.Module):
    """A table that is both read by word and multiplied with at the end."""

    words: Embedding
    hidden: Dense

    def __call__(self, words):
        return jnp.mean(self.hidden(self.words(words)), axis=0) @ self.words.table.T


class Twice(eqx.Module):
    """One layer, used two times."""

    layer: Dense

    def __call__(self, inputs):
        return self.layer(jnp.tanh(self.layer(inputs)))


class Chosen(eqx.Module):
    """A layer in a branch, and an array outside every layer."""

    layer: Dense
    shift: jax.Array

    def __call__(self, inputs):
        here = jax.lax.cond(
            jnp.sum(inputs) > 0,
            lambda rows: self.layer(rows),
            lambda rows: rows @ jnp.ones((2, 3)),
            inputs,
        )
        return jnp.mean(here, axis=0) + self.shift


class Inherited(eqx.nn.Linear):
    """Whatever it calls, nobody has a rule for it."""


class Usual(eqx.Module):
    """A layer without a rule, and one that is never called."""

    linear: Inherited
    idle: Dense
    ours: Dense

    def __call__(self, inputs):
        return self.ours(jnp.tanh(self.linear(inputs)))


# Models by what their layers do; made when a test asks for them.
SLOW = {
    "tied": lambda: (
        Tied(Embedding(4, 3, KEY), Dense(3, 3, KEY)),
        random.randint(KEY, (SIZE, 5), 0, 4),
        [".words (its table is read outside its call)"],
    ),
    "twice": lambda: (Twice(Dense(6, 6, KEY)), INPUTS, [".layer (called more than once)"]),
    "in a branch": lambda: (
        Chosen(Dense(2, 3, KEY), jnp.ones(3)),
        INPUTS.reshape(SIZE, 3, 2),
        [
            ".layer (called inside another transformation)",
            ".shift (not in a layer with a rule)",
        ],
    ),
    "usual": lambda: (
        Usual(Inherited(6, 5, key=KEY), Dense(2, 2, KEY), Dense(5, 3, KEY)),
        INPUTS,
        [
            ".linear.weight (not in a layer with a rule)",
            ".linear.bias (not in a layer with a rule)",
            ".idle (never called)",
        ],
    ),
}


REMEDIES = {
    "its table is read outside its call)": "tie no weights",
    "not in a layer with a rule)": "the layers of tacit.models",
    "never called)": "leave out",
    "called more than once)": "call a layer once, on all positions",
    "called inside another transformation)": "outside of cond",
}


@pytest.mark.parametrize("case", SLOW)
def test_what_has_no_fast_gradient_is_named_and_still_right(case):
    """One warning says which and why; the sum equals the one formed example by example."""
    model, inputs, troubles = SLOW[case]()
    alone = naive.gradients(naive.cross_entropy, model, (inputs, LABELS))
    bound = naive.median_norm(alone)
    with pytest.warns(SlowGradientWarning) as caught:
        answer = compiled(naive.cross_entropy, model, (inputs, LABELS), ALL, Flat(bound))
    (warning,) = caught
    told, remedy = str(warning.message).split("; to spare it, ")
    assert told.endswith("formed for every example at " + ", ".join(troubles))
    assert all(REMEDIES[why.split("(")[1]] in remedy for why in troubles)
    naive.assert_equal(answer, naive.clipped_sum(alone, ALL, bound))


def of_all_leaves(model):
    return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(eqx.filter(model, eqx.is_array)))


def of_dense_layers(model):
    layers = (model.first, model.second)
    return sum(jnp.sum(layer.weight**2) for layer in layers if isinstance(layer, Dense))


def of_a_doubled_model(model):
    return jnp.sum(jax.tree.map(lambda leaf: 2 * leaf, model)(INPUTS[0]) ** 2)


PENALTIES = {
    of_all_leaves: "outside its call",
    of_dense_layers: "outside its call",
    of_a_doubled_model: "replaced or handed over",
}


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_penalty_on_the_models_own_arrays_is_not_lost(penalty):
    """It is formed for every example, with a warning, and the sum is that of the whole loss."""

    def loss(model, example):
        return naive.cross_entropy(model, example) + 0.1 * penalty(model)

    alone = naive.gradients(loss, network(), BATCH)
    bound = naive.median_norm(alone)
    with pytest.warns(SlowGradientWarning, match=PENALTIES[penalty]):
        answer = compiled(loss, network(), BATCH, ALL, Flat(bound))
    naive.assert_equal(answer, naive.clipped_sum(alone, ALL, bound))


def test_refuses_a_loss_that_reads_other_arrays_the_second_time():
    """A part of the gradient would be lost."""
    times = []

    def loss(model, example):
        times.append(None)
        return naive.cross_entropy(model, example) + (of_all_leaves(model) if times[1:] else 0)

    with pytest.raises(RuntimeError, match="must do the same each time"):
        naive.fast_clipped_sum(loss, network(), BATCH, ALL, Flat(1.0))


def test_memory_is_about_that_of_the_plain_gradient():
    """A million parameters, 64 examples: at most 1.3 times it; formed gradients take 64 times."""
    model = eqx.tree_at(
        lambda network: (network.first, network.second),
        network(),
        (Dense(1000, 1000, KEY), Dense(1000, 3, KEY)),
    )
    batch = (jnp.ones((64, 1000)), jnp.zeros(64, int))

    def plain(model, batch):
        def mean_loss(model):
            return jnp.mean(jax.vmap(naive.cross_entropy, (None, 0))(model, batch))

        return jax.grad(mean_loss)(model)

    def kept(model, batch):
        return naive.fast_clipped_sum(
            naive.cross_entropy, model, batch, jnp.ones(64, bool), Flat(1.0)
        )

    def formed(model, batch):
        each = jax.vmap(jax.grad(naive.cross_entropy), (None, 0))(model, batch)
        return jax.tree.map(lambda g: jnp.tensordot(jnp.sum(jnp.abs(g)), g, 0), each)

    def room(work):
        analysis = jax.jit(work).lower(model, batch).compile().memory_analysis()
        return analysis.temp_size_in_bytes + analysis.output_size_in_bytes

    assert room(kept) <= 1.3 * room(plain)
    assert room(formed) >= 30 * room(plain)


@pytest.mark.parametrize("bound", [0.0, -1.0, 1e-13, 1e13, math.nan, math.inf])
def test_refuses_a_bound_that_float32_could_not_keep(bound):
    """No rule takes it."""
    for rule in (Flat, Automatic, lambda b: PerLayer((1.0, b)), lambda b: Automatic(1.0, b)):
        with pytest.raises(ValueError, match="must be between 1e-12 and 1e\\+12"):
            rule(bound)


@pytest.mark.parametrize("bound", ["1", None, True, (1.0,)], ids=str)
def test_refuses_a_bound_that_is_no_number(bound):
    """In one sentence, for each rule."""
    for made in (Flat, Automatic, lambda bound: PerLayer((1.0, bound))):
        with pytest.raises(ValueError, match=r"bound or offset must be between .*, got "):
            made(bound)
    for bounds in (1.0, "11", None):
        with pytest.raises(ValueError, match="bounds must be a tuple, one for each layer, got "):
            PerLayer(bounds)


def test_refuses_a_wrong_number_of_bounds():
    """The sentence shows the number got."""
    with pytest.raises(ValueError, match="a model of 2 parts needs as many bounds, got 1"):
        total(clip=PerLayer((1.0,)))
