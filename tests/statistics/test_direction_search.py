"""Searching by directions: what is asked and thought in each round, and the predicted error."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tacit.population.owners import Group
from tacit.statistics.direction_search import Directed, DirectionRounds, DirectionSearch
from tacit.statistics.towards import pull, pulls

ROUNDS = DirectionRounds(8, 10.0, 3, 9, 0.04)


def learner_of(plan: DirectionRounds) -> DirectionSearch:
    return DirectionSearch.of(plan, np.full(plan.dim, plan.radius))


LEARNER = learner_of(ROUNDS)
TELL = eqx.filter_jit(LEARNER.tell)


def played(plan: DirectionRounds, draws: int, seed: int = 0) -> float:
    """The root mean square distance of estimates, of answers that are their means and noise."""
    learner, dim = learner_of(plan), plan.dim

    def one(key):
        own, noise = jax.random.split(key)
        mean = jax.random.uniform(own, (dim,), minval=-plan.radius, maxval=plan.radius)

        def step(state: Directed, drawn):
            away = mean - state.centre
            signs = jax.lax.erf(away / math.sqrt(2)) / math.sqrt(dim)
            directed = pull(jnp.linalg.norm(away), dim) * away
            answer = jnp.where(state.rounds < plan.coarse, signs, directed)
            return learner.tell(state, answer + drawn), None

        noises = math.sqrt(plan.noise / dim) * jax.random.normal(
            noise, (plan.coarse + plan.fine, dim)
        )
        return jax.lax.scan(step, learner.init(), noises)[0].centre - mean

    far = jax.jit(lambda keys: jax.lax.map(one, keys))(
        jax.random.split(jax.random.key(seed), draws)
    )
    return math.sqrt(float(jnp.mean(jnp.sum(far**2, axis=1))))


@pytest.mark.parametrize(
    "plan",
    [
        DirectionRounds(20, 10.0, 1, 23, 0.04),
        DirectionRounds(20, 1.0, 0, 4, 0.01),
        DirectionRounds(20, 100.0, 5, 7, 0.02),
        DirectionRounds(10, 10.0, 3, 29, 0.2),
    ],
    ids=str,
)
def test_the_predicted_error_is_what_comes_out(plan):
    """Within a twentieth, and three deviations of what is measured beside: 120 draws."""
    ratio = played(plan, 120) / plan.rmse

    own = 3 / math.sqrt(2 * 120 * plan.dim)
    assert 1 / 1.05 - own <= ratio <= 1.05 + own
    assert plan.rmse < 1.1 * math.sqrt((plan.coarse + plan.fine) / plan.fine) * plan.least


def test_coarse_rounds_ask_for_signs_and_fine_ones_for_directions():
    """About the centre, of length one either way."""
    person = jnp.arange(8.0)
    state = LEARNER.init()._replace(centre=jnp.full(8, 2.5))
    signs = LEARNER.ask(state, person)
    direction = LEARNER.ask(state._replace(rounds=jnp.asarray(3)), person)

    np.testing.assert_allclose(signs, np.where(np.arange(8) > 2.5, 1, -1) / math.sqrt(8), rtol=1e-6)
    away = np.arange(8) - 2.5
    np.testing.assert_allclose(direction, away / np.linalg.norm(away), rtol=1e-6)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38])
def test_who_has_no_direction_reports_opposite_ones_in_turn(odd):
    """In every kind of round, of length one: over two rounds they cancel."""
    person = jnp.zeros(8).at[2].set(odd)
    for first in (0, 1, 4):
        one, other = (
            LEARNER.ask(LEARNER.init()._replace(rounds=jnp.asarray(t)), person)
            for t in (first, first + 1)
        )
        np.testing.assert_allclose(one, -other)
        assert float(jnp.linalg.norm(one)) == pytest.approx(1.0, rel=1e-6)


def test_a_coarse_answer_is_weighed_as_the_law_of_each_number_says():
    """By the definition, in 64 bits on a fine line; answers beyond what is possible too."""
    shares, state = np.array([0.9, -0.05, 1.4, -2.0, 0.0, 1.0, -1.0, 0.5]), LEARNER.init()
    line = np.linspace(-10, 10, 200_001)
    logarithm = np.zeros((8, line.size))
    for _ in range(3):
        expected = 2 * stats.norm.cdf(line - np.asarray(state.centre)[:, None]) - 1
        logarithm -= (shares[:, None] - expected) ** 2 / (2 * ROUNDS.noise)
        weights = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mean = weights @ line
        deviation = np.sqrt(np.sum(weights * (line - mean[:, None]) ** 2, axis=1))
        state = TELL(state, jnp.asarray(shares / math.sqrt(8)))

        assert np.all(np.abs(state.centre - mean) <= 0.03 * deviation + 2e-6)
        np.testing.assert_allclose(state.off, deviation, rtol=0.05)


def test_fine_answers_are_weighed_with_what_coarse_ones_said():
    """One at the mean itself leaves it there; at a known place its pull is undone, and what is
    known beforehand counts for its share."""
    state = LEARNER.init()._replace(
        centre=jnp.ones(8), near=jnp.ones(8), off=jnp.full(8, 0.05), rounds=jnp.asarray(3)
    )
    np.testing.assert_allclose(LEARNER.tell(state, jnp.zeros(8)).centre, 1.0, rtol=1e-6)
    slope = pulls(0.0, 8)[0]
    moved = LEARNER.tell(state, 1e-3 * jnp.eye(8)[0]).centre[0] - 1
    told = 8 / ROUNDS.noise * slope**2

    assert float(moved) == pytest.approx(1e-3 / slope * told / (told + 0.05**-2), rel=5e-3)


def test_an_estimate_is_within_the_radius():
    """Whatever is answered, without end."""
    for answer in (1.0, -50.0):
        state = LEARNER.init()
        for _ in range(ROUNDS.coarse + ROUNDS.fine):
            state = TELL(state, jnp.full(8, answer))
        assert float(jnp.max(jnp.abs(state.centre))) <= 10.0


def test_a_person_of_several_records_is_refused():
    """With what helps."""
    with pytest.raises(ValueError, match="ask for one value of each"):
        LEARNER.ask(LEARNER.init(), Group(jnp.ones((2, 8)), np.ones(2, bool)))


def test_rounds_at_the_mean_tell_all_they_can():
    """With nothing to find, the prediction is `least` and what was known before."""
    near = DirectionRounds(8, 0.01, 0, 12, 0.04)
    known = 3 / 0.01**2 + 8 / near.least**2

    assert near.rmse == pytest.approx(math.sqrt(8 / known), rel=1e-3)
    assert DirectionRounds(8, 100.0, 0, 4, 1e-4).rmse > 30
