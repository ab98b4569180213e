"""One process of a simulation that two play, for `test_played_together`: every scene in turn.

Run: python -m simulation.as_a_host FOLDER PORT PROCESS   (from tests/)

It joins the other at this port, and prints what became of each scene as JSON. In the folder lie
images as MNIST's.
"""

import json
import sys
from contextlib import nullcontext
from typing import Any
from unittest import mock

import jax
import numpy as np
from typer.testing import CliRunner

import quick_keys
import tacit
from tacit.cli import several
from tacit.cli.main import app
from tacit.noise import chacha
from tacit.population.hosts import HostError
from tacit.statistics.answers import Answers

# So many are declared that their noise shows in the fifth decimal.
PEOPLE, DIM, DECLARED = 60, 3, 10**6
DATA = np.random.default_rng(0).standard_normal((PEOPLE, DIM)).astype(np.float32) / 4
FEW = ["--people", "images", "--model", "linear", "--cohort", "500", "--played", "20"]
FEW += ["--rounds", "1", "--setting", "none", "--seed", "3", "--json"]
TRUST = tacit.Central(2.0, 1e-6, tacit.Relation.REPLACE_ONE)


def played(data: np.ndarray) -> list[float]:
    """The mean of all there are, in a round of a fresh key."""
    mean = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), 1, DECLARED)
    people = tacit.simulation.Simulated(tacit.Arrays(data, "sixty"), len(data))
    state: Any = people.run(TRUST.plan(mean), Answers(1, shape=(DIM,))).state
    return np.asarray(state.answer.addressable_data(0), float)[0].tolist()


def said(data: np.ndarray) -> str:
    """The error that it ends with."""
    try:
        played(data)
    except HostError as error:
        return str(error)
    return "nothing"


def commanded(folder: str, process: int) -> tuple[int, str, str]:
    """What `tacit simulate` ends with and says, where the processes have met already."""
    team = ["--hosts", "2", "--host", str(process), "--meet", "127.0.0.1:1"]
    with mock.patch.object(several, "joined", lambda *of: nullcontext()):
        done = CliRunner().invoke(app, ["simulate", "--data-dir", folder, *FEW, *team])
    return done.exit_code, done.stdout, done.stderr


def main(folder: str, port: str, process: int) -> None:
    chacha.IMPL = quick_keys.IMPL
    jax.distributed.initialize(f"127.0.0.1:{port}", 2, process)
    scenes = {
        "mean": played(DATA),
        "unlike": said(DATA if process == 0 else -DATA),
        "commanded": commanded(folder, process),
    }
    print(json.dumps(scenes))


if __name__ == "__main__":
    main(*sys.argv[1:3], int(sys.argv[3]))
