"""The law of the logistic experiment: its risk, its people, and their maximum likelihood."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

import quick_keys
from tacit.experiments import logistic_law
from tacit.experiments.logistic_law import Law, Seen

DIM, MANY = 12, 400_000
LAW = Law(DIM, 6.0)
TRUTH = jnp.asarray(6.0 * np.eye(DIM)[0], jnp.float32)
OTHER = jnp.asarray(2.0 * np.eye(DIM)[0] - 5.0 * np.eye(DIM)[5], jnp.float32)


@pytest.fixture(scope="module")
def people() -> logistic_law.Person:
    return logistic_law._everyone(quick_keys.key(1), TRUTH, MANY)


def loss(weights, people) -> np.ndarray:
    rows, labels = people
    return np.logaddexp(0.0, -np.asarray(labels * (rows @ weights), np.float64))


def test_the_gap_is_the_mean_difference_of_losses(people):
    """Within 4.5 standard errors of 400,000 people's; that of other weights is not."""
    apart = loss(OTHER, people) - loss(TRUTH, people)
    error = 4.5 * apart.std() / math.sqrt(MANY)

    assert abs(apart.mean() - LAW.gap(logistic_law.noted(OTHER, TRUTH))) < error
    assert abs(apart.mean() - LAW.gap(logistic_law.noted(-OTHER, TRUTH))) > error
    assert abs(apart.mean() - LAW.gap_at_zero) > error


def test_a_gap_is_least_at_the_truth():
    """Nothing there, more in every direction, and a quadratic nearby."""
    near = Seen(np.full(3, 6.0), np.hypot(6.0, [0.0, 0.01, 0.02]))
    at, one, two = LAW.gap(near)

    assert at == pytest.approx(0.0, abs=1e-15) and 0 < one < two
    assert two / one == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize(("signal", "gap"), [(1.0, 0.0002498), (4.0, 0.003953), (10.0, 0.023313)])
def test_gaps_of_zero_weights_in_500_dimensions(signal, gap):
    """As found by another quadrature."""
    assert Law(500, signal).gap_at_zero == pytest.approx(gap, rel=1e-3)


def test_the_curvature_is_that_of_the_scores(people):
    """The mean of sigma' over people's scores, by the number of dimensions."""
    chances = expit(np.asarray(people.direction @ TRUTH, np.float64))
    slopes = chances * (1 - chances)
    error = 4.5 * slopes.std() / math.sqrt(MANY)

    assert abs(slopes.mean() - LAW.slope) < error
    assert LAW.curvature == LAW.slope / DIM


def test_a_mean_over_norms_is_that_of_peoples_gradients(people):
    """Of the square and of a steep function, within 4.5 standard errors; at theta* and not at 0."""
    norms = np.linalg.norm(
        np.asarray(jax.vmap(lambda *p: logistic_law.gradient(TRUTH, p))(*people)), axis=1
    ).astype(np.float64)
    for of in (np.square, lambda norm: np.exp(4 * norm)):
        found = of(norms)
        error = 4.5 * found.std() / math.sqrt(MANY)
        assert abs(found.mean() - LAW.mean_over_norms(of)) < error
        assert abs(found.mean() - of(0.5)) > error


def test_people_have_directions_and_labels_of_the_model(people):
    """Unit vectors about zero; labels agree with scores as often as they should."""
    rows, labels = map(np.asarray, people)
    scores = rows @ np.asarray(TRUTH)
    right = expit(scores) - (labels > 0)

    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-5)
    assert np.abs(rows.mean(axis=0)).max() < 5 / math.sqrt(DIM * MANY)
    assert abs((right * scores).mean()) < 4.5 * (right * scores).std() / math.sqrt(MANY)
    assert set(np.unique(labels)) == {-1.0, 1.0}


def test_a_gradient_is_the_loss_ones():
    """As JAX differentiates it."""
    person = logistic_law.drawn(quick_keys.key(3), TRUTH)

    def own(weights):
        return jnp.logaddexp(0.0, -person.label * (weights @ person.direction))

    np.testing.assert_allclose(
        logistic_law.gradient(OTHER, person), jax.grad(own)(OTHER), rtol=1e-5, atol=1e-7
    )


def test_the_maximum_likelihood_has_the_gap_of_theory():
    """d/2N, within a factor that chi-square of d degrees falls out of once in a million."""
    key, people = quick_keys.key(2), 20_000
    found = logistic_law.most_likely(key, TRUTH, people)
    gap = LAW.gap(logistic_law.noted(found, TRUTH))
    everyone = logistic_law._everyone(key, TRUTH, people)
    least = loss(found, everyone).mean()

    assert 0.05 < gap / (DIM / (2 * people)) < 4.4
    assert all(loss(w, everyone).mean() > least for w in (TRUTH, 0.99 * found, 1.01 * found))


def test_too_few_people_have_no_maximum():
    """It says so, and does not return what it has."""
    with pytest.raises(ValueError, match="too few for a maximum likelihood"):
        logistic_law.most_likely(quick_keys.key(2), TRUTH, 10)
