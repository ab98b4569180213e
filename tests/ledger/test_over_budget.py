"""A refusal for want of room says first what helps now, and then what would have had room."""

import pickle
from pathlib import Path

import pytest

from ledger.towns import KEY, PRINT, charge, opened
from tacit.accounting.decimals import exact
from tacit.accounting.relation import Relation
from tacit.ledger.filters import Renyi
from tacit.ledger.ledger import Ledger
from tacit.ledger.over_budget import Excess, OverBudget


def refused(limit: tuple[float, float], spent: tuple[float, float], asked: tuple[float, float]):
    """Of an account that just adds."""
    sums = [exact(a) + exact(b) for a, b in zip(spent, asked, strict=True)]
    both = [(exact(epsilon), exact(delta)) for epsilon, delta in (limit, spent)]
    return Excess("all", both[0], both[1], (sums[0], sums[1]), "the grant asks").refused(
        ("this()", "`that`"), summed=True
    )


def test_what_would_fit_now_fits(tmp_path: Path) -> None:
    """The largest of a few digits: rounded down, and charged after the refusal."""
    ledger = opened(tmp_path, epsilon=1.0)
    ledger.charge("a", "town", [charge(0.12345)], KEY, PRINT, {})
    with pytest.raises(
        OverBudget, match=r"a smaller epsilon \(0\.876 in all would fit\) or ask other"
    ):
        ledger.charge("b", "town", [charge(0.9)], KEY, PRINT, {})
    assert ledger.charge("b", "town", [charge(0.876)], KEY, PRINT, {}).new


@pytest.mark.parametrize(
    ("limit", "spent", "asked", "helps"),
    [
        (
            (1, 1e-5),
            (0.5, 0),
            (0.7, 0),
            "ask with a smaller epsilon (0.5 in all would fit) or ask ",
        ),
        ((1, 1e-5), (0.9991, 0), (0.7, 0), "promised: ask other people"),
        ((1, 1e-5), (1, 0), (0.7, 0), "promised: ask other people"),
        ((1, 1e-5), (0.5, 0), (0.1, 1e-4), "promised: ask with a smaller delta or ask other "),
        ((1, 1e-5), (0.5, 1e-5), (0.1, 1e-6), "promised: ask other people"),
        ((1, 1e-5), (0.5, 0), (0.7, 1e-4), "a smaller epsilon and a smaller delta or ask other "),
        ((1, 0), (0.5, 0), (0.1, 1e-20), "(a limit of delta = 0 has no room even for what the "),
    ],
)
def test_less_is_offered_where_some_is_left(limit, spent, asked, helps) -> None:
    """Of that which was too much; no number is offered for both, or that nobody could see through.
    Neither is offered what the ledger would refuse."""
    said = str(refused(limit, spent, asked))

    assert helps in said and "who have an account under another name; next time, set a" in said
    assert said.endswith(" before a first release, by this()") and "times" not in said


def test_the_shell_has_its_own_words() -> None:
    """What it is offered comes before what has room the next time, in both."""
    found = refused((1, 1e-5), (0.5, 0), (0.7, 0)).offering("; --epsilon 0.5 would fit now")

    assert "in all would fit" not in found.in_shell and found.in_shell.endswith("by `that`")
    for said in (str(found), found.in_shell):
        assert "under another name; --epsilon 0.5 would fit now; next time, set" in said


def test_an_account_of_divergences_offers_no_number(tmp_path: Path) -> None:
    """What is left of it is less than what fits, or more."""
    book, chosen = Ledger(tmp_path / "ledger.db"), Renyi.fitting(0.1, 1e-5)
    book.limit("town", "public", Relation.ADD_REMOVE, 0.1, 1e-5, filter=chosen)
    with pytest.raises(OverBudget, match="ask with a smaller epsilon or ask other people"):
        book.charge("g", "town", [charge(0.5)], KEY, PRINT, {})


def test_a_refusal_can_be_pickled() -> None:
    """As it is sent from a process to another."""
    found = refused((1, 1e-5), (0.5, 0), (0.7, 0))
    again = pickle.loads(pickle.dumps(found))

    assert (str(again), again.in_shell) == (str(found), found.in_shell)
