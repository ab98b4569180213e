"""Classifiers: without privacy the exact minimum, with it nearly; what each releases."""

import numpy as np
import pandas
import polars
import pytest

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, grades, names, rows
from tacit.estimators import (
    SVC,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    SGDClassifier,
)
from tacit.population import program

X = rows()
LABELS, GRADES = names(X), grades(X)
RING = np.where(np.linalg.norm(X[:, :2] - 3, axis=1) > 2.3, "out", "in")
DECLARED = {"bounds": BOUNDS, "seed": 0}
TWO, THREE = {"classes": ["no", "yes"], **DECLARED}, {"classes": [0, 1, 2], **DECLARED}
FREE = tacit.NonPrivate()


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC, SGDClassifier, SVC])
def test_a_row_outside_its_bounds_is_predicted_as_the_nearest_within(kind):
    """As it would have been learnt from; nothing else tells how a line goes on."""
    found = kind(FREE, rounds=3, **TWO) if kind is SGDClassifier else kind(FREE, **TWO)
    scores = found.fit(X, LABELS).decision_function([[1e9, -1e9, 3.0], [11.0, -5.0, 3.0]])

    np.testing.assert_array_equal(scores[0], scores[1])


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
    """Better than the largest class, and the promise is the one that was declared and planned."""
    before = model.plan(3, people=len(X))
    fitted = model.fit(X, labels)
    public = next(g for g in fitted.plan_.guarantees if g.observer == "public")

    assert fitted.score(X, labels) > least and fitted.plan_ == before.plan
    assert before.foreseen == (fitted.settings_.lost if hasattr(fitted, "settings_") else None)
    assert public.epsilon <= model.trust.epsilon
    assert set(fitted.predict(X)) <= set(fitted.classes_)


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
