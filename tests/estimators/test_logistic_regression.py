"""Log-odds: without privacy the exact minimum, in rounds where people randomise their gradients."""

import numpy as np
import pytest
import sklearn.linear_model

import tacit
from estimators.people_like_these import BOUNDS, grades, names, rows
from tacit.estimators import LogisticRegression
from tacit.estimators.declared import REACH, Box
from tacit.estimators.trusts import EVERY
from tacit.learning.labelled_rows import with_constant
from tacit.question.participation import Once
from tacit.solve.losses import Logistic, Multinomial

X = rows()
LABELS, GRADES = names(X), grades(X)
DECLARED = {"bounds": BOUNDS, "seed": 0}
TWO = {"classes": ["no", "yes"], **DECLARED}
FREE = tacit.NonPrivate()


@pytest.mark.parametrize("labels", [LABELS, GRADES], ids=["two", "three"])
def test_without_privacy_it_is_the_regularised_minimum(labels):
    """Scikit-learn's own, of rows in the ball with a constant among them."""
    box, inside = Box.declared(BOUNDS, 3), np.clip(X, *BOUNDS)
    strength = 1 / (1e-3 * len(X))
    peer = sklearn.linear_model.LogisticRegression(C=strength, fit_intercept=False, tol=1e-8)
    design = with_constant(box.ball(X)).astype(float)
    peer.fit(design, labels)
    found = LogisticRegression(FREE, bounds=BOUNDS, penalty=1e-3).fit(X, labels)

    chances = found.predict_proba(inside)
    np.testing.assert_allclose(chances, peer.predict_proba(design), atol=1e-4)
    assert found.classes_.tolist() == peer.classes_.tolist()
    lines = (inside @ found.coef_.T + found.intercept_).squeeze()
    np.testing.assert_allclose(found.decision_function(X), lines)


def test_where_people_randomise_each_reports_once():
    """In one of the rounds, with the whole budget: against the server and so the public."""
    model = LogisticRegression(tacit.Local(8.0), rounds=2, **TWO).fit(X[:, :2], LABELS)
    asked = model.plan_.question

    assert (asked.participation, asked.rounds, asked.times) == (Once(), 2, 1)
    assert asked.contribution.radius == pytest.approx(REACH)
    assert {g.observer for g in model.plan_.guarantees} == {"server", "public"}
    assert all(g.epsilon <= 8.0 for g in model.plan_.guarantees)
    assert np.isfinite(model.coef_).all() and model.coef_.any()


def test_every_trust_is_in_the_table():
    """Whoever may be trusted finds how the lines are learnt."""
    rows = [row for row in (LogisticRegression.__doc__ or "").splitlines() if " | " in row]

    assert all(any(f"`{kind.__name__}`" in row for row in rows) for kind in EVERY)


def test_a_declared_label_that_nobody_has_is_learnt_like_any_other():
    """So that its absence is not told by the model's shape."""
    model = LogisticRegression(FREE, classes=["no", "yes", "maybe"]).fit(X, LABELS)

    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.predict_proba(X).shape == (1500, 3)
    assert model.predict_proba(X)[:, 0].max() < 0.1


@pytest.mark.parametrize("many", [2, 4])
def test_a_penalty_that_is_given_is_the_one_that_is_minimised_with(many):
    """Of one score if there are two classes; where people randomise it is the rounds'."""
    told = {"bounds": BOUNDS, "classes": list(range(many)), "people": 500, "penalty": 0.05}
    exact = LogisticRegression(tacit.Central(1.0, 0.0), **told).plan(3).plan
    rounds = LogisticRegression(tacit.Local(4.0), **told, rounds=3, rate=0.5).plan(3)

    assert exact.question.statistic.loss == (Logistic() if many == 2 else Multinomial(many))
    assert exact.question.statistic.penalty.ridge == 0.05
    assert (rounds.plan.sums.rounds, rounds.foreseen) == (3, None)
    assert "3 gradient rounds at rate 0.5" in rounds.way


def test_rounds_are_foreseen_where_epsilon_is_small():
    """With a delta: what the plan says is what is asked."""
    known = LogisticRegression(tacit.Central(0.1, 1e-4), people=800, **TWO).plan(20)

    assert known.plan.sums.rounds == 100 and "100 gradient rounds" in known.way
    assert known.plan.question.contribution.radius == pytest.approx(REACH / 2)
