"""Newton's steps: the textbook's without noise, and never led astray by the Hessian's noise."""

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
from tacit.learning.newton import Newton
from tacit.learning.sufficient_statistics import packed, spectral_bound
from tacit.population.loop import Keys, Parts, run_round
from tacit.solve.losses import Hinge, Huber, HuberisedHinge, Logistic, Multinomial, Squared
from tacit.solve.regularisers import L2

PEOPLE, FEATURES, BOUND, RIDGE = 3000, 3, 2.0, 0.01
LEARNER = Newton(FEATURES, Logistic(), BOUND, L2(RIDGE))


def classes(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (PEOPLE, FEATURES))
    chance = 1 / (1 + np.exp(-features @ [3.0, -2.0, 1.0]))
    return features, np.where(rng.random(PEOPLE) < chance, 1.0, -1.0)


def asked(trust, rounds: int, learner=LEARNER) -> tacit.Plan:
    return trust.plan(learner.question(tacit.Everyone(), rounds, PEOPLE))


def play(plan: tacit.Plan, learner=LEARNER, seed: int = 0) -> np.ndarray:
    data = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), classes())
    parts, state, carry = Parts.of(plan), learner.init(), plan.server.init()
    for key in jax.random.split(quick_keys.key(seed), plan.sums.rounds):
        keys = Keys(*jax.random.split(key), key)
        state, carry, _ = run_round(learner, parts, state, carry, data, everyone(PEOPLE), keys)
    return np.asarray(learner.coefficients(state), np.float64)


def derivatives(weights, loss=LEARNER.loss, data=None) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient and Hessian of the mean loss, in NumPy."""
    features, labels = data or classes()
    scores = features @ weights
    value = loss.value(scores, labels).mean()
    gradient = features.T @ loss.slope(scores, labels) / len(labels)
    return value, gradient, (features.T * loss.curvature(scores, labels)) @ features / len(labels)


def objective(weights) -> float:
    return derivatives(weights)[0] + RIDGE / 2 * weights @ weights


def stepped(weights, gradient, hessian, damping: float, floor: float = 0.0) -> np.ndarray:
    """One step from the definition."""
    values, vectors = np.linalg.eigh(hessian)
    raised = (vectors * (np.maximum(values, floor) + RIDGE)) @ vectors.T
    direction = -np.linalg.solve(raised, gradient + RIDGE * weights)
    moved = damping * BOUND * np.linalg.norm(direction)
    return weights + direction * (math.log1p(moved) / moved if moved else 1)


@pytest.mark.parametrize(
    "loss, damping", [(Logistic(), 1.0), (Logistic(), 0.0), (HuberisedHinge(1.5), 0.5)]
)
def test_without_noise_it_is_newtons_method(loss, damping):
    """Damped as told; after some rounds it stands at the minimum."""
    learner = dataclasses.replace(LEARNER, loss=loss, damping=damping)
    rounds = 4
    found = play(asked(tacit.NonPrivate(), rounds, learner), learner)
    weights = np.zeros(FEATURES)
    for _ in range(rounds):
        weights = stepped(weights, *derivatives(weights, loss)[1:], damping)

    np.testing.assert_allclose(found, weights, rtol=2e-3)
    if damping == 0:
        assert np.linalg.norm(derivatives(found)[1] + RIDGE * found) < 1e-4


def test_eigenvalues_are_raised_to_the_bound_of_the_noise():
    """With a noisy matrix that is not even positive: the step is that of the definition."""
    rng, noise = np.random.default_rng(0), 0.02
    learner = dataclasses.replace(LEARNER, noise=noise)
    for _ in range(5):
        matrix = rng.normal(size=(FEATURES, FEATURES)) * 0.1
        gradient, weights = rng.normal(size=(2, FEATURES))
        answer = np.concatenate([gradient, packed(jnp.asarray(matrix + matrix.T))])
        found = learner.tell(jnp.asarray(weights), jnp.asarray(answer, jnp.float32))

        floor = spectral_bound(noise, FEATURES)
        expected = stepped(weights, gradient, matrix + matrix.T, 1.0, floor)
        np.testing.assert_allclose(found, expected, rtol=1e-3)


def noisy_steps(floor_of) -> float:
    """The most that one step with the exact gradient and a noisy Hessian raises the objective."""
    rng, tell = np.random.default_rng(0), eqx.filter_jit(Newton.tell)
    worst = -math.inf
    for size in (1e-3, 0.03, 0.3, 3.0):
        learner = dataclasses.replace(LEARNER, noise=floor_of(size))
        reach = spectral_bound(size, FEATURES)
        for _ in range(10):
            weights = rng.normal(size=FEATURES) * rng.choice([0.1, 1, 5])
            _, gradient, hessian = derivatives(weights)
            noise = rng.normal(size=(FEATURES, FEATURES))
            noise = (noise + noise.T) * rng.choice([0.3, 1])
            noise *= min(1, reach / np.abs(np.linalg.eigvalsh(noise)).max())
            answer = np.concatenate([gradient, packed(jnp.asarray(hessian + noise))])
            after = tell(learner, jnp.asarray(weights), jnp.asarray(answer, jnp.float32))
            worst = max(worst, objective(np.asarray(after, np.float64)) - objective(weights))
    return worst


def test_noise_in_the_hessian_alone_never_raises_the_objective():
    """Of any size within the bound; without the floor it does."""
    assert noisy_steps(lambda size: size) <= 1e-6
    assert noisy_steps(lambda size: 0.0) > 1e-3


def deviation_of_hessians(plan: tacit.Plan) -> float:
    """Of the second part's numbers in 200 answers about nobody."""
    parts = Parts.of(plan)
    nobody = parts.collected.empty(parts.server.grid)

    def answer(key):
        return parts.server.step(parts.server.init(), key, nobody)[1][FEATURES:]

    keys = jax.random.split(quick_keys.key(0), 200)
    return float(np.std(jax.jit(jax.vmap(answer))(keys)))


