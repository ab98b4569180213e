"""Whoever stops `tacit train` loses nothing: a clean end, and the command that goes on."""

import functools
import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from typer.testing import CliRunner

from cli import as_one_of_several, at_a_moment
from tacit.cli import work
from tacit.cli.interruption import Interrupted, Stop, noted
from tacit.cli.main import app
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger

QUICK = ("train", "--no-sweep", "--setting", "central", "--seed", "3", "--limit", "10")
INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
stopped = functools.partial(at_a_moment.stopped, runs="cli.as_one_of_several")


@pytest.fixture(autouse=True, scope="module")
def _little_to_train() -> Iterator[None]:
    """Here as in the processes that are stopped: two releases of four rounds."""
    with mock.patch.object(work, "task_and_jobs", as_one_of_several.small_instead()):
        yield


def run(*args: object):
    return CliRunner().invoke(app, [str(word) for word in args])


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run of two releases that nobody stopped."""
    out = tmp_path_factory.mktemp("whole") / "out"
    done = run(*QUICK, "--out", out)
    assert 0 == done.exit_code, done.output
    return out


def same_end(whole: Path, out: Path) -> bool:
    """The same models, to the byte, the same promises, and every release charged once."""
    models = [
        {path.name: path.read_bytes() for path in (folder / "models").iterdir()}
        for folder in (whole, out)
    ]
    receipts = [receipt.read(folder / "receipt.json") for folder in (whole, out)]
    spent = [Ledger(folder / "ledger.db").spent("twenty") for folder in (whole, out)]
    return all(one == other for one, other in (models, receipts, spent))


def rounds_on_disk(path: Path) -> int:
    """Of a checkpoint's open header."""
    with np.load(path) as archive:
        return json.loads(str(archive["header"]))["rounds"]


@pytest.mark.parametrize(
    "moment, call, number, times",
    [
        ("compilation", 1, INT, 1),
        ("look", 3, INT, 2),
        ("between", 2, INT, 1),
        ("report", 1, TERM, 1),
    ],
)
def test_a_stopped_run_says_how_to_go_on_and_ends_where_a_whole_one_ends(
    whole, tmp_path, moment, call, number, times
):
    """Its status is the signal's; one sentence; the command in it goes on, charged once."""
    out = tmp_path / "a folder with spaces"
    done = stopped(moment, call, number, *QUICK, "--out", out, times=times)
    said = done.stderr.removesuffix("\n").split("\n")
    command = said[-1].split("go on with: ")[-1]

    assert 128 + number == done.returncode, done.stderr
    assert said[-1:] == [line for line in said if line.startswith("tacit: ")]
    assert said[-1].startswith("tacit: stopped; what was done is kept")
    assert f"tacit train --resume {shlex.quote(f'{out}/checkpoint')}" == command
    assert "" == done.stdout
    again = run(*shlex.split(command)[1:])
    assert 0 == again.exit_code, again.output
    assert same_end(whole, out)


def test_a_stop_between_rounds_keeps_the_last_round(whole, tmp_path):
    """The rounds that were finished are on the disk, whenever the last checkpoint was."""
    out = tmp_path / "out"
    done = stopped("look", 3, INT, *QUICK, "--out", out)

    assert 130 == done.returncode
    assert 3 == rounds_on_disk(out / "checkpoint" / "release0.npz")


def test_a_killed_run_resumes_to_the_same_models_charged_once(whole, tmp_path):
    """Killed within a release, before it is closed and before it is noted, it ends where the
    uninterrupted run ended."""
    out = tmp_path / "out"
    resume = ("train", "--resume", out / "checkpoint")
    for moment, call, *args in (("look", 3, *QUICK, "--out", out), ("close", 1), ("between", 1)):
        assert -KILL == stopped(moment, call, KILL, *(args or resume)).returncode
    done = run(*resume)

    assert 0 == done.exit_code, done.output
    assert same_end(whole, out)


def test_a_run_that_is_stopped_before_it_charged_leaves_nothing(tmp_path):
    """No folder, no ledger, and a sentence that says so."""
    done = stopped("planning", 1, INT, *QUICK, "--out", tmp_path / "out")

    assert 130 == done.returncode
    assert "tacit: stopped before anything was charged\n" == done.stderr
    assert [] == list(tmp_path.iterdir())


def test_a_comparison_that_is_stopped_says_what_it_charged(tmp_path):
    """It keeps nothing; its ledger does."""
    book, out = tmp_path / "people.db", tmp_path / "out"
    args = ("--out", out, "--epsilons", "2", "--repeats", "1", "--no-plain", "--ledger", book)
    done = stopped("scored", 1, INT, "compare", *args)

    assert 130 == done.returncode
    assert done.stderr.startswith(
        "tacit: stopped after 1 of 5 releases; a comparison keeps nothing"
    )
    assert done.stderr.endswith(f"stay charged: tacit ledger show {book}\n")
    assert [book] == list(tmp_path.iterdir())
    (entry,) = Ledger(book).history("digits")
    assert entry.closed


def test_a_signal_is_noted_and_raised_where_it_is_asked_for():
    """The sentence is the one that holds then; afterwards signals do what they did before."""
    before = signal.getsignal(INT), signal.getsignal(TERM)
    with pytest.raises(Interrupted) as stopping, noted("nothing is left") as stop:
        stop.check()
        os.kill(os.getpid(), TERM)
        stop.left = "half is left"
        assert stop.noted == TERM
        stop.check()

    assert (143, "half is left") == (stopping.value.status, stopping.value.left)
    assert before == (signal.getsignal(INT), signal.getsignal(TERM))


class Ended(Exception):
    """Instead of the process."""


def test_a_second_signal_does_not_come_back(monkeypatch, capfd):
    """Where the first one is noted, the second ends the process there, with its status."""

    def ends(status):
        raise Ended(status)

    monkeypatch.setattr(os, "_exit", ends)
    with noted("go on with: this") as stop:
        stop.note(INT, None)
        with pytest.raises(Ended, match=str(128 + TERM)):
            stop.note(TERM, None)

    assert "tacit: go on with: this" == capfd.readouterr().err.strip()


def test_what_is_heard_and_what_is_cut_off_are_said_where_they_are_not_left(monkeypatch, capfd):
    """The first signal at once, in its own words; the second in words that hold without waiting."""
    monkeypatch.setattr(os, "_exit", mock.Mock(side_effect=Ended))
    stop = Stop("all is gone", heard="all is going", cut="all will go")
    stop.note(INT, None)
    assert "tacit: all is going\n" == capfd.readouterr().err
    with pytest.raises(Ended):
        stop.note(INT, None)
    assert "tacit: all will go\n" == capfd.readouterr().err
