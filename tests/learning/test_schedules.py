"""Steps and averages are the theorems', and noise of the stated size leads descent no further."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import quick_keys
from tacit.learning.averaging import averaged, projected
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.learning.schedules import Convex, Smooth, StronglyConvex, answer_norm, enough_rounds
from tacit.models.layers import Dense

DIM, RUNS, ROUNDS = 5, 2000, 50
TARGET = jnp.array([0.6, 0.0, -0.3, 0.0, 0.1])
CURVATURES = jnp.array([0.5, 1.0, 1.0, 2.0, 2.0])


def onto(vector):
    """The unit ball."""
    return optax.projections.projection_l2_ball(vector, 1.0)


def descent(optimizer, gradient, deviation):
    """Of many runs from zero: the optimiser's states and the last weights."""

    def step(carry, key):
        weights, state = carry
        answer = gradient(weights) + deviation * jax.random.normal(key, (DIM,))
        updates, state = optimizer.update(answer, state, weights)
        return (weights + updates, state), None

    def run(key):
        start = jnp.zeros(DIM)
        first = (start, optimizer.init(start))
        return jax.lax.scan(step, first, jax.random.split(key, ROUNDS))[0]

    weights, state = jax.jit(jax.vmap(run))(jax.random.split(quick_keys.key(0), RUNS))
    return state, weights


def steep(weights):
    """The gradient of the distance to the target: convex and 1-Lipschitz, but not smooth."""
    apart = weights - TARGET
    return apart / jnp.maximum(jnp.linalg.norm(apart), 1e-30)


def bent(weights):
    """The gradient of a quadratic whose curvatures are from 1/2 to 2."""
    return CURVATURES * (weights - TARGET)


def quadratic(weights) -> np.ndarray:
    return np.asarray(jnp.sum(CURVATURES * (weights - TARGET) ** 2, axis=-1) / 2)


def within(excess: np.ndarray, bound: float, slack: float) -> bool:
    """The mean is below the bound by five standard errors, and the bound at most `slack` times."""
    spread = 5 * excess.std() / math.sqrt(RUNS)
    return excess.mean() + spread <= bound <= slack * excess.mean()


@pytest.mark.parametrize("deviation", [0.0, 0.3, 2.0])
def test_convex_risks_end_within_the_theorem(deviation):
    """Distances from a point, which are as steep next to their minimum as anywhere."""
    theorem = Convex(1.0, answer_norm(1.0, DIM * deviation**2, 1e9), ROUNDS)
    state, _ = descent(theorem.optimizer(onto), steep, deviation)
    excess = np.linalg.norm(state.average - TARGET, axis=-1)

    assert within(excess, theorem.excess, 5.0)


@pytest.mark.parametrize("deviation", [1.0, 2.0])
def test_strongly_convex_risks_end_within_the_theorem(deviation):
    """With half of the curvature from a penalty in the steps, where noise does not touch it."""
    ridge = 0.25
    theorem = StronglyConvex(0.5, answer_norm(3.5, DIM * deviation**2, 1e9), ROUNDS)
    optimizer = theorem.optimizer(onto, ridge)
    state, _ = descent(optimizer, lambda w: bent(w) - ridge * w, deviation)

    assert within(quadratic(state.average), theorem.excess, 40.0)


def test_the_last_rounds_count_most_where_steps_shorten():
    """The plain average of the same run is further off: it remembers the first long steps."""
    theorem = StronglyConvex(0.5, 3.0, ROUNDS)
    plain = averaged(projected(optax.sgd(theorem.rate), onto), 0)
    weighted, _ = descent(theorem.optimizer(onto), bent, 0.0)
    unweighted, _ = descent(plain, bent, 0.0)

    assert quadratic(weighted.average).mean() < 0.5 * quadratic(unweighted.average).mean()


