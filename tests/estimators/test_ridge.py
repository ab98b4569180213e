"""Least squares with a penalty, of everybody's second moments."""

import math

import numpy as np
import pytest
import sklearn.linear_model

import tacit
from estimators.people_like_these import BOUNDS, numbers, rows
from tacit.estimators import LinearRegression, Ridge
from tacit.estimators.declared import Box
from tacit.estimators.settings import SecondMoments
from tacit.learning.labelled_rows import with_constant

X = rows()
Y = numbers(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}
BOX = Box.declared(BOUNDS, 3)
INSIDE = np.clip(X, *BOUNDS)
CENTRAL = tacit.Central(2.0, 1e-6)


def test_a_penalty_is_on_rows_in_the_ball_and_on_the_intercept():
    """As scikit-learn's of such rows, with the constant among them."""
    penalty, design = 0.01, with_constant(BOX.ball(X)).astype(float)
    peer = sklearn.linear_model.Ridge(alpha=penalty * len(X), fit_intercept=False)
    peer.fit(design, Y / 16)
    found = Ridge(tacit.NonPrivate(), penalty=penalty, **DECLARED).fit(X, Y)

    expected = 16 * with_constant(BOX.ball(INSIDE)) @ peer.coef_
    np.testing.assert_allclose(found.predict(INSIDE), expected, atol=0.02)
    assert np.abs(found.predict(INSIDE) - Y).mean() > 0.5


def test_a_penalty_that_is_given_is_of_second_moments():
    """Under a curator too, who without one would choose: as `LinearRegression`."""
    given, chosen = (Ridge(CENTRAL, people=1500, penalty=own, **DECLARED) for own in (0.25, None))
    before, fitted = given.plan(3), given.fit(X, Y)

    assert before.plan == fitted.plan_ and fitted.settings_ == SecondMoments(0.25)
    assert "a penalty of 0.25 a person beside what noise needs" in before.way
    assert chosen.plan(3) == LinearRegression(CENTRAL, people=1500, **DECLARED).plan(3)


def test_the_penalty_is_on_nothing_that_is_asked():
    """So people are promised the same for each."""
    plans = [Ridge(CENTRAL, people=90, penalty=own, **DECLARED).plan(3) for own in (0.0, 9.0)]

    assert plans[0].plan == plans[1].plan


@pytest.mark.parametrize("penalty", [-1.0, math.nan, math.inf, "x", True])
def test_a_penalty_is_a_number_of_at_least_zero(penalty):
    """By a plan as by a fit."""
    model = Ridge(CENTRAL, people=1500, penalty=penalty, **DECLARED)
    for asked in (lambda: model.plan(3), lambda: model.fit(X, Y)):
        with pytest.raises(ValueError, match="penalty must be at least 0 and finite, got"):
            asked()
