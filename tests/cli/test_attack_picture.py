"""The picture of an attack."""

import re

from tacit.attacks.breach import BreachRate
from tacit.attacks.outcome import Outcome
from tacit.cli.attack_picture import draw


def test_a_picture_names_every_promise_and_is_the_same_again(tmp_path):
    """As many dots as promises, and the same bytes for the same numbers."""
    found = Outcome("all bits", BreachRate(60, 100), 0.6, 0.7)
    rows = [("none", found), ("ε 1", found), ("ε 5", found)]
    for name in ("once.svg", "again.svg"):
        draw(tmp_path / name, "secret bits", rows)
    drawn = (tmp_path / "once.svg").read_text()

    assert drawn == (tmp_path / "again.svg").read_text()
    assert all(f">{name}<" in drawn for name in ("none", "ε 1", "ε 5", "share of all bits"))
    assert len(re.findall("allowed|foreseen|found, 95% limits", drawn)) >= 3


def test_others_are_drawn_where_there_are_some(tmp_path):
    """And what is foreseen, where it is."""
    for name, found in (
        ("bits", Outcome("all bits", BreachRate(60, 100), 0.6, 0.7)),
        ("rows", Outcome("rows", BreachRate(60, 100), None, 0.7, 0.1)),
    ):
        draw(tmp_path / f"{name}.svg", name, [("none", found)])
    bits, rows = ((tmp_path / f"{name}.svg").read_text() for name in ("bits", "rows"))

    assert ">foreseen<" in bits and ">of others<" not in bits
    assert ">of others<" in rows and ">foreseen<" not in rows
