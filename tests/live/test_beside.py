"""Processes that are gone when this one is, or the one that began them."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from tacit.live import beside

pytestmark = pytest.mark.timing

# Says its number and waits; told to end, it says so.
WAITS = """
import signal, sys
def told(*_):
    print("told", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, told)
print(os.getpid(), *sys.argv[1:], os.environ["OWN"], flush=True)
while True: signal.pause()
"""
# Deaf to all but what cannot be refused.
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
while True: time.sleep(60)
"""
BEGINS = f"""
import time
from pathlib import Path
from tacit.live import beside
beside.begin({WAITS!r}, [], Path("said"), {{"OWN": "one"}})
time.sleep(600)
"""


def test_a_process_is_begun_and_ended(tmp_path: Path) -> None:
    """It has its words and its environment, and hears SIGTERM."""
    process = beside.begin(WAITS, ["word", 7], tmp_path / "log", {"OWN": "one"})
    while not (tmp_path / "log").read_text().endswith("\n"):
        assert process.poll() is None
    beside.end(process)
    assert (tmp_path / "log").read_text() == f"{process.pid} word 7 one\ntold\n"
    assert process.returncode == 0


def test_one_that_is_deaf_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the seconds that all have."""
    monkeypatch.setattr(beside, "_SECONDS_TO_END", 0.1)
    process = beside.begin(DEAF, [], tmp_path / "log", {})
    while not (tmp_path / "log").read_text():
        assert process.poll() is None
    beside.end(process)
    assert process.returncode == -9


def test_the_seconds_are_the_same_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight that are deaf take no longer to end than one."""
    clock = SimpleNamespace(monotonic=lambda: clock.now, now=0.0)
    monkeypatch.setattr(beside, "time", clock)

    def waited(seconds: float | None = None) -> None:
        if seconds is not None:
            clock.now += seconds
            raise subprocess.TimeoutExpired("deaf", seconds)

    processes = [mock.Mock(spec=subprocess.Popen, stdin=None, wait=waited) for _ in range(8)]
    beside.end(*processes)
    assert clock.now == beside._SECONDS_TO_END
    assert all(each.kill.called for each in processes)


def test_it_does_not_outlive_a_process_that_is_killed(tmp_path: Path) -> None:
    """Nobody told it, and it is told."""
    os.mkfifo(tmp_path / "said")
    begins = subprocess.Popen([sys.executable, "-c", BEGINS], cwd=tmp_path)
    with (tmp_path / "said").open() as said:
        number, _ = said.readline().split()
        begins.kill()
        assert said.read() == "told\n"
    assert begins.wait() == -9 and int(number) != begins.pid
