"""Room for a command: limits that limit, accounts that are opened once, folders that can be had."""

import math

import pytest

from tacit.accounting.relation import Relation
from tacit.cli import room
from tacit.cli.room import limit_of, limited, looked_at, open_accounts, refuse_unaffordable
from tacit.contribution import Interval
from tacit.ledger.ledger import Ledger, OverBudget
from tacit.population.checkpoint import CheckpointError
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.local import Local


def question():
    return Mean(Interval(0.0, 1.0), Everyone(), 1, 20)


def test_only_the_publics_account_is_limited(tmp_path):
    """What the server sees is recorded without a limit, so that no account is missing."""
    book = Ledger(tmp_path / "ledger.db")
    open_accounts(book, "twenty", [Local(2.0).plan(question())], (3.0, 1e-5))
    limits = {account.observer: account.limit_epsilon for account in book.spent("twenty")}

    assert {"public": 3.0, "server": float("inf")} == limits


def test_a_limit_without_a_delta_is_no_warning_where_plans_are_known(tmp_path):
    """That they fit is seen to beforehand; Python's warning would say it to nobody."""
    book = Ledger(tmp_path / "ledger.db")
    open_accounts(book, "twenty", [Central(1.0, 0.0).plan(question())], (3.0, 0.0))

    assert [0.0] == [account.limit_delta for account in book.spent("twenty")]


def test_an_account_that_is_open_keeps_its_limit(tmp_path):
    """A later session cannot raise what an earlier one set."""
    book = Ledger(tmp_path / "ledger.db")
    plan = Central(1.0, 1e-5).plan(question())
    open_accounts(book, "twenty", [plan], (3.0, 1e-5))
    open_accounts(book, "twenty", [plan], None)

    assert [3.0] == [account.limit_epsilon for account in book.spent("twenty")]
    assert Relation.ADD_REMOVE is book.spent("twenty")[0].relation


def test_a_limit_is_an_epsilon_with_the_documented_delta_or_its_own():
    """An endless one is none."""
    assert limit_of(2.0, None) == (2.0, 1e-4) and limit_of(2.0, 0.0) == (2.0, 0.0)
    assert limit_of(math.inf, None) is None


@pytest.mark.parametrize(
    "epsilon, delta, said",
    [
        (0.0, None, "--limit must be positive, got 0"),
        (math.nan, None, "--limit must be positive, got nan"),
        (1.0, 1.0, "--limit-delta must be at least 0 and below 1, got 1"),
        (1.0, math.nan, "--limit-delta must be at least 0 and below 1, got nan"),
        (math.inf, 1e-5, "--limit-delta goes with --limit"),
    ],
)
def test_what_limits_nothing_is_refused(epsilon, delta, said):
    """In the words of the command line."""
    with pytest.raises(ValueError, match=said):
        limit_of(epsilon, delta)


def test_a_limit_comes_back_from_a_file():
    """As a pair; one of an earlier version, without a delta, is no limit any more."""
    assert limited({"limit": [1.0, 1e-5]}) == (1.0, 1e-5) and limited({"limit": None}) is None
    with pytest.raises(CheckpointError, match=r"kept 2\.0 alone"):
        limited({"limit": 2.0})


def test_plans_are_refused_by_what_all_of_them_ask_together(tmp_path):
    """Each of two fits the limit and both do not: nothing is opened."""
    book, plan = Ledger(tmp_path / "ledger.db"), Central(1.0, 0.0).plan(question())
    refuse_unaffordable(book, "twenty", [plan], (1.5, 1e-9))
    with pytest.raises(OverBudget, match="the 2 grants together ask for epsilon = 2, delta = "):
        refuse_unaffordable(book, "twenty", [plan, plan], (1.5, 1e-9))

    assert [] == book.populations()


def test_looking_at_a_ledger_that_is_not_there_makes_none(tmp_path):
    """It is empty, as the one that would be made."""
    with looked_at(str(tmp_path / "none.db")) as book:
        assert [] == book.populations()
    assert [] == list(tmp_path.iterdir())


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    """So is one below a file, and a name in it that is of another kind."""
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "receipt.json").mkdir()
    for out in ("mine", "mine/below"):
        with pytest.raises(ValueError, match="--out must be a folder, or one that can be made"):
            room.refuse_unwritable(tmp_path / out, [])
    with pytest.raises(ValueError, match="must be a file, or not there, and is a folder"):
        room.refuse_unwritable(tmp_path, ["receipt.json"])
    with pytest.raises(ValueError, match="must be a folder, or not there, and is a file"):
        room.refuse_unwritable(tmp_path, [], ["mine"])
    room.refuse_unwritable(tmp_path / "new" / "folder", ["receipt.json"])
