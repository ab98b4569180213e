"""Estimators under audit: copies are fitted, and their numbers seen."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import tacit
from tacit.audit import EpsilonDelta, by_runs, fit_neighbours, fitting
from tacit.audit.fits import learnt
from tacit.estimators import (
    CategoricalNB,
    DecisionTreeClassifier,
    GaussianNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    NeuralClassifier,
    RuleListClassifier,
)
from tacit.models.layers import Dense

CENTRAL = tacit.Central(1.0, 1e-6)
REGRESSION = LinearRegression(CENTRAL, bounds=(0, 1), target_bounds=(0, 1), people=12)


def test_a_copy_is_fitted_and_what_it_learnt_is_seen():
    """The same again for the same seed, another for another; the estimator stays as it was."""
    fitted, (one, _) = fitting(REGRESSION), fit_neighbours(REGRESSION, 12)
    first, again, other = (fitted(one, seed) for seed in (1, 1, 2))

    assert first.shape[0] >= 2 and np.array_equal(first, again) and not np.array_equal(first, other)
    assert not hasattr(REGRESSION, "coef_")


class Remembers(BaseEstimator):
    """Learns the largest row, as it is."""

    def __init__(self, trust=None, bounds=(0, 1), seed=None, ledger=None):
        self.trust, self.bounds, self.seed, self.ledger = trust, bounds, seed, ledger

    def fit(self, rows):
        self.largest_ = float(np.max(rows))
        return self


def test_an_estimator_that_remembers_is_convicted():
    """Of its largest number."""
    own = Remembers(CENTRAL)
    found = by_runs(fitting(own), fit_neighbours(own, 5), EpsilonDelta(1.0, 1e-6), runs=100)

    assert found.broken and found.epsilon > 2


def test_an_estimator_of_the_library_is_consistent():
    """So few fits show little; that it is not convicted says no more."""
    found = by_runs(
        fitting(REGRESSION), fit_neighbours(REGRESSION, 12), EpsilonDelta(1.0, 1e-6), runs=8
    )

    assert not found.broken


CLASSIFIERS = [
    DecisionTreeClassifier(CENTRAL, bounds=(0, 1), classes=[0, 1], people=6, cuts=1, max_depth=1),
    RuleListClassifier(CENTRAL, bounds=(0, 1), classes=[0, 1], people=6, cuts=1, length=1),
    CategoricalNB(CENTRAL, bounds=(0, 1), classes=[0, 1], people=6, cuts=1),
    GaussianNB(CENTRAL, bounds=(0, 1), classes=[0, 1], people=6),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_rules_and_tables_are_seen(model):
    """What each seed changes: a rule's numbers, and every table's of a list."""
    fitted, (one, _) = fitting(model), fit_neighbours(model, 6)
    answers = [fitted(one, seed) for seed in range(3)]

    assert any(not np.array_equal(answers[0], each) for each in answers[1:])


def test_every_number_is_seen_wherever_it_stands():
    """In an array, alone, in lists and tuples and in models, by names; a whole number alone, words,
    settings and what was declared are not."""
    model = BaseEstimator()
    model.b_, model.a_, model.c_ = 0.5, np.array([[1.0], [2.0]]), [np.ones(2), np.zeros(1), "x"]
    model.n_, model.whole_, model.other = 3, np.array([7]), 9.0
    model.classes_, model.d_ = np.array([8.0, 9.0]), (np.float32(0.25), Dense.at_zero(1, 1))

    assert list(learnt(model)) == [1, 2, 0.5, 1, 1, 0, 0.25, 0, 0, 7]


@pytest.mark.parametrize("classes", [["no", "not"], ["no", "yes"], [0, 0.5]])
def test_a_canary_has_its_own_label_whatever_the_type_of_the_others(classes):
    """Not cut to the length, nor to the kind, of the first."""
    model = LogisticRegression(tacit.Central(1.0, 1e-6), bounds=(0, 1), classes=classes)
    (_, labels), _ = fit_neighbours(model, 3)

    assert list(labels) == [classes[0]] * 3 + [classes[1]]


def test_what_a_network_learnt_is_audited():
    """And not the declared classes in its place."""
    model = NeuralClassifier(
        tacit.Central(1.0, 1e-6), bounds=(0, 1), classes=[0.0, 1.0], people=6, rounds=2, seed=0
    )
    (one, _), fitted = fit_neighbours(model, 6), fitting(model)
    answers = [fitted(one, seed) for seed in range(2)]

    assert answers[0].size > 10 and not np.array_equal(*answers)


def test_canaries_are_of_the_estimator_s_own_bounds():
    """Labels are of its classes, targets beyond theirs; under replace-one nobody is missing."""
    trust = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    classes = LogisticRegression(trust, bounds=(0, 2), classes=[3, 5])
    (rows, labels), (others, other_labels) = fit_neighbours(classes, 4, 2)
    (_, targets), (_, other_targets) = fit_neighbours(REGRESSION, 4)
    clusters = fit_neighbours(KMeans(CENTRAL, bounds=(0, 1)), 4, 3)

    assert rows.shape == others.shape == (5, 2) and rows[-1, 0] == 8 and others[-1, 0] == -6
    assert list(labels) == [3, 3, 3, 3, 5] and list(other_labels) == [3] * 5
    assert list(targets) == [0, 0, 0, 0, 4] and list(other_targets) == [0] * 4
    assert clusters.one.shape == (5, 3) and clusters.other.shape == (4, 3)


def test_what_learnt_nothing_or_promises_nothing_is_refused():
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match="must have learnt numbers, got none"):
        learnt(BaseEstimator())
    with pytest.raises(ValueError, match="trust must promise something"):
        fit_neighbours(LinearRegression(tacit.NonPrivate(), bounds=(0, 1)), 4)


def test_what_was_not_declared_is_refused_by_name():
    """Labels are known from declared classes and bounds of targets alone."""
    with pytest.raises(ValueError, match="classes of LogisticRegression must be two or more"):
        fit_neighbours(LogisticRegression(CENTRAL, bounds=(0, 1)), 4)
    with pytest.raises(ValueError, match="target_bounds of LinearRegression must be two or more"):
        fit_neighbours(LinearRegression(CENTRAL, bounds=(0, 1)), 4)
