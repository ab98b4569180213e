"""Linear regression from one question: exact without noise, within the theorem's bound with it."""

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
from tacit.learning.sufficient_statistics import (
    Moments,
    SufficientStatistics,
    packed,
    spectral_bound,
    unpacked,
)
from tacit.population.loop import Keys, Parts, run_round

PEOPLE, FEATURES, BOUND, LABELS = 4000, 3, 2.0, 50.0
TRUE = np.array([20.0, -10.0, 5.0])
LEARNER = SufficientStatistics(FEATURES, BOUND, LABELS)
WIDTH = 10


def regression(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (PEOPLE, FEATURES))
    return features, features @ TRUE + rng.normal(0, 0.5, PEOPLE)


def asked(trust) -> tacit.Plan:
    return trust.plan(LEARNER.question(tacit.Everyone(), 1, PEOPLE))


def play(plan: tacit.Plan, data=None, learner=LEARNER, seed: int = 0) -> Moments:
    data = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), data or regression())
    key = quick_keys.key(seed)
    keys = Keys(*jax.random.split(key), key)
    state = learner.init()
    return run_round(learner, Parts.of(plan), state, None, data, everyone(PEOPLE), keys)[0]


def test_without_noise_it_is_least_squares():
    """Nothing is clipped and no ridge added: the coefficients are NumPy's, in the data's units."""
    features, labels = regression()
    found = LEARNER.coefficients(play(asked(tacit.NonPrivate())), 0.0)

    expected = np.linalg.lstsq(features, labels, rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_what_is_beyond_the_bounds_is_shortened_and_what_is_not_finite_is_left_out():
    """The matrix is that of the shortened people, over the number of all of them."""
    features, labels = regression()
    features[0], labels[1], features[2, 1], labels[3] = (9.0, 9, 9), -1e9, np.nan, np.inf
    state = play(asked(tacit.NonPrivate()), (features, labels))

    z = np.column_stack([features / BOUND, labels / LABELS])
    z[0, :3], z[1, 3], z[2:4] = 1 / math.sqrt(3), -1, 0
    np.testing.assert_allclose(state.matrix, z.T @ z / PEOPLE, atol=2e-6)


def test_several_rounds_are_averaged():
    """Each person in one of them, say: the state is the mean of the answers."""
    answers = np.random.default_rng(0).normal(size=(3, WIDTH)).astype(np.float32)
    state = LEARNER.init()
    for answer in answers:
        state = LEARNER.tell(state, jnp.asarray(answer))

    np.testing.assert_allclose(state.matrix, unpacked(jnp.asarray(answers.mean(0))), atol=1e-6)
    loud = Moments(0 * state.matrix, state.rounds)
    once = Moments(loud.matrix, jnp.asarray(1))
    assert LEARNER.ridge(loud, 1.0) == pytest.approx(LEARNER.ridge(once, 1.0) / math.sqrt(3))


def test_packing_keeps_inner_products():
    """So norms too; unpacking gives the matrix back."""
    first, second = np.random.default_rng(0).normal(size=(2, 4, 4)).astype(np.float32)
    first, second = jnp.asarray(first + first.T), jnp.asarray(second + second.T)

    inner = float(packed(first) @ packed(second))
    assert float(jnp.vdot(first, second)) == pytest.approx(inner, rel=1e-5)
    np.testing.assert_allclose(first, unpacked(packed(first)), rtol=1e-6)


HUGE = np.array([[3e38, -3e38, 3e38], [1e20, 0, 0], [np.inf, 0, 1], [np.nan, 1, 1], [1, 1, 1]])


@pytest.mark.parametrize("label", [0.0, 50.0, -3e38, np.inf, np.nan])
@pytest.mark.parametrize("features", [*HUGE, 1e-30 * HUGE[4]])
def test_no_person_has_a_term_beyond_the_ball(features, label):
    """The clip is idle: whatever people hold, the term is finite and has norm at most 2."""
    person = jnp.asarray(features, jnp.float32), jnp.asarray(label, jnp.float32)
    term = np.asarray(LEARNER.ask(LEARNER.init(), person), np.float64)

    assert np.linalg.norm(term) <= 2 * (1 + 1e-5)
    if not (np.isfinite(features).all() and np.isfinite(label)):
        assert not term.any()


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_fast_sum_is_the_sum_of_the_terms(share):
    """In the question's ball and a smaller one, with NaN and people who are absent."""
    features, labels = (jnp.asarray(leaf[:40], jnp.float32) for leaf in regression())
    features = (4 * features).at[3, 0].set(jnp.nan).at[8].set(jnp.nan)
    present = jnp.arange(40) % 5 != 3
    bound, state = tacit.Ball(WIDTH, 2.0 * share), LEARNER.init()
    fast = eqx.filter_jit(summed)(LEARNER, state, (features, labels), present, bound)

    terms = jax.vmap(lambda person: LEARNER.ask(state, person))((features, labels))
    expected = jnp.sum(jnp.where(present[:, None], bound.project(terms), 0), axis=0)
    np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-4)
    assert jnp.abs(expected).max() > 1


