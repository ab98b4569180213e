"""A private tree: as right as the best, said as it predicts, charged, and refused in time."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier as Grown

import tacit
from tacit.estimators import DecisionTreeClassifier
from tacit.ledger.ledger import OverBudget

REPLACE = tacit.Relation.REPLACE_ONE
PEOPLE = 3_000


def people(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Who is old goes by the ward, who is young by the kind; one in ten by nothing."""
    host = np.random.default_rng(seed)
    age, ward, kind = (
        host.uniform(0, 90, PEOPLE),
        host.integers(0, 5, PEOPLE),
        host.integers(0, 2, PEOPLE),
    )
    label = np.where(age >= 40, np.where(ward == 3, "c", "b"), np.where(kind, "a", "b"))
    label = np.where(host.random(PEOPLE) < 0.1, host.choice(["a", "b", "c"], PEOPLE), label)
    return pd.DataFrame({"age": age, "ward": ward, "kind": kind}), label


X, Y = people()
DECLARED = {
    "bounds": ([0, 0, 0], [90, 4, 1]),
    "classes": ["a", "b", "c"],
    "people": PEOPLE,
    "categorical_features": ["ward", "kind"],
    "seed": 0,
}


def model(trust=tacit.Central(1.0, 0.0), **others) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(trust, **(DECLARED | others))


@pytest.mark.parametrize("trust", [tacit.Central(1.0, 0.0), tacit.Central(1.0, 0.0, REPLACE)])
def test_the_tree_is_nearly_the_best(trust):
    """Of three classes; right about no fewer than foreseen, and about the tree that people were
    made by."""
    found, best = model(trust).fit(X, Y), model(tacit.NonPrivate()).fit(X, Y)

    assert 0 <= best.score(X, Y) - found.score(X, Y) <= found.foreseen_shortfall_ < 0.02
    assert 0.9 < found.score(X, Y) and 0.0 == best.foreseen_shortfall_
    assert "age >= 40:\n  ward is 3: c\n  not ward is 3: b\n" in found.export_text()


def test_without_a_promise_it_is_right_about_as_many_as_any_grown_tree():
    """scikit-learn's, on the same bits, is one of those it is chosen from."""
    found = model(tacit.NonPrivate(), cuts=17).fit(X, Y)
    bits = np.column_stack([test.bits(X.to_numpy()) for test in found.tests_])

    assert found.score(X, Y) >= Grown(max_depth=2, random_state=0).fit(bits, Y).score(bits, Y)


def test_what_it_says_is_what_it_predicts():
    """In words and in a picture, with the features' own names; without any, by number."""
    found = model(thresholds={"age": [40]}).fit(X, Y)
    into = io.BytesIO()
    found.export_picture(into)
    bare = model(categorical_features=[1, 2]).fit(X.to_numpy(), Y)
    old = pd.DataFrame({"age": [40, 89, 39, 2], "ward": [3, 0, 3, 9], "kind": [0, 1, 1, 0]})

    assert b"age &gt;= 40" in into.getvalue()
    assert "x0 >= 40" in bare.export_text()
    assert ["c", "b", "a", "b"] == list(found.predict(old))


def test_a_fit_is_charged(tmp_path):
    """Its promise, pure, to the people's account, before anything is learnt."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.5, 1e-6)
    found = model(ledger=book).fit(X, Y)

    (promise,), (account,) = found.plan_.guarantees, book.spent("people")
    assert (1.0, 0.0) == (promise.epsilon, promise.delta) and 1.0 == account.epsilon
    with pytest.raises(OverBudget):
        model(ledger=book).fit(X, Y)


def test_one_test_alone_is_enough():
    """Of one feature with one threshold."""
    found = DecisionTreeClassifier(
        tacit.Central(1.0, 0.0), bounds=(0, 90), classes=["a", "b"], people=PEOPLE,
        thresholds={0: [40]}, max_depth=1, seed=0,
    ).fit(X[["age"]].to_numpy(), np.where(X["age"] >= 40, "b", "a"))  # fmt: skip

    assert 1.0 == found.score(X[["age"]].to_numpy(), np.where(X["age"] >= 40, "b", "a"))
    assert "x0 >= 40: b\nnot x0 >= 40: a" == found.export_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (model(max_depth=0), "max_depth must be 1, 2 or 3, got 0"),
        (model(max_depth=4), "max_depth must be 1, 2 or 3, got 4"),
        (model(max_depth=None), "max_depth must be 1, 2 or 3"),
        (model(max_depth=3, cuts=300), "max_depth=3 takes at most 256 tests, got 30"),
        (model(tacit.Local(1.0)), "trust must be one of Central, NonPrivate, got Local"),
        (model(bounds=None), "bounds must be declared"),
        (model(classes=["a", "b"]), "a label was never declared"),
        (model(people=None), "declare about how many"),
    ],
)
def test_what_is_declared_otherwise_is_refused(asked, said):
    """Before anything is charged."""
    with pytest.raises(ValueError, match=said):
        asked.fit(X, Y)
    with pytest.raises(NotFittedError):
        asked.export_text()
