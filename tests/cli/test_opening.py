"""The account of a table's people: there and roomy, or refused with the command that opens it."""

import shlex
from pathlib import Path

import pytest

import tacit
from tables.records import visits
from tacit import Ledger, tables
from tacit.cli import room
from tacit.cli.opening import history, opened
from tacit.ledger.ledger import LedgerError, OverBudget


def test_an_account_is_opened_once_and_only_with_room(tmp_path, monkeypatch):
    """Without a ledger, a limit or room it is refused, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    table = tacit.Table(visits(9, 3, seed=1), "patient", "the town", "people.db")
    ask = table.ask(n=tables.count(), rows_per_person=1)

    def planned(trust):
        return ask.plan(trust).plan

    plan = planned, tacit.Central(1.0, 1e-6)
    with pytest.raises(ValueError, match="--ledger is the people's ledger"):
        opened(table.name, *plan, None, None)
    with pytest.raises(
        LedgerError,
        match=r"--limit 1 or more, or .*: tacit ledger create people.db --population 'the town'",
    ):
        opened(table.name, *plan, "people.db", None)
    with pytest.raises(
        OverBudget,
        match=r"asks for epsilon = 1, delta = 1e-06; its epsilon is too much for .*, which --limit "
        r"0\.5 --limit-delta 1e-06 would open: nothing was made or charged, so say a larger limit, "
        r"or ask for less; --epsilon 0\.5 would fit now$",
    ) as refused:
        opened(table.name, *plan, "people.db", (0.5, 1e-6))
    assert "never" not in str(refused.value)
    assert not Path("people.db").exists()

    opened(table.name, *plan, "people.db", (1.0, 1e-6))
    opened(table.name, *plan, "people.db", None)
    (account,) = Ledger("people.db").spent("the town")
    assert (1.0, 1e-6, 0.0) == (account.limit_epsilon, account.limit_delta, account.epsilon)
    assert ["--population", "the town"] == shlex.split(history("the town", "people.db"))[-2:]


@pytest.mark.parametrize("limit", [None, (1.0, 1e-6)])
def test_no_command_is_named_for_a_folder_that_is_missing(tmp_path, limit):
    """It would be refused as well."""
    table = tacit.Table(visits(9, 3, seed=1), "patient", "town", tmp_path / "none" / "people.db")
    ask = table.ask(n=tables.count(), rows_per_person=1)
    own = "town", lambda trust: ask.plan(trust).plan, tacit.Central(1.0, 1e-6)
    with pytest.raises(LedgerError, match=r"in a folder that is there, and .*none is none"):
        opened(*own, str(table.ledger), limit)


@pytest.mark.parametrize(
    "keys, limit, offered",
    [
        (["A"], (2.0, 3e-7), "; --delta 3e-07 would fit now"),
        (["A"], (0.5, 3e-7), "; --epsilon 0.5 --delta 3e-07 would fit now"),
        (["A"], (2.0, 1e-17), "; --delta 1e-17 would fit now"),
        (None, (2.0, 0.0), ""),
    ],
)
def test_where_delta_is_too_much_one_that_fits_is_named(tmp_path, keys, limit, offered):
    """With the epsilon beside it, where that is too much too; none of keys nobody declared."""
    table = tacit.Table(visits(9, 3, seed=1), "patient", "town", tmp_path / "people.db")
    by = table.by("ward") if keys is None else table.by(ward=keys)
    ask = by.ask(n=tables.count(), rows_per_person=1)
    own = "town", lambda trust: ask.plan(trust).plan, tacit.Central(1.0, 1e-6)
    with room.said_otherwise():
        Ledger(tmp_path / "people.db").limit("town", "public", tacit.Relation.ADD_REMOVE, *limit)
    with pytest.raises(OverBudget) as refused:
        opened(*own, str(tmp_path / "people.db"), None)

    assert str(refused.value).endswith(offered)
    assert bool(offered) == ("would fit" in str(refused.value))
