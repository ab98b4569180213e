"""Playing an experiment from a command: what a bar is told, and what a signal leaves."""

import os
import signal
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tacit.cli import kept_parts
from tacit.cli.interruption import Interrupted, Stop, noted


@dataclass(frozen=True)
class Number:
    value: int


def test_a_signal_ends_what_is_played_and_keeps_what_was_finished(tmp_path):
    """With the status of that signal, and a sentence that says how to go on."""

    def stopped(told):
        os.kill(os.getpid(), signal.SIGTERM)
        for done in range(10**6):
            told(done)

    kept, _ = kept_parts.opened(tmp_path, "it", Number(0))
    parts = {"one": lambda told: Number(1), "two": stopped, "three": lambda told: Number(3)}
    with pytest.raises(Interrupted) as ended, noted(kept_parts.LEFT) as stop:
        kept_parts.played(parts, kept, 10**6, stop, at_once=1)

    assert ended.value.status == 143 and "the same command goes on" in ended.value.left
    assert set(kept.parts) == {"one"}


def test_a_signal_after_the_last_part_is_not_forgotten(tmp_path):
    """What was finished is kept, and the command ends with that signal's status."""

    def last(told):
        os.kill(os.getpid(), signal.SIGTERM)
        return Number(1)

    kept, _ = kept_parts.opened(tmp_path, "it", Number(0))
    with pytest.raises(Interrupted) as ended, noted(kept_parts.LEFT) as stop:
        kept_parts.played({"one": last}, kept, 10, stop, at_once=1)

    assert ended.value.status == 143 and set(kept.parts) == {"one"}


def test_parts_at_once_are_one_bar(tmp_path, monkeypatch):
    """Of all that is begun and not over; each counts when it is done."""
    seen = []

    @contextmanager
    def progress(jobs, stop):
        assert jobs == 2
        yield lambda *words: seen.append(words)

    monkeypatch.setattr("tacit.cli.voice.progress", progress)
    monkeypatch.setattr(
        "tacit.experiments.parts.play",
        lambda parts, kept, told, at_once: [
            told(*each) for each in (("a", 0), ("a", 4), ("b", 2), ("a", 10), ("b", 10))
        ],
    )
    kept, _ = kept_parts.opened(tmp_path, "it", Number(0))
    kept_parts.played(dict.fromkeys("ab", lambda told: Number(1)), kept, 10, Stop("nothing"))

    assert seen == [
        ("a", 0, 10, None),
        ("a", 4, 10, None),
        ("2 at once", 6, 20, None),
        ("a", 10, 10, None),
        ("b", 10, 10, None),
    ]
