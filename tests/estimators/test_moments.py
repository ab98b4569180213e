"""A line of second moments: directions that only noise is in are raised to it."""

import math

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, REPLACE, numbers, rows
from tacit.estimators import Ridge
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.moments import AskedMoments, coefficients, diagonal_noise, floor_of
from tacit.question.participation import Everyone, Once

X = rows()
Y = numbers(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}


def test_directions_that_only_noise_is_in_are_raised_to_it():
    """Of four features two have no moments but noise; the others' weights are not shortened."""
    noise, weights = 0.01, np.array([0.5, -0.25, 0.0, 0.0])
    second = np.diag([0.2, 0.1, 1e-5, -1e-5])
    moments = np.zeros((5, 5))
    moments[:4, :4], moments[:4, 4] = second, second @ weights + [0, 0, noise, noise]
    floor = 4 / (3 * np.pi) * noise * 10**0.5
    found = REACH * coefficients(moments, noise, 0.0)

    np.testing.assert_allclose(found[:2], weights[:2], atol=1e-12)
    np.testing.assert_allclose(found[2:], noise / floor, rtol=1e-2)


def test_the_floor_is_the_mean_size_of_the_noises_eigenvalues():
    """Of symmetric matrices with deviation one on the diagonal and 1/sqrt(2) off it."""
    drawn = np.random.default_rng(0).normal(size=(200, 40, 40)) / 2**0.5
    noise = np.tril(drawn, -1) + np.swapaxes(np.tril(drawn, -1), 1, 2)
    noise += 2**0.5 * drawn * np.eye(40)
    # A label without moments: what is left is the floor's inverse times the noise of the products.
    moments = np.zeros((41, 41))
    moments[:40, 40] = 1.0
    raised = 1 / (REACH * coefficients(moments, 1.0, 0.0))

    assert np.abs(np.linalg.eigvalsh(noise)).mean() == pytest.approx(raised[0], rel=0.02)


def test_noise_that_is_not_known_is_refused():
    """Reports that a projection cuts have an error that depends on the data."""
    cut = tacit.Federated(8.0, tacit.Central(4.0, 1e-6, REPLACE), radius=0.1)
    with pytest.raises(ValueError, match="leave the radius infinite"):
        Ridge(cut, **DECLARED).fit(X, Y)


def test_without_noise_and_penalty_it_is_least_squares():
    """The shortest, where a direction has nothing in it."""
    drawn = np.random.default_rng(0).normal(size=(50, 3)) @ np.diag([1.0, 2.0, 0.0])
    design = np.column_stack([drawn / REACH, drawn @ [1.0, -0.5, 3.0]])
    found = coefficients(design.T @ design / 50, 0.0, 0.0)

    np.testing.assert_allclose(found, [1.0, -0.5, 0.0], atol=1e-9)


@pytest.mark.parametrize("trust", [tacit.Local(2.0), tacit.Shuffled(1.0, 1e-6), tacit.NonPrivate()])
def test_everybody_is_asked_once(trust):
    """Of four features, a constant and a target 21 products; rows and targets within one each."""
    asked = AskedMoments.of(PublicNumbers(trust, 4, 100), 0.0)
    alone = not isinstance(trust, tacit.NonPrivate)

    assert asked.plan.question.contribution == tacit.Ball(21, 2.0)
    assert asked.plan.sums.participation == (Once() if alone else Everyone())
    assert asked.plan.sums.rounds == 1 and (asked.noise > 0) == alone


def test_noise_is_that_of_one_product():
    """The plan's squared error is of all of them together."""
    plan = AskedMoments.of(PublicNumbers(tacit.Central(1.0, 1e-6), 4, 100), 0.0).plan

    assert diagonal_noise(plan) == pytest.approx(plan.server.facts.noise / 100, rel=1e-6)
    assert floor_of(0.5, 8) == pytest.approx(4 / (3 * math.pi) * 0.5 * 4)
