"""What the command line prints is read whole, on a narrow terminal, too."""

import io

import pytest
from rich.console import Console

from tacit.accounting.relation import Relation
from tacit.cli import voice
from tacit.cli.session import Result
from tacit.ledger.accounts import Spent

WIDEST = {
    "observer": "shuffler",
    "unit": "person",
    "relation": "replace-one",
    "epsilon": 12345.6789,
    "delta": 1.234e-10,
}


@pytest.fixture
def printed(monkeypatch) -> io.StringIO:
    """A terminal of 80 columns."""
    shown = io.StringIO()
    monkeypatch.setattr(voice, "OUT", Console(file=shown, width=80))
    return shown


def test_results_are_whole_at_80_columns(printed):
    """Every word and number of the widest row there is."""
    receipt = {"guarantees": [WIDEST]}
    voice.results("title", [Result("tuned", "federated", 0.961, [], 1234.5, receipt)])

    assert "…" not in printed.getvalue()
    for shown in (
        "federated",
        "shuffler",
        "replace-one",
        "12346",
        "1.234e-10",
        "96.1%",
        "1234.5",
    ):
        assert shown in printed.getvalue()


def test_what_was_spent_is_never_shown_below_itself(printed):
    """Delta neither."""
    voice.accounts([Spent("public", "person", Relation.ADD_REMOVE, 0.5, 1.23456e-7, 1.0, 1e-3)])

    assert "1.235e-07" in printed.getvalue() and "add/remove" in printed.getvalue()
