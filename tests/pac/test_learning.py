"""Concepts learnt in one call."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.ledger.ledger import Ledger, OverBudget
from tacit.ledger.limits import NoDeltaWarning
from tacit.pac.learning import ConceptLearning, learn
from tacit.question.concepts import Conjunction, DecisionTree, Parity
from tacit.question.line_concepts import LineInterval

NUMBERS = np.random.default_rng(0)
BITS = pd.DataFrame(NUMBERS.integers(0, 2, (1_500, 5)).astype(bool), columns=list("abcde"))
LABELS = (BITS["b"] & ~BITS["d"]).astype(int)
TRUST = tacit.Central(1.0, 0.0)


def learnt(concept, ledger, labels=LABELS, seed=1):
    asked = {"trust": TRUST, "ledger": ledger, "name": "people", "people": 1_500}
    return learn(BITS, labels, concept, **asked, seed=seed)


@pytest.fixture
def ledger(tmp_path):
    book = Ledger(tmp_path / "people.db")
    with pytest.warns(NoDeltaWarning):
        book.limit("people", "public", tacit.Relation.ADD_REMOVE, 2.0, 0.0)
    return book


def test_a_rule_is_learnt_said_and_used(ledger):
    """From a DataFrame, by the columns' names; the charge is the plan's."""
    rule = learnt(Conjunction(5), ledger)

    assert str(rule).startswith("1 if b and not d; else 0\n")
    assert np.array_equal(rule.predict(BITS), LABELS)
    (promise,) = rule.plan.guarantees
    assert promise.epsilon == 1.0
    told = json.loads(json.dumps(rule.receipt()))["plan"]["question"]["statistic"]
    assert told["dim"] == 5


@pytest.mark.parametrize("made", [lambda ages: pd.DataFrame({"age": ages}), list])
def test_an_interval_is_learnt_said_and_used(ledger, made):
    """From a column of numbers, that has a name or has none; who has no number is not counted."""
    ages = np.append(np.random.default_rng(3).uniform(0, 90, 1_499), math.nan)
    labels = (ages >= 18) & (ages < 65)
    asked = {"trust": TRUST, "ledger": ledger, "name": "people", "people": 1_500}
    rule = learn(made(ages), labels, LineInterval(90), **asked, seed=4)

    assert ": 0\n" in str(rule) and " from 18 to 64: 1\n" in str(rule)
    assert np.array_equal(rule.predict(made(ages)), labels)
    assert "of 90 points" in " ".join(str(rule.plan).split())


def test_labels_that_are_missing_are_nobodys(ledger):
    """As if their people were not there."""
    labels = LABELS.astype(float)
    labels[:700] = math.nan
    labels[700:800] = 7.0
    rule = learnt(Conjunction(5), ledger, labels)

    assert np.array_equal(rule.predict(BITS), LABELS)


def test_what_is_over_budget_is_not_learnt(ledger):
    """The third of two."""
    for seed in range(2):
        learnt(DecisionTree(5, 1), ledger, seed=seed)
    with pytest.raises(OverBudget):
        learnt(DecisionTree(5, 1), ledger, seed=3)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bits": BITS[["a", "b"]]}, "rows must have 5 columns"),
        ({"labels": LABELS[:10]}, "one label for each row"),
        ({"bits": BITS.assign(c="x")}, "column 'c' holds"),
        ({"concept": "tree"}, "concept must be one of Parity"),
        ({"trust": tacit.Local(1.0)}, "asked of a curator"),
    ],
)
def test_what_is_not_of_its_kind_is_refused(ledger, changed, said):
    """In one sentence; nothing is charged."""
    asked = {"bits": BITS, "labels": LABELS, "concept": Conjunction(5), "trust": TRUST} | changed
    with pytest.raises(ValueError, match=said):
        learn(**asked, ledger=ledger, name="people", people=1_500)

    assert ledger.history("people") == []


def test_how_many_fewer_it_may_be_right_about_is_a_number():
    """That of the plan's page; none without a promise, and not known of a parity."""
    asked = ConceptLearning(DecisionTree(5, 2), TRUST, 1_500)

    assert f"at most {math.ceil(asked.most_fewer_right)} people fewer" in " ".join(
        str(asked.plan).split()
    )
    assert ConceptLearning(Conjunction(5), tacit.NonPrivate(), 1_500).most_fewer_right == 0.0
    assert ConceptLearning(Parity(5), TRUST, 1_500).most_fewer_right is None


def test_a_plan_is_known_before_the_data_are():
    """With its error."""
    page = str(ConceptLearning(DecisionTree(5, 2), TRUST, 1_500).plan)

    assert "TreeChoice draws the answer" in page and "best of 2,000" in " ".join(page.split())
