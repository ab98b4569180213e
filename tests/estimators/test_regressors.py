"""Regressions: without privacy scikit-learn's own, with it nearly, in the data's own units."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, numbers, rows
from tacit.estimators import Lasso, LinearRegression, Ridge
from tacit.estimators.declared import Box

X = rows()
Y = numbers(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}
BOX = Box.declared(BOUNDS, 3)
INSIDE = np.clip(X, *BOUNDS)
# More than X are: of so few some draws of the noise explain less than is asked for below.
MANY = 6_000


@pytest.mark.parametrize("kind", [LinearRegression, Ridge, Lasso])
def test_a_row_outside_its_bounds_is_predicted_as_the_nearest_within(kind):
    """As it would have been learnt from; nothing else tells how a line goes on."""
    far, near = kind(tacit.NonPrivate(), **DECLARED).fit(X, Y).predict([[1e9] * 3, [11.0] * 3])

    assert far == near


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
    before, fitted = model.plan(3, people=MANY), model.fit(many, numbers(many))

    assert fitted.score(X, Y) > least
    assert fitted.plan_.guarantees and fitted.plan_ == before.plan
    assert fitted.coef_.shape == (3,) and fitted.n_features_in_ == 3
