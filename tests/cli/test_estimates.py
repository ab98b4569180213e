"""Numbers of groups at 80 columns: all of them, none narrower than it is."""

import io
import math
from typing import Any

import pytest
from rich.console import Console

from tacit.cli import estimates, voice
from tacit.tables.answered import TableAnswer, framed


@pytest.fixture
def printed(monkeypatch) -> io.StringIO:
    """A terminal of 80 columns."""
    shown = io.StringIO()
    monkeypatch.setattr(voice, "OUT", Console(file=shown, width=80))
    return shown


def answer(columns: dict) -> TableAnswer:
    """Of a frame whose first column is its key, whoever released it."""
    nobody: Any = None
    return TableAnswer(framed(columns), list(columns)[:1], 0.95, nobody, "", nobody)


def number(name: str, *rows: tuple[float, float, float]) -> dict:
    """Estimates and limits of groups."""
    ends = ("", "_low", "_high")
    return {name + end: [row[i] for row in rows] for i, end in enumerate(ends)}


def lines(text: str) -> list[list[str]]:
    """Words of the lines that have any."""
    return [line.split() for line in text.splitlines() if line.strip(" ─")]


def test_limits_are_rounded_outwards_and_to_what_is_known(printed):
    """Two digits of half an interval; whole numbers as such."""
    found = number("n", (9113.0, 9055.0, 9171.0), (-3.0, 0.0, 4.0))
    found |= number("mean", (5.97223, 5.81186, 6.13261), (0.5, 0.0, math.inf))
    estimates.shown(answer({"ward": ["A", None], **found}))

    assert [
        ["ward", "n", "from", "to", "mean", "from", "to"],
        ["A", "9,113", "9,055", "9,171", "5.97", "5.81", "6.14"],
        ["none", "-3", "0", "4", "0.50", "0.00", "∞"],
    ] == lines(printed.getvalue())


def test_many_numbers_and_long_keys_are_whole_at_80_columns(printed):
    """What does not fit beside the others stands below, with its keys; nothing is cut."""
    key = "Intensive care of the second floor in the eastern wing"
    names = [f"share(days > {i} AND sex = 'f')" for i in range(7)]
    found = {}
    for name in names:
        found |= number(name, *[(0.12345, 0.1, 0.2)] * 60)
    estimates.shown(answer({"ward": [f"{key} {i}" for i in range(60)], **found}))
    said = printed.getvalue()

    assert max(map(len, said.splitlines())) <= 80 and "…" not in said
    words = said.split()
    assert all(said.count(word) >= 60 for word in ("Intensive", "eastern"))
    assert 7 * 60 == words.count("0.123") and all(f"{i}" in words for i in range(60))


def test_a_histogram_has_a_line_for_each_kind(printed):
    """Of each group, below the other numbers."""
    found = number("n", (1.0, 0.0, 2.0), (3.0, 2.0, 4.0))
    found |= number("sex[f]", (5.0, 4.0, 6.0), (7.0, 6.0, 8.0))
    found |= number("sex[m]", (9.0, 8.0, 10.0), (11.0, 10.0, 12.0))
    estimates.shown(answer({"room": [1, 2], **found}))

    assert [
        ["room", "n", "from", "to"],
        ["1", "1", "0", "2"],
        ["2", "3", "2", "4"],
        ["room", "sex", "estimate", "from", "to"],
        ["1", "f", "5", "4", "6"],
        ["1", "m", "9", "8", "10"],
        ["2", "f", "7", "6", "8"],
        ["2", "m", "11", "10", "12"],
    ] == lines(printed.getvalue())


def test_what_was_chosen_stands_before_how_many_rows_have_it(printed):
    """In the table, folded; in JSON as it was declared, beside the numbers."""
    value = "a treatment of several weeks at home"
    found = {"top_1": [value, None], **number("top_1_n", (5.0, 4.0, 6.0), (7.0, 6.0, 8.0))}
    own = answer({"room": [1, 2], **found})
    estimates.shown(own)

    assert [
        ["room", "top_1", "top_1_n", "from", "to"],
        ["1", "a", "treatment", "of", "several", "5", "4", "6"],
        ["weeks", "at", "home"],
        ["2", "none", "7", "6", "8"],
    ] == lines(printed.getvalue())
    assert [{"top_1": value}, {"top_1": None}] == [each["values"] for each in estimates.plain(own)]
    assert all(["top_1_n"] == list(each["numbers"]) for each in estimates.plain(own))


def test_json_has_keys_as_they_were_declared_and_null_for_what_is_not():
    """A whole number stays one beside a missing one; JSON has no infinity."""
    found = number("n", (1.0, 0.0, math.inf), (3.0, 2.0, 4.0))
    first, second = estimates.plain(answer({"room": [1, None], **found}))

    assert {"room": 1} == first["group"] and isinstance(first["group"]["room"], int)
    assert {"room": None} == second["group"]
    assert {"estimate": 1.0, "low": 0.0, "high": None} == first["numbers"]["n"]
