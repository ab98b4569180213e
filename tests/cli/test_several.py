"""One command in two processes: what comes out, what each leaves behind, and how both end."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

import idx_files
import wires
from processes import MARKS, begun, free_port, held
from tacit.cli import line, meeting, several
from tacit.cli.interruption import Interrupted, Stop
from tacit.cli.line import Line
from tacit.cli.main import app
from tacit.cli.meeting import Team
from tacit.cli.several import stopping
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger
from tacit.population.hosts import OutOfStep

pytestmark = MARKS
NEVER = ("never", 0, 0)
# Seconds after which a machine that is gone is missed.
MISSED = line.LOST + several.GRACE + 2
GOING_ON = "what was done is kept, go on with: tacit train --resume out/checkpoint"
Moment = tuple[str, int, int]


class Ended(NamedTuple):
    """A process that is over."""

    status: int
    out: str
    err: str


def started(
    folder: Path, devices: int, moment: Moment, *args: object, on: Sequence[str] = ()
) -> subprocess.Popen:
    """A process in a folder of its own, that may be sent a signal at a moment of its work."""
    folder.mkdir(exist_ok=True)
    return begun(["-m", "cli.as_one_of_several", *moment, 1, *args], folder, devices, on)


def ended(process: subprocess.Popen) -> Ended:
    out, err = process.communicate(timeout=300)
    return Ended(process.returncode, out, err)


@contextmanager
def playing(
    folder: Path, *args: object, moments: Sequence[Moment], wire: wires.Wire | None = None
) -> Iterator[list[subprocess.Popen]]:
    """The same command on two machines, each in a folder of its own."""
    meet = f"127.0.0.1:{free_port()}" if wire is None else f"{wires.FIRST}:7777"
    meeting = ("--hosts", 2, "--meet", meet)
    pair = [
        started(
            folder / str(host),
            1,
            moment,
            *(*args, *meeting, "--host", host),
            on=() if wire is None else wire.on(host),
        )
        for host, moment in enumerate(moments)
    ]
    try:
        yield pair
    finally:
        for each in pair:
            each.kill()
            each.communicate()


def both(
    folder: Path, *args: object, first: Moment = NEVER, second: Moment = NEVER
) -> tuple[Ended, Ended]:
    """What becomes of the two; one that holds itself goes on when it would have been missed."""
    with playing(folder, *args, moments=(first, second)) as pair:
        if second[2] == signal.SIGSTOP and held(pair[1]):
            time.sleep(MISSED)
            pair[1].send_signal(signal.SIGCONT)
        return ended(pair[0]), ended(pair[1])


TRAIN = ("train", "--no-sweep", "--seed", 3, "--json", "--out", "out")
RESUME = ("train", "--json", "--resume", "out/checkpoint")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("machines")


@pytest.fixture(scope="module")
def course(folder) -> Iterator[dict[str, tuple[Ended, Ended]]]:
    """A run that the first stops, goes on, the second leaves, goes on, the first dies, goes on."""
    yield {
        "first is stopped": both(folder, *TRAIN, first=("look", 2, signal.SIGINT)),
        "second is stopped": both(folder, *RESUME, second=("told", 5, signal.SIGTERM)),
        "first is killed": both(folder, *RESUME, first=("close", 1, signal.SIGKILL)),
        "whole": both(folder, *RESUME, second=("told", 3, signal.SIGSTOP)),
    }


@pytest.fixture(scope="module")
def alone(folder) -> Path:
    """The folder of one process with two devices, that nobody stopped."""
    done = ended(started(folder / "alone", 2, NEVER, *TRAIN))
    assert done.status == 0, done.err
    return folder / "alone" / "out"


def shown(out: str) -> list[dict[str, Any]]:
    return [{**row, "seconds": 0, "curve": []} for row in json.loads(out)]


def test_two_processes_come_to_what_one_does_with_as_many_devices(course, alone, folder):
    """However often they were cut off, and one was held for longer than a machine that is gone is
    waited for: models to the byte, receipts, accounts, each charge once."""
    out = folder / "0" / "out"
    first, second = course["whole"]

    assert (first.status, second.status) == (0, 0), second.err
    assert [row["name"] for row in shown(first.out)] == ["central", "central"]
    assert receipt.read(out / "receipt.json") == receipt.read(alone / "receipt.json")
    for model in (alone / "models").iterdir():
        assert model.read_bytes() == (out / "models" / model.name).read_bytes()
    books = [Ledger(each / "ledger.db") for each in (out, alone)]
    assert books[0].spent("twenty") == books[1].spent("twenty")
    assert [len(book.history("twenty")) for book in books] == [2, 2]


def test_only_the_first_leaves_a_trace(course, folder):
    """The others say a sentence when they begin and one when they end, and write nothing."""
    first, second = course["whole"]

    assert not first.err and not second.out
    assert [line.split(" of 2 ")[1].split(" ")[0] for line in second.err.splitlines()] == [
        "plays",
        "has",
    ]
    assert list((folder / "1").iterdir()) == []


def test_a_first_process_that_is_stopped_tells_the_others(course):
    """Its status is the signal's, theirs that of a refusal; each says how to go on."""
    first, second = course["first is stopped"]

    assert (first.status, second.status) == (130, 2)
    assert first.err.startswith(f"tacit: stopped; {GOING_ON} --hosts 2 --host 0 --meet 127.0.0.1:")
    assert first.err.count("\n") == 1 and second.err.count("\n") == 2
    assert f"process 0 of 2 ended this run: stopped; {GOING_ON}" in second.err


