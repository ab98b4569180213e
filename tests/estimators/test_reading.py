"""Rows are read as numbers, and nobody's cell is quoted."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import LogisticRegression, Ridge

PEOPLE = 20
AGES = np.linspace(20.0, 60.0, PEOPLE)
NAMES = ["Jane Doe", *["Max Mustermann"] * (PEOPLE - 1)]
FRAME = pd.DataFrame({"age": AGES, "name": NAMES, "town": ["Ulm"] * PEOPLE})
ROWS = np.column_stack([AGES, AGES])
LABELS = np.arange(PEOPLE) % 2
OPEN = tacit.NonPrivate()


@pytest.mark.parametrize(
    "rows, said",
    [
        (FRAME, "column 'name', 'town' must hold numbers, got text: encode it first"),
        (FRAME.to_numpy(), "X, and a regression's y, must hold numbers, got text"),
        ([[str(age), name] for age, name in zip(AGES, NAMES, strict=True)], "must hold numbers"),
    ],
)
def test_text_is_refused_by_its_column_and_not_by_what_it_says(rows, said):
    """Neither the sentence nor what caused it holds a cell."""
    with pytest.raises(ValueError, match=said) as caught:
        LogisticRegression(OPEN).fit(rows, LABELS)
    assert "Jane" not in str(caught.value) and caught.value.__suppress_context__


def test_a_regressions_target_of_text_is_refused_as_well():
    """Names are no numbers."""
    with pytest.raises(ValueError, match="must hold numbers, got text") as caught:
        Ridge(OPEN).fit(ROWS, np.array(NAMES, object))
    assert "Jane" not in str(caught.value)


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf])
def test_what_is_missing_is_refused_before_learning_and_before_predicting(missing):
    """The remedy looks at no data; scikit-learn's would."""
    model = LogisticRegression(OPEN).fit(ROWS, LABELS)
    spoilt = ROWS.copy()
    spoilt[3, 1] = missing
    said = r"finite numbers, got NaN or infinity: .*middle of the bounds"
    with pytest.raises(ValueError, match=said):
        model.predict(spoilt)
    with pytest.raises(ValueError, match=said):
        LogisticRegression(OPEN).fit(spoilt, LABELS)


@pytest.mark.parametrize(
    "rows, said",
    [
        (np.array([61234.5, *range(PEOPLE - 1)]), "a row for each person, got one axis"),
        ([61234.5] * PEOPLE, "a row for each person, got one axis"),
        (ROWS * (1 + 61234.5j), "must hold real numbers"),
    ],
)
def test_a_column_alone_and_complex_numbers_are_not_quoted(rows, said):
    """scikit-learn's own sentences print the array."""
    with pytest.raises(ValueError, match=said) as caught:
        LogisticRegression(OPEN).fit(rows, LABELS)
    assert "61234" not in str(caught.value) and "6.1" not in str(caught.value)


def test_other_refusals_are_scikit_learns_own():
    """Users of its estimators know them."""
    with pytest.raises(ValueError, match="0 sample"):
        Ridge(OPEN).fit(ROWS[:0], LABELS[:0])


def test_a_table_of_numbers_is_read_whatever_holds_it():
    """A frame, an array, a list: the same model, that knows a frame's columns."""
    frame = pd.DataFrame(ROWS, columns=["a", "b"])
    models = [LogisticRegression(OPEN).fit(rows, LABELS) for rows in (frame, ROWS, ROWS.tolist())]
    assert list(models[0].feature_names_in_) == ["a", "b"]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
