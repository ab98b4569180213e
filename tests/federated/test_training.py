"""Training: plain descent by hand, the average of iterates, one program for all rates."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.flatten_util import ravel_pytree

import tacit
from measured import everyone
from tacit.federated.training import Training
from tacit.learning.progress import joined
from tacit.learning.rates import Cosine
from tacit.models.losses import cross_entropy
from tacit.models.networks import Softmax
from tacit.population.loop import Keys, Parts, run_round
from tacit.population.staged import Staged

PEOPLE, INPUTS, CLASSES = 12, 3, 4
DESCENT = optax.sgd(1.0)
KEYS = Keys(*map(jax.random.key, range(3)))
IMAGES = np.random.default_rng(0).uniform(0, 1, (PEOPLE, 2, INPUTS)).astype(np.float32)
LABELS = np.random.default_rng(1).integers(0, CLASSES, (PEOPLE, 2)).astype(np.int32)
PRESENT = np.random.default_rng(2).random((PEOPLE, 2)) < 0.8
DATA = jax.tree.map(jnp.asarray, (IMAGES, LABELS, PRESENT))


def loss(model, person):
    return cross_entropy(model(person[0]), person[1], person[2])


def learner(rate=0.5, average_from=0, update=tacit.federated.GradientSteps(1, 0.1)) -> Training:
    return Training(Softmax(INPUTS, CLASSES), loss, update, DESCENT, average_from, rate)


def test_the_question_is_of_the_models_parameters_in_the_bound_that_is_told():
    """The one that is built by hand; without a bound, or with none that is one, it is refused."""
    training, asked = learner(), (tacit.Poisson(0.5), 7, PEOPLE)
    own = training.question(*asked, bound=0.3)

    assert own == tacit.Mean(tacit.Ball(training.dim, 0.3), *asked)
    with pytest.raises(TypeError, match="bound"):
        training.question(*asked)  # pyright: ignore[reportCallIssue]
    with pytest.raises(ValueError, match="radius must be"):
        training.question(*asked, bound=0.0)


def play(training: Training, rounds: int, data=DATA) -> list:
    """The states after each round of exact means of everybody's update."""
    question = training.question(tacit.Everyone(), rounds, PEOPLE, bound=1e3)
    parts = Parts.of(tacit.NonPrivate().plan(question))
    states, state = [], training.init()
    for _ in range(rounds):
        state, _, _ = run_round(training, parts, state, None, data, everyone(PEOPLE), KEYS)
        states.append(state)
    return states


