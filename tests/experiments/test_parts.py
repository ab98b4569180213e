"""Parts of an experiment: what is played, what is kept, and what one that fails leaves."""

import threading
from dataclasses import dataclass

import pytest

from tacit.experiments.kept import Kept
from tacit.experiments.parts import play


@dataclass(frozen=True)
class Number:
    value: int


@pytest.fixture
def kept(tmp_path) -> Kept:
    return Kept.opened(tmp_path / "it.json", Number(0))


def nobody(name: str, done: int) -> None:
    del name, done


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_every_part_is_played_once_and_kept(kept, at_once):
    """And none that is kept already."""
    played = []

    def part(value, told):
        told(value)
        played.append(value)
        return Number(value)

    parts = {str(n): (lambda told, n=n: part(n, told)) for n in range(4)}
    kept.add("2", Number(7))
    play(parts, kept, nobody, at_once)

    assert sorted(played) == [0, 1, 3]
    assert {name: each["value"] for name, each in kept.parts.items()} == {
        "0": 0,
        "1": 1,
        "2": 7,
        "3": 3,
    }


def test_as_many_are_played_at_once_as_asked_for(kept):
    """Two that wait for one another both end."""
    meet = threading.Barrier(2, timeout=60)
    parts = {name: (lambda told: Number(meet.wait())) for name in "ab"}
    play(parts, kept, nobody, at_once=2)

    assert set(kept.parts) == {"a", "b"}


def test_one_that_fails_keeps_what_was_finished_and_ends_the_others(kept):
    """Those that play end where they next tell how far they are; its own error is raised."""
    failed = threading.Event()

    def fails(told):
        failed.set()
        raise OSError("the disk is full")

    def plays_on(told):
        failed.wait(60)
        for _ in range(10**6):
            told(1)

    parts = {"one": lambda told: Number(1), "two": fails, "three": plays_on}
    play({"one": parts["one"]}, kept, nobody, at_once=1)
    with pytest.raises(OSError, match="the disk is full"):
        play({**parts, "four": lambda told: Number(4)}, kept, nobody, at_once=2)

    assert set(kept.parts) == {"one"}


def test_an_interruption_of_who_waits_ends_what_plays(kept, monkeypatch):
    """None of it goes on behind who asked, and what was not finished is not kept."""

    def interrupted(running):
        raise KeyboardInterrupt

    def plays_on(told):
        for _ in range(10**6):
            told(1)
        return Number(1)

    monkeypatch.setattr("tacit.experiments.parts.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        play({"one": plays_on, "two": plays_on}, kept, nobody, at_once=1)

    assert kept.parts == {}


def test_whoever_is_told_may_end_it(kept):
    """As an interruption does."""

    def stops(name: str, done: int) -> None:
        if (name, done) == ("b", 3):
            raise KeyboardInterrupt

    def part(told):
        told(3)
        return Number(3)

    with pytest.raises(KeyboardInterrupt):
        play({"a": part, "b": part, "c": part}, kept, stops, at_once=1)

    assert set(kept.parts) == {"a"}
