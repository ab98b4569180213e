"""Counts of declared categories: text or numbers, and nobody in the first who is in none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit
from tacit.statistics import Histogram, histogram

WAYS = ("car", "train", "foot")
TRUE = {"car": 180, "train": 90, "foot": 0}
VALUES = ["car"] * 180 + ["train"] * 90 + ["plane"] * 20 + [None] * 10
TRUSTS = {
    "pure": (tacit.Central(1.0, 0.0), 290),
    "gaussian": (tacit.Central(1.0, 1e-6), 290),
    "local": (tacit.Local(2.0), None),
    "shuffled": (tacit.Shuffled(1.0, 1e-5), None),
    "nobody": (tacit.NonPrivate(), None),
}


@pytest.mark.parametrize("name", TRUSTS)
def test_every_trust_model_but_the_federated_counts(name, tmp_path):
    """Within the limits, with 30 people who are in none of the categories."""
    trust, people = TRUSTS[name]
    book, asked = tacit.Ledger(tmp_path / "p.db"), Histogram(WAYS, trust, people or 300)
    if asked.plan.guarantees:
        book.limit_for(name, asked.plan)
    found = histogram(
        pd.Series(VALUES),
        categories=WAYS,
        trust=trust,
        people=people,
        ledger=book,
        name=name,
        seed=6,
    )
    true = np.array(list(TRUE.values()))

    assert found.labels == WAYS and found.estimate.shape == (3,)
    assert np.all((found.interval.lower <= true) & (true <= found.interval.upper))
    assert asked.plan == found.plan and asked.rmse == found.rmse
    if name == "nobody":
        np.testing.assert_array_equal(true, found.estimate)


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        np.array(VALUES, object),
        pd.Series(VALUES),
        pd.Series(pd.Categorical(VALUES, categories=["train", "plane", "car"])),
    ],
)
def test_labels_are_numbered_as_declared(values):
    """Whatever order a column's own categories have; what is not declared comes last."""
    numbers = Histogram(WAYS, tacit.NonPrivate(), 300).numbers(values)

    assert np.bincount(numbers, minlength=4).tolist() == [180, 90, 0, 30]


def test_labels_that_come_one_by_one_are_all_counted(tmp_path):
    """They are read once, by whichever way they are asked."""
    terms = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db", "name": "p"}
    found = histogram((each for each in VALUES), categories=WAYS, **terms)
    numbers = Histogram(WAYS, tacit.NonPrivate(), 300).numbers(iter(VALUES))

    assert found.estimate.tolist() == [180, 90, 0] and found.plan.sums.people == 300
    assert np.bincount(numbers, minlength=4).tolist() == [180, 90, 0, 30]


def test_numbers_are_labels_too():
    """A 1.0 is a 1."""
    numbers = Histogram((1, 2), tacit.NonPrivate(), 4).numbers(np.array([2.0, 1.0, np.nan, 3.0]))

    assert numbers.tolist() == [1, 0, 2, 2]


def test_labels_of_numbers_are_no_ranges(tmp_path):
    """Who is between two of them is in none: those at the places of a cut alone are counted."""
    values = pd.Series([0.0, 5.0, 10.0, 15.0, 20.0])
    numbers = Histogram((0, 10, 20), tacit.NonPrivate(), 5).numbers(values)
    cut = pd.cut(values, [0, 10, 20], include_lowest=True)
    ranges = Histogram(cut.cat.categories, tacit.NonPrivate(), 5).numbers(cut)

    assert numbers.tolist() == [0, 3, 1, 3, 2] and ranges.tolist() == [0, 0, 0, 1, 1]
    for bins in (("0-10", "10-20"), ((0, 10), (10, 20)), cut.cat.categories):
        with pytest.raises(ValueError, match=r"has no .*; labels are no ranges, which stat.*cdf"):
            Histogram(bins, tacit.NonPrivate(), 5).numbers(values)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_text_is_compared_to_the_letter(make, tmp_path):
    """A space or a capital makes another label, in a column of any type; nothing is refused for
    what people have, and what is said of it follows from released counts alone."""
    own = make(["A ", "A", "a", " A", "B"] * 20)
    numbers = Histogram(("A", "B"), tacit.NonPrivate(), 100).numbers(own)
    terms = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db", "name": "p"}

    assert np.bincount(numbers).tolist() == [20, 20, 60]
    assert "about 60 of 100 declared people have none of these labels: text is" in repr(
        histogram(own, categories=("A", "B"), **terms)
    )
    assert histogram(own, categories=("A ", "A", "a", " A", "B"), **terms).remarks == ()


