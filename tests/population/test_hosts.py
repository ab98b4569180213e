"""Two processes play one run: what both come to, what only one does, and how both end."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from processes import MARKS, begun, free_port
from tacit.population import hosts

pytestmark = MARKS
Scenes = dict[str, dict[str, Any]]


def started(folder: Path, port: int, process: int, of: int, devices: int) -> subprocess.Popen:
    """A process that plays its scenes."""
    return begun(["-m", "population.as_a_host", folder, port, process, of], folder, devices)


def ended(process: subprocess.Popen, status: int = 0) -> Scenes:
    """What became of its scenes."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == status, err
    scenes = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return {scene["scene"]: scene for scene in scenes}


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> tuple[Scenes, Scenes]:
    """The first process's scenes and the second's, who dies in the last."""
    folder, port = tmp_path_factory.mktemp("hosts"), free_port()
    first, second = (started(folder, port, process, 2, devices=1) for process in (0, 1))
    try:
        return ended(first), ended(second, status=7)
    finally:
        first.kill()
        second.kill()


def found(both: tuple[Scenes, Scenes], scene: str) -> list[Any]:
    return [each[scene]["found"] for each in both]


def test_two_processes_are_one_with_as_many_devices(both, tmp_path):
    """To the bit, in blocks and watched; the first is told of every round, and nobody else."""
    alone = ended(started(tmp_path, 0, 0, 1, devices=2))["same"]["found"]
    (first, told), (second, untold) = found(both, "same")

    assert alone == [first, told] == [second, [1, 2, 3, 4, 5, 6]]
    assert len(set(first)) == 1 and untold == []


def test_a_fresh_key_is_the_same_everywhere_and_on_one_disk(both):
    """Of a grant and of a simulation: without it two processes would add noise of their own."""
    (state, simulated, entries), (state_too, simulated_too, none) = found(both, "secret")

    assert (state, simulated) == (state_too, simulated_too)
    assert entries == [True] and none == []
    assert both[1]["stopped"]["files"] == []


def test_other_data_and_another_plan_are_refused_before_the_charge(both):
    """In one sentence, in both."""
    named = [
        f"HostError: process 1 differs from process 0 in its {name}, and nothing was charged"
        for name in ("data", "plan")
    ]

    assert found(both, "unlike") == [[*named, []]] * 2


def test_what_one_is_refused_all_are(both):
    """Each says its own reason or who has one; what rows are asked for is one process's."""
    (no_limit, few, rows, entries), (told, own, rows_too, _) = found(both, "refused")

    assert no_limit.startswith("NoLimit: 'sixty' has no limit yet")
    assert told.startswith("HostError: process 0 of 2 ended this run: 'sixty' has no limit yet")
    assert own.startswith("ValueError: under replace-one and zero-out")
    assert few == own.replace("ValueError: ", "HostError: process 1 of 2 ended this run: ")
    assert rows == rows_too and "rows are gathered by one process, and 2 play" in rows
    assert entries == []


def test_a_run_that_was_stopped_goes_on_with_the_same_noise_charged_once(both):
    """The second process has no checkpoint, and gets the state from the first."""
    (own, state, told, finished, entries), (other, state_too, *_) = found(both, "stopped")

    assert own == "Stopped: enough" and other.endswith("process 0 of 2 ended this run: enough")
    assert state == state_too == found(both, "same")[0][0][0]
    assert told == [3, 4, 5, 6] and entries == [True]
    assert finished.startswith("Finished: grant 'g' is finished")


def test_a_process_that_dies_ends_the_others(both):
    """The grant is charged and open, so it can be gone on with."""
    said, entries = both[0]["died"]["found"]

    assert said.startswith("OutOfStep: another process of this run is gone")
    assert entries == [False] and "died" not in both[1]


def test_one_process_alone_tells_nobody():
    """It decides by itself, and what fails fails as it does."""
    assert hosts.first() and not hosts.several()
    assert hosts.number(lambda: 2**40) == 2**40 and hosts.decided(lambda: b"own") == b"own"
    assert hosts.together(lambda: [1]) == [1] and hosts.shared([1.5]) == [1.5]
    hosts.refuse_unlike({"data": "any"})
    with pytest.raises(ZeroDivisionError), hosts.in_step():
        hosts.together(lambda: 1 / 0)
