"""The account of a table's people: there and roomy, or refused with the command that opens it."""

import shlex
from pathlib import Path

import pytest

import tacit
from tables.records import visits
from tacit import Ledger, tables
from tacit.cli.opening import history, opened
from tacit.ledger.ledger import LedgerError, OverBudget


def test_an_account_is_opened_once_and_only_with_room(tmp_path, monkeypatch):
    """Without a ledger, a limit or room it is refused, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    table = tacit.Table(visits(9, 3, seed=1), "patient", "the town", "people.db")
    ask = table.ask(n=tables.count(), rows_per_person=1)

    def planned(epsilon):
        return ask.plan(tacit.Central(epsilon, 1e-6)).plan

    plan = planned, 1.0
    with pytest.raises(ValueError, match="--ledger is the people's ledger"):
        opened(table.name, *plan, None, None)
    with pytest.raises(LedgerError, match=r"tacit ledger create people.db --population 'the town'"):
        opened(table.name, *plan, "people.db", None)
    with pytest.raises(OverBudget, match=r"; --epsilon 0\.5 would fit now$"):
        opened(table.name, *plan, "people.db", (0.5, 1e-6))
    assert not Path("people.db").exists()

    opened(table.name, *plan, "people.db", (1.0, 1e-6))
    opened(table.name, *plan, "people.db", None)
    (account,) = Ledger("people.db").spent("the town")
    assert (1.0, 1e-6, 0.0) == (account.limit_epsilon, account.limit_delta, account.epsilon)
    assert ["--population", "the town"] == shlex.split(history("the town", "people.db"))[-2:]
