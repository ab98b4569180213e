"""A learner that draws whom it asks: everybody once, and steps that are descent's."""

import jax
import jax.numpy as jnp
import numpy as np

import quick_keys
from tacit.experiments.stream import OnePass
from tacit.learning.rates import Decay

ROUNDS, POINTS = 8, 4
WALK = OnePass(
    2,
    ROUNDS,
    POINTS,
    lambda key, numbers: jax.random.normal(key, (2,)) + numbers,
    lambda weights, person: weights - person,
    lambda weights, numbers: weights @ weights,
    jnp.array([1.0, 2.0]),
    quick_keys.key(5),
    Decay(0.5, 1.0, 1.0),
)


def walked(rounds: int):
    state = WALK.init()
    for _ in range(rounds):
        state = WALK.tell(state, WALK.ask(state, None))
    return state


def test_everybody_is_another_person():
    """The one of a round follows from its number."""
    people = np.stack([WALK.person(jnp.int32(t)) for t in range(ROUNDS)])

    assert len(np.unique(people)) == 2 * ROUNDS
    np.testing.assert_array_equal(people[3], WALK.person(jnp.int32(3)))


def test_steps_are_those_of_descent():
    """By hand: weights, and their average."""
    weights, all_weights = np.zeros(2), []
    for t in range(5):
        person = np.asarray(WALK.person(jnp.int32(t)))
        weights = weights - 0.5 / (1 + t) * (weights - person)
        all_weights.append(weights)
    state = walked(5)

    np.testing.assert_allclose(state.weights, weights, rtol=1e-5)
    np.testing.assert_allclose(state.average, np.mean(all_weights, axis=0), rtol=1e-5)


def test_what_is_noted_is_kept_at_even_distances():
    """After every second round of eight, of the last weights and of the average."""
    last, average = (np.asarray(part) for part in walked(ROUNDS).seen)
    halves = [walked(done) for done in (2, 4, 6, 8)]

    np.testing.assert_allclose(last, [s.weights @ s.weights for s in halves], rtol=1e-5)
    np.testing.assert_allclose(average, [s.average @ s.average for s in halves], rtol=1e-5)
