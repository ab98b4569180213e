"""Classifiers: without privacy the exact minimum, with it nearly; what each releases."""

import equinox as eqx
import numpy as np
import pandas
import polars
import pytest
import sklearn.linear_model

import quick_keys
import tacit
from estimators.people_like_these import BOUNDS, CURATOR, REPLACE, grades, names, rows
from tacit.estimators import (
    SVC,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    SGDClassifier,
)
from tacit.estimators.declared import REACH, Box
from tacit.estimators.gradients import participation
from tacit.learning.classifiers import with_constant
from tacit.models.layers import Dense
from tacit.population import program
from tacit.question.participation import Everyone, Fixed, Once, Poisson

X = rows()
LABELS, GRADES = names(X), grades(X)
RING = np.where(np.linalg.norm(X[:, :2] - 3, axis=1) > 2.3, "out", "in")
DECLARED = {"bounds": BOUNDS, "seed": 0}
TWO, THREE = {"classes": ["no", "yes"], **DECLARED}, {"classes": [0, 1, 2], **DECLARED}
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


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC, SGDClassifier, SVC])
def test_a_row_outside_its_bounds_is_predicted_as_the_nearest_within(kind):
    """As it would have been learnt from; nothing else tells how a line goes on."""
    found = kind(FREE, rounds=3, **TWO) if kind is SGDClassifier else kind(FREE, **TWO)
    scores = found.fit(X, LABELS).decision_function([[1e9, -1e9, 3.0], [11.0, -5.0, 3.0]])

    np.testing.assert_array_equal(scores[0], scores[1])


def test_several_classes_are_one_against_the_rest():
    """Each column is the model of its own class, in one release."""
    whole = LinearSVC(FREE, bounds=BOUNDS).fit(X, GRADES)
    for grade in range(3):
        own = LinearSVC(FREE, bounds=BOUNDS).fit(X, GRADES == grade)
        np.testing.assert_allclose(whole.coef_[grade], own.coef_[0], atol=1e-3)

    assert whole.coef_.shape == (3, 3) and whole.plan_.question.size == 12


@pytest.mark.parametrize(
    "model, labels, least",
    [
        (LogisticRegression(tacit.Central(4.0, 1e-6), people=1500, **TWO), LABELS, 0.85),
        (LinearSVC(CURATOR, **THREE), GRADES, 0.6),
        (SGDClassifier(CURATOR, rounds=100, batch=500, **TWO), LABELS, 0.8),
        (NeuralClassifier(CURATOR, rounds=100, batch=500, **TWO), LABELS, 0.8),
    ],
    ids=["logistic", "margins", "rounds", "network"],
)
def test_with_privacy_it_tells_classes_apart(model, labels, least):
    """Better than the largest class, and the promise is the one that was declared."""
    fitted = model.fit(X, labels)
    public = next(g for g in fitted.plan_.guarantees if g.observer == "public")

    assert fitted.score(X, labels) > least
    assert public.epsilon <= model.trust.epsilon
    assert set(fitted.predict(X)) <= set(fitted.classes_)


def test_a_kernel_machine_releases_no_rows():
    """It learns a ring, which no line tells apart, and holds one weight for each feature."""
    model = SVC(FREE, gamma=20.0, pairs=50, penalty=1e-4).fit(X, RING)
    line = LinearSVC(FREE).fit(X, RING)

    assert model.score(X, RING) > 0.9 > line.score(X, RING) + 0.1
    assert model.weights_.shape == (1, 100) and not hasattr(model, "support_vectors_")
    assert model.plan_.question.features.dim == 101


@pytest.mark.parametrize(
    "trust, batch, expected",
    [
        (CURATOR, 100, Fixed(100)),
        (CURATOR, 1500, Everyone()),
        (CURATOR, 10**6, Everyone()),
        (tacit.Central(4.0, 1e-6), 100, Poisson(100 / 1500)),
        (tacit.Central(4.0, 1e-6, tacit.Relation.ZERO_OUT), 100, Poisson(100 / 1500)),
        (tacit.Local(4.0), 100, Once()),
        (tacit.Federated(8.0, tacit.Central(4.0, 1e-6, REPLACE)), 100, Fixed(100)),
        (FREE, 100, Fixed(100)),
    ],
)
def test_who_takes_part_follows_from_the_trust(trust, batch, expected):
    """A batch of all people or more is everybody."""
    assert participation(trust, batch, 1500) == expected


def test_where_people_randomise_each_reports_once():
    """In one of the rounds, with the whole budget: against the server and so the public."""
    model = LogisticRegression(tacit.Local(8.0), rounds=2, **TWO).fit(X[:, :2], LABELS)
    asked = model.plan_.question

    assert (asked.participation, asked.rounds, asked.times) == (Once(), 2, 1)
    assert asked.contribution.radius == pytest.approx(REACH)
    assert {g.observer for g in model.plan_.guarantees} == {"server", "public"}
    assert all(g.epsilon <= 8.0 for g in model.plan_.guarantees)
    assert np.isfinite(model.coef_).all() and model.coef_.any()


def test_any_model_can_be_learnt():
    """Of one row, with a score for each class; a penalty-free linear one here."""
    model = NeuralClassifier(FREE, model=Dense(3, 2, quick_keys.key(1)), rounds=50, batch=2000)
    fitted = model.fit(X, LABELS)

    assert fitted.score(X, LABELS) > 0.9
    assert isinstance(fitted.model_, Dense) and not eqx.tree_equal(model.model, fitted.model_)
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("table", [pandas.DataFrame, polars.DataFrame])
def test_a_table_s_names_are_kept_and_held_to(table):
    """The names of the fit; a table of others is refused, as scikit-learn does."""
    named = dict(zip(("age", "height", "weight"), X.T, strict=True))
    model = LogisticRegression(FREE).fit(table(named), LABELS)

    assert model.feature_names_in_.tolist() == ["age", "height", "weight"]
    np.testing.assert_array_equal(
        model.predict(table(named)), LogisticRegression(FREE).fit(X, LABELS).predict(X)
    )
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table({name: named[name] for name in ("age", "weight", "height")}))


def test_a_declared_label_that_nobody_has_is_learnt_like_any_other():
    """So that its absence is not told by the model's shape."""
    model = LogisticRegression(FREE, classes=["no", "yes", "maybe"]).fit(X, LABELS)

    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.predict_proba(X).shape == (1500, 3)
    assert model.predict_proba(X)[:, 0].max() < 0.1


@pytest.mark.parametrize(
    "kind, first, other",
    [
        (SGDClassifier, {"rounds": 4}, {"rounds": 9, "rate": 3.0, "clip": 0.3}),
        (
            NeuralClassifier,
            {"rounds": 4, "batch": 2000, "hidden": 2},
            {"rounds": 6, "batch": 2000, "hidden": 2, "rate": 0.3, "clip": 0.7},
        ),
    ],
)
def test_other_rounds_rates_and_clips_compile_nothing(kind, first, other):
    """They are arguments of one program: a sweep over settings waits for the compiler once."""
    kind(CURATOR, **TWO, people=1500, **first).fit(X, LABELS)
    before = program.compiles()
    kind(CURATOR, **TWO, people=1500, **other).fit(X, LABELS)

    assert before == program.compiles()
