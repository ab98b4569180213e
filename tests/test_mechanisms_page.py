"""The page of mechanisms says how each is made: by calls that are there, with their arguments."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit import mechanisms

PAGE = Path(__file__).parent.parent / "docs" / "mechanisms.md"
CALL = re.compile(r"`(\w+)(?:\.(\w+))?\(([\w, ]*)\)`")
# What mechanisms are, and what runs them.
NOT_MADE = {"FrequencyOracle", "Mechanism", "release"}


def calls(page: str) -> list[tuple[str, str, str]]:
    """Class, class method and arguments of each call in the first column of a table of calls."""
    tables = re.findall(r"^\| made by \|.*\n\| --- .*\n((?:\|.*\n)+)", page, re.MULTILINE)
    firsts = [row.split("|")[1] for table in tables for row in table.splitlines()]
    return [call for first in firsts for call in CALL.findall(first)]


def class_methods(made: type) -> Iterator[str]:
    """The public ones that are its own: each makes one."""
    for name, thing in vars(made).items():
        if isinstance(thing, classmethod) and not name.startswith("_"):
            yield name


PUBLIC = {name: getattr(mechanisms, name) for name in mechanisms.__all__}
MADE_OTHERWISE = [
    name for name, own in PUBLIC.items() if inspect.isclass(own) and any(class_methods(own))
]


@pytest.mark.parametrize("name, method, arguments", calls(PAGE.read_text()))
def test_a_call_of_the_page_can_be_made(name, method, arguments):
    """It is public, and these arguments bind to its signature, by name and in this order."""
    made = getattr(PUBLIC[name], method) if method else PUBLIC[name]
    given = arguments.split(", ")
    taken = inspect.signature(made)

    assert list(taken.bind(**dict.fromkeys(given)).arguments) == given
    assert list(taken.bind(*given).arguments) == given


def test_every_mechanism_is_made_somewhere_on_the_page():
    """By every class method that it has; what is no mechanism, a grid or a stream, in the text."""
    text = PAGE.read_text()
    everywhere, in_tables = CALL.findall(text), calls(text)

    assert set(PUBLIC) - NOT_MADE == {name for name, _, _ in everywhere if name in PUBLIC}
    assert {
        (name, method) for name in MADE_OTHERWISE for method in class_methods(PUBLIC[name])
    } == {(name, method) for name, method, _ in in_tables if method}


def test_every_table_of_mechanisms_says_how_they_are_made():
    """No row of a table begins with a file, and the reader of tables is not blind."""
    text = PAGE.read_text()

    assert not re.findall(r"^\| `src/.*", text, re.MULTILINE)
    assert len(calls(text)) > len(PUBLIC)


@pytest.mark.parametrize("name", MADE_OTHERWISE)
def test_what_is_made_by_a_class_method_says_so_first(name):
    """Where its constructor takes what only that can work out: in the first two paragraphs."""
    own = PUBLIC[name]
    first = " ".join((own.__doc__ or "").split("\n\n")[:2])
    by_hand = name in {call for call, method, _ in calls(PAGE.read_text()) if not method}

    assert by_hand or re.findall(rf"\b(?:with|see|by) `({'|'.join(class_methods(own))})`", first)