def descended(rate: float, rounds: int) -> list[np.ndarray]:
    """Softmax regression by plain gradient descent, in NumPy: weights, then biases."""
    weight, bias = np.zeros((INPUTS, CLASSES)), np.zeros(CLASSES)
    path = []
    for _ in range(rounds):
        slope_weight, slope_bias = np.zeros_like(weight), np.zeros_like(bias)
        for images, labels, present in zip(IMAGES, LABELS, PRESENT, strict=True):
            scores = np.exp(images @ weight + bias)
            excess = scores / scores.sum(axis=1, keepdims=True) - np.eye(CLASSES)[labels]
            excess *= present[:, None] / max(1, present.sum())
            slope_weight += images.T @ excess / PEOPLE
            slope_bias += excess.sum(axis=0) / PEOPLE
        weight, bias = weight - rate * slope_weight, bias - rate * slope_bias
        path.append(np.concatenate([weight.ravel(), bias]))
    return path


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_without_privacy_it_is_plain_gradient_descent(rate):
    """Everybody, one step, no noise: the parameters are those of descent written out by hand."""
    states = play(learner(rate), 6)

    for expected, state in zip(descended(rate, 6), states, strict=True):
        np.testing.assert_allclose(expected, state.parameters, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("average_from", [0, 1, 4, 5])
def test_what_is_released_is_the_mean_of_the_iterates_from_average_from(average_from):
    """Rounds count from zero; the round named is the first that is averaged."""
    training = learner(average_from=average_from)
    states = play(training, 6)
    mean = np.mean([state.parameters for state in states[average_from:]], axis=0)
    released, _ = ravel_pytree(eqx.filter(training.released(states[-1]), eqx.is_array))

    np.testing.assert_allclose(mean, states[-1].average, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(states[-1].average, released)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_device_whose_gradient_is_no_number_moves_nothing(bad):
    """It counts as one that holds no record: the others' sum is what it would be."""
    images, labels, present = DATA
    spoilt = images.at[3].set(bad), labels, present.at[3].set(True)
    nothing = images, labels, present.at[3].set(False)

    for with_bad, without in zip(
        play(learner(), 3, spoilt), play(learner(), 3, nothing), strict=True
    ):
        np.testing.assert_array_equal(with_bad.parameters, without.parameters)
    assert np.all(np.isfinite(with_bad.parameters))


def test_before_the_average_starts_it_is_the_last_iterate():
    """A run that ends before `average_from` still releases a trained model."""
    for state in play(learner(average_from=9), 3):
        np.testing.assert_array_equal(state.parameters, state.average)


def test_a_rate_multiplies_the_optimisers_steps():
    """Twice the rate, twice the first step; the optimiser is the same object."""
    once, twice = (play(learner(rate), 1)[0].parameters for rate in (0.5, 1.0))

    np.testing.assert_allclose(2 * once, twice, rtol=1e-6)


def test_trying_rates_compiles_once():
    """The rate is traced: five rates, one program."""
    play(learner(0.1), 1)
    before = run_round._cached._cache_size()
    for rate in (0.2, 0.3, 0.4, 0.5):
        play(learner(rate), 1)

    assert before == run_round._cached._cache_size()


@pytest.mark.parametrize(
    "update",
    [tacit.federated.GradientSteps(3, 0.2), tacit.federated.ProximalPoint(3, 0.2)],
    ids=["steps", "prox"],
)
def test_a_compiled_round_is_the_uncompiled_one(update):
    """The same update and the same state, with and without a compiler."""
    training = learner(update=update)
    state = play(training, 2)[-1]
    person = jax.tree.map(lambda leaf: leaf[3], DATA)
    term = eqx.filter_jit(training.ask)(state, person)
    after = eqx.filter_jit(training.tell)(state, term)
    with jax.disable_jit():
        by_hand = training.ask(state, person)
        told = training.tell(state, term)

    np.testing.assert_allclose(by_hand, term, rtol=1e-4, atol=1e-6)
    for expected, actual in zip(jax.tree.leaves(told), jax.tree.leaves(after), strict=True):
        np.testing.assert_allclose(expected, actual, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "tree",
    [
        {"b": jnp.arange(3.0), "a": jnp.full((2, 2), 7.0), "c": jnp.float32(4.0)},
        (jnp.ones((1, 2, 3)), [jnp.zeros(0), jnp.arange(2.0)]),
        Softmax(2, 3),
    ],
)
def test_joined_leaves_are_those_of_ravel_pytree(tree):
    """The order in which parameters are taken apart again."""
    expected, _ = ravel_pytree(eqx.filter(tree, eqx.is_array))

    np.testing.assert_array_equal(expected, joined(tree, expected.size))


def test_parameters_are_the_models_arrays_and_go_back_into_it():
    """The first state holds the model as it was handed in; `at` puts a vector in its place."""
    model = eqx.tree_at(lambda m: m.output.weight, Softmax(INPUTS, CLASSES, 0.5), jnp.ones((3, 4)))
    training = Training(model, loss, tacit.federated.GradientSteps(1, 0.1), DESCENT)
    state = training.init()
    there = training.at(jnp.arange(16.0))

    assert 16 == training.dim == state.parameters.size
    np.testing.assert_array_equal([1.0] * 12 + [0.0] * 4, state.parameters)
    np.testing.assert_array_equal(np.arange(12.0).reshape(3, 4), there.output.weight)
    np.testing.assert_array_equal(np.arange(12.0, 16.0), there.output.bias)
    assert 0.5 == there.centre


def test_an_optimiser_with_memory_keeps_it_between_rounds():
    """Momentum: the second step of a constant answer is longer by the momentum's share."""
    training = Training(
        Softmax(1, 2),
        loss,
        tacit.federated.GradientSteps(1, 0.1),
        optax.sgd(1.0, momentum=0.5),
        rate=0.1,
    )
    first = training.tell(training.init(), jnp.ones(4))
    second = training.tell(first, jnp.ones(4))

    np.testing.assert_allclose(np.full(4, -0.1), first.parameters, rtol=1e-6)
    np.testing.assert_allclose(np.full(4, -0.25), second.parameters, rtol=1e-6)


BY_NAME = {
    "FedAvgM": (optax.sgd, {"momentum": 0.9}, {"momentum": 0.5}),
    "FedAdagrad": (optax.adagrad, {"eps": 1e-3}, {"eps": 1e-2}),
    "FedAdam": (optax.adam, {"eps": 1e-3}, {"b1": 0.8, "b2": 0.99}),
    "FedYogi": (optax.yogi, {"eps": 1e-3}, {"b1": 0.8, "b2": 0.99}),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_optimisers_with_other_numbers_are_one_program(name):
    """Numbers that Optax keeps in the state, and a schedule of the rate: nothing compiles anew."""
    make, *numbers = BY_NAME[name]

    def program(rate, own) -> str:
        server = optax.inject_hyperparams(make)(learning_rate=1.0, **own)
        update = tacit.federated.GradientSteps(1, 0.1)
        training = Training(Softmax(INPUTS, CLASSES), loss, update, server, rate=rate)
        question = training.question(tacit.Everyone(), 4, PEOPLE, bound=1.0)
        plan = tacit.Central(1.0, 1e-5).plan(question)
        return Staged.of(plan, training, DATA, None).rounds.digest

    assert 1 == len({program(Cosine(0.1, 5.0), numbers[0]), program(Cosine(0.7, 9.0), numbers[1])})


def yogi(answers, rate, b1, b2, eps) -> np.ndarray:
    """Reddi et al. 2021, Algorithm 2 with Yogi's second moment, both moments unbiased."""
    here, first, second = np.zeros(4), np.full(4, 1e-6), np.full(4, 1e-6)
    for t, answer in enumerate(answers, 1):
        first = b1 * first + (1 - b1) * answer
        second -= (1 - b2) * np.sign(second - answer**2) * answer**2
        here -= rate * (first / (1 - b1**t)) / (np.sqrt(second / (1 - b2**t)) + eps)
    return here


def test_a_yogi_server_is_the_algorithm_by_hand():
    """What is told is a gradient to it, whatever made it private."""
    server = optax.yogi(0.1, 0.9, 0.99, 1e-3)
    training = Training(Softmax(1, 2), loss, tacit.federated.GradientSteps(1, 0.1), server)
    answers = np.random.default_rng(3).normal(size=(5, 4)).astype(np.float32)
    state = training.init()
    for answer in answers:
        state = training.tell(state, jnp.asarray(answer))

    np.testing.assert_allclose(yogi(answers, 0.1, 0.9, 0.99, 1e-3), state.parameters, rtol=2e-3)


DIM, STREAM = 400, 12


def added_up(question, folder) -> np.ndarray:
    """The parameters after plain steps of length one along noise alone."""
    training = Training(
        jnp.zeros(DIM),
        lambda model, person: jnp.sum(model) * person,
        tacit.federated.GradientSteps(1, 1.0),
        DESCENT,
    )
    plan = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE).plan(question)
    ledger = tacit.Ledger(folder / "ledger.db")
    ledger.limit_for("nobody", plan)
    people = tacit.Arrays(np.zeros(48, np.float32), "nobody")
    state = people.grant(plan, training, ledger, seed=2).run().state
    return np.asarray(state.parameters, np.float64), plan


def test_correlated_noise_cancels_in_what_was_learnt(tmp_path):
    """People in a fixed order, in two passes: descent adds answers up, and ends with the stated
    noise, within 5 standard errors of 400 squares; fresh noise leaves more than twice as much."""
    sums = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Cyclic(2), STREAM, 48)
    (tmp_path / "fresh").mkdir()
    found, plan = added_up(tacit.Running(sums, bands=6), tmp_path)
    fresh, _ = added_up(sums, tmp_path / "fresh")
    stated = plan.server.running_error / plan.sums.cohort**2
    slack = 5 * math.sqrt(2 / DIM)

    assert abs(found @ found / stated - 1) < slack
    assert fresh @ fresh > 2 * found @ found


def test_a_person_without_records_sends_nothing():
    """An empty batch has no gradient, whatever images lie in its places."""
    training = learner()
    person = (jnp.full((2, INPUTS), 7.0), jnp.zeros(2, jnp.int32), jnp.zeros(2, bool))
    sent = eqx.filter_jit(training.ask)(training.init(), person)

    np.testing.assert_array_equal(np.zeros(training.dim), sent)
