"""Few weights: a corner of the L1 ball a round, and a bound on what that falls short of."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, numbers, rows
from tacit.estimators import Lasso

X = rows()
Y = numbers(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}


def test_sparse_weights_are_chosen_a_feature_at_a_time():
    """After one round there is one; after many it predicts well."""
    once = Lasso(tacit.NonPrivate(), rounds=1, **DECLARED).fit(X, Y)
    often = Lasso(tacit.NonPrivate(), rounds=60, radius=2.0, **DECLARED).fit(X, Y)

    assert np.count_nonzero(once.coef_) == 1 and once.coef_[0] > 0
    assert often.score(X, Y) > 0.95
    # In units within one: bounds are 16 wide, and targets 32.
    assert np.abs(often.coef_ * 8 / 16).sum() <= 2.0 * (1 + 1e-6)


def test_a_plan_is_of_corners_and_rounds():
    """Of three features and the constant, with either sign; slopes of one loss within the width."""
    plan = Lasso(CURATOR, people=900, rounds=7, width=0.5, **DECLARED).plan(3)
    shape = plan.plan.sums.contribution

    assert shape == tacit.Cube(8, -0.5, 0.5) and plan.plan.sums.rounds == 7
    assert "in each of 7 rounds one of 8 corners" in plan.way and plan.foreseen is None


def test_what_is_bound_to_be_lost_falls_with_people():
    """By the theorem: 2 C/(T + 2) is left without noise, C = (2 r)² of features within one."""
    asked = [(tacit.NonPrivate(), 900, 30), (CURATOR, 900, 30), (CURATOR, 9_000_000, 30)]
    plans = [Lasso(one, people=of, rounds=r, **DECLARED).plan(3) for one, of, r in asked]
    free, *said = (plan.foreseen_in_words for plan in plans)
    bounds = [float(each.split("at most ")[1].split(" ")[0]) for each in (*said, free)]

    assert bounds[2] == 0.25 and "of times" not in free
    assert bounds[0] > 1.1 * bounds[1] and bounds[1] == pytest.approx(0.25, rel=0.01)