def test_another_process_that_is_stopped_ends_the_run(course):
    """It at once, and the first when its part is missing, with the command that goes on."""
    first, second = course["second is stopped"]

    assert (first.status, second.status) == (2, 143)
    assert first.err.count("\n") == 1 and GOING_ON in first.err
    assert second.err.splitlines()[1:] == [
        "tacit: stopped, and the run with it; process 0 says how to go on"
    ]


def test_a_process_outlives_the_first_by_a_sentence(course):
    """One that is killed says nothing; what JAX makes of it is not the other's last word."""
    first, second = course["first is killed"]

    assert (first.status, second.status) == (-signal.SIGKILL, 2)
    assert second.err.count("\n") == 2
    assert "another process of this run is gone, and this one ends" in second.err


def test_what_one_process_lacks_refuses_all(tmp_path):
    """Data that are not there: the reason everywhere, and nothing charged or written."""
    (tmp_path / "0").mkdir()
    idx_files.make_mnist(tmp_path / "0")
    before = sorted(path.name for path in (tmp_path / "0").iterdir())
    data = ("--data", "mnist", "--data-dir", ".", "--people", "images", "--model", "linear")
    first, second = both(tmp_path, *TRAIN, *data)

    assert (first.status, second.status) == (2, 2)
    assert first.err.startswith("tacit: process 1 of 2 ended this run: ")
    assert first.err.count("\n") == 1 and second.err.count("\n") == 2
    assert sorted(path.name for path in (tmp_path / "0").iterdir()) == before
    assert list((tmp_path / "1").iterdir()) == []


def test_a_simulation_is_shown_by_the_first(tmp_path):
    """It alone looks at people who were held out; the other plays along, and says nothing of what
    came out."""
    data = idx_files.make_mnist(tmp_path).directory
    few = ("--people", "images", "--model", "linear", "--played", 20, "--seed", 3)
    few += ("--rounds", 1, "--setting", "none", "--json", "--cohort", 500, "--held-out", 20)
    first, second = both(tmp_path, "simulate", "--data-dir", data, *few)
    (row,) = json.loads(first.out)

    assert (first.status, second.status) == (0, 0), second.err
    assert row["setting"] == "none" and 0 < row["accuracy"] < 1
    assert [look["rounds"] for look in row["looks"]] == [1]
    assert not first.err and not second.out


def test_a_process_that_is_killed_is_missed_soon_by_all(tmp_path):
    """Where the others have much to do by themselves, and do not notice: in about five seconds;
    thirty would be too many."""
    moments = (("planning", 1, signal.SIGSTOP), ("planning", 1, signal.SIGKILL))
    with playing(tmp_path, *TRAIN, moments=moments) as pair:
        assert pair[1].wait(300) == -signal.SIGKILL and held(pair[0])
        pair[0].send_signal(signal.SIGCONT)
        began = time.monotonic()
        first = ended(pair[0])
        took = time.monotonic() - began

    assert first.status == 2 and took < 25
    assert first.err == f"tacit: {several.GONE}: stopped before anything was charged\n"
    assert list((tmp_path / "0").iterdir()) == []


def test_a_machine_that_is_gone_is_missed_by_its_silence(tmp_path):
    """Nothing says that it is gone, and the first is within a round: in about twenty seconds, and
    in the first's own words, with which it goes on. JAX would take more than seventy, and abort."""
    with wires.laid() as wire:
        if wire is None:
            pytest.skip("this system lends no network namespaces")
        moments = (NEVER, ("told", 2, signal.SIGSTOP))
        with playing(tmp_path, *TRAIN, moments=moments, wire=wire) as pair:
            assert held(pair[1])
            wire.cut()
            began = time.monotonic()
            first = ended(pair[0])
            took = time.monotonic() - began
            pair[1].send_signal(signal.SIGCONT)
            second = ended(pair[1])

    assert (first.status, second.status) == (2, 2) and took < 60
    assert f"{several.GONE}: stopped; {GOING_ON} --hosts 2 --host 0 --meet" in first.err
    assert first.err.count("\n") == 1 and several.GONE in second.err.splitlines()[1]


