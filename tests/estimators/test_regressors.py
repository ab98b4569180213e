"""Regressions: without privacy scikit-learn's own, with it nearly, in the data's own units."""

import numpy as np
import pytest
import sklearn.linear_model

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, REPLACE, numbers, rows
from tacit.estimators import Lasso, LinearRegression, Ridge
from tacit.estimators.declared import REACH, Box
from tacit.estimators.moments import coefficients
from tacit.learning.classifiers import with_constant

X = rows()
Y = numbers(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}
BOX = Box.declared(BOUNDS, 3)
INSIDE = np.clip(X, *BOUNDS)
# More than X are: of so few some draws of the noise explain less than is asked for below.
MANY = 6_000


def test_without_privacy_it_is_least_squares():
    """Coefficients and intercept in the data's units; bounds read off change nothing."""
    peer = sklearn.linear_model.LinearRegression().fit(X, Y)
    found = LinearRegression(tacit.NonPrivate()).fit(X, Y)

    np.testing.assert_allclose(found.coef_, peer.coef_, rtol=1e-3)
    np.testing.assert_allclose(found.intercept_, peer.intercept_, rtol=1e-2)
    np.testing.assert_allclose(found.predict(X), X @ found.coef_ + found.intercept_)


@pytest.mark.parametrize("kind", [LinearRegression, Ridge, Lasso])
def test_a_row_outside_its_bounds_is_predicted_as_the_nearest_within(kind):
    """As it would have been learnt from; nothing else tells how a line goes on."""
    far, near = kind(tacit.NonPrivate(), **DECLARED).fit(X, Y).predict([[1e9] * 3, [11.0] * 3])

    assert far == near


def test_a_penalty_is_on_rows_in_the_ball_and_on_the_intercept():
    """As scikit-learn's of such rows, with the constant among them."""
    penalty, design = 0.01, with_constant(BOX.ball(X)).astype(float)
    peer = sklearn.linear_model.Ridge(alpha=penalty * len(X), fit_intercept=False)
    peer.fit(design, Y / 16)
    found = Ridge(tacit.NonPrivate(), penalty=penalty, **DECLARED).fit(X, Y)

    expected = 16 * with_constant(BOX.ball(INSIDE)) @ peer.coef_
    np.testing.assert_allclose(found.predict(INSIDE), expected, atol=0.02)
    assert np.abs(found.predict(INSIDE) - Y).mean() > 0.5


def test_sparse_weights_are_chosen_a_feature_at_a_time():
    """After one round there is one; after many it predicts well."""
    once = Lasso(tacit.NonPrivate(), rounds=1, **DECLARED).fit(X, Y)
    often = Lasso(tacit.NonPrivate(), rounds=60, radius=2.0, **DECLARED).fit(X, Y)

    assert np.count_nonzero(once.coef_) == 1 and once.coef_[0] > 0
    assert often.score(X, Y) > 0.95


@pytest.mark.parametrize(
    "model, least",
    [
        (LinearRegression(CURATOR, **DECLARED), 0.4),
        (Ridge(tacit.Central(4.0, 1e-6), people=MANY, **DECLARED), 0.4),
        (Lasso(CURATOR, rounds=10, radius=2.0, **DECLARED), 0.4),
        (Ridge(tacit.Local(8.0), **DECLARED), -0.5),
    ],
    ids=["central", "add or remove", "lasso", "local"],
)
def test_with_privacy_it_predicts(model, least):
    """The share of variance explained; where people randomise, they are too few for much."""
    many = rows(MANY)
    fitted = model.fit(many, numbers(many))

    assert fitted.score(X, Y) > least
    assert fitted.plan_.guarantees
    assert fitted.coef_.shape == (3,) and fitted.n_features_in_ == 3


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


def test_a_constant_feature_and_constant_targets_do_no_harm():
    """Read off, both are in the middle of bounds of their own."""
    flat = np.column_stack([X, np.full(len(X), 7.0)])
    found = LinearRegression(tacit.NonPrivate()).fit(flat, np.full(len(X), 5.0))

    assert found.predict(flat) == pytest.approx(np.full(len(X), 5.0), abs=1e-4)
    assert found.coef_[3] == pytest.approx(0.0, abs=1e-4)
