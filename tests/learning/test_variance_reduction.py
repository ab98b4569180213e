"""Variance reduction: Prox-SVRG without noise, and noise that shrinks with the steps."""

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
from tacit.learning.variance_reduction import Anchored, VarianceReduction
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.solve.losses import Hinge, Logistic, Multinomial, Squared
from tacit.solve.regularisers import L2, Elastic

PEOPLE, BOUND, RADIUS = 3000, 2.0, 1.5
LEARNER = VarianceReduction(3, Logistic(), BOUND, RADIUS, 4, 0.5)


def classes(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (PEOPLE, 3))
    chance = 1 / (1 + np.exp(-features @ [3.0, -2.0, 1.0]))
    return features, np.where(rng.random(PEOPLE) < chance, 1.0, -1.0)


FEATURES, SIGNS = classes()
DATA = (jnp.asarray(FEATURES, jnp.float32), jnp.asarray(SIGNS, jnp.float32))


def play(plan: tacit.Plan, learner=LEARNER, cohorts=None, seed: int = 0) -> list[Anchored]:
    """The states after each round, of everybody or the given cohorts."""
    parts, state, carry, states = Parts.of(plan), learner.init(), plan.server.init(), []
    for t, key in enumerate(jax.random.split(quick_keys.key(seed), plan.sums.rounds)):
        cohort = everyone(PEOPLE) if cohorts is None else cohorts[t]
        keys = Keys(*jax.random.split(key), key)
        state, carry, _ = run_round(learner, parts, state, carry, DATA, cohort, keys)
        states.append(state)
    return states


def slope_sum(weights, rows) -> np.ndarray:
    features = FEATURES[rows]
    return features.T @ Logistic().slope(features @ weights, SIGNS[rows])


def reduced(learner, cohorts, expected: float) -> list[np.ndarray]:
    """Prox-SVRG as in the paper, of these cohorts: the average of each period so far."""
    anchor = here = np.zeros(3)
    slope, period, averages = np.zeros(3), [], []
    for rows in cohorts:
        if not period:
            slope = direction = slope_sum(anchor, rows) / expected
        else:
            direction = slope + (slope_sum(here, rows) - slope_sum(anchor, rows)) / expected
        here = here - float(learner.rate) * direction
        if learner.penalty:
            here = learner.penalty.proximal(here, float(learner.rate))
        here = here * min(1, learner.radius / np.linalg.norm(here))
        period.append(here)
        averages.append(np.mean(period, axis=0))
        if len(period) == learner.period:
            anchor = here = averages[-1]
            period = []
    return averages


@pytest.mark.parametrize("penalty", [None, L2(0.1), Elastic(0.05, 0.05)])
def test_without_noise_it_is_prox_svrg(penalty):
    """On drawn cohorts, with each kind of penalty, inside the ball and on its surface."""
    learner = dataclasses.replace(LEARNER, penalty=penalty, rate=2.0)
    rng, rounds, rate = np.random.default_rng(0), 10, 0.1
    rows = [np.flatnonzero(rng.random(PEOPLE) < rate)[:200] for _ in range(rounds)]
    rows = [np.resize(own, 200) for own in rows]
    cohorts = [
        Cohort(jnp.asarray(own)[None], jnp.ones((1, 200), bool), jnp.asarray(1)) for own in rows
    ]
    question = learner.question(tacit.Poisson(rate), rounds, PEOPLE)
    states = play(tacit.NonPrivate().plan(question), learner, cohorts)

    for expected, state in zip(reduced(learner, rows, rate * PEOPLE), states, strict=True):
        np.testing.assert_allclose(learner.coefficients(state), expected, rtol=2e-3, atol=2e-4)


def test_a_period_of_one_is_projected_gradient_descent():
    """Every round is an anchor's."""
    learner = dataclasses.replace(LEARNER, period=1)
    plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 3, PEOPLE))
    here = np.zeros(3)
    for state in play(plan, learner):
        here = here - 0.5 * slope_sum(here, slice(None)) / PEOPLE
        np.testing.assert_allclose(state.weights, here, rtol=1e-3)


def at(weights, anchor, rounds: int = 1) -> Anchored:
    """A state between anchors, or at one."""
    weights, anchor = jnp.asarray(weights, jnp.float32), jnp.asarray(anchor, jnp.float32)
    return Anchored(weights, anchor, jnp.ones(3), jnp.zeros(3), jnp.asarray(rounds))


NEAR, FAR, LOST = [0.01, 0, 0], [100.0, 0, 0], [math.inf] * 3


@pytest.mark.parametrize(
    "weights, scale", [(NEAR, 0.005), (FAR, 2.0), ([1e-9, 0, 0], 2.0**-10), ([0, 0, 0], 2.0**-10)]
)
def test_the_answers_noise_shrinks_with_the_distance_from_the_anchor(weights, scale):
    """By min(2, C R |w - v|/S), at least 2^-10; the anchor's own round has all of it."""
    learner = dataclasses.replace(LEARNER, radius=1e6)
    noise = jnp.array([0.3, -0.2, 0.1])
    for state, factor in ((at(weights, [0, 0, 0]), scale), (at(weights, weights, 4), 1.0)):
        moved = [learner.tell(state, answer).weights for answer in (jnp.zeros(3), noise)]
        np.testing.assert_allclose(moved[0] - moved[1], 0.5 * factor * noise, rtol=1e-2, atol=1e-5)


