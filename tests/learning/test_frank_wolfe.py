"""Terms in their shape whatever people hold, corners by the exact rule, risks by the theorem."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from summed import summed
from tacit.contribution import Cube
from tacit.learning.frank_wolfe import Corners, FrankWolfe
from tacit.learning.linear_risk import LinearRisk
from tacit.solve.losses import Hinge, Huber, HuberisedHinge, Logistic

PEOPLE, DIM, ROUNDS, LARGEST = 40, 6, 12, 2.0
WEIGHTS = np.array([1.0, 0.0, -0.5, 0.0, 0.0, 0.0], np.float32)
RISK = LinearRisk(Huber(3.0), DIM, 2.0, LARGEST)
LEARNER = FrankWolfe(RISK, ROUNDS)
BAD = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, 2.0, 0.0]


def people(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels that a model of the ball explains without error."""
    features = np.random.default_rng(seed).uniform(-1, 1, (PEOPLE, DIM)).astype(np.float32)
    return features, features @ WEIGHTS


def hostile() -> tuple[np.ndarray, np.ndarray]:
    """A chunk of people among whom every bad feature meets every bad label."""
    rng = np.random.default_rng(1)
    features = rng.uniform(-3, 3, (64, DIM)).astype(np.float32)
    features[np.arange(64), rng.integers(0, DIM, 64)] = np.repeat(BAD, 8)
    return features, np.tile(np.array(BAD, np.float32), 8)


def after(learner: FrankWolfe, answers) -> Corners:
    state = learner.init()
    for answer in answers:
        state = learner.tell(state, jnp.asarray(answer, jnp.int32))
    return state


def release(trust, learner, folder) -> tacit.Release:
    plan = trust.plan(learner.question(PEOPLE))
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("people", promise.observer, promise.relation, promise.epsilon, 1e-6)
    return tacit.Arrays(people(), "people").grant(plan, learner, book, seed=5).run()


def risk(weights) -> float:
    features, labels = people()
    return float(RISK.loss.value(features @ np.asarray(weights) - labels, np.zeros(1)).mean())


@pytest.mark.parametrize("loss", [Huber(0.7), Logistic(), HuberisedHinge(), Hinge()])
def test_a_term_is_in_its_shape_whatever_a_person_holds(loss):
    """Projection changes nothing, to the bit; a label that is none makes no term."""
    learner = FrankWolfe(LinearRisk(loss, DIM, 2.0, LARGEST), 3)
    shape = learner.question(PEOPLE).sums.contribution
    features, labels = hostile()
    labels[::5] = 1.0
    state = after(learner, [0, DIM + 3])
    terms = jax.vmap(lambda *person: learner.ask(state, person))(features, labels)

    np.testing.assert_array_equal(shape.project(terms), terms)
    np.testing.assert_array_equal(terms[:, :DIM], -terms[:, DIM:])
    assert not np.any(terms[~np.asarray(loss.valid(labels))])
    assert np.any(terms[::5])


@pytest.mark.parametrize("largest, answers", [(LARGEST, []), (0.25, [1, DIM + 2, 0])])
def test_the_sum_of_a_chunk_is_that_of_its_terms(largest, answers):
    """Whoever is absent or holds nonsense, and whether features are bounded above one or below."""
    learner = FrankWolfe(LinearRisk(Huber(3.0), DIM, 2.0, largest), ROUNDS)
    state, (features, labels) = after(learner, answers), hostile()
    present = np.random.default_rng(2).random(64) < 0.7
    terms = jax.vmap(lambda *person: learner.ask(state, person))(features, labels)
    shape = learner.question(PEOPLE).sums.contribution
    total = summed(learner, state, (features, labels), jnp.asarray(present), shape)

    expected = np.asarray(terms, np.float64)[present].sum(axis=0)
    assert np.abs(terms).max() == pytest.approx(3.0 * largest)
    np.testing.assert_allclose(total, expected, rtol=1e-5, atol=1e-4)


