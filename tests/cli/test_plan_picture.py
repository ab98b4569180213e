"""The picture of `tacit plan mean`: a line for each trust model, around the people in question."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit.cli.main import app
from tacit.cli.plan_picture import POINTS, _crowd, _idle
from tacit.contribution import Ball, Interval
from tacit.planner import MOST_PEOPLE

NUMBER = "--low 0 --high 1 "
# The guide's own, of the first command beside it.
SHOWN = Path(__file__).parents[2] / "docs/pictures/people.svg"
TEXT = re.compile(r">([^<]+)</text>")


def run(args: str):
    return CliRunner().invoke(app, ["plan", "mean", *args.split()])


@pytest.mark.parametrize("suffix, start", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_picture_is_drawn(tmp_path, monkeypatch, suffix, start):
    """In the format its name says; lines are named where they end. Of four points a line."""
    monkeypatch.setattr("tacit.cli.plan_picture.POINTS", 4)
    path = tmp_path / f"curve.{suffix}"
    done = run(NUMBER + f"--people 300 --epsilon 1 --picture {path}")
    drawn = path.read_bytes()

    assert 0 == done.exit_code, done.output
    assert drawn.startswith(start)
    if suffix == "svg":
        for words in ("central", "shuffled", "local", "people", "root mean squared error"):
            assert words in drawn.decode()


def test_the_guide_shows_what_is_drawn_now(tmp_path, monkeypatch):
    """Word for word; where it is another, `tacit plan mean ... --picture` draws it anew."""
    monkeypatch.setattr("tacit.cli.plan_picture.POINTS", 2)
    path = tmp_path / "people.svg"
    assert 0 == run(NUMBER + f"--epsilon 1 --rmse 0.01 --picture {path}").exit_code

    assert TEXT.findall(SHOWN.read_text()) == TEXT.findall(path.read_text())
    assert "rmse asked for" in TEXT.findall(path.read_text())


@pytest.mark.parametrize("people", [[1], [300], [300, 90_000], [MOST_PEOPLE]])
def test_the_crowd_is_around_the_people_in_question(people):
    """From a few to as many as there may be, ever more of them."""
    found = _crowd(people)

    assert len(found) == POINTS and found == sorted(set(found))
    assert 10 <= found[0] <= max(10, min(people)) and 1000 <= found[-1] <= MOST_PEOPLE
    assert found[-1] >= min(MOST_PEOPLE, 30 * max(people))


def test_an_answer_without_asking_is_off_by_half_the_bounds():
    """Or by the norm: what zero is off by, at most."""
    assert (_idle(Interval(-1.0, 5.0)), _idle(Ball(3, 2.0))) == (3.0, 2.0)
