"""The hypothesis that is chosen: near as promised, for one epsilon, and of a curator alone."""

import numpy as np
import pytest
from scipy import stats

import tacit
from tacit.statistics import (
    HypothesisSelection,
    LawsOfCategories,
    LawsOfNumbers,
    select_hypothesis,
)

LAWS = LawsOfNumbers(
    {"young": stats.norm(30, 10), "old": stats.norm(60, 10), "any": stats.uniform(0, 100)},
    tuple(range(0, 101, 5)),
)
CENTRAL = tacit.Central(1.0, 0.0)
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE


@pytest.mark.parametrize("relation", list(tacit.Relation), ids=str)
def test_the_law_people_follow_is_found(relation, tmp_path):
    """Of 800 people, whichever it is; the whole epsilon is charged once, and no delta."""
    asked = HypothesisSelection(LAWS, tacit.Central(1.0, 1e-6, relation), 800)
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", relation, 3.0, 1e-6)
    for seed, (label, law) in enumerate(LAWS.laws.items()):
        drawn = law.rvs(800, random_state=np.random.default_rng(seed))
        found = asked.of(drawn, book, "p", seed=seed)

        assert (found.label, found.number) == (label, seed) and found.plan == asked.plan
    assert [(promise.epsilon, promise.delta) for promise in asked.plan.guarantees] == [(1.0, 0.0)]
    assert book.spent("p")[0].epsilon == pytest.approx(3.0)


@pytest.mark.parametrize("values", [np.array(3.0), 3.0, None, "abc", {1.0}])
def test_what_is_no_column_is_refused_in_a_sentence(values, tmp_path):
    """Whatever its length."""
    with pytest.raises(ValueError, match=r"number for each person|array, a series or a list"):
        select_hypothesis(
            values, LAWS, trust=CENTRAL, people=9, ledger=tmp_path / "no.db", name="p"
        )

    assert not (tmp_path / "no.db").exists()


def test_the_declared_number_moves_no_choice(tmp_path):
    """Nine times as many declared as there are: the score is of these people's own number."""
    drawn = stats.norm(60, 10).rvs(300, random_state=np.random.default_rng(0))
    far, near = (HypothesisSelection(LAWS, CENTRAL, many) for many in (2_700, 300))
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", ADD, 9.0, 1e-6)

    assert [far.of(drawn, book, "p", seed=seed).label for seed in range(5)] == ["old"] * 5
    assert far.error_bound < near.error_bound


def test_the_bound_falls_with_people_and_epsilon():
    """And is the mechanism's; without privacy what is drawn is left."""
    bounds = [
        HypothesisSelection(LAWS, trust, people).error_bound
        for trust, people in (
            (CENTRAL, 100),
            (CENTRAL, 1_000),
            (tacit.Central(2.0, 0.0), 1_000),
            (tacit.NonPrivate(), 1_000),
        )
    ]

    assert bounds == sorted(bounds, reverse=True) and len(set(bounds)) == 4
    plan = HypothesisSelection(LAWS, CENTRAL, 100).plan
    assert bounds[0] == plan.server.mechanism.error_bound(1 - 0.95)


def test_a_plan_says_how_near_a_law_is():
    """To two digits, with the confidence of a page; of other statistics of rows it says none."""
    page = " ".join(str(HypothesisSelection(LAWS, CENTRAL, 1_000).plan).split())
    bound = HypothesisSelection(LAWS, CENTRAL, 1_000).error_bound

    assert f"three times the least distance of a law, and {bound:.2g}, of people's law" in page
    median = tacit.OfRows(tacit.Interval(0, 1), 10, tacit.question.Quantile())
    assert "in total variation" not in str(CENTRAL.plan(median))


def test_without_privacy_it_is_the_nearest(tmp_path):
    """People of no hypothesis at all; whoever has no number is not counted."""
    numbers = np.append(np.random.default_rng(0).normal(52, 9, 500), [np.nan] * 400)
    trust = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "p.db", "name": "p"}
    found = select_hypothesis(numbers, LAWS, **trust)

    assert found.label == "old" and "nothing is promised" in repr(found)


def test_one_call_says_what_was_chosen_and_how_sure(tmp_path):
    """Of categories, too; in two lines, and one of what was not asked."""
    laws = LawsOfCategories({"fair": [0.5, 0.5], "bent": [0.8, 0.2]}, ("heads", "tails"))
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit_for("coins", HypothesisSelection(laws, CENTRAL, 400).plan)
    said = ["heads"] * 310 + ["tails"] * 90 + ["edge"] * 20
    terms = {"trust": CENTRAL, "ledger": book, "name": "coins", "people": 400}
    found = select_hypothesis(said, laws, **terms, confidence=0.9, seed=2)

    first, *others = repr(found).splitlines()
    (remark,) = found.remarks
    assert first == "law of coins: bent" and "fits people was not asked" in remark
    assert " ".join(others) == (
        "90% sure to be within three times the least distance, and "
        f"{found.within:.2g}, of people's law; seeded, so not private {remark}"
    )
    assert found.receipt()["plan"]["question"]["statistic"]["digest"] == laws.asked.digest


def test_nobody_has_a_law_too(tmp_path):
    """One is chosen where no number is there, and it is no refusal that tells it."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", ADD, 2.0, 1e-6)
    for values in ([], [None, float("nan")]):
        terms = {"trust": CENTRAL, "ledger": book, "name": "p", "people": 10}
        assert select_hypothesis(values, LAWS, **terms).label in LAWS.labels


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"hypotheses": {"a": stats.norm()}}, "hypotheses must be LawsOfNumbers"),
        ({"trust": tacit.Local(1.0)}, "asked of a curator"),
        ({"trust": tacit.Shuffled(1.0, 1e-6)}, "asked of a curator"),
        ({"trust": tacit.Federated(9.0, tacit.Central(1.0, 1e-6, REPLACE))}, "asked of a curator"),
        ({"trust": 1.0}, "trust must be Central"),
        ({"people": 0}, "at least one person"),
        ({"confidence": 1.0}, "confidence must be above 0 and below 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(changed, said):
    """Before anything is planned."""
    given = {"hypotheses": LAWS, "trust": CENTRAL, "people": 10, "confidence": 0.9}
    with pytest.raises(ValueError, match=said):
        HypothesisSelection(**{**given, **changed})


def test_values_of_another_kind_are_refused_and_cost_nothing(tmp_path):
    """Text where numbers are asked for."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", ADD, 2.0, 1e-6)
    with pytest.raises(ValueError):
        select_hypothesis(["a", "b"], LAWS, trust=CENTRAL, ledger=book, name="p", people=2)

    assert [] == book.history("p")
