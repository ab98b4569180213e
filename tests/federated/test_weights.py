"""Weighted people: a weighted mean by hand, and terms that stay in their ball."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tacit
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.federated.weights import WeightedTraining, filled

PEOPLE, DIM, BOUND, MEAN = 9, 3, 2.0, 0.5
RNG = np.random.default_rng(0)
ROWS = (RNG.normal(size=(PEOPLE, DIM)) * np.linspace(0.2, 4, PEOPLE)[:, None]).astype(np.float32)
WEIGHTS = RNG.uniform(0, 1, PEOPLE).astype(np.float32)
KEPT = ROWS * np.minimum(1, BOUND / np.linalg.norm(ROWS, axis=1))[:, None]


def towards(model, person):
    """A linear loss, whose gradient is the person's row."""
    return jnp.sum(model * person[0])


def weighted(bound=BOUND, mean=MEAN, weight=lambda person: person[1]) -> WeightedTraining:
    training = Training(jnp.zeros(DIM), towards, GradientSteps(1, 1.0), optax.sgd(1.0))
    return WeightedTraining(training, weight, bound, mean)


def asked(learner, weights) -> np.ndarray:
    state, people = learner.init(), (ROWS, jnp.asarray(weights, jnp.float32))
    return np.asarray(jax.vmap(lambda person: learner.ask(state, person))(people))


def test_a_run_moves_by_the_weighted_mean_of_clipped_updates(tmp_path):
    """Without noise: the sum of weights times shortened rows, over people and declared mean."""
    learner = weighted()
    plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 1, PEOPLE))
    people = tacit.Arrays((ROWS, WEIGHTS), "nine")
    state = people.grant(plan, learner, tacit.Ledger(tmp_path / "ledger.db"), seed=1).run().state
    step = WEIGHTS @ KEPT / PEOPLE / MEAN

    np.testing.assert_allclose(-step, state.parameters, atol=1e-5)
    truly = WEIGHTS @ KEPT / WEIGHTS.sum()
    np.testing.assert_allclose(WEIGHTS.mean() / MEAN * truly, step, rtol=1e-5)


def test_the_question_is_of_a_ball_that_every_term_is_in():
    """Weights of any size, updates of any length: and somebody reaches the bound."""
    learner = weighted()
    (radius,) = {learner.question(tacit.Everyone(), 1, PEOPLE).contribution.radius}
    lengths = np.linalg.norm(asked(learner, np.linspace(-1, 50, PEOPLE)), axis=1)

    assert radius == BOUND / MEAN
    np.testing.assert_array_less(lengths, radius * (1 + 1e-5))
    np.testing.assert_allclose(radius, lengths.max(), rtol=1e-5)


@pytest.mark.parametrize("weight, counts", [(math.nan, 0), (-3.0, 0), (0.25, 0.25), (7.0, 1)])
def test_weights_are_brought_between_nothing_and_one(weight, counts):
    """Nobody counts twice, and nobody against."""
    expected = counts / MEAN * KEPT

    np.testing.assert_allclose(expected, asked(weighted(), np.full(PEOPLE, weight)), rtol=1e-5)


def test_a_light_persons_long_update_is_shortened_before_it_is_weighed():
    """Else a weight of a half would let an update of twice the bound through whole."""
    terms = asked(weighted(), np.full(PEOPLE, 0.5))

    np.testing.assert_allclose(0.5 * KEPT / MEAN, terms, rtol=1e-5)


def test_an_update_that_is_not_finite_counts_nothing():
    """Whatever its weight."""
    learner, row = weighted(), jnp.array([1.0, math.nan, 0.0])

    np.testing.assert_array_equal(np.zeros(DIM), learner.ask(learner.init(), (row, jnp.ones(()))))


def test_filled_places_are_a_share_of_all():
    """Three of four records, and none."""
    marks = jnp.array([True, False, True, True])

    assert 0.75 == filled((jnp.zeros((4, 2)), marks)) and 0 == filled(
        (jnp.zeros(4), ~marks & marks)
    )


@pytest.mark.parametrize(
    "numbers, words",
    [
        ({"bound": 0.0}, "bound must be positive and finite"),
        ({"bound": math.nan}, "bound must be positive and finite"),
        ({"mean": 0.0}, "mean must be above 0 and at most 1, got 0.0"),
        ({"mean": 1.5}, "mean must be above 0 and at most 1, got 1.5"),
        ({"mean": math.nan}, "mean must be above 0 and at most 1, got nan"),
    ],
)
def test_refuses_numbers_outside_their_range(numbers, words):
    """The sentence names what is allowed."""
    with pytest.raises(ValueError, match=words):
        weighted(**numbers)