def of_eigenvalues(*values: float) -> Moments:
    """A state whose matrix of features has these."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = turn @ np.diag(values) @ turn.T, 0.1
    return Moments(jnp.asarray(matrix, jnp.float32), jnp.asarray(1))


@pytest.mark.parametrize(
    "least, added", [(-5.0, 1.0), (0.0, 1.0), (0.5, 1.0), (1.5, 0.5), (2.0, 0.0), (3.0, 0.0)]
)
def test_the_ridge_is_what_the_least_eigenvalue_lacks(least, added):
    """In units of the noise's bound r: r up to r, then what is missing to 2r, then nothing.

    What is inverted has no eigenvalue below r, even where the noisy one is negative.
    """
    noise = 0.01
    reach = spectral_bound(noise, 4)
    state = of_eigenvalues(9 * reach, 4 * reach, least * reach)
    ridge = LEARNER.ridge(state, noise)

    assert ridge == pytest.approx(added * reach, abs=1e-4 * reach)
    longest = np.linalg.norm(state.matrix[:3, 3]) / reach * LABELS / BOUND
    assert np.linalg.norm(LEARNER.coefficients(state, noise)) <= longest * (1 + 1e-4)


def test_what_no_data_decides_is_zero_without_noise():
    """A feature that nobody has gets no coefficient; an empty population gets none at all."""
    assert not LEARNER.coefficients(LEARNER.init(), 0.0).any()
    features, labels = regression()
    features[:, 1] = 0
    found = LEARNER.coefficients(play(asked(tacit.NonPrivate()), (features, labels)), 0.0)

    assert found[1] == pytest.approx(0, abs=1e-3)


def test_the_noise_of_a_packed_matrix_is_as_small_as_supposed():
    """No more matrices exceed the bound than its confidence allows; most exceed two thirds of it.

    That is so if 5 standard deviations are nothing, and nearly all of 30 dimensions are near
    sqrt(2 30) = 7.7, while the bound is 10.5 with confidence 0.95.
    """
    size, trials = 30, 400
    noise = np.random.default_rng(0).normal(size=(trials, size * (size + 1) // 2))
    matrices = jax.vmap(unpacked)(jnp.asarray(noise, jnp.float32))
    norms = np.abs(np.linalg.eigvalsh(np.asarray(matrices))).max(axis=1)
    bound = spectral_bound(1.0, size, 0.95)

    assert np.sum(norms > bound) <= 0.05 * trials + 5 * math.sqrt(0.05 * trials)
    assert np.mean(norms > bound * 2 / 3) > 0.5


def noise_of(plan: tacit.Plan) -> float:
    return plan.server.facts.noise / plan.sums.cohort


def test_with_noise_the_error_is_within_the_theorems_bound():
    """And the answer has the plan's noise: ten times the noise, a larger error."""
    features, labels = regression()
    z = np.column_stack([features / BOUND, labels / LABELS])
    exact = z.T @ z / PEOPLE
    best = np.linalg.solve(exact[:3, :3], exact[:3, 3])
    errors = {}
    for epsilon in (5.0, 0.2):
        plan = asked(tacit.Central(epsilon, 1e-6))
        noise, reach = noise_of(plan), spectral_bound(noise_of(plan), 4)
        states = [play(plan, seed=seed) for seed in range(8)]
        found = [LEARNER.coefficients(state, noise) * BOUND / LABELS for state in states]
        errors[epsilon] = math.sqrt(np.mean([np.sum((w - best) ** 2) for w in found]))
        drawn = [packed(jnp.asarray(state.matrix - exact, jnp.float32)) for state in states]
        # 80 normals: their mean square is this near to one but with chance 1e-4.
        assert 0.5 < np.mean(np.square(drawn)) / noise**2 < 1.75
        least = np.linalg.eigvalsh(exact[:3, :3])[0]
        if least >= 3 * reach:
            assert errors[epsilon] <= reach * (1 + np.linalg.norm(best)) / (least - reach)
    assert least < 3 * reach and 5 * errors[5.0] < errors[0.2]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: SufficientStatistics(0, 1.0, 1.0), "a whole number of at least 1, got 0"),
        (lambda: SufficientStatistics(None, 1.0, 1.0), "a whole number of at least 1, got None"),
        (lambda: SufficientStatistics(2, math.nan, 1.0), "bound must be positive and finite"),
        (lambda: SufficientStatistics(2, 1.0, 0.0), "label_bound must be positive and finite"),
        (lambda: LEARNER.ridge(LEARNER.init(), -1.0), "noise must be at least 0 and finite"),
        (lambda: LEARNER.coefficients(LEARNER.init(), math.nan), "noise must be at least 0"),
        (lambda: LEARNER.ridge(LEARNER.init(), 1.0, 1.0), "confidence must be between 0 and 1"),
    ],
)
def test_what_is_out_of_range_is_refused(make, message):
    """With the values that are allowed."""
    with pytest.raises(ValueError, match=message):
        make()


def test_a_bound_that_float32_does_not_know_lets_nothing_through():
    """Zero over zero is no label: the person counts as nobody, and nobody else is touched."""
    learner = SufficientStatistics(2, 1.0, 1e-46)
    people = jnp.full((2, 2), 0.5), jnp.array([0.0, 1.0])
    ball = tacit.Ball(6, 2.0)
    total = eqx.filter_jit(summed)(learner, learner.init(), people, jnp.ones(2, bool), ball)
    assert not jnp.any(total)
