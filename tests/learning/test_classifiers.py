"""A linear classifier's problem, its ways, and what a person's data is to each."""

import math

import numpy as np
import pytest

import tacit
from tacit.learning.classifiers import (
    InRounds,
    NewtonRounds,
    PerturbedMinimum,
    Problem,
    Steps,
    minimum_of,
)
from tacit.solve.losses import Logistic, Multinomial

TWO, THREE = Problem(50, 2, 3.0, 2), Problem(50, 2, 3.0, 3)
ROWS = np.array([[3.0, 4.0], [0.3, -0.4]], np.float32)
CENTRAL = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
DESCENT = InRounds(Steps(0.5, 1.0, 1), tacit.Everyone(), 2)


def test_a_problem_says_its_loss_and_its_reach():
    """The longest row is with the constant 1 after it."""
    assert (TWO.loss, THREE.loss) == (Logistic(), Multinomial(3))
    assert TWO.reach == pytest.approx(math.sqrt(10))


def test_rows_are_cut_to_the_norm():
    """In their direction; shorter ones stay."""
    np.testing.assert_allclose(TWO.cut(ROWS), [[1.8, 2.4], [0.3, -0.4]], rtol=1e-5)


def test_accuracy_is_of_the_highest_score():
    """The last row of weights are the intercepts; rows are cut as they were learnt from."""
    weights = np.array([[1.0], [0.0], [-2.0]])
    assert TWO.accuracy(weights, (ROWS, np.array([0, 0]))) == 1.0
    many = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert THREE.accuracy(many, (ROWS, np.array([0, 2]))) == 1.0


@pytest.mark.parametrize("loss, size", [(Logistic(), 3), (Multinomial(4), 12)])
def test_the_minimum_has_a_weight_for_each_score(loss, size):
    """Of rows in the ball, with the constant among them, and the penalty per person."""
    question = minimum_of(loss, 0.25, tacit.Ball(3, 2.0), 50)

    assert (question.size, question.people) == (size, 50)
    assert (question.statistic.loss, question.statistic.penalty.ridge) == (loss, 0.25)
    assert question.features == tacit.Ball(3, 2.0)


@pytest.mark.parametrize("problem", [TWO, THREE], ids=["two", "three"])
def test_every_way_is_of_one_problem(problem):
    """Its people and its reach; weights have a row for each feature and the intercepts."""
    outputs = 1 if problem.classes == 2 else 3
    minimum, rounds = (way.asked(CENTRAL, problem) for way in (PerturbedMinimum(0.1), DESCENT))

    assert minimum.plan.question.features.radius == pytest.approx(problem.reach)
    assert rounds.plan.question.contribution.radius == 0.5
    assert {each.plan.question.people for each in (minimum, rounds)} == {50}
    for asked in (minimum, rounds):
        assert asked.weights(asked.learner.init()).shape == (3, outputs)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Problem(0, 2, 1.0, 2), "people must be a whole number of at least 1, got 0"),
        (lambda: Problem(5, "2", 1.0, 2), "features must be a whole number of at least 1, got '2'"),
        (lambda: Problem(5, 2, math.nan, 2), "norm must be positive and finite, got nan"),
        (lambda: Problem(5, 2, 1.0, 1), "classes must be a whole number of at least 2, got 1"),
        (
            lambda: NewtonRounds(0.1, tacit.Everyone(), 2).asked(CENTRAL, THREE),
            "Newton's method is for two classes, got 3",
        ),
        (lambda: TWO.refuse_misfit((ROWS[:, :1], np.zeros(2))), r"got arrays of shape \(2, 1\)"),
        (lambda: TWO.refuse_misfit((ROWS, np.array([0, 2]))), "labels must be .* from 0 to 1$"),
    ],
)
def test_refuses(make, said):
    """With what is allowed; of labels it is not said which is none."""
    with pytest.raises(ValueError, match=said):
        make()