def test_the_steepest_person_has_a_term_of_the_whole_ball():
    """The public factor is no larger than it has to be: some difference is as long as the bound."""
    person = jnp.array([BOUND, 0, 0]), jnp.asarray(1.0)
    term = LEARNER.ask(at(NEAR, [0, 0, 0]), person)

    assert float(jnp.linalg.norm(term)) == pytest.approx(BOUND, rel=1e-3)


ODD = [[3e38, -3e38, 3e38], [2, 0, 0], [np.inf, 0, 1], [np.nan, 1, 1], [1, 1, 1], [1e-30, 0, 0]]


@pytest.mark.parametrize("label", [1.0, -1.0, 7.0, np.nan, np.inf])
@pytest.mark.parametrize("features", ODD)
def test_no_person_has_a_term_beyond_the_ball(features, label):
    """The clip is idle at an anchor, near and far from it; else the term is zero."""
    person = jnp.asarray(features, jnp.float32), jnp.asarray(label, jnp.float32)
    pairs = (NEAR, [0, 0, 0]), (FAR, [-100, 0, 0]), (NEAR, NEAR), (LOST, NEAR)
    for state in (at(NEAR, NEAR, 0), *(at(*pair) for pair in pairs)):
        term = np.asarray(LEARNER.ask(state, person), np.float64)
        assert np.linalg.norm(term) <= BOUND * (1 + 1e-3)
        if not (np.isfinite(features).all() and abs(label) == 1):
            assert not term.any()


@pytest.mark.parametrize("share", [1.0, 0.2])
@pytest.mark.parametrize("loss", [Logistic(), Multinomial(3)])
def test_the_fast_sum_is_the_sum_of_the_terms(loss, share):
    """At an anchor and after it, of one score and of several, with NaN and people absent."""
    learner = dataclasses.replace(LEARNER, loss=loss)
    features, labels = 3 * DATA[0][:40], DATA[1][:40]
    features = features.at[3, 0].set(jnp.nan).at[8].set(jnp.nan)
    present, size = jnp.arange(40) % 5 != 3, learner.size
    bound, some = tacit.Ball(size, BOUND * share), jax.random.normal(quick_keys.key(0), (2, size))
    compiled = eqx.filter_jit(summed)
    for rounds in (0, 1):
        state = Anchored(some[0], some[rounds], *jnp.zeros((2, size)), jnp.asarray(rounds))
        fast = compiled(learner, state, (features, labels), present, bound)
        terms = jax.vmap(lambda person, s=state: learner.ask(s, person))((features, labels))
        expected = jnp.sum(jnp.where(present[:, None], bound.project(terms), 0), axis=0)
        np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-4)
        assert jnp.abs(expected).max() > 0.3


def test_several_scores_have_a_column_of_weights_each():
    """Features first; the question's ball is the loss's."""
    learner = dataclasses.replace(LEARNER, loss=Multinomial(4))
    shape = learner.question(tacit.Everyone(), 1, 9).contribution

    assert (3, 4) == learner.coefficients(learner.init()).shape
    assert (12, pytest.approx(math.sqrt(2) * BOUND)) == (shape.dim, shape.radius)


def test_with_noise_it_is_near_the_exact_one_and_more_noise_is_felt():
    """Within 0.1 of the weights without noise; a tenth of epsilon costs more."""
    question = LEARNER.question(tacit.Everyone(), 16, PEOPLE)
    exact = play(tacit.NonPrivate().plan(question))[-1].average
    away = {}
    for epsilon in (5.0, 0.2):
        plan = tacit.Central(epsilon, 1e-6).plan(question)
        found = [play(plan, seed=seed)[-1].average - exact for seed in range(3)]
        away[epsilon] = math.sqrt(np.mean([float(jnp.sum(d**2)) for d in found]))

    assert 0 < away[5.0] < 0.1 and 5 * away[5.0] < away[0.2]


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"features": 0}, "features must be a whole number of at least 1, got 0"),
        ({"period": 0}, "period must be a whole number of at least 1, got 0"),
        ({"period": 2.5}, "period must be a whole number of at least 1, got 2.5"),
        ({"rate": "fast"}, "rate must be positive and finite, got 'fast'"),
        ({"loss": None}, "a loss must be one of .*, got None"),
        ({"bound": math.nan}, "bound must be positive and finite, got nan"),
        ({"radius": 0.0}, "radius must be positive and finite, got 0.0"),
        ({"rate": -1.0}, "rate must be positive and finite, got -1.0"),
        ({"loss": Squared()}, "the Squared loss has no Lipschitz constant.*Huber has one"),
        ({"loss": Hinge()}, "the Hinge loss has no smoothness.*HuberisedHinge has one"),
    ],
)
def test_what_is_out_of_range_is_refused(changed, message):
    """With the values that are allowed, and by the loss's name."""
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(LEARNER, **changed)
