"""Coordinate descent: the paper's algorithm without noise, and what a round's noise costs."""

import dataclasses
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from measured import everyone
from summed import summed
from tacit.learning.coordinate_descent import (
    CoordinateDescent,
    Coordinates,
    CyclicOrder,
    RandomOrder,
)
from tacit.population.loop import Keys, Parts, run_round
from tacit.solve.losses import Hinge, Huber, Logistic, Multinomial, Squared
from tacit.solve.regularisers import L1, L2, Elastic

PEOPLE = 3000
BOUNDS = (1.0, 10.0, 0.1)
LEARNER = CoordinateDescent(Logistic(), BOUNDS, period=6)


def classes(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features of very different size, all of them of use."""
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (PEOPLE, 3)) * BOUNDS
    chance = 1 / (1 + np.exp(-features @ [2.0, -0.2, 10.0]))
    return features, np.where(rng.random(PEOPLE) < chance, 1.0, -1.0)


FEATURES, SIGNS = classes()


def asked(trust, rounds: int) -> tacit.Plan:
    return trust.plan(LEARNER.question(tacit.Everyone(), rounds, PEOPLE))


def play(plan: tacit.Plan, learner=LEARNER, seed: int = 0) -> Coordinates:
    data = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), (FEATURES, SIGNS))
    parts, state, carry = Parts.of(plan), learner.init(), plan.server.init()
    for key in jax.random.split(quick_keys.key(seed), plan.sums.rounds):
        keys = Keys(*jax.random.split(key), key)
        state, carry, _ = run_round(learner, parts, state, carry, data, everyone(PEOPLE), keys)
    return state


def objective(weights) -> float:
    return Logistic().value(FEATURES @ weights, SIGNS).mean()


def derivative(weights, chosen: int) -> float:
    return np.mean(Logistic().slope(FEATURES @ weights, SIGNS) * FEATURES[:, chosen])


def descended(learner, rounds: int) -> np.ndarray:
    """The paper's algorithm: steps 1/M_j, a proximal point, the average of each pass."""
    start, here, pass_ = np.zeros(3), np.zeros(3), []
    for t in range(rounds):
        chosen = int(learner.order.coordinate(jnp.asarray(t), 3))
        step = 4 / BOUNDS[chosen] ** 2
        value = here[chosen] - step * derivative(here, chosen)
        if learner.penalty:
            value = learner.penalty.proximal(value, step)
        here = np.where(np.arange(3) == chosen, value, here)
        pass_.append(here)
        if len(pass_) == learner.period:
            start = here = np.mean(pass_, axis=0)
            pass_ = []
    return np.mean(pass_, axis=0) if pass_ else start


@pytest.mark.parametrize(
    "order, penalty, rounds",
    [
        (CyclicOrder(), None, 12),
        (CyclicOrder(), L1(0.05), 6),
        (RandomOrder(3), Elastic(0.1, 0.02), 9),
    ],
)
def test_without_noise_it_is_the_papers_algorithm(order, penalty, rounds):
    """In each order, with each kind of penalty, and in the middle of a pass."""
    learner = dataclasses.replace(LEARNER, order=order, penalty=penalty)
    state = play(asked(tacit.NonPrivate(), rounds), learner)

    expected = descended(learner, rounds)
    np.testing.assert_allclose(learner.coefficients(state), expected, rtol=1e-3, atol=1e-5)


def test_its_steps_fit_each_coordinate():
    """45 rounds of one number each come nearer to the minimum than 45 full gradients do.

    Gradient descent has to step as the steepest coordinate needs, 4/sum of b_j².
    """
    learner = dataclasses.replace(LEARNER, period=15)
    best, descent = np.zeros(3), np.zeros(3)
    for t in range(600):
        best[t % 3] -= 4 / BOUNDS[t % 3] ** 2 * derivative(best, t % 3)
    for _ in range(45):
        gradient = np.array([derivative(descent, chosen) for chosen in range(3)])
        descent -= 4 / np.sum(np.square(BOUNDS)) * gradient
    found = np.asarray(play(asked(tacit.NonPrivate(), 45), learner).average)

    assert objective(best) <= objective(found) < objective(best) + 0.01
    assert objective(descent) > objective(best) + 0.05


def test_a_rounds_noise_costs_as_much_as_stated():
    """Never more than S² noise²/2C beyond the descent, whatever the coordinate."""
    rng = np.random.default_rng(0)
    for t in range(12):
        weights, noise, chosen = rng.normal(size=3) / BOUNDS, rng.normal(), t % 3
        slope = derivative(weights, chosen)
        state = Coordinates(jnp.asarray(weights), jnp.zeros(3), jnp.asarray(t))
        answer = jnp.asarray(slope / BOUNDS[chosen] + noise)
        longest = dataclasses.replace(LEARNER, period=100)
        after = np.asarray(longest.tell(state, answer).weights, np.float64)

        stated = -(slope**2) * 2 / BOUNDS[chosen] ** 2 + noise**2 * 2
        assert objective(after) <= objective(weights) + stated + 1e-5


def test_each_order_visits_the_coordinates():
    """Cyclic in turn; drawn ones from a public seed, each about as often."""
    rounds = jnp.arange(300)
    orders = CyclicOrder(), RandomOrder(0)
    turns = [jax.vmap(lambda t, o=o: o.coordinate(t, 3))(rounds) for o in orders]

    np.testing.assert_array_equal(turns[0], np.arange(300) % 3)
    # A binomial of 300 and 1/3 is in this range but with chance 1e-4.
    assert all(68 < count < 132 for count in np.bincount(turns[1]))
    np.testing.assert_array_equal(turns[1][:5], [orders[1].coordinate(t, 3) for t in range(5)])


ODD = [[3e38, -3e38, 3e38], [1e15, 0, 0], [np.inf, 0, 1], [np.nan, 1, 1], [1, 10, 0.1], [1e-30] * 3]


@pytest.mark.parametrize("label", [1.0, -1.0, 7.0, np.nan, np.inf])
@pytest.mark.parametrize("features", ODD)
def test_no_person_has_a_term_beyond_the_interval(features, label):
    """The clip is idle: the term is in [-1, 1] in each coordinate's turn; else it is zero."""
    person = jnp.asarray(features, jnp.float32), jnp.asarray(label, jnp.float32)
    for rounds in range(3):
        for weights in (np.zeros(3), np.array([-1e3, 5, 1]), np.full(3, np.inf)):
            state = Coordinates(jnp.asarray(weights), jnp.zeros(3), jnp.asarray(rounds))
            term = float(LEARNER.ask(state, person))
            assert abs(term) <= 1 + 1e-6
            if not (np.isfinite(features).all() and abs(label) == 1):
                assert term == 0


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_the_fast_sum_is_the_sum_of_the_terms(share):
    """In the question's interval and a smaller one, with NaN and people who are absent."""
    features, labels = (jnp.asarray(leaf[:40], jnp.float32) for leaf in (3 * FEATURES, SIGNS))
    features = features.at[3, 0].set(jnp.nan).at[8].set(jnp.nan)
    present, bound = jnp.arange(40) % 5 != 3, tacit.Interval(-share, share)
    state = Coordinates(jnp.array([0.5, -1.0, 0.2]), jnp.zeros(3), jnp.asarray(1))
    fast = eqx.filter_jit(summed)(LEARNER, state, (features, labels), present, bound)

    terms = jax.vmap(lambda person: LEARNER.ask(state, person))((features, labels))
    expected = jnp.sum(jnp.where(present, bound.project(terms), 0))
    np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-5)
    assert abs(expected) > 0.1


