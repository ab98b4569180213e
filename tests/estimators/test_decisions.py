"""From scores to labels and chances, of one score a row or one a class."""

import numpy as np
import pytest

from tacit.estimators import decisions
from tacit.estimators.declared import Box

ROWS = np.array([[1.0, 2.0], [3.0, -1.0], [9.0, 0.0]])
ONE, THREE = np.array([[2.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
NAMES = np.array(["a", "b", "c"])


def test_one_model_gives_one_number_a_row():
    """More give one each; so does a regression's line."""
    assert decisions.lines(ONE, np.array([1.0]), ROWS).tolist() == [5.0, 6.0, 19.0]
    assert decisions.lines(THREE, np.zeros(3), ROWS).shape == (3, 3)
    assert decisions.lines(ONE[0], 1.0, ROWS).tolist() == [5.0, 6.0, 19.0]


def test_rows_are_clipped_before_they_are_scored():
    """As a fit reads them, in as many blocks as they need; nobody's rows are changed."""
    box, before = Box.declared((-1.0, 2.0), 2), ROWS.copy()
    found = decisions.lines_within(box, ONE, np.array([0.0]), ROWS)

    assert found.tolist() == [4.0, 3.0, 4.0]
    np.testing.assert_array_equal(ROWS, before)


@pytest.mark.parametrize(
    "scores, labels",
    [
        (np.array([-0.1, 0.0, 0.1]), ["a", "a", "b"]),
        (np.array([[0.0, 2.0, 1.0], [3.0, 2.0, 1.0]]), ["b", "a"]),
        (np.array([[1.0, 1.0, 1.0]]), ["a"]),
    ],
)
def test_the_sign_or_the_largest_score_decides(scores, labels):
    """Nothing above zero is the first class; among equals it is the first."""
    assert decisions.chosen(NAMES, scores).tolist() == labels


def test_chances_are_of_log_odds():
    """The second class's chance of one score; of several they add up to one, however far out."""
    odds = np.array([0.0, np.log(3.0), -800.0])
    np.testing.assert_allclose(
        decisions.chances(odds), [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]], atol=1e-12
    )
    scores = np.log([[1.0, 2.0, 5.0]]) + 700.0
    np.testing.assert_allclose(decisions.chances(scores), [[0.125, 0.25, 0.625]])
    np.testing.assert_allclose(decisions.log_chances(scores), np.log([[0.125, 0.25, 0.625]]))
