"""Descent: the fast sum is the sum of the terms, and a plan's noise is what the bound says."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import example_by_example as naive
import quick_keys
import small
import tacit
from summed import summed
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.learning import progress
from tacit.learning.adaptive import AdaptiveDescent
from tacit.learning.clipping import Automatic, Flat, PerLayer
from tacit.learning.descent import Descent
from tacit.learning.holdings import Several
from tacit.models.bookkeeping import SlowGradientWarning
from tacit.models.layers import Dense
from tacit.population.loop import Parts
from tacit.population.summing import KEPT_FOR_ROUNDING, MOST_IN_A_SUM, summing

KEY = quick_keys.key(0)
PEOPLE, INPUTS, CLASSES = 12, 5, 3
FEATURES = 2 * jax.random.normal(KEY, (PEOPLE, INPUTS))
LABELS = jnp.arange(PEOPLE) % CLASSES
DATA = (FEATURES, LABELS)
SOME = jnp.arange(PEOPLE) % 4 != 1


class Network(eqx.Module):
    first: Dense
    second: Dense

    def __init__(self):
        self.first, self.second = Dense(INPUTS, 4, KEY), Dense(4, CLASSES, KEY)

    def __call__(self, inputs):
        return self.second(jnp.tanh(self.first(inputs)))


RULES = [Flat(0.5), PerLayer((0.3, 0.4)), Automatic(0.5)]


def descent(clip=RULES[0], **options) -> Descent:
    return Descent(Network(), naive.cross_entropy, clip, optax.sgd(1.0), **options)


def one_by_one(learner, people, present, bound) -> np.ndarray:
    """The terms of those present, brought into the bound and added up."""
    state = learner.init()
    terms = jax.jit(jax.vmap(lambda person: learner.ask(state, person)))(people)
    return np.asarray(jnp.sum(jnp.where(present[:, None], bound.project(terms), 0), axis=0))


@pytest.mark.parametrize("clip", RULES, ids=lambda rule: type(rule).__name__)
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_fast_sum_is_the_sum_of_the_terms(clip, share):
    """Under each rule, for a ball as large as the rule's and for a smaller one; also with NaN."""
    learner = descent(clip)
    bound = tacit.Ball(learner.dim, share * clip.sensitivity)
    people = (FEATURES.at[2, 0].set(jnp.nan), LABELS)
    fast = eqx.filter_jit(summed)(learner, learner.init(), people, SOME, bound)

    expected = one_by_one(learner, people, SOME, bound)
    np.testing.assert_allclose(fast, expected, rtol=0, atol=2e-5 * np.abs(expected).max())
    assert np.abs(expected).max() > 0


def test_sums_by_person_are_those_of_the_terms():
    """Whoever is there, and whatever they hold."""
    learner = descent(holding=Several())
    examples = jax.tree.map(lambda leaf: leaf.reshape(4, 3, *leaf.shape[1:]), DATA)
    people = (examples, SOME.reshape(4, 3).at[3].set(False))
    present = jnp.array([True, False, True, True])
    bound = tacit.Ball(learner.dim, 0.5)
    fast = eqx.filter_jit(summed)(learner, learner.init(), people, present, bound)

    expected = one_by_one(learner, people, present, bound)
    np.testing.assert_allclose(fast, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


def test_a_person_counts_as_one_whatever_they_hold():
    """Twenty copies of an example are still one bound."""
    learner = descent(holding=Several())
    bound = tacit.Ball(learner.dim, 0.5)
    copies = jax.tree.map(lambda leaf: jnp.repeat(leaf[:1], 20, axis=0)[None], DATA)
    twenty = copies, jnp.ones((1, 20), bool)
    alone = eqx.filter_jit(summed)(learner, learner.init(), twenty, SOME[:1], bound)
    assert np.linalg.norm(alone) <= 0.5 * (1 + 1e-6)


def released(learner, trust, participation, rounds, folder, data=DATA, **options):
    plan = trust.plan(learner.question(participation, rounds, PEOPLE))
    book = small.ledger(folder) if plan.private else tacit.Ledger(folder / "free.db")
    grant = tacit.Arrays(data, "thirty").grant(plan, learner, book, seed=1, **options)
    return grant, grant.run().state


def test_without_privacy_it_is_plain_descent(tmp_path):
    """Gradients shorter than the bound, everybody, no noise: descent written out by hand."""
    learner = descent(Flat(1e3), rate=0.5)
    grant, state = released(learner, tacit.NonPrivate(), tacit.Everyone(), 3, tmp_path)
    model = Network()
    mean = eqx.filter_jit(
        eqx.filter_grad(lambda m: jnp.mean(jax.vmap(lambda e: naive.cross_entropy(m, e))(DATA)))
    )
    for _ in range(3):
        model = eqx.apply_updates(model, jax.tree.map(lambda g: -0.5 * g, mean(model)))

    assert grant.staged.cohorts.at_once == MOST_IN_A_SUM
    wanted = np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(model)])
    np.testing.assert_allclose(state.parameters, wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 5, 12])
