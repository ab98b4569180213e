"""Terms in their shape, weights those of exponentiated gradient, risks within the theorem."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from summed import summed
from tacit.contribution import Cube
from tacit.learning.linear_risk import LinearRisk
from tacit.learning.mirror_descent import Costs, MirrorDescent
from tacit.solve.losses import Hinge, Huber

PEOPLE, DIM, ROUNDS = 40, 6, 50
WEIGHTS = np.array([1.0, 0.0, -0.5, 0.0, 0.0, 0.0], np.float32)
RISK = LinearRisk(Huber(1.0), DIM, 2.0)
LEARNER = MirrorDescent(RISK, ROUNDS)
BAD = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, 2.0, 0.0]


def people() -> tuple[np.ndarray, np.ndarray]:
    """Labels that a model of the ball explains without error."""
    features = np.random.default_rng(0).uniform(-1, 1, (PEOPLE, DIM)).astype(np.float32)
    return features, features @ WEIGHTS


def risk(weights) -> float:
    features, labels = people()
    return float(RISK.loss.value(features @ np.asarray(weights) - labels, np.zeros(1)).mean())


def state(total) -> Costs:
    return Costs(jnp.asarray(total, jnp.float32), jnp.zeros(DIM), jnp.zeros((), jnp.int32))


def release(trust, folder) -> tuple[MirrorDescent, tacit.Release]:
    plan = trust.plan(LEARNER.question(PEOPLE))
    learner = MirrorDescent(RISK, ROUNDS, plan.server.facts.noise / plan.sums.cohort)
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("people", promise.observer, promise.relation, promise.epsilon, 1e-6)
    return learner, tacit.Arrays(people(), "people").grant(plan, learner, book, seed=5).run()


def test_a_term_is_in_its_shape_and_a_sum_is_that_of_terms():
    """Whoever is absent, and whatever people hold."""
    rng, where = np.random.default_rng(1), state([3.0, -2, 0, 1, 0, 0])
    features = rng.uniform(-2, 2, (64, DIM)).astype(np.float32)
    features[np.arange(64), rng.integers(0, DIM, 64)] = np.repeat(BAD, 8)
    labels, present = np.tile(np.array(BAD, np.float32), 8), rng.random(64) < 0.7
    terms = jax.jit(jax.vmap(lambda *person: LEARNER.ask(where, person)))(features, labels)
    shape = LEARNER.question(PEOPLE).sums.contribution
    data = (jnp.asarray(features), jnp.asarray(labels))
    total = eqx.filter_jit(summed)(LEARNER, where, data, jnp.asarray(present), shape)

    assert Cube(DIM, -1.0, 1.0) == shape
    np.testing.assert_array_equal(shape.project(terms), terms)
    np.testing.assert_allclose(total, np.asarray(terms)[present].sum(axis=0), rtol=1e-5, atol=1e-5)


def test_weights_are_those_of_exponentiated_gradient_on_all_corners():
    """Against 2p shares, multiplied and normalised round by round; released is their mean."""
    answers = np.random.default_rng(2).normal(size=(8, DIM))
    learner, shares, seen = MirrorDescent(RISK, 8), np.full(2 * DIM, 0.5 / DIM), []
    found = learner.init()
    for answer in answers:
        seen.append(RISK.radius * (shares[:DIM] - shares[DIM:]))
        costs = RISK.radius * np.concatenate([answer, -answer])
        shares = shares * np.exp(-learner.step * costs)
        shares = shares / shares.sum()
        found = learner.tell(found, jnp.asarray(answer, jnp.float32))

    np.testing.assert_allclose(learner.released(found), np.mean(seen, axis=0), atol=1e-6)
    assert np.abs(learner.released(found)).sum() <= RISK.radius


def test_weights_of_extreme_costs_stay_finite():
    """All weight goes to one corner, as the exponential rule says."""
    weights = LEARNER.tell(state([1e30, 0, 0, 0, 0, 0]), jnp.zeros(DIM)).average

    np.testing.assert_allclose(weights, [-2.0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(200.0, 1e-6)])
def test_the_risk_is_within_the_theorem(trust, tmp_path):
    """The least risk is zero here."""
    learner, made = release(trust, tmp_path)

    assert risk(learner.released(made.state)) <= learner.excess
    assert learner.excess < 1.5
    assert MirrorDescent(RISK, 2000).excess < risk(np.zeros(DIM))


@pytest.mark.parametrize("dim", [1, 2, 100])
def test_answers_are_as_large_as_the_step_supposes(dim):
    """The mean square of the largest number is below the bound, and not below half of it."""
    noise = 0.8
    bound = MirrorDescent(LinearRisk(Huber(1.0), dim, 1.0), 5, noise).largest_answer
    draws = noise * np.random.default_rng(0).normal(size=(20_000, dim))
    mean = np.square(1.0 + np.abs(draws).max(axis=1)).mean()

    assert bound**2 / 2 < mean < bound**2


def test_the_step_balances_both_parts_of_the_error():
    """Any other step would have a larger bound."""
    learner = MirrorDescent(RISK, ROUNDS, 0.3)
    reach = RISK.radius * learner.largest_answer

    def bound(step):
        return math.log(2 * DIM) / (step * ROUNDS) + step * reach**2 / 2

    assert bound(learner.step) == pytest.approx(learner.excess)
    assert bound(learner.step) < min(bound(1.1 * learner.step), bound(0.9 * learner.step))


def test_a_loss_without_curvature_is_learnt_too():
    """The theorem asks for a bound on the slope only."""
    assert MirrorDescent(LinearRisk(Hinge(), 3, 1.0), 9).excess > 0


@pytest.mark.parametrize(
    "rounds, noise", [(0, 0.0), ("3", 0.0), (3, -1.0), (3, math.nan), (3, math.inf), (3, None)]
)
def test_refuses(rounds, noise):
    """No rounds, or noise that is none."""
    with pytest.raises(ValueError, match="at least"):
        MirrorDescent(RISK, rounds, noise)
