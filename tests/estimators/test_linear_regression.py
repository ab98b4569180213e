"""Least squares, or under a curator what is foreseen to be nearest to it."""

import numpy as np
import pytest
import sklearn.linear_model

import tacit
from estimators.people_like_these import BOUNDS, numbers, rows
from tacit.estimators import LinearRegression
from tacit.solve.losses import Huber

X = rows()
Y = numbers(X)
TOLD = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "people": len(X), "seed": 0}


def test_without_privacy_it_is_least_squares():
    """Coefficients and intercept in the data's units; bounds read off change nothing."""
    peer = sklearn.linear_model.LinearRegression().fit(X, Y)
    found = LinearRegression(tacit.NonPrivate()).fit(X, Y)

    np.testing.assert_allclose(found.coef_, peer.coef_, rtol=1e-3)
    np.testing.assert_allclose(found.intercept_, peer.intercept_, rtol=1e-2)
    np.testing.assert_allclose(found.predict(X), X @ found.coef_ + found.intercept_)


def test_a_constant_feature_and_constant_targets_do_no_harm():
    """Read off, both are in the middle of bounds of their own."""
    flat = np.column_stack([X, np.full(len(X), 7.0)])
    found = LinearRegression(tacit.NonPrivate()).fit(flat, np.full(len(X), 5.0))

    assert found.predict(flat) == pytest.approx(np.full(len(X), 5.0), abs=1e-4)
    assert found.coef_[3] == pytest.approx(0.0, abs=1e-4)


def test_a_curator_minimises_hubers_loss_and_nobody_else_does():
    """A plan says which; of everybody's moments nothing is foreseen."""
    one = LinearRegression(tacit.Central(1.0, 0.0), **TOLD).plan(3)
    all_others = LinearRegression(tacit.Local(2.0), **TOLD).plan(["a", "b", "c"])

    assert isinstance(one.plan.question.statistic.loss, Huber) and 0 < one.foreseen < 1
    assert "Huber's loss of width" in one.way and "second moments" in all_others.way
    assert all_others.foreseen is None and all_others.plan.question.contribution.dim == 15


def test_predictions_are_in_the_targets_unit():
    """A line of the data's own numbers, whatever the bounds are."""
    found = LinearRegression(tacit.NonPrivate(), bounds=BOUNDS, target_bounds=(-16, 116))
    inside = np.clip(X, *BOUNDS)
    found.fit(inside, 10 + inside @ [2.0, 0.0, 1.0])

    assert found.coef_ == pytest.approx([2.0, 0.0, 1.0], abs=1e-3)
    assert found.intercept_ == pytest.approx(10.0, abs=1e-2)
