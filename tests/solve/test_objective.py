"""People are made to fit what was declared, each alone; what lacks a constant is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tacit.solve.losses import Hinge, Logistic
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L1, L2, Elastic


def test_rows_are_made_to_fit():
    """Long rows are scaled, broken ones and wrong labels become nobody, and all are counted."""
    aim = Objective(Logistic(), L2(1.0), 2.0, 10, 2)
    rows = np.array(
        [[3.0, 4.0], [0.6, 0.8], [math.nan, 1.0], [math.inf, 0.0], [1e300, 0.0], [1, 1]]
    )
    examples = cut(aim, rows, np.array([1.0, -1.0, 1.0, 1.0, 1.0, 7.0]))

    expected = [[1.2, 1.6], [0.6, 0.8], [0, 0], [0, 0], [2, 0], [0, 0]]
    assert np.allclose(examples.rows, expected, atol=1e-15)
    assert examples.changed == 5
    assert examples.labels.tolist() == [1, -1, 1, 1, 1, 1]
    assert np.isnan(rows[2, 0])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_no_row_reaches_beyond(kind):
    """In exact arithmetic no row is longer than `reach`, whatever its size was."""
    numbers = np.random.default_rng(3)
    rows = numbers.normal(size=(500, 7)) * np.exp(numbers.normal(0, 20, (500, 1)))
    aim = Objective(Logistic(), L2(1.0), 1.5, 500, 7)
    cut_rows = cut(aim, rows.astype(kind), np.ones(500)).rows
    longest = max(sum(Fraction(float(x)) ** 2 for x in row) for row in cut_rows)

    assert longest <= Fraction(aim.reach) ** 2
    assert longest > Fraction(1.499) ** 2


def test_whole_numbers_are_rows():
    """Integer rows are taken as float64."""
    aim = Objective(Logistic(), L2(1.0), 2.0, 2, 2)
    assert cut(aim, np.array([[1, 0], [0, 1]]), np.array([1, -1])).rows.dtype == np.float64


@pytest.mark.parametrize(
    "make, wrong",
    [
        (lambda: Objective(Hinge(), L2(1.0), 1.0, 1, 1), "Hinge loss has no smoothness"),
        (lambda: Objective(Logistic(), L1(1.0), 1.0, 1, 1), "L1 penalty has no smoothness"),
        (lambda: Objective(Logistic(), Elastic(1, 1), 1.0, 1, 1), "Elastic penalty has no"),
        (lambda: Objective(Logistic(), L2(1.0), math.nan, 1, 1), "bound must be between"),
        (lambda: Objective(Logistic(), L2(1.0), 1.0, 0, 1), "people must be between"),
        (lambda: Objective(Logistic(), L2(1.0), 1.0, 1, 5000), "dimension must be between"),
    ],
)
def test_refused_objectives(make, wrong):
    """What lacks a constant is named, and numbers out of range are."""
    with pytest.raises(ValueError, match=wrong):
        make()


def test_rows_and_labels_belong_together():
    """Rows of another dimension and missing labels are refused."""
    aim = Objective(Logistic(), L2(1e-3), 4.0, 10, 3)
    with pytest.raises(ValueError, match="rows must be people x 3"):
        cut(aim, np.zeros((10, 2)), np.ones(10))
    with pytest.raises(ValueError, match="with a label each"):
        cut(aim, np.zeros((10, 3)), np.ones(9))
