"""A private list of rules: as right as the best, said as it predicts, charged, and refused."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import RuleListClassifier
from tacit.ledger.ledger import OverBudget

PEOPLE = 3_000


def people() -> tuple[pd.DataFrame, np.ndarray]:
    """The old, then who is in ward 3, then the rest; one in ten by nothing."""
    host = np.random.default_rng(0)
    age, ward = host.uniform(0, 90, PEOPLE), host.integers(0, 5, PEOPLE)
    label = np.where(age >= 60, "c", np.where(ward == 3, "a", "b"))
    label = np.where(host.random(PEOPLE) < 0.1, host.choice(["a", "b", "c"], PEOPLE), label)
    return pd.DataFrame({"age": age, "ward": ward}), label


X, Y = people()
DECLARED = {
    "bounds": ([0, 0], [90, 4]),
    "classes": ["a", "b", "c"],
    "people": PEOPLE,
    "thresholds": {"age": [20, 40, 60, 75]},
    "categorical_features": {"ward": ["n", "s", "e", "w", "m"]},
    "length": 2,
    "seed": 0,
}


def model(trust=tacit.Central(1.0, 0.0), **others) -> RuleListClassifier:
    return RuleListClassifier(trust, **(DECLARED | others))


@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE])
def test_the_list_is_nearly_the_best(relation):
    """Right about no fewer than foreseen, and the one that people were made by."""
    found = model(tacit.Central(1.0, 0.0, relation)).fit(X, Y)
    best = model(tacit.NonPrivate()).fit(X, Y)

    assert 0 <= best.score(X, Y) - found.score(X, Y) <= found.foreseen_shortfall_ < 0.02
    assert "if age >= 60: c\nelse if ward is w: a\nelse: b" == found.export_text()
    old = pd.DataFrame({"age": [60, 10, 10], "ward": [3, 3, 9]})
    assert ["c", "a", "b"] == list(found.predict(old))


def test_a_picture_says_the_same(tmp_path):
    """Each rule's test with its label, and what is left."""
    into = tmp_path / "rules.svg"
    model().fit(X, Y).export_picture(into)

    assert all(
        said in into.read_text() for said in ("age &gt;= 60", "ward is w", ">a<", ">b<", ">c<")
    )


def test_three_rules_are_no_worse_than_two():
    """Without a promise: a longer list may say the same."""
    scores = [model(tacit.NonPrivate(), length=each).fit(X, Y).score(X, Y) for each in (1, 2, 3)]

    assert sorted(scores) == scores and scores[0] < scores[1]


def test_a_fit_is_charged(tmp_path):
    """Its promise, pure, to the people's account."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.5, 1e-6)
    found = model(ledger=book).fit(X, Y)

    assert (1.0, 0.0) == (found.plan_.guarantees[0].epsilon, found.plan_.guarantees[0].delta)
    with pytest.raises(OverBudget):
        model(ledger=book).fit(X, Y)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (model(length=4), "length must be 1, 2 or 3, got 4"),
        (model(length=3, thresholds=None, cuts=300), "length=3 takes at most 256 tests, got 305"),
        (model(tacit.Local(1.0)), "trust must be one of Central, NonPrivate, got Local"),
        (model(classes=["a", "b"]), "a label was never declared"),
    ],
)
def test_what_is_declared_otherwise_is_refused(asked, said):
    """Before anything is charged."""
    with pytest.raises(ValueError, match=said):
        asked.fit(X, Y)
