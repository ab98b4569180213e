"""Records: a charge comes back from its row equal, and nothing is a part by accident."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from every_event import EVERY
from ledger.towns import charge
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger.records import (
    Charge,
    Entry,
    Partition,
    from_row,
    refuse_no_line,
    to_entry,
    to_row,
)


@pytest.mark.parametrize(("event", "relation"), EVERY)
@pytest.mark.parametrize("part", [None, "north"])
def test_a_charge_comes_back_from_its_row(event, relation, part) -> None:
    """Event, floats to the last bit, accountant and part; in a row are text and numbers only."""
    promise = Guarantee("server", "household", relation, event, 0.1 + 0.2, 1e-9, "Renyi", 5e-324)
    row = to_row(Charge(promise, part))
    assert {type(value) for value in row.values()} <= {str, float}
    assert from_row(row) == Charge(promise, part)


def test_a_charge_on_all_is_no_charge_on_a_part() -> None:
    """The whole is written as no name, so no part may have none."""
    assert to_row(charge(0.1))["part"] == ""
    assert from_row(to_row(charge(0.1))).part is None
    with pytest.raises(ValueError, match="part must be the name of a part, or None for all people"):
        Charge(charge(0.1).guarantee, "")


def test_an_event_has_one_text() -> None:
    """Its fields in the order of their names, whoever writes it."""
    written = to_row(charge(0.1))["event"]
    assert written == '{"event": "gaussian", "noise_multiplier": 3.0}'
    assert written == json.dumps(json.loads(written), sort_keys=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"event": '{"event": "gaussian"}'}, "has the fields noise_multiplier"),
        ({"epsilon": -0.1}, "epsilon must be at least 0 and finite"),
        ({"delta_reserved": 0.5}, "delta_reserved must be in"),
        ({"more": 1}, "the fields of a promise, and no others"),
        ({"relation": "none"}, "none"),
    ],
)
def test_a_row_that_was_tampered_with_is_no_charge(change: dict[str, Any], said: str) -> None:
    """What is read passes the same checks as what is made."""
    with pytest.raises(ValueError, match=said):
        from_row({**to_row(charge(0.1)), **change})


@pytest.mark.parametrize("parts", ["abc", [1, 2], ["north", ""], {"north": 1}, None])
def test_parts_are_a_list_of_names(parts: Any) -> None:
    """A word is refused, whose letters would be parts."""
    with pytest.raises(ValueError, match="parts must be a list of names, got "):
        Partition("streets", parts)


@pytest.mark.parametrize("parts", [[], ["north", "south", "north"]])
def test_parts_are_some_and_all_different(parts: Any) -> None:
    """A part that is there twice would be charged once and read twice."""
    with pytest.raises(ValueError, match="at least one name, all different, got "):
        Partition("streets", parts)


def test_parts_are_kept_though_the_list_changes() -> None:
    """What is fixed and public does not follow the list that it was made of."""
    names = ["north", "south"]
    made = Partition("streets", names)  # pyright: ignore[reportArgumentType]
    names.append("east")
    assert made.parts == ("north", "south")
    assert made == Partition("streets", ("north", "south"))


def test_epsilons_are_those_of_one_observer() -> None:
    """Of each unit or part, in order; another's are not among them."""
    asked = charge(0.1), charge(0.7, observer="server"), Charge(charge(0.2).guarantee, "north")
    entry = Entry("g", "2024-01-01", None, {}, asked)
    assert entry.epsilons("public") == [0.1, 0.2]
    assert entry.epsilons("server") == [0.7]
    assert entry.epsilons("shuffler") == []


@pytest.mark.parametrize("bad", [3, None, "two\nlines", "\x1b[2J", "\u202e", ["a"]])
def test_what_would_steer_a_terminal_is_no_line(bad: Any) -> None:
    """Line ends, escapes and marks that turn the text around are refused, by what it was for."""
    with pytest.raises(ValueError, match="note must be text of one line that can be printed, got "):
        refuse_no_line("note", bad)
    for good in ("", "a mean of ages", "größer als 3 – ja"):
        refuse_no_line("note", good)


def test_history_of_an_early_ledger_has_no_words() -> None:
    """Where a question or a note was never kept, the entry has empty ones."""
    row: Any = SimpleNamespace(
        grant_id="g", opened="then", closed=None, plan='{"rounds": 3}', asked=None, note=None
    )
    entry = to_entry(row, [to_row(charge(0.1)), to_row(charge(0.2, 0.0, "server"))])
    assert entry == Entry(
        "g", "then", None, {"rounds": 3}, (charge(0.1), charge(0.2, 0.0, "server")), "", ""
    )
    assert entry.charges[0].guarantee.relation is Relation.ADD_REMOVE
