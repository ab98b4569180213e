"""The law that is left: found where nobody is trusted, for one report of each; or refused."""

import numpy as np
import pytest
from scipy import stats

import tacit
from tacit.statistics import (
    HypothesisKnockOut,
    LawsOfCategories,
    LawsOfNumbers,
    select_hypothesis,
)

NORMAL = {f"N({mean})": stats.norm(mean, 1.0) for mean in range(-5, 6)}
LAWS = LawsOfNumbers(NORMAL, tuple(np.linspace(-7, 7, 29)))
LOCAL = tacit.Local(2.0)
ASKED = HypothesisKnockOut(LAWS, LOCAL, 6_000)


def chosen(asked: HypothesisKnockOut, folder, seed: int, values=None):
    book = tacit.Ledger(folder / f"{seed}.db")
    book.limit_for("p", asked.plan)
    label, law = list(NORMAL.items())[seed % len(NORMAL)]
    drawn = law.rvs(asked.people, random_state=np.random.default_rng(seed))
    return label, asked.of(drawn if values is None else values, book, "p", seed=seed)


@pytest.mark.parametrize("seed", [0, 4, 10])
@pytest.mark.parametrize("trust", [LOCAL, tacit.Shuffled(1.0, 1e-6)], ids=["local", "shuffled"])
def test_the_law_people_follow_is_found(trust, seed, tmp_path):
    """Wherever it is in the list, as plays of so many people say."""
    asked = HypothesisKnockOut(LAWS, trust, 6_000)

    assert asked.distance_quantile == 0.0
    label, found = chosen(asked, tmp_path, seed)
    assert found.label == label and found.within == 0.0


def test_plays_foresee_how_far_the_law_chosen_is(tmp_path):
    """Of so few people that it is often another: 22 data sets, their mean distance within three of
    its deviations."""
    asked, far = HypothesisKnockOut(LAWS, tacit.Local(0.5), 1_500), []
    for seed in range(22):
        label, found = chosen(asked, tmp_path, seed)
        apart = abs(int(label[2:-1]) - int(found.label[2:-1]))
        far.append(2 * stats.norm.cdf(apart / 2) - 1)

    deviation = np.std(far) / np.sqrt(22)
    assert 0.05 < asked.distance < 0.4
    assert abs(np.mean(far) - asked.distance) <= 3 * deviation


def test_the_whole_epsilon_is_in_the_one_report_of_each():
    """Of all 24 rounds a person is in one."""
    assert [each.epsilon for each in ASKED.plan.guarantees] == pytest.approx([2.0, 2.0])
    assert ASKED.plan.sums.times == 1 and ASKED.plan.sums.rounds == 24


def test_more_people_and_a_shuffler_leave_a_smaller_distance():
    """Each halving what is left, at least."""
    few, many, mixed = (
        HypothesisKnockOut(LAWS, trust, people).distance
        for trust, people in (
            (tacit.Local(0.5), 4_000),
            (tacit.Local(0.5), 16_000),
            (tacit.Shuffled(0.5, 1e-6), 4_000),
        )
    )

    assert 2 * many < few and 2 * mixed < few


def test_too_few_people_are_refused_before_anything_is_charged(tmp_path):
    """With how far the law chosen would be, and about how many people it takes."""
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit("p", "public", tacit.Relation.REPLACE_ONE, 9.0, 1e-6)
    book.limit("p", "server", tacit.Relation.REPLACE_ONE, 9.0, 1e-6)
    with pytest.raises(ValueError, match=r"11 laws 100 people tell too little: .* are needed"):
        select_hypothesis(np.zeros(100), LAWS, trust=tacit.Local(0.5), ledger=book, name="p")

    assert all(each.epsilon == 0 for each in book.spent("p"))


def test_one_call_knocks_out_where_nobody_is_trusted(tmp_path):
    """Of categories; in two lines, that say of whom and how often it is so near."""
    laws = LawsOfCategories({"fair": [0.5, 0.5], "bent": [0.8, 0.2]}, ("heads", "tails"))
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit_for("coins", HypothesisKnockOut(laws, LOCAL, 600).plan)
    said = ["heads"] * 460 + ["tails"] * 110 + ["edge"] * 30
    found = select_hypothesis(said, laws, trust=LOCAL, ledger=book, name="coins", seed=1)

    first, *others = repr(found).splitlines()
    assert first == "law of coins: bent"
    assert " ".join(others).startswith(
        f"within {found.within:.2g} of people's law in 95% of plays in which it is of the list; "
        "seeded, so not private "
    )
    assert max(map(len, others)) <= 80


def test_people_in_no_cell_take_no_side(tmp_path):
    """A third of them without a number: the law of the others is found."""
    drawn = stats.norm(2, 1).rvs(6_000, random_state=np.random.default_rng(5))
    drawn[::3] = np.nan

    assert chosen(ASKED, tmp_path, 7, drawn)[1].label == "N(2)"


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"hypotheses": {"a": stats.norm()}}, "hypotheses must be LawsOfNumbers"),
        ({"trust": tacit.Central(1.0, 0.0)}, "of a curator ask HypothesisSelection, got Central"),
        ({"trust": tacit.NonPrivate()}, "of a curator ask HypothesisSelection, got NonPrivate"),
        ({"trust": 1.0}, "trust must be Central"),
        ({"people": 23}, "people must be at least 24, one a round, got 23"),
        ({"confidence": 1.0}, "confidence must be above 0 and below 1"),
    ],
)
def test_a_knock_out_that_cannot_be_asked_is_refused(changed, said):
    """In a sentence."""
    given = {"hypotheses": LAWS, "trust": LOCAL, "people": 1_000}
    with pytest.raises(ValueError, match=said):
        HypothesisKnockOut(**{**given, **changed})