def test_alone_everyone_is_within_a_smaller_bound():
    """Also in numbers that are not rounded: the slope's bound times the features' is below it."""
    side, state = LARGEST * 3.0 * (1 - 2.0**-9), after(LEARNER, [0])
    bound = Cube(2 * DIM, -side, side)
    alone = jax.jit(lambda *p: summed(LEARNER, state, p, jnp.ones(1, bool), bound))
    features, labels = hostile()
    sums = np.array([alone(features[i : i + 1], labels[i : i + 1]) for i in range(64)])
    terms = np.array(jax.vmap(lambda *p: LEARNER.ask(state, p))(features, labels))

    assert np.abs(sums).max() <= side
    assert np.abs(sums).max() > side * (1 - 1e-6)
    np.testing.assert_allclose(sums, terms, rtol=2.0**-8, atol=1e-5)


def test_corners_follow_the_exact_rule(tmp_path):
    """Without privacy each is the argument of the highest score, as in float64."""
    features, labels = (own.astype(np.float64) for own in people())
    weights, corners = np.zeros(DIM), []
    for t in range(ROUNDS):
        slopes = RISK.loss.slope(features @ weights, labels)
        scores = np.concatenate([-features.T @ slopes, features.T @ slopes])
        corners.append(int(np.argmax(scores)))
        corner = np.zeros(DIM)
        corner[corners[-1] % DIM] = RISK.radius * (1 if corners[-1] < DIM else -1)
        weights = weights + 2 / (t + 2) * (corner - weights)
    state = release(tacit.NonPrivate(), LEARNER, tmp_path).state

    assert corners == state.numbers.tolist()
    np.testing.assert_allclose(weights, LEARNER.released(state), atol=1e-6)


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(900.0, 0.0)])
def test_the_risk_is_within_the_theorem(trust, tmp_path):
    """The least risk is zero here; the bound is far below what zero weights have."""
    learner = FrankWolfe(RISK, 60)
    made = release(trust, learner, tmp_path)
    private = isinstance(trust, tacit.Central)
    shortfall = made.plan.server.shortfall(1e-9 / 60) if private else 0.0

    assert risk(learner.released(made.state)) <= learner.excess(shortfall)
    assert learner.excess(0.0) == pytest.approx(2 * (2 * 2 * LARGEST) ** 2 / 62)
    assert risk(learner.released(made.state)) < 0.1 * risk(np.zeros(DIM))


def test_weights_are_a_mean_of_corners():
    """Shares add up to one, whatever the answers; opposite corners take from each other."""
    answers = [3, DIM + 3, 0, DIM + 5]
    state = after(LEARNER, answers)
    shares = np.array([1.0, 2.0, 3.0, 4.0]) / 10
    expected = np.array([shares[2], 0, 0, shares[0] - shares[1], 0, -shares[3]]) * RISK.radius

    np.testing.assert_allclose(LEARNER.released(state), expected, rtol=1e-6)
    assert float(state.shares.sum()) == pytest.approx(1.0)


def test_the_question_has_the_learner_s_numbers():
    """Two candidates a feature, slopes times features, as many rounds as the state has room for."""
    question = LEARNER.question(PEOPLE)

    assert Cube(2 * DIM, -6.0, 6.0) == question.sums.contribution
    assert (ROUNDS, PEOPLE) == (question.sums.rounds, question.sums.people)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: FrankWolfe(RISK, 0), "rounds must be a whole number of at least 1, got 0"),
        (lambda: FrankWolfe(RISK, "3"), "rounds must be a whole number of at least 1, got '3'"),
        (lambda: FrankWolfe("risk", 3), "risk must be a LinearRisk.*, got 'risk'"),
        (lambda: FrankWolfe(LinearRisk(Hinge(), 3, 1.0), 2).excess(0.0), "Hinge .* smoothness"),
    ],
)
def test_refuses(make, sentence):
    """What is missing or out of range, by name."""
    with pytest.raises(ValueError, match=sentence):
        make()
