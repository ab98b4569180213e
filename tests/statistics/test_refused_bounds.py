"""What was wrong with bounds is said, in the end of the one sentence that refuses them."""

import math

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit import statistics
from tacit.estimators import LogisticRegression
from tacit.statistics.between import bounds_each

X = pd.DataFrame({"age": [30.0, 40.0], "visits": [1.0, 2.0]})
BY_NAME = {"age": (0, 120), "visits": (0, 20)}
WRONG = {
    "a dict": (
        BY_NAME,
        2,
        r"dict: of pairs by column write \[own\[each\] for each in X\.columns\]",
    ),
    "too many pairs": ([(0, 1)] * 3, 2, "3 pairs for 2 columns"),
    "too few pairs": ([(0, 1)] * 2, 3, "2 pairs for 3 columns"),
    "one pair": ([(0, 1)], 2, "1 pair for 2 columns"),
    "too many a side": (([0] * 3, [1] * 3), 2, "3 lower and 3 upper for 2 columns"),
    "an array": (np.zeros((2, 3)), 2, "3 lower and 3 upper for 2 columns"),
    "one side too long": ((0, [1] * 3), 2, "1 lower and 3 upper for 2 columns"),
    "no pairs": ([0, 1, 2], 3, "3 parts for 3 columns"),
    "a pair turned round": ([(0, 120), (20, 0)], 2, r"\(20, 0\) for column 1, counted from 0"),
    "a side turned round": (([0, 5], 5), 2, r"\(5, 5\) for column 1, counted from 0"),
    "one infinite": ((0, [1, math.inf]), 2, r"\(0, inf\) for column 1, counted from 0"),
    "of one column": ((1, 0), 1, r"\(1, 0\) for column 0, counted from 0"),
    "words": ("ab", 2, "'ab'"),
    "nothing": (None, 2, "None"),
    "no numbers": ((0, "x"), 2, "tuple"),
}


@pytest.mark.parametrize("bounds, columns, said", WRONG.values(), ids=WRONG)
def test_a_refusal_of_bounds_ends_with_what_was_wrong(bounds, columns, said):
    """How many for how many columns, or the first that are not one below the other."""
    with pytest.raises(ValueError, match=rf"^own must be .* its upper one, got ({said})$"):
        bounds_each(bounds, columns, "own")


def test_what_is_said_of_a_dict_is_right():
    """Of two columns too, whose pairs might else be read in two ways."""
    written = [BY_NAME[each] for each in X.columns]

    assert [side.tolist() for side in bounds_each(written, 2)] == [[0, 0], [120, 20]]


def test_estimators_and_covariances_say_it():
    """Before anything is read or charged."""
    told = {"trust": tacit.Central(1.0, 1e-6), "bounds": BY_NAME, "people": 2}
    with pytest.raises(ValueError, match=r"got dict: .* write \[bounds\[each\] for each in X\.col"):
        LogisticRegression(**told, classes=[0, 1]).fit(X, [0, 1])
    with pytest.raises(ValueError, match=r"got dict: .* write \[bounds\[each\] for each in X\.col"):
        statistics.covariance(X, **told, ledger="none.db", name="people")