def test_chunks_change_nothing(tmp_path, chunk):
    """The same cohorts, bounds and noise, however many people are summed at once."""
    learner = descent()
    trust, cohorts = tacit.Central(1.0, 1e-5), tacit.Poisson(0.5)
    _, whole = released(learner, trust, cohorts, 2, tmp_path)
    (tmp_path / "again").mkdir()
    _, parts = released(learner, trust, cohorts, 2, tmp_path / "again", at_once=chunk)

    # The noise dwarfs what is compared here: it has to be the same noise.
    assert np.abs(whole.parameters).max() > 1
    np.testing.assert_allclose(whole.parameters, parts.parameters, rtol=1e-5, atol=1e-5)


def test_terms_stay_below_the_bound_by_what_rounding_may_add():
    """The allowance covers a sum of so many products, off in two chunks of two data sets."""
    learner = descent()
    plan = tacit.Central(1.0, 1e-5).plan(learner.question(tacit.Everyone(), 1, PEOPLE))
    (radius,) = Parts.of(plan).radii
    terms, unit = MOST_IN_A_SUM, 2.0**-24
    rounding = 4 * (terms + 2) * unit / (1 - (terms + 2) * unit) * terms

    assert summing(plan, learner) is learner
    assert radius == pytest.approx(0.5 * (1 - KEPT_FOR_ROUNDING), rel=1e-4)
    assert rounding <= 0.6 * KEPT_FOR_ROUNDING


def test_devices_that_randomise_get_terms_one_by_one(tmp_path):
    """No chunk's sum can be randomised by its people."""
    learner = descent()
    question = learner.question(tacit.Once(), 2, PEOPLE)

    assert summing(tacit.Local(8.0).plan(question), learner) is None
    with pytest.raises(ValueError, match="at_once must be a whole number from 1 to 64"):
        plan = tacit.NonPrivate().plan(question)
        tacit.Arrays(DATA, "thirty").grant(plan, learner, tmp_path / "ledger.db", at_once=65)


def test_a_model_of_other_layers_is_slow_and_says_so():
    """The sum is the same, and a warning names what is formed for every example."""

    class Plain(eqx.Module):
        weight: jax.Array

        def __call__(self, inputs):
            return inputs @ self.weight

    model = Plain(jnp.ones((INPUTS, CLASSES)))
    learner = Descent(model, naive.cross_entropy, Flat(0.5), optax.sgd(1.0))
    bound = tacit.Ball(learner.dim, 0.5)
    with pytest.warns(SlowGradientWarning, match="weight"):
        fast = summed(learner, learner.init(), DATA, SOME, bound)

    np.testing.assert_allclose(fast, one_by_one(learner, DATA, SOME, bound), atol=1e-5)


def test_a_grant_warns_of_slow_gradients_once(tmp_path):
    """However often it traces its learner; the next one warns again."""
    plain = {"weight": jnp.zeros(INPUTS)}

    def loss(model, example):
        return jnp.sum((example[0] @ model["weight"] - example[1]) ** 2)

    learner = Descent(plain, loss, Flat(1.0), optax.sgd(1.0))
    plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 2, PEOPLE))
    people = tacit.Arrays((FEATURES, jnp.zeros(PEOPLE)), "twelve")
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            people.grant(plan, learner, tmp_path / "ledger.db").run()
        assert [each.category for each in caught] == [SlowGradientWarning]
        assert caught[0].filename == __file__