@pytest.mark.parametrize("categories", [["a", "b"], np.array(["a", "b"]), pd.Index(["a", "b"])])
def test_categories_may_stand_in_a_list_or_an_array(categories):
    """They keep their order."""
    assert Histogram(categories, tacit.NonPrivate(), 4).categories == ("a", "b")


def test_a_word_is_no_list_of_its_letters(tmp_path):
    """One call refuses it as well."""
    with pytest.raises(ValueError, match="categories must be at least two different labels"):
        histogram(
            ["car"], categories="car", trust=tacit.NonPrivate(), ledger=tmp_path / "l.db", name="p"
        )


@pytest.mark.parametrize(
    "categories", [("a",), ("a", "a"), "ab", None, ([], "a"), {"a": 1}, {"a", "b"}, 3]
)
def test_categories_are_different_and_at_least_two(categories):
    """They are a tuple or list: a set has no order, and one label is none of several."""
    with pytest.raises(ValueError, match="categories must be at least two different labels"):
        Histogram(categories, tacit.NonPrivate(), 3)


def test_what_was_got_for_categories_is_said():
    """A list with its labels, which are declared; of one label there is a count."""
    with pytest.raises(ValueError, match=r"got \['a'\]; of one label ask statistics.count"):
        Histogram(["a"], tacit.NonPrivate(), 3)
    with pytest.raises(ValueError, match=r"in a tuple, a list or an array, e.g.* got set; of one"):
        Histogram({"a", "b"}, tacit.NonPrivate(), 3)


def test_what_is_not_one_label_a_person_is_refused():
    """A word, a table, lists, one number; of a set nobody knows how many people have a label."""
    frame = pd.DataFrame({"way": ["car"]})
    tables = np.zeros((3, 2)), frame, pl.from_pandas(frame), {"car": 3}
    for values in ("car", *tables, None, [["car"], ["train"]], 3, {"car", "foot"}, b"car"):
        with pytest.raises(ValueError, match="values must hold one label for each person"):
            Histogram(WAYS, tacit.NonPrivate(), 3).numbers(values)


@pytest.mark.parametrize(
    "values, categories",
    [
        (np.arange(3), ("1", "2")),
        (pd.Series([True, False]), ("True", "False")),
        (pd.Series([1, None], dtype="Int64"), ("1", "2")),
        (pl.Series([1.5, 2.5]), ("a", "b")),
        (pd.Series(["1", "2"], dtype="string"), (1, 2)),
        (np.array(["1", "2"]), (0, 20, 40)),
        (pl.Series(["1", "2"]), (1, 2)),
    ],
)
def test_labels_that_no_value_of_the_column_can_be_are_refused(values, categories, tmp_path):
    """By the column's type; they would count nobody, and be charged."""
    book = tmp_path / "l.db"
    with pytest.raises(ValueError, match="categories must be what the column may hold"):
        histogram(values, categories=categories, trust=tacit.NonPrivate(), ledger=book, name="p")

    assert not book.exists()


def test_a_federation_adds_up_numbers_only(tmp_path):
    """Its own sentence."""
    trust = tacit.Federated(4.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE))
    with pytest.raises(ValueError, match="federated reports are numbers or vectors"):
        histogram(VALUES, categories=WAYS, trust=trust, ledger=tmp_path / "p.db", name="p")