def test_smooth_risks_end_where_the_theorem_says():
    """With one curvature the bound is met: all of the excess is the last answer's noise."""
    theorem = Smooth(1.0, 1.0, 0.23)
    _, weights = descent(optax.sgd(theorem.rate), lambda w: w - TARGET, 0.4)
    excess = np.sum((np.asarray(weights) - TARGET) ** 2, axis=-1) / 2
    spread = 5 * excess.std() / math.sqrt(RUNS)

    assert abs(excess.mean() - theorem.excess(ROUNDS, DIM * 0.4**2)) < spread < 0.1 * excess.mean()


@pytest.mark.parametrize("deviation", [0.0, 0.1])
def test_smooth_risks_end_within_the_theorem(deviation):
    """With several curvatures, without noise and with."""
    theorem = Smooth(2.0, 0.5, float(quadratic(jnp.zeros(DIM))))
    _, weights = descent(optax.sgd(theorem.rate), bent, deviation)
    bound = theorem.excess(ROUNDS, DIM * deviation**2)

    assert quadratic(weights).mean() <= bound


def test_the_numbers_are_the_theorems():
    """Worked out by hand."""
    assert 5.0 == answer_norm(3.0, 7.0, 1.0)
    convex, strongly = Convex(2.0, 5.0, 100), StronglyConvex(0.5, 3.0, 35)
    assert (0.04, 1.0) == (convex.rate, convex.excess)
    assert [2.0, 4 / 3, 1.0] == pytest.approx([float(strongly.rate(t)) for t in (0, 1, 2)])
    assert 1.0 == strongly.excess
    assert Smooth(4.0, 1.0, 8.0).excess(2, 0.5) == 4.75


def test_rounds_are_enough_or_best():
    """More gain less than they may; one more or fewer than the best is no better."""
    error = 0.013
    rounds = enough_rounds(1.0, error)
    own = Convex(1.0, answer_norm(1.0, rounds * error, 1e9), rounds).excess
    smooth = Smooth(3.0, 0.5, 1.0)
    best = smooth.best_rounds(error)

    def spent(t):
        return math.exp(-t / 6) + t * error

    assert 77 == rounds and own <= math.sqrt(2 * error)
    assert best == min(range(1, 200), key=spent)
    assert 1 == smooth.best_rounds(100.0)


def test_a_learner_s_state_has_the_average():
    """Of Descent, as a vector that `at` makes a model of."""
    model = Dense(2, 1, quick_keys.key(0))
    optimizer = StronglyConvex(1.0, 1.0, 3).optimizer(onto)
    learner = Descent(model, lambda own, person: own(person)[0], Flat(1.0), optimizer)
    state, points = learner.init(), []
    for answer in ([0.1, 0.2, 0.3], [-0.1, 0.0, 0.4], [0.0, 0.1, 0.0]):
        points.append(state.parameters)
        state = learner.tell(state, jnp.array(answer))
    average = np.average(points, axis=0, weights=[1, 2, 3])

    np.testing.assert_allclose(state.optimizer.average, average, rtol=1e-5)
    np.testing.assert_allclose(learner.at(state.optimizer.average).weight[:, 0], average[:2])


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Convex(math.nan, 1.0, 1), "diameter must be positive and finite, got nan"),
        (lambda: Convex(1.0, 1.0, 0), "rounds must be positive"),
        (lambda: StronglyConvex(0.0, 1.0, 1), "modulus must be positive"),
        (lambda: StronglyConvex(1.0, math.inf, 1), "norm must be positive and finite, got inf"),
        (lambda: Smooth(1.0, 2.0, 1.0), "modulus must be at most the smoothness, 1.0, got 2.0"),
        (lambda: Smooth(1.0, 1.0, 1.0).best_rounds(0.0), "error must be positive"),
        (lambda: answer_norm(1.0, -1.0, 10.0), "error must be at least zero and finite, got -1"),
        (lambda: answer_norm(1.0, 1.0, math.nan), "cohort must be positive"),
    ],
)
def test_refuses(make, sentence):
    """What is out of range, by name."""
    with pytest.raises(ValueError, match=sentence):
        make()
