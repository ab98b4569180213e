"""Margins: of two classes one, of several each against the rest."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, grades, names, rows
from tacit.estimators import LinearSVC
from tacit.solve.losses import HuberisedHinge
from tacit.solve.one_versus_rest import OneVersusRest

X = rows()
GRADES = grades(X)
FREE = tacit.NonPrivate()


def test_several_classes_are_one_against_the_rest():
    """Each column is the model of its own class, in one release."""
    whole = LinearSVC(FREE, bounds=BOUNDS).fit(X, GRADES)
    for grade in range(3):
        own = LinearSVC(FREE, bounds=BOUNDS).fit(X, GRADES == grade)
        np.testing.assert_allclose(whole.coef_[grade], own.coef_[0], atol=1e-3)

    assert whole.coef_.shape == (3, 3) and whole.plan_.question.size == 12


@pytest.mark.parametrize("classes", [["no", "yes"], [1, 2, 3]])
def test_the_width_is_the_losses(classes):
    """Of each class against the rest."""
    model = LinearSVC(
        tacit.Central(1.0, 0.0), bounds=BOUNDS, classes=classes, people=400, penalty=0.1, width=0.2
    )
    own = HuberisedHinge(0.2)

    loss = model.plan(3).plan.question.statistic.loss
    assert loss == (own if len(classes) == 2 else OneVersusRest(own, 3))


def test_a_label_is_that_of_the_side_a_row_is_on():
    """The second class is above zero."""
    model = LinearSVC(FREE, bounds=BOUNDS, penalty=1e-3).fit(X, names(X))
    scores = model.decision_function(X)

    assert scores.shape == (len(X),)
    np.testing.assert_array_equal(model.predict(X), np.where(scores > 0, "yes", "no"))