def test_with_noise_it_is_near_the_minimum_and_more_noise_is_felt():
    """The excess is below a tenth of what zero weights have; a tenth of epsilon costs more."""
    learner = dataclasses.replace(LEARNER, period=12)
    exact = objective(np.asarray(play(asked(tacit.NonPrivate(), 24), learner).average))
    excess = {}
    for epsilon in (5.0, 0.2):
        plan = asked(tacit.Central(epsilon, 1e-6), 24)
        found = [objective(np.asarray(play(plan, learner, seed).average)) for seed in range(3)]
        excess[epsilon] = np.mean(np.abs(np.array(found) - exact))

    assert 0 < excess[5.0] < 0.1 * (objective(np.zeros(3)) - exact)
    assert 5 * excess[5.0] < excess[0.2]


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"bounds": ()}, "one positive and finite number a feature"),
        ({"bounds": (1.0, math.nan)}, r"one positive and finite number a feature, got \(1.0, nan"),
        ({"bounds": 1.0}, "bounds must be a tuple of one positive .*, got 1.0"),
        ({"bounds": ("x",)}, r"bounds must be a tuple of one positive .*, got \('x'\)"),
        ({"period": 0}, "period must be a whole number of at least 1, got 0"),
        ({"loss": Huber}, r"a loss must be one of .*, got Huber without parentheses"),
        ({"loss": Multinomial(3)}, "a loss of one score is needed, got Multinomial"),
        ({"loss": Squared()}, "the Squared loss has no Lipschitz constant.*Huber has one"),
        ({"loss": Hinge()}, "the Hinge loss has no smoothness.*HuberisedHinge has one"),
    ],
)
def test_what_is_out_of_range_is_refused(changed, message):
    """With the values that are allowed, and by the loss's name; others are fine."""
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(LEARNER, **changed)
    assert dataclasses.replace(LEARNER, loss=Huber(2.0), penalty=L2(1.0)).loss.width == 2