@pytest.mark.parametrize("share", [0.05, 0.75])
@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-6), tacit.NonPrivate()])
def test_a_plan_tells_how_much_noise_the_hessian_has(trust, share):
    """The deviation of the answer's second part, whichever part's is larger; none without noise.

    That of 1,200 normals is within a tenth of its value but with chance 1e-5.
    """
    learner = dataclasses.replace(LEARNER, share=share)
    plan = asked(trust, 1, learner)
    told = float(learner.expecting(plan).noise)

    assert told == pytest.approx(deviation_of_hessians(plan), rel=0.1)
    assert (told > 0) == plan.private


def test_a_plan_for_another_question_is_refused():
    """It has no Hessian whose noise could be told."""
    plan = tacit.NonPrivate().plan(tacit.Mean(tacit.Ball(9, 1.0), tacit.Everyone(), 1, PEOPLE))
    with pytest.raises(ValueError, match="a Product of two parts is needed, got one for Ball"):
        LEARNER.expecting(plan)


ODD = [[3e38, -3e38, 3e38], [1e15, 0, 0], [np.inf, 0, 1], [np.nan, 1, 1], [1, 1, 1], [1e-30, 0, 0]]


@pytest.mark.parametrize("label", [1.0, -1.0, 7.0, np.nan, np.inf])
@pytest.mark.parametrize("features", ODD)
def test_no_person_has_a_term_beyond_the_balls(features, label):
    """The clip is idle: the gradient is within S R, the Hessian within C R²; else it is zero."""
    person = jnp.asarray(features, jnp.float32), jnp.asarray(label, jnp.float32)
    for weights in (np.zeros(3), np.array([-1e3, 5, 1]), np.full(3, np.inf)):
        term = LEARNER.ask(jnp.asarray(weights, jnp.float32), person)
        gradient, hessian = np.split(np.asarray(term, np.float64), [FEATURES])
        assert np.linalg.norm(gradient) <= BOUND * (1 + 1e-5)
        assert np.linalg.norm(hessian) <= BOUND**2 / 4 * (1 + 1e-5)
        if not (np.isfinite(features).all() and abs(label) == 1):
            assert not term.any()


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_the_fast_sum_is_the_sum_of_the_terms(share):
    """In the question's shape and a smaller one, with NaN and people who are absent."""
    features, labels = (jnp.asarray(leaf[:40], jnp.float32) for leaf in classes())
    features = (3 * features).at[3, 0].set(jnp.nan).at[8].set(jnp.nan)
    present, state = jnp.arange(40) % 5 != 3, jnp.array([0.5, -1.0, 0.2])
    bound = tacit.Product(tacit.Ball(3, BOUND * share), tacit.Ball(6, BOUND**2 / 4 * share))
    fast = eqx.filter_jit(summed)(LEARNER, state, (features, labels), present, bound)

    terms = jax.vmap(lambda person: LEARNER.ask(state, person))((features, labels))
    expected = jnp.sum(jnp.where(present[:, None], bound.project(terms), 0), axis=0)
    np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-4)
    assert jnp.abs(expected).max() > 1


def test_with_noise_it_is_near_the_minimum_and_more_noise_is_felt():
    """The excess is below 1e-3 (0.1 of what zero weights have); a tenth of epsilon costs more."""
    best = np.zeros(FEATURES)
    for _ in range(20):
        best = stepped(best, *derivatives(best)[1:], 0.0)
    excess = {}
    for epsilon in (5.0, 0.2):
        plan = asked(tacit.Central(epsilon, 1e-6), 6)
        learner = LEARNER.expecting(plan)
        found = [objective(play(plan, learner, seed)) - objective(best) for seed in range(3)]
        excess[epsilon] = np.mean(found)

    assert 0 < excess[5.0] < 1e-3 < 0.1 * (objective(np.zeros(FEATURES)) - objective(best))
    assert 10 * excess[5.0] < excess[0.2]


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"features": 0}, "features must be a whole number of at least 1, got 0"),
        ({"features": "3"}, "features must be a whole number of at least 1, got '3'"),
        ({"share": None}, "share must be between 0 and 1, got None"),
        ({"noise": "x"}, "noise must be at least 0 and finite, got 'x'"),
        ({"damping": True}, "damping must be at least 0 and finite, got True"),
        ({"loss": "logistic"}, "a loss must be one of .*, such as Logistic.*, got 'logistic'"),
        ({"bound": math.nan}, "bound must be positive and finite, got nan"),
        ({"share": 1.0}, "share must be between 0 and 1, got 1.0"),
        ({"damping": -1.0}, "damping must be at least 0 and finite, got -1.0"),
        ({"noise": math.inf}, "noise must be at least 0 and finite, got inf"),
        ({"loss": Multinomial(3)}, "a loss of one score is needed, got Multinomial"),
        ({"loss": Squared()}, "the Squared loss has no Lipschitz constant.*Huber has one"),
        ({"loss": Hinge()}, "the Hinge loss has no smoothness.*HuberisedHinge has one"),
    ],
)
def test_what_is_out_of_range_is_refused(changed, message):
    """With the values that are allowed, and by the loss's name; Huber's constants are fine."""
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(LEARNER, **changed)
    assert dataclasses.replace(LEARNER, loss=Huber(2.0)).loss.width == 2
