"""Rows are read as numbers, and nobody's cell is quoted."""

import tracemalloc

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from tacit.estimators import (
    PCA,
    GaussianMixture,
    KMeans,
    LogisticRegression,
    Ridge,
    TruncatedSVD,
    reading,
)
from told import all_told, alone

PEOPLE = 20
AGES = np.linspace(20.0, 60.0, PEOPLE)
NAMES = ["Jane Doe", *["Max Mustermann"] * (PEOPLE - 1)]
FRAME = pd.DataFrame({"age": AGES, "name": NAMES, "town": ["Ulm"] * PEOPLE})
ROWS = np.column_stack([AGES, AGES])
LABELS = np.arange(PEOPLE) % 2
OPEN = tacit.NonPrivate()


@pytest.mark.parametrize("make", [PCA, LogisticRegression, KMeans])
def test_two_columns_of_one_name_are_refused_by_it(make):
    """In a sentence of ours, whoever made the table."""
    for rows in (pd.DataFrame(ROWS, columns=["a", "a"]), pa.table([*ROWS.T], names=["a", "a"])):
        with pytest.raises(ValueError, match="X must have columns of different names, got 'a'"):
            make(OPEN, people=PEOPLE).fit(rows, LABELS)


@pytest.mark.parametrize(
    "rows, said",
    [
        (FRAME, "column 'name', 'town' must hold numbers, got text: make it columns of declared"),
        (FRAME.to_numpy(), "X, and a regression's y, must hold numbers, got text"),
        ([[str(age), name] for age, name in zip(AGES, NAMES, strict=True)], "must hold numbers"),
    ],
)
def test_text_is_refused_by_its_column_and_not_by_what_it_says(rows, said):
    """Neither the sentence nor anything beside it holds a cell."""
    with pytest.raises(ValueError, match=said) as caught:
        LogisticRegression(OPEN).fit(rows, LABELS)
    assert "Jane" not in all_told(caught.value) and alone(caught.value)


def test_a_regressions_target_of_text_is_refused_as_well():
    """Names are no numbers."""
    with pytest.raises(ValueError, match="must hold numbers, got text") as caught:
        Ridge(OPEN).fit(ROWS, np.array(NAMES, object))
    assert "Jane" not in all_told(caught.value)


DIGITS = ROWS.astype(str)


@pytest.mark.parametrize(
    "rows, said",
    [
        (DIGITS, "X, and a regression's y, must hold numbers, got text"),
        (DIGITS.astype(object), "must hold numbers, got text"),
        (DIGITS.astype(bytes), "must hold numbers, got text"),
        (DIGITS.tolist(), "must hold numbers, got text"),
        ([[age, "89073"] for age in AGES], "must hold numbers, got text"),
        (pd.DataFrame({"age": AGES, "zip": "89073"}), "^column 'zip' must hold numbers, got text"),
        (pl.DataFrame({"age": AGES, "zip": ["1"] * PEOPLE}), "^column 'zip' must hold numbers"),
    ],
)
def test_digits_in_text_are_text(rows, said):
    """Before learning and before predicting, as statistics refuse them."""
    model = LogisticRegression(OPEN).fit(ROWS, LABELS)
    for call in (lambda: LogisticRegression(OPEN).fit(rows, LABELS), lambda: model.predict(rows)):
        with pytest.raises(ValueError, match=said):
            call()


def test_a_regressions_target_of_digits_is_refused():
    """And a classifier's label may be one: it is a name."""
    with pytest.raises(ValueError, match="a regression's y, must hold numbers, got text"):
        Ridge(OPEN).fit(ROWS, AGES.astype(str))

    assert LogisticRegression(OPEN).fit(ROWS, LABELS.astype(str)).classes_.tolist() == ["0", "1"]


def test_objects_that_are_numbers_are_read_as_numbers():
    """scikit-learn's own checks ask for it."""
    plain, objects = (Ridge(OPEN).fit(rows, AGES) for rows in (ROWS, ROWS.astype(object)))

    assert plain.coef_.tolist() == objects.coef_.tolist()


@pytest.mark.parametrize(
    "labels",
    [
        *[
            np.where(LABELS, np.nan, 1.0),
            np.where(LABELS, np.inf, 1.0),
            [1.0, None] * 10,
            [1.0, np.inf] * 10,
        ],
        *[["yes", None] * 10, np.array(["yes", np.nan] * 10, object)],
        *[pd.Series([1, pd.NA] * 10, dtype="Int64"), pd.Series(["yes", pd.NA] * 10)],
    ],
)
@pytest.mark.parametrize("kind", [LogisticRegression, Ridge])
def test_a_missing_label_is_refused_by_a_sentence_that_names_y(kind, labels):
    """Of a classifier and of a regression, whatever holds it."""
    with pytest.raises(
        ValueError, match=r"^y must hold a label or a finite number for each person"
    ):
        kind(OPEN).fit(ROWS, labels)


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
        (pd.Series([61234.5] * PEOPLE), "a row for each person, got one axis"),
        (pl.Series([61234.5] * PEOPLE), "a row for each person, got one axis"),
        (pa.array([61234.5] * PEOPLE), "a row for each person, got one axis"),
        (pa.chunked_array([[61234.5] * PEOPLE]), "a row for each person, got one axis"),
        (pl.Series([[61234.5]] * PEOPLE), "a row for each person, got one axis"),
        (jnp.full(PEOPLE, 61234.5), "a row for each person, got one axis"),
        (memoryview(np.full(PEOPLE, 61234.5)), "a row for each person, got one axis"),
        (range(61234, 61234 + PEOPLE), "a row for each person, got one axis"),
        (61234.5, "in a table, an array or a list, got float"),
        (np.array(61234.5), "in a table, an array or a list, got ndarray"),
        ({61234.5}, "in a table, an array or a list, got set"),
        ({"age": 61234.5}, "in a table, an array or a list, got dict"),
        (None, "in a table, an array or a list, got NoneType"),
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


