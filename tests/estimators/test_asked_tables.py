"""Tables of classes for an estimator: who is asked how, how many people classes have, and noise."""

import numpy as np
import pytest

import tacit
from tacit.estimators.asked_tables import cell_noise, class_counts, tables_foreseen
from tacit.sq.category_tables import CategoryTables
from tacit.sq.oracle import QueryLearning


def test_noise_is_of_one_cell_in_people():
    """The discrete Laplace law of scale g/epsilon, of g features; none without a promise."""
    learner = CategoryTables((3, 4, 5), 2)
    asked = QueryLearning(learner, tacit.Central(1.0, 0.0), 5_000)

    assert cell_noise(asked) == pytest.approx(3 * 2**0.5, rel=0.02)
    assert cell_noise(QueryLearning(learner, tacit.NonPrivate(), 5_000)) == 0.0


def test_noise_is_not_known_where_reports_are_cut():
    """It is not none: nothing is foreseen, and the page says why."""
    public = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    cut = QueryLearning(
        CategoryTables((3, 4, 5), 2), tacit.Federated(8.0, public, radius=0.5), 5_000
    )
    foreseen = tables_foreseen(cut, None)

    assert cell_noise(cut) is None and foreseen.foreseen is None
    assert "not known before: what is cut off" in foreseen.foreseen_in_words
    free = QueryLearning(CategoryTables((3, 4, 5), 2), tacit.NonPrivate(), 5_000)
    assert "there is no noise" == tables_foreseen(free, None).foreseen_in_words


def test_counts_are_off_by_the_noise_that_is_said(tmp_path):
    """Over 600 cells: two thirds of it would be below the lower limit."""
    codes, own = np.zeros((100, 2), np.float32), np.zeros(100, np.float32)
    learner = CategoryTables((200, 100), 2)
    asked = QueryLearning(learner, tacit.Central(0.5, 0.0), 100)
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("people", asked.plan)
    tables = learner.tables(asked.of((codes, own), book, "people", seed=0).state)
    off = np.concatenate([own.ravel()[1:] for own in tables])

    assert 0.85 < 100 * np.sqrt(np.mean(off**2)) / cell_noise(asked) < 1.15


def test_classes_are_counted_by_all_tables():
    """Those of few cells, whose sums have less noise, count for more; nobody is one person."""
    few, many = np.array([[10.0, 20.0], [0.0, -3.0]]), np.array([[10.0] * 4, [0.0] * 4])

    np.testing.assert_allclose(class_counts([few, many]), [(30 / 2 + 40 / 4) / 0.75, 1.0])
