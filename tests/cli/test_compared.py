"""What a comparison found is told alike in its table and in JSON."""

from dataclasses import replace

from rich.console import Console

from cli.made_up_comparison import CASE, CENTRAL, FOUND, NOTHING, SHUFFLED, point
from tacit.cli.compared import as_json, levels_beside, lines_of, promises, table_of, trust_of
from tacit.learning.compare import Comparison


def said(found: Comparison) -> str:
    """The table's lines, wide enough for all."""
    console = Console(width=200)
    with console.capture() as held:
        console.print(table_of(CASE, found))
    return held.get()


def test_lines_are_of_what_promises_something():
    """By epsilon; the others are levels beside them, and so is one answer for everybody."""
    assert [promises(each) for each in (NOTHING, CENTRAL, SHUFFLED)] == [False, True, True]
    assert [trust_of(each) for each in (NOTHING, CENTRAL)] == ["nonprivate", "central"]
    assert list(lines_of(FOUND)) == [CENTRAL, SHUFFLED]
    assert [each.epsilon for each in lines_of(FOUND)[CENTRAL]] == [0.5, 1.0]
    assert levels_beside(CASE, FOUND) == {"commonest label": 0.75, "without privacy": 0.96}


def test_a_table_has_what_json_has():
    """Means in per cent with the deviation of one release, and what no epsilon changes."""
    table, found = said(FOUND), as_json(CASE, FOUND, 3)

    for each in found["points"]:
        assert f"{100 * each['accuracy']:.1f} ±{100 * each['spread']:.1f}" in table
    assert [each["epsilon"] for each in found["points"]] == [0.5, 1.0, 0.5, 1.0]
    assert (found["seed"], found["private"], found["without_privacy"]) == (3, True, 0.96)
    assert "75.0" in table and "96.0" in table


def test_of_one_release_no_deviation_is_told():
    """One alone does not tell it."""
    table = said(Comparison((point(CENTRAL, 1.0, 0.8),)))

    assert "80.0" in table and "±" not in table


def test_weaker_promises_to_others_stand_under_the_table():
    """The weakest of all points; none where others are promised what the public is."""
    assert "shuffled, shuffler: ε up to 4" in said(FOUND)
    assert "server" not in said(FOUND)
    assert "up to" not in said(replace(FOUND, points=FOUND.points[:3]))
