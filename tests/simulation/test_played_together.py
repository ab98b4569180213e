"""Two processes play one simulation: what both come to, and what they are refused."""

import json
from typing import Any

import numpy as np
import pytest

import idx_files
from processes import MARKS, begun, free_port
from simulation.as_a_host import DATA

pytestmark = MARKS


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> list[dict[str, Any]]:
    """What became of the first process's scenes and of the second's."""
    folder, port = tmp_path_factory.mktemp("together"), free_port()
    words = ["-m", "simulation.as_a_host", idx_files.make_mnist(folder).directory, port]
    pair = [begun([*words, process], folder, devices=1) for process in (0, 1)]
    try:
        ended = [process.communicate(timeout=600) for process in pair]
    finally:
        for process in pair:
            process.kill()
    assert [process.returncode for process in pair] == [0, 0], ended
    return [json.loads(out.splitlines()[-1]) for out, _ in ended]


def test_the_mean_is_of_all_people_whichever_process_sums_them(both):
    """Noise of so many who are declared moves it by less than a person does."""
    for each in both:
        np.testing.assert_allclose(each["mean"], DATA.mean(axis=0), atol=1e-3)


def test_a_fresh_key_is_the_same_everywhere(both):
    """Without it each process would add noise of its own."""
    assert both[0]["mean"] == both[1]["mean"]


def test_other_people_are_refused_in_both(both):
    """In one sentence."""
    assert [each["unlike"] for each in both] == [
        "process 1 differs from process 0 in its data, and nothing was charged"
    ] * 2


def test_what_came_out_is_told_by_the_first(both):
    """The other plays along, and says nothing."""
    (status, out, _), (status_too, silence, _) = (each["commanded"] for each in both)
    (row,) = json.loads(out)

    assert (status, status_too, silence) == (0, 0, "")
    assert row["setting"] == "none" and 0 < row["accuracy"] < 1
