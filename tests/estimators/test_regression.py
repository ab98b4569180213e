"""A regression's method follows from public numbers, and explains what second moments do not."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import numbers, rows
from tacit.estimators import LinearRegression, Ridge
from tacit.estimators.settings import SecondMoments, regressed


@pytest.mark.parametrize("delta, columns, least", [(0.0, 20, 0.8), (1e-6, 80, 0.6)])
def test_a_wide_table_is_learnt_where_second_moments_are_not(delta, columns, least):
    """Five weights among many columns; noise on a matrix of all of them hides them."""
    rng = np.random.default_rng(0)
    cube, weights = rng.uniform(-1, 1, (3000, columns)), np.zeros(columns)
    weights[:5] = [1.0, -1.0, 1.0, -1.0, 1.0]
    targets = cube @ weights + 0.3 * rng.normal(size=3000)
    known = {"bounds": (-1, 1), "target_bounds": (-5, 5), "people": 3000, "seed": 0}
    trust = tacit.Central(1.0, delta)
    found = LinearRegression(trust, **known).fit(cube, targets).score(cube, targets)
    moments = Ridge(trust, penalty=0.0, **known).fit(cube, targets).score(cube, targets)

    assert found > least and found > moments + 0.2


@pytest.mark.parametrize(
    "trust", [tacit.Central(1.0, 1e-5), tacit.Central(0.1, 1e-4), tacit.Central(1.0, 0.0)]
)
@pytest.mark.filterwarnings("ignore:0.34 of what a line can tell is foreseen to be lost")
def test_a_regression_says_what_was_used(trust):
    """What is chosen for its public numbers."""
    X = rows(600, 8)
    declared_too = {"bounds": (-5.0, 11.0), "target_bounds": (-16.0, 16.0), "people": 600}
    model = LinearRegression(trust, **declared_too, seed=0).fit(X, numbers(X))

    assert model.settings_ == regressed(trust, 8, 600)
    assert model.plan(8).plan == model.plan_ and model.plan(8).foreseen == model.settings_.lost
    assert Ridge(trust, **declared_too, seed=0).fit(X, numbers(X)).coef_.tolist() == (
        model.coef_.tolist()
    )


def test_second_moments_are_used_if_a_penalty_is_given_or_all_tell():
    """Whatever the numbers are."""
    X = rows(600, 8)
    declared_too = {"bounds": (-5.0, 11.0), "target_bounds": (-16.0, 16.0), "people": 600}
    trust = tacit.Central(1.0, 1e-5)
    given = Ridge(trust, **declared_too, penalty=0.1).fit(X, numbers(X))
    free = LinearRegression(tacit.NonPrivate()).fit(X, numbers(X))
    assert given.settings_ == SecondMoments(0.1) and free.settings_ == SecondMoments(0.0)
