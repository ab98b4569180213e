"""What it costs a live run to keep and mark each round's state before anybody hears of it.

Eight devices in this process, 100,000 numbers, ten rounds: from one round's answers to the next's,
with a checkpoint over without one, in turns. Without one nothing is written in a round. With one it
is the state's 400 kB to the disk, and a durable transaction of the ledger around it, which has the
mark. No network is between, whose rounds take seconds.
"""

import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np

import tacit
from claims import Claim, at_most, settle
from live import DIM, Wide
from tacit import live
from tacit.population import Checkpoint

DEVICES, ROUNDS, TURNS, MOST = 8, 10, 5, 1.25
PERSON = np.full(DIM, 1e-3, np.float32)
FUNCTION = live.Function("wide", 1, Wide(), PERSON)
PLAN = tacit.Federated(8.0, tacit.Central(8.0, 1e-5)).plan(
    tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), ROUNDS, DEVICES)
)


def main() -> Iterator[Claim]:
    """Prints the milliseconds of a round, and claims the ratio."""
    print(f"jax {jax.__version__}, {platform.machine()}")
    pairs = []
    for _ in range(TURNS + 1):
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = Checkpoint(Path(folder) / "state.npz")
            pairs.append(tuple(seconds(Path(folder), each) for each in (None, checkpoint)))
    # The first turn compiles.
    without, kept = zip(*pairs[1:], strict=True)
    print(f"a round {1e3 * min(without):.1f} ms, kept and marked {1e3 * min(kept):.1f} ms")
    ratios = [after / before for before, after in pairs[1:]]
    yield at_most("a round that is kept and marked, over one that is not", ratios, MOST)


def seconds(folder: Path, checkpoint: Checkpoint | None) -> float:
    """From one round's answers to the next's, at the median."""
    cap, heard = live.Cap.read("epsilon 1000 a week"), []
    name = "bare" if checkpoint is None else "kept"
    devices = {
        f"{name} {who}": live.Client(
            PERSON, [FUNCTION], live.OwnLedger(folder / f"{name} {who}.db", cap)
        )
        for who in range(DEVICES)
    }
    people = live.Federation(
        live.Nearby(devices), name, [FUNCTION], heard=lambda _: heard.append(time.perf_counter())
    )
    ledger = tacit.Ledger(folder / f"{name}.db")
    ledger.limit_for(name, PLAN)
    people.grant(PLAN, FUNCTION.learner, ledger, checkpoint=checkpoint).run()
    return statistics.median(np.diff(heard))


if __name__ == "__main__":
    settle(main())
