"""The law that was chosen says what it is and how sure that is."""

import pytest

import tacit
from tacit.statistics import LawsOfCategories, SelectedHypothesis, select_hypothesis

LAWS = LawsOfCategories({"fair": [0.5, 0.5], "bent": [0.8, 0.2]}, ("heads", "tails"))


@pytest.mark.parametrize(
    "trust, how",
    [
        (
            tacit.Central(1.0, 0.0, tacit.Relation.REPLACE_ONE),
            "three times the least distance, and",
        ),
        (tacit.Local(3.0), "if it is of the list"),
    ],
    ids=["central", "local"],
)
def test_a_law_says_how_near_it_is_in_the_words_of_its_question(tmp_path, trust, how):
    """Beyond three times the least distance where a curator chose among all, of a list that has
    people's law where laws were knocked out; the receipt is that of the plan."""
    said, book = ["heads"] * 450 + ["tails"] * 150, tacit.Ledger(tmp_path / "p.db")
    for observer in ("server", "public"):
        book.limit("coins", observer, tacit.Relation.REPLACE_ONE, 9.0, 1e-6)
    found = select_hypothesis(said, LAWS, trust=trust, ledger=book, name="coins", seed=3)

    assert isinstance(found, SelectedHypothesis) and (found.label, found.number) == ("bent", 1)
    assert how in repr(found) and repr(found).startswith("law of coins: bent")
    assert found.plan == found.release.plan and found.receipt()["plan"]
