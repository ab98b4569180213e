"""What is printed before a classifier's fit is what is charged by it, and nothing is read."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import (
    CategoricalNB,
    DecisionTreeClassifier,
    GaussianNB,
    RuleListClassifier,
)

PEOPLE = 600
ROWS = np.random.default_rng(0).integers(0, 4, (PEOPLE, 2)).astype(float)
LABELS = (ROWS[:, 0] > 1).astype(int)
OWN: dict[str, Any] = {"bounds": (0, 3), "classes": [0, 1], "people": PEOPLE, "seed": 0}
CENTRAL, PURE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE))
EVERY = [CENTRAL, PURE, tacit.Local(6.0), tacit.Shuffled(2.0, 1e-6), FEDERATED]
RULES = [DecisionTreeClassifier(**OWN, max_depth=1), RuleListClassifier(**OWN, length=1)]
TABLES = [GaussianNB(**OWN), CategoricalNB(**OWN, categorical_features=[0, 1])]


def cases() -> list[tuple[Any, Any]]:
    """Every classifier under every trust model that it knows."""
    curated = [(rule, trust) for rule in RULES for trust in (CENTRAL, PURE, tacit.NonPrivate())]
    return curated + [(table, trust) for table in TABLES for trust in [*EVERY, tacit.NonPrivate()]]


@pytest.mark.parametrize("model, trust", cases(), ids=lambda each: type(each).__name__)
def test_what_is_printed_is_what_is_charged(model, trust, tmp_path):
    """The same plan to the last number, and what is foreseen is what a fit keeps."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    own = type(model)(**(model.get_params() | {"trust": trust}))
    before = own.plan(features=2)
    book.limit_for("people", before.plan)
    fitted = own.set_params(ledger=book).fit(ROWS, LABELS)

    assert before.plan == fitted.plan_
    assert before.foreseen == getattr(
        fitted, "foreseen_shortfall_", getattr(fitted, "noise_", None)
    )
    assert max(map(len, str(before).splitlines())) <= 80


def test_a_rule_is_useful_in_words():
    """Its alpha is what is foreseen, and its beta one in twenty."""
    before = RULES[0].set_params(trust=PURE).plan(2)
    said = " ".join(str(before).split())

    assert f"({before.foreseen:.2g}, 0.05)-useful" in said
    assert "one choice among all rules of 16 tests" in said
    assert "before the data: how many people the best rule labels right" in said


def test_of_few_people_nothing_is_learnt_and_it_says_so():
    """A share is one at most, before and after."""
    few = DecisionTreeClassifier(**(OWN | {"people": 4}), trust=tacit.Central(0.01, 0.0))
    before = few.plan(2)

    assert before.foreseen == 1.0 == few.fit(ROWS[:4], LABELS[:4]).foreseen_shortfall_
    assert "so that nothing is learnt" in " ".join(str(before).split())


def test_columns_are_told_by_their_names():
    """As thresholds name them; the plan is that of a fit on such a table."""
    tree = DecisionTreeClassifier(**OWN, trust=PURE, max_depth=1, thresholds={"age": [1.5]})
    table = pd.DataFrame(ROWS, columns=["age", "ward"])

    assert tree.plan(["age", "ward"]).plan == tree.fit(table, LABELS).plan_
    with pytest.raises(ValueError, match="columns have no names"):
        tree.plan(2)


@pytest.mark.parametrize(
    ("told", "features", "said"),
    [
        ({"classes": None}, 2, "classes must be declared before there are labels"),
        ({"bounds": None}, 2, "bounds must be declared"),
        ({"trust": None}, 2, "trust must be declared"),
        ({"people": None}, 2, "how many people there are must be declared"),
        ({}, 0, "features must be a whole number of at least 1, got 0"),
        ({}, ["a", "a"], "features must be a number, or different names"),
        ({}, ["a", 1], "features must be a number, or different names"),
        ({}, [], "features must be a number, or different names"),
        ({}, "ab", "features must be how many columns there are, or their names, got 'ab'"),
    ],
)
@pytest.mark.parametrize("model", [*RULES, *TABLES], ids=lambda each: type(each).__name__)
def test_what_is_not_declared_has_no_plan(model, told, features, said):
    """In a sentence that says what is to be declared."""
    own = type(model)(**(model.get_params() | {"trust": PURE} | told))
    with pytest.raises(ValueError, match=said):
        own.plan(features)
