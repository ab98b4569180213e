"""What a newcomer waits for: help, an import, a plan, a first count, a first fit, and a second.

Everything runs in a process of its own, timed from its start to its end; they take turns. The floor
is a process that imports what the library computes with, and does nothing. A second fit, with other
numbers, is timed where the first one was: what it compiles is counted.
"""

import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from claims import Claim, at_most, settle

TURNS = 5
FLOOR = "import jax, equinox, optax"
COUNT = """
import os, numpy as np, tacit
people = tacit.Arrays(np.ones(1000, np.float32), "people")
question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), rounds=1, people=1000)
plan = tacit.Central(1.0, 1e-6).plan(question)
ledger = tacit.Ledger(f"{os.getpid()}.db")
ledger.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
people.grant(plan, tacit.statistics.Average(), ledger).run()
"""
FIT = """
import numpy as np, tacit
from tacit.estimators import LogisticRegression
rows = np.random.default_rng(0).uniform(-1, 1, size=(10_000, 20))
labels = rows[:, 0] > 0
def fit(people, epsilon, bound):
    trust = tacit.Central(epsilon, 1e-6)
    bounds = (-bound, bound)
    made = LogisticRegression(trust, bounds=bounds, classes=(False, True), people=people)
    made.fit(rows[:people], labels[:people])
fit(10_000, 1.0, 1.0)
"""
AGAIN = f"""{FIT}
import io, logging, sys, jax
said = io.StringIO()
logging.getLogger("jax").addHandler(logging.StreamHandler(said))
with jax.log_compiles():
    fit(9_000, 2.0, 2.0)
print(said.getvalue().count("Finished XLA compilation"))
"""
TACIT = str(Path(sys.executable).with_name("tacit"))
# Each process, and the seconds it may take.
WAITS: dict[str, tuple[list[str], float]] = {
    "tacit --help": ([TACIT, "--help"], 1.0),
    "tacit plan": ([TACIT, "plan"], 3.0),
    "a first mean": ([sys.executable, "-c", COUNT], 4.0),
    "a first LogisticRegression.fit": ([sys.executable, "-c", FIT], 5.0),
}
IMPORTED = 1.3


def main() -> Iterator[Claim]:
    """Prints every process's seconds beside the floor's, and claims its limit."""
    packages = ("jax", "equinox", "optax", "scikit-learn", "typer")
    print(platform.platform(), *(f"{name} {version(name)}" for name in packages))
    processes = {name: process for name, (process, _) in WAITS.items()}
    processes |= {FLOOR: [sys.executable, "-c", FLOOR]}
    processes |= {"import tacit": [sys.executable, "-c", "import tacit"]}
    with TemporaryDirectory() as folder:
        turns = [
            {name: seconds(own, folder) for name, own in processes.items()} for _ in range(TURNS)
        ]
        floor = statistics.median(turn[FLOOR] for turn in turns)
        print(f"{FLOOR}: {floor:.2f} s")
        ratios = [turn["import tacit"] / turn[FLOOR] for turn in turns]
        yield at_most("import tacit, over the floor", ratios, IMPORTED)
        for name, (_, limit) in WAITS.items():
            yield at_most(f"{name}, seconds", [turn[name] for turn in turns], limit)
        compiled = run([sys.executable, "-c", AGAIN], folder)
        yield at_most("programs compiled for a second fit", int(compiled), 0)


def seconds(process: list[str], folder: str) -> float:
    """How long the process takes, from start to end."""
    began = time.perf_counter()
    run(process, folder)
    return time.perf_counter() - began


def run(process: list[str], folder: str) -> str:
    done = subprocess.run(process, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    settle(main())