@pytest.mark.parametrize("held", [True, False], ids=["state", "elsewhere"])
def test_optimisers_that_differ_in_their_numbers_only_are_one_program(tmp_path, held):
    """Where these are state (`optax.inject_hyperparams`), and the rate; not elsewhere."""

    def program(optimizer, rate=1.0) -> str:
        learner = Descent(Dense(2, 1, KEY), naive.cross_entropy, Flat(1.0), optimizer, rate=rate)
        plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 2, PEOPLE))
        data = FEATURES[:, :2], jnp.zeros(PEOPLE, int)
        people = tacit.Arrays(data, "twelve")
        return people.grant(plan, learner, tmp_path / "ledger.db").staged.rounds.digest

    adam = optax.inject_hyperparams(optax.adam) if held else optax.adam
    rate = 0.5 if held else 1.0
    assert (program(adam(0.1, b1=0.8)) == program(adam(0.3, b1=0.9), rate)) is held


@pytest.mark.parametrize(
    "optimizer, said",
    [
        (None, "got None"),
        ("sgd", "got 'sgd'"),
        (optax.sgd, r"got sgd without parentheses: write sgd\(learning_rate\)"),
    ],
)
def test_refuses_what_is_no_optimiser(optimizer, said):
    """Every learner of a model, as it is made."""
    sentence = rf"optimizer must be one of Optax, such as optax.sgd\(1.0\), {said}"
    for made in (
        lambda: Descent(Network(), naive.cross_entropy, RULES[0], optimizer),
        lambda: AdaptiveDescent(Network(), naive.cross_entropy, optimizer),
    ):
        with pytest.raises(ValueError, match=sentence):
            made()


@pytest.mark.parametrize("first", ["x", None, -1, 2.5])
def test_refuses_a_first_round_of_the_average_that_is_none(first):
    """Of every learner of a model; a number of rounds from zero is one."""
    for made in (
        lambda: Descent(Network(), naive.cross_entropy, RULES[0], optax.sgd(1.0), first),
        lambda: AdaptiveDescent(Network(), naive.cross_entropy, optax.sgd(1.0), average_from=first),
    ):
        with pytest.raises(ValueError, match="average_from must be a whole number of at least 0"):
            made()


def test_refuses_a_number_in_the_place_of_a_bound_that_follows():
    """It does not say what to follow."""
    with pytest.raises(ValueError, match=r"clip must be a QuantileBound, .*, got 0.1"):
        AdaptiveDescent(Network(), naive.cross_entropy, optax.sgd(1.0), 0.1)


def test_refuses_a_bound_in_the_place_of_a_rule():
    """It does not say how gradients are cut to it."""
    with pytest.raises(ValueError, match=r"clip must be a rule .*, such as Flat\(1.0\), got 0.5"):
        descent(0.5)


class Whole(eqx.Module):
    """Its only array is of whole numbers."""

    weight: jax.Array

    def __call__(self, inputs):
        return inputs @ self.weight


def test_refuses_a_model_without_parameters():
    """Whole numbers do not move; the sentence says so, and names the model."""
    model = Whole(jnp.ones((INPUTS, CLASSES), jnp.int32))
    with pytest.raises(ValueError, match=r"an array of real numbers.*, got Whole without"):
        Descent(model, naive.cross_entropy, RULES[0], optax.sgd(1.0))
    with pytest.raises(ValueError, match=r"an array of real numbers.*, got Whole without"):
        Training(model, naive.cross_entropy, GradientSteps(1, 0.1), optax.sgd(1.0))


@pytest.mark.parametrize("numbers", [3, 5])
def test_parts_fill_the_vector_exactly(numbers):
    """Else one would be written over another, or leave a hole."""
    with pytest.raises(ValueError, match=f"4 parameters has as many numbers, got {numbers}"):
        progress.joined([jnp.ones(2), jnp.ones(numbers - 2)], 4)


def test_parts_are_joined_in_single_precision_or_better():
    """Also if some are halves."""
    found = progress.joined([jnp.ones(2, jnp.bfloat16), jnp.full((1, 2), 1 / 3)], 4)

    assert found.dtype == jnp.float32
    np.testing.assert_array_equal(found, np.float32([1, 1, 1 / 3, 1 / 3]))
