"""Claims: strategies for prefix sums and ranges have no more error than those that HDMM's convex
optimiser finds, in a tenth of its time at most.

HDMM (`YuanConvex`, for Gaussian noise) at 5aa9df9 of dpcomp-org/hdmm, in a process of its own. Of
its strategy the error is computed here, from its squares: the root mean square over all queries, at
unit noise for columns of length one. Times are the processor's, on one thread; ours is all of it,
the strategy written out as well. (Its own `experiments/journal/oned.csv` has 2.528 and 3.065 for
prefix sums of 256 and 1,024 cells.)

HDMM's environment has `numpy`, `scipy` and `autograd`; without one it is skipped, and said.

Run: python bench/queries_peers.py [python of an environment] [folder src of the repository]
"""

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from claims import Claim, at_most, settle, skipped
from tacit.question import Prefix, Ranges
from tacit.solve.strategies import least_squares, strategy

THEIRS = [Path(each).absolute() for each in sys.argv[1:3]]
SCRIPT = """
import sys, time
import numpy as np
from hdmm import templates, workload
asked = getattr(workload, sys.argv[1])(int(sys.argv[2]))
start = time.process_time()
made = templates.YuanConvex()
made.optimize(asked)
squares = np.asarray(made.strategy().gram().dense_matrix())
taken = time.process_time() - start
wanted = np.asarray(asked.gram().dense_matrix())
error = np.trace(wanted @ np.linalg.inv(squares)) * squares.diagonal().max()
print((error / asked.shape[0]) ** 0.5, taken)
"""
ASKED: list[tuple[str, str, Prefix | Ranges]] = [
    ("prefix-256", "Prefix", Prefix(256)),
    ("prefix-1024", "Prefix", Prefix(1024)),
    ("all-range-256", "AllRange", Ranges(256)),
]


def theirs(name: str, cells: int) -> tuple[float, float] | str:
    """Error and seconds; the last line that it says where it stops."""
    python, folder = THEIRS
    environment = {"PYTHONPATH": f"{folder}", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    asked = [python, "-W", "ignore", "-c", SCRIPT, name, f"{cells}"]
    try:
        done = subprocess.run(asked, env=environment, capture_output=True, text=True)
    except OSError as error:
        return f"{error}"
    if done.returncode:
        return ["it said nothing", *filter(None, done.stderr.splitlines())][-1]
    error, taken = map(float, done.stdout.split())
    return error, taken


def ours(workload: Prefix | Ranges) -> tuple[float, float]:
    """The same of the strategy as it is written out."""
    start = time.process_time()
    with threadpool_limits(1):
        gram = workload.gram()
        made = strategy(gram, least_squares(gram).weights)
    taken = time.process_time() - start
    columns = (made**2).sum(0).max()
    inverse = np.linalg.inv(made.T @ made)
    error = float((workload.gram().dense() * inverse).sum() * columns)
    return math.sqrt(error / workload.queries), taken


def main() -> Iterator[Claim]:
    if len(THEIRS) < 2:
        yield skipped("HDMM: no python with it was named")
        return
    for name, called, workload in ASKED:
        found = theirs(called, workload.cells)
        if isinstance(found, str):
            yield skipped(f"HDMM: {found}")
            return
        (error, taken), (own, own_taken) = found, ours(workload)
        print(f"{name}: HDMM {error:.4f} in {taken:.1f} s, ours {own:.4f} in {own_taken:.2f} s")
        yield at_most(f"{name}, our error over HDMM's", own / error, 1.0)
        yield at_most("  our time over HDMM's", own_taken / taken, 0.1)


if __name__ == "__main__":
    settle(main())
