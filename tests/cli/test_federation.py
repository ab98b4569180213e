"""`tacit federation demo`: a whole federation on one machine, and what is refused before it."""

import importlib.util
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit
from tacit import live
from tacit.cli import federation, own_functions
from tacit.cli.federation import _plans, cost_so_far, who_is_asked
from tacit.cli.interruption import Stop
from tacit.cli.main import app
from tacit.live.cap import Cap

needs_flower = pytest.mark.skipif(
    importlib.util.find_spec("flwr") is None,
    reason="make test-flower brings Flower",
)


def run(*words: object):
    return CliRunner().invoke(app, ["federation", "demo", *map(str, words)])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--devices", 7], "--devices must be 8 to 1437"),
        (["--cap", "epsilon 50"], "a cap is"),
        (["--epsilon", 0], "epsilon must be"),
        (["--local-epsilon", -1], "positive"),
        (["--rounds", 0], "at least one round"),
        (["--cap", "epsilon 10 a week"], "--cap must have room for what a device sends in all"),
        (["--cap", "epsilon 60 a week"], "epsilon 56 and delta 1e-05: give more, or fewer"),
        (["--cap", "epsilon 55 and delta 1e-4 a week"], "got epsilon 55 and delta 0.0001 in any"),
        (["--cap", "epsilon 60 a week", "--delta", 1e-10], "so --cap must say how much"),
        (["--rounds", 6], "epsilon 64 and delta 1e-05"),
    ],
)
def test_refusals(tmp_path: Path, words: list[object], said: str) -> None:
    """One sentence, status 2, and nothing is left behind."""
    done = run("--out", tmp_path / "out", *words)
    assert done.exit_code == 2 and said in done.output
    assert not (tmp_path / "out").exists()


def test_too_few_devices_are_refused_before_anything_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and the help names the range."""
    monkeypatch.setattr(federation, "_plans", mock.Mock(side_effect=AssertionError))
    done = run("--out", tmp_path / "out", "--devices", 1)
    assert done.exit_code == 2 and "--devices must be 8 to 1437" in done.output
    assert "8 to 1437" in " ".join(run("--help").output.split())


def test_a_folder_that_is_there_is_refused(tmp_path: Path) -> None:
    """Devices in it have spent what they have."""
    done = run("--out", tmp_path)
    assert done.exit_code == 2 and "--out must be a folder that is not there yet" in done.output


def test_what_is_spent_so_far_is_said_of_each_observer() -> None:
    """After each round: less than all of it before the last, and then all."""
    central = tacit.Central(8.0, 1e-5)
    question = tacit.Mean(tacit.Ball(9, 1.0), tacit.Everyone(), 4, 8)
    plan = tacit.Federated(8.0, central).plan(question)
    said = [cost_so_far(plan, done) for done in range(1, 5)]

    assert [re.findall("server ε ([0-9.]+) of", each)[0] for each in said] == [
        "8",
        "16",
        "24",
        "32",
    ]
    spent = [float(re.findall("public ε ([0-9.]+) of 8", each)[0]) for each in said]
    assert 0 < spent[0] < spent[1] < spent[2] < spent[3] == 8.0


def test_who_is_asked_is_said_of_each_plan() -> None:
    """Under `Local` a device is in one round alone, so fewer than all report in each."""
    plans = _plans(8, 3, tacit.Central(8.0, 1e-5), 8.0)
    said = {name: who_is_asked(plan) for name, plan in plans.items()}
    assert said["local"] == "and every device is asked in one of them"
    assert said["federated"] == said["aggregated"] == "and every device is asked in each"


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("epsilon 50 a week", "aggregated, beforehand: 0 of 8 devices would report, 8 refused"),
        ("epsilon 7 a week", "federated, beforehand: 7 of 8 devices would report, 1 refused"),
    ],
)
def test_nothing_is_charged_where_devices_would_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, said: str
) -> None:
    """Asked beforehand, of every run before the first: the line that tells why is printed, and the
    sentence and the status are those of a refusal. These are in no group, and one may have a
    smaller cap than the others."""
    caps = ["epsilon 50 a week"] * 7 + [last]
    owns = [live.OwnLedger(tmp_path / f"{n}.db", Cap.read(cap)) for n, cap in enumerate(caps)]
    person = own_functions.person_of(np.zeros((1, 8, 8), np.float32), np.zeros(1, np.int32))
    allowed = own_functions.allowed(["digits@1"])
    clients = {f"device {n}": live.Client(person, allowed, own) for n, own in enumerate(owns)}

    @contextmanager
    def begun(out: Path, *_: object) -> Iterator[live.Nearby]:
        out.mkdir()
        yield live.Nearby(clients)

    monkeypatch.setattr(federation, "begun", begun)
    done = run("--out", tmp_path / "out", "--rounds", 2)
    assert done.exit_code == 2 and "nothing is charged, as devices would not" in done.output
    assert said in done.output
    assert not any(own.lines() for own in owns) and "round 1" not in done.output
    assert not tacit.Ledger(tmp_path / "out" / "ledger.db").spent("digits")


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The demo with Ctrl-C as its devices begin; what happened to them."""
    happened: list[str] = []

    @contextmanager
    def begun(out: Path, count: int, cap: str, check: Callable[[], None]) -> Iterator[None]:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            check()
            yield
        finally:
            happened.append("gone")

    monkeypatch.setattr(federation, "begun", begun)
    return happened


def test_ctrl_c_is_heard_at_once(
    tmp_path: Path, interrupted: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """That processes are gone is said when they are."""
    done = run("--out", tmp_path / "out", "--rounds", 1)
    assert interrupted == ["gone"] and done.exit_code == 130
    assert capfd.readouterr().err.startswith("tacit: stopping: ")
    assert "tacit: stopped; all processes are gone" in done.output


def test_a_second_ctrl_c_says_that_processes_are_ending(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interrupted: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It does not wait for them, so it does not say that they are gone."""
    monkeypatch.setattr(os, "_exit", mock.Mock(side_effect=SystemExit))
    monkeypatch.setattr(Stop, "check", lambda stop: stop.note(signal.SIGINT, None))
    run("--out", tmp_path / "out", "--rounds", 1)
    said = " ".join(capfd.readouterr().err.split())
    assert "its processes are ending" in said and "all processes are gone" not in said


@needs_flower
@pytest.mark.timing
def test_a_federation_on_one_machine(tmp_path: Path) -> None:
    """Eight processes report in every round, under all three models, and the receipt holds."""
    out = tmp_path / "out"
    done = run("--out", out, "--rounds", 2)
    assert done.exit_code == 0, done.output
    assert done.output.count("8 of 8 devices reported") == 4
    assert done.output.count("4 of 4 devices reported") == 2
    assert done.output.count("tacit: so far, kept from: ") == 6
    assert CliRunner().invoke(app, ["verify", str(out / "receipt.json")]).exit_code == 0
    logs = [(each / "device.log").read_text() for each in (out / "devices").iterdir()]
    assert [log.count("tacit: agreed to digits: round") for log in logs] == [5] * 8
    receipts = json.loads((out / "receipt.json").read_text())["receipts"]
    assert len(receipts) == 3 and (out / "report.html").exists()
