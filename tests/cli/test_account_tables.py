"""Accounts and grants are read whole, on a narrow terminal, too, and say what is left."""

import io

import pytest
from rich.console import Console

from tacit.accounting.events import local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.cli import voice
from tacit.cli.account_tables import accounts, asked, balances, grants
from tacit.ledger.accounts import Spent
from tacit.ledger.filters import Renyi
from tacit.ledger.records import Charge, Entry

OF_TOWN = "public", "person", Relation.ADD_REMOVE


@pytest.fixture
def printed(monkeypatch) -> io.StringIO:
    """A terminal of 80 columns."""
    shown = io.StringIO()
    monkeypatch.setattr(voice, "OUT", Console(file=shown, width=80))
    return shown


def charge(epsilon: float = 0.1, part: str | None = None) -> Charge:
    return Charge(Guarantee(*OF_TOWN, local(epsilon), epsilon, 0.0, "plain sum"), part)


def test_what_was_spent_is_never_shown_below_itself(printed):
    """Delta neither."""
    accounts([Spent("public", "person", Relation.ADD_REMOVE, 0.5, 1.23456e-7, 1.0, 1e-3)])

    assert "1.235e-07" in printed.getvalue() and "add/remove" in printed.getvalue()


@pytest.mark.parametrize("show", [accounts, lambda spent: balances("town", spent)])
def test_what_fills_a_limit_does_not_look_above_it(printed, show):
    """Both are rounded alike: epsilons, deltas, and those of parts."""
    delta = 2.99138e-25
    parts = {"north": (1.2345678, delta)}
    whose = "public", "person", Relation.ADD_REMOVE
    show([Spent(*whose, 1.2345678, delta, 1.2345678, delta, parts=parts)])
    rows = [line.split()[-5:] for line in printed.getvalue().splitlines() if "e-25" in line]

    assert rows and all(row == ["0", "1.2346", "1.2346", "2.992e-25", "2.992e-25"] for row in rows)


def test_no_number_date_or_relation_is_cut_at_80_columns(printed):
    """Names that people chose give way, whatever their length; a part's is printed in full."""
    part = "the western part of the old town and its harbour"
    account = (0.000123456, 1.23456e-10, 123456.0, 1.2e-5)
    whose = "shuffler", "household", Relation.REPLACE_ONE
    balances("town", [Spent(*whose, *account, parts={part: (0.000123456, 1.23456e-10)})])
    of_part = Charge(Guarantee(*whose, local(0.1), 0.1, 1.23456e-10, "plain sum"), part)
    grants("town", [Entry("g", "2026-11-22T06:00:09", None, {}, (of_part,))])
    words = printed.getvalue().split()

    for whole in ("0.00012346", "1.235e-10", "123460", "1.2e-05", "replace-one", "2026-11-22"):
        assert whole in words
    assert all(word in words for word in ("household", "shuffler", "0.1"))
    assert max(map(len, printed.getvalue().splitlines())) <= 80


def test_what_somebody_wrote_is_no_markup(printed):
    """Brackets are printed as they are."""
    asked([Entry("g", "2026-11-22T06:00", None, {}, (), "the mean", "[red]wages[/red]")])

    assert "note: [red]wages[/red]" in printed.getvalue()


def test_what_is_left_is_rounded_down(printed):
    """Beside what is spent: of an account, and of each of its parts."""
    parts = {"north": (2.000001, 0.0), "south": (0.5, 0.0)}
    balances("town", [Spent(*OF_TOWN, 2.000001, 0.0, 3.0, 1e-6, parts=parts)])
    rows = [line.split() for line in printed.getvalue().splitlines()]

    assert [row[-5:-2] for row in rows if row and row[-1] == "1e-06"] == [
        ["0.99999", "2.0001", "3"],
        ["0.99999", "2.0001", "3"],
        ["2.5", "0.5", "3"],
    ]


@pytest.mark.parametrize("filters, shown", [([], False), ([Renyi((2.0,))], True)])
def test_how_charges_are_added_up_is_said_where_some_are_not_just_added(filters, shown, printed):
    """A word that is always the same tells nothing."""
    numbers = 0.5, 0.0, 3.0, 1e-6
    spent = [Spent(*OF_TOWN, *numbers), *(Spent(*OF_TOWN, *numbers, each) for each in filters)]
    balances("town", spent)

    assert shown == ("filter" in printed.getvalue()) == ("renyi" in printed.getvalue())
    assert max(map(len, printed.getvalue().splitlines())) <= 80


@pytest.mark.parametrize("others, told", [([], False), (["server"], True)])
def test_what_one_account_leaves_out_is_said_beside_anothers_alone(others, told, printed, capsys):
    """Where all there is was made for the public, there is nothing besides."""
    observers = ["public", "public", *others]
    accounts([Spent(each, *OF_TOWN[1:], 0.5, 0.0, 3.0, 1e-6) for each in observers])

    assert told == ("each line counts what was made for one observer" in capsys.readouterr().err)


def test_grants_are_told_apart(printed):
    """By what was asked, when, and the name that somebody gave; one that was drawn is short."""
    named = Entry(
        "median", "2026-11-22T06:00:09+00:00", "x", {}, (charge(),), "the median", "pilot"
    )
    drawn = Entry("0123456789abcdef" * 2, "2026-11-22T17:30:00+00:00", None, {}, (charge(0.2),))
    grants("town", [named, drawn])
    table = [line.split() for line in printed.getvalue().splitlines()[2:] if line.strip()]

    assert table[0] == ["opened", "(UTC)", "asked", "kept", "from", "unit", "relation", "ε", "δ"]
    assert [" ".join(words) for words in table[2:]] == [
        "2026-11-22 the median public person add/remove 0.1 0",
        "06:00:09 note: pilot",
        "closed grant median",
        "2026-11-22 not said public person add/remove 0.2 0",
        "17:30:00 grant 01234567…",
        "open",
    ]


def test_a_part_has_a_column_where_any_grant_is_of_one(printed):
    """And a row without one is empty there."""
    day = "2026-11-22T06:00:09+00:00"
    each = enumerate((None, "north"))
    grants("town", [Entry(f"g{i}", day, None, {}, (charge(part=part),)) for i, part in each])

    assert " part " in printed.getvalue() and " north " in printed.getvalue()
