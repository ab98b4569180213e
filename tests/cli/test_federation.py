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

import pytest
from typer.testing import CliRunner

import tacit
from tacit.cli import federation
from tacit.cli.federation import cost_so_far
from tacit.cli.interruption import Stop
from tacit.cli.main import app

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