MANY = np.random.default_rng(0).uniform(size=(20_000, 20))
UP = MANY[:, 0] > 0.5


@pytest.mark.parametrize("kind", [bool, int, float, str])
def test_an_array_of_numbers_is_read_without_a_copy(kind):
    """As objects, its numbers would be larger than all of it."""
    labels = UP.astype(kind)
    (rows, _), held = _held(lambda: reading.labelled(LogisticRegression(), MANY, labels, OPEN))

    assert np.shares_memory(MANY, rows) and held < MANY.nbytes / 2


def test_predicting_makes_no_copy_either():
    """It holds scores, and a truth value for each number."""
    model = LogisticRegression(OPEN).fit(ROWS[:, [0] * MANY.shape[1]], LABELS)

    assert _held(lambda: model.predict(MANY))[1] < MANY.nbytes / 2


def _held(call):
    """What it returns, and the most bytes that NumPy and Python had for it at once."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


HUGE = np.column_stack([AGES, AGES]).astype(object)
HUGE[3, 1] = 10**400


LONG = np.column_stack([AGES, AGES]).astype(np.longdouble)
LONG[3, 1] = np.longdouble("1e400")


@pytest.mark.parametrize("rows", [HUGE, HUGE.tolist(), pd.DataFrame(HUGE), LONG])
def test_a_number_that_no_float_reaches_is_refused_as_infinity_is(rows):
    """In the same sentence."""
    with pytest.raises(ValueError, match="X must hold finite numbers, got NaN or infinity"):
        LogisticRegression(OPEN).fit(rows, LABELS)


SECRET = tacit.Central(1.0, 1e-6)
PUBLIC = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
EMPTY = np.zeros((0, 3))


@pytest.mark.parametrize(
    "model, found",
    [
        (PCA(SECRET, bounds=(0, 1), people=60, seed=0), "components_"),
        (TruncatedSVD(SECRET, radius=1.0, people=60, seed=0), "components_"),
        (KMeans(SECRET, bounds=(0, 1), people=60, n_clusters=2, seed=0), "cluster_centers_"),
        (GaussianMixture(SECRET, bounds=(0, 1), people=60, n_components=2, seed=0), "means_"),
    ],
)
def test_nobody_is_learnt_from_where_the_number_of_people_is_a_secret(model, found):
    """A refusal would tell that nobody is there; where that is public, or nothing is promised, it
    is refused."""
    assert np.isfinite(getattr(model.fit(EMPTY), found)).all()

    for trust in (PUBLIC, OPEN):
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            model.set_params(trust=trust).fit(EMPTY)


@pytest.mark.parametrize("rows", [pd.DataFrame(), np.zeros((37, 0)), [[], []]])
def test_a_table_without_columns_is_refused_and_its_length_not_told(rows):
    """There is nothing to learn from."""
    with pytest.raises(ValueError, match=r"^X must have at least one column") as caught:
        PCA(SECRET, bounds=(0, 1), people=60).fit(rows)
    assert "37" not in str(caught.value)


def labels_but_one(odd, others):
    """Of twenty people, the fourth of whom has another kind of label."""
    made = np.empty(PEOPLE, object)
    made[:] = others
    made[3] = odd
    return made


@pytest.mark.parametrize("odd", [99, 0.5, "q", b"x", (1, 2), True + 1j])
@pytest.mark.parametrize(("others", "classes"), [(1, [0, 1]), ("a", ["a", "b"])])
def test_of_declared_classes_one_sentence_is_said_whatever_a_label_is(odd, others, classes):
    """Nobody learns of which kind it was."""
    model = LogisticRegression(
        tacit.Central(1.0, 1e-6), bounds=(0, 60), classes=classes, people=PEOPLE
    )
    with pytest.raises(ValueError, match=r"^a label was never declared: classes= must name every"):
        model.fit(ROWS, labels_but_one(odd, others))


DAYS = pd.date_range("2020-01-01", periods=PEOPLE)


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"day": DAYS}),
        pd.DataFrame({"day": DAYS, "age": AGES}),
        pd.DataFrame({"day": DAYS.tz_localize("UTC"), "age": AGES}),
        pd.DataFrame({"stay": DAYS - DAYS[0], "age": AGES}),
        pl.DataFrame({"day": DAYS.to_list(), "age": AGES}),
        DAYS.to_numpy()[:, None],
    ],
    ids=["days", "days and ages", "with a zone", "durations", "polars", "array"],
)
def test_dates_are_no_numbers(rows):
    """Of nanoseconds since 1970 nobody declares bounds."""
    with pytest.raises(ValueError, match=r"^X must hold numbers, got dates or durations"):
        PCA(OPEN, people=PEOPLE).fit(rows)


def test_a_cell_that_is_a_list_is_refused():
    """Not by what NumPy says of it."""
    rows = ROWS.astype(object)
    rows[0, 0] = [1.0]
    with pytest.raises(ValueError, match="must hold numbers, got objects that are none"):
        PCA(OPEN, people=PEOPLE).fit(rows)
