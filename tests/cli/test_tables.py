"""What the command line prints is read whole, on a narrow terminal, too."""

import io

import pytest
from rich.console import Console

from tacit.accounting.events import local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.cli import tables, voice
from tacit.cli.session import Result
from tacit.ledger.accounts import Spent
from tacit.ledger.records import Charge, Entry

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
    tables.results("title", [Result("tuned", "federated", 0.961, [], 1234.5, receipt)])

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
    tables.accounts([Spent("public", "person", Relation.ADD_REMOVE, 0.5, 1.23456e-7, 1.0, 1e-3)])

    assert "1.235e-07" in printed.getvalue() and "add/remove" in printed.getvalue()


@pytest.mark.parametrize("show", [tables.accounts, lambda spent: tables.balances("town", spent)])
def test_what_fills_a_limit_does_not_look_above_it(printed, show):
    """Both are rounded alike: epsilons, deltas, and those of parts."""
    delta = 2.99138e-25
    parts = {"north": (1.2345678, delta)}
    whose = "public", "person", Relation.ADD_REMOVE
    show([Spent(*whose, 1.2345678, delta, 1.2345678, delta, parts=parts)])
    rows = [line.split()[-4:] for line in printed.getvalue().splitlines() if "e-25" in line]

    assert rows and all(row == ["1.2346", "1.2346", "2.992e-25", "2.992e-25"] for row in rows)


def test_no_number_date_or_relation_is_cut_at_80_columns(printed):
    """Names that people chose give way, whatever their length; a part's is printed in full."""
    part = "the western part of the old town and its harbour"
    account = (0.000123456, 1.23456e-10, 123456.0, 1.2e-5)
    whose = "shuffler", "household", Relation.REPLACE_ONE
    tables.balances("town", [Spent(*whose, *account, parts={part: (0.000123456, 1.23456e-10)})])
    charge = Charge(Guarantee(*whose, local(0.1), 0.1, 1.23456e-10, "plain sum"), part)
    tables.grants("town", [Entry("g", "2026-11-22T06:00", None, {}, (charge,))])
    words = printed.getvalue().split()

    for whole in ("0.00012346", "1.235e-10", "123460", "1.2e-05", "replace-one", "2026-11-22"):
        assert whole in words
    assert all(word in words for word in ("household", "shuffler", "0.1"))
    assert max(map(len, printed.getvalue().splitlines())) <= 80


def test_what_somebody_wrote_is_no_markup(printed):
    """Brackets are printed as they are."""
    tables.asked([Entry("g", "2026-11-22T06:00", None, {}, (), "the mean", "[red]wages[/red]")])

    assert "note: [red]wages[/red]" in printed.getvalue()
