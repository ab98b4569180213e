"""Numbers of groups as plain text: whole, and at 80 columns."""

from tacit.tables.answered import framed
from tacit.tables.lined import in_lines

WARD = ["ward"]


def number(name: str, *rows: tuple[float, float, float]) -> dict:
    """Estimates and limits of groups."""
    ends = ("", "_low", "_high")
    return {name + end: [row[i] for row in rows] for i, end in enumerate(ends)}


def test_text_has_no_blank_lines_around_it_and_one_between_tables():
    """A number of kinds has a table of its own, below."""
    found = number("n", (1.0, 0.0, 2.0)) | number("sex[f]", (5.0, 4.0, 6.0))
    lines = in_lines(framed({"ward": ["A"], **found}), WARD).split("\n")

    assert [3, 7] == [i for i, line in enumerate([*lines, ""]) if not line]
    assert ["ward", "n", "from", "to"] == lines[0].split() and lines[2].split()[0] == "A"
    assert ["A", "f", "5", "4", "6"] == lines[-1].split()
    assert all(line == line.rstrip() for line in lines)


def test_a_group_without_a_key_is_none_and_limits_are_rounded_outwards():
    """To two digits of half an interval."""
    found = number("mean", (5.97223, 5.81186, 6.13261))
    text = in_lines(framed({"ward": [None], **found}), WARD)

    assert ["none", "5.97", "5.81", "6.14"] == text.split("\n")[-1].split()


def test_brackets_of_a_key_are_no_markup():
    """A key is shown as it was declared."""
    text = in_lines(framed({"ward": ["[red]A[/red]"], **number("n", (1.0, 0.0, 2.0))}), WARD)
    assert "[red]A[/red]" in text


def test_of_no_group_there_is_nothing():
    """An answer says why in words."""
    assert "" == in_lines(framed({"ward": [], **number("n")}), WARD)