class OnTheSpot(Exception):
    """Instead of the process's end."""


def test_a_lost_process_is_told_with_how_to_go_on_unless_a_signal_came_first():
    """Where machines are all told to stop, the others' end is not what ended the first."""
    team = Team(2, 0, "127.0.0.1:7777")
    with pytest.raises(OutOfStep, match="gone: go on so"), stopping(team, Stop("go on so")):
        raise OutOfStep("gone")
    with pytest.raises(Interrupted) as stopped, stopping(team, Stop("go on so")) as stop:
        stop.note(signal.SIGTERM, None)
        raise OutOfStep("gone")

    assert (stopped.value.status, stopped.value.left) == (143, "go on so")


def test_any_other_process_ends_on_the_spot(monkeypatch, capfd):
    """Nobody asks it between rounds, and the first learns of it by itself."""

    def ends(status):
        raise OnTheSpot(status)

    monkeypatch.setattr(os, "_exit", ends)
    with pytest.raises(OnTheSpot, match="143"), stopping(Team(2, 1, "127.0.0.1:7777"), Stop("")):
        os.kill(os.getpid(), signal.SIGTERM)

    assert "stopped, and the run with it" in capfd.readouterr().err


@pytest.fixture
def over(monkeypatch) -> Iterator[Line]:
    """A line whose far end is gone, in a process whose end is an exception."""

    def ends(status):
        raise OnTheSpot(status)

    monkeypatch.setattr(os, "_exit", ends)
    monkeypatch.setattr(several, "GRACE", 0.0)
    far, near = socket.socketpair(), socket.socketpair()
    far[1].close()
    yield Line(far[0], lambda: near[0])
    for each in (far[0], *near):
        each.close()


@pytest.mark.parametrize(
    "first, noted, status, said",
    [
        (False, None, 2, several.GONE),
        (True, None, 2, f"{several.GONE}: go on so"),
        (True, signal.SIGTERM, 143, "go on so"),
    ],
)
def test_a_process_that_noticed_nothing_is_ended_when_another_is_gone(
    over, capfd, first, noted, status, said
):
    """As in a long compilation, while the others' end is seen on the line alone: the first says
    how to go on, and a signal it had noted is why it ends."""
    stop = Stop("go on so")
    stop.noted = noted
    with pytest.raises(OnTheSpot, match=str(status)):
        several._watched(over, threading.Event(), first, stop)

    assert capfd.readouterr().err == f"tacit: {said}\n"


def test_a_process_that_ends_by_itself_is_left_to_it(over, capfd):
    """What it says of its end is the last word."""
    leaving = threading.Event()
    leaving.set()

    several._watched(over, leaving, True, Stop(""))

    assert capfd.readouterr().err == ""


def run(*args: object):
    return CliRunner().invoke(app, [str(word) for word in args])


@pytest.mark.parametrize("command", ["train", "simulate"])
@pytest.mark.parametrize(
    "args, said",
    [
        (["--hosts", "0"], "--hosts must be at least 1, got 0"),
        (["--hosts", "2"], "several --hosts need --meet, ADDRESS:PORT"),
        (["--host", "1"], "--host must be from 0 to 0, got 1"),
        (["--hosts", "2", "--host", "2", "--meet", "a:1"], "--host must be from 0 to 1, got 2"),
        (["--hosts", "2", "--host", "-1", "--meet", "a:1"], "--host must be from 0 to 1, got -1"),
        (["--meet", "127.0.0.1:1"], "--meet is for several --hosts, got 1"),
        (["--hosts", "2", "--meet", "nowhere"], "--meet must be ADDRESS:PORT, as 10.0.0.5:7777"),
        (["--hosts", "2", "--meet", "a:0"], "--meet must be ADDRESS:PORT, as 10.0.0.5:7777"),
        (["--hosts", "2", "--meet", "192.0.2.1:7777"], "must be a free port of this machine, got"),
    ],
)
def test_who_plays_is_said_in_full(command, args, said, tmp_path, monkeypatch):
    """One sentence, status 2, and nothing written."""
    monkeypatch.chdir(tmp_path)
    done = run(command, *args)

    assert done.exit_code == 2 and said in done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_taken_port_and_one_where_nobody_answers_are_refused(tmp_path, monkeypatch):
    """By the first process at once, by the others after a while that they say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(meeting, "WAIT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        meet = ("--hosts", 2, "--meet", f"127.0.0.1:{taken.getsockname()[1]}")
        first = run("train", *meet)
    second = run("train", *meet, "--host", 1)

    assert (first.exit_code, second.exit_code) == (2, 2)
    assert "Address already in use" in first.stderr
    assert "process 0 did not answer at 127.0.0.1:" in second.stderr
    assert "within 0.2 seconds; nothing was charged" in second.stderr
    assert list(tmp_path.iterdir()) == []
