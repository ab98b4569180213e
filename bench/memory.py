"""What a fit holds beside the rows it is given, at its peak: in multiples of those rows.

A million people of twenty float64 numbers. Everything runs in a process of its own, and what a fit
of two thousand holds is not counted: that is the library, the compiler and a program.
"""

import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

from claims import Claim, at_most, settle

PEOPLE, FEW, FEATURES, MOST = 1_000_000, 2_000, 20, 2.5
FIT = """
import sys, numpy as np, tacit
from tacit import estimators
kind, people, features = getattr(estimators, sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
declared = eval(sys.argv[4])
rows = np.random.default_rng(0).uniform(-1, 1, size=(people, features))
trust = tacit.Central(1.0, 1e-6)
made = kind(trust, bounds=(-1, 1), people=people, **declared)
made.fit(rows, rows[:, 0] > 0 if "classes" in declared else rows[:, 0])
(peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1024 * int(peak))
"""
LABELS, TARGETS = "{'classes': (False, True)}", "{'target_bounds': (-1, 1)}"
DECLARED = {
    "LogisticRegression": LABELS,
    "SGDClassifier": LABELS,
    "LinearSVC": LABELS,
    "LinearRegression": TARGETS,
    "Ridge": TARGETS,
    "Lasso": TARGETS,
}


def main() -> Iterator[Claim]:
    """Claims of every estimator that what it holds is within the limit."""
    print(platform.platform(), *(f"{name} {version(name)}" for name in ("jax", "numpy")))
    given = 8 * PEOPLE * FEATURES
    for name in DECLARED:
        held = (peak(name, PEOPLE) - peak(name, FEW) - given) / given
        yield at_most(f"{name}, rows held beside those given", held, MOST)


def peak(name: str, people: int) -> int:
    """The most bytes of memory that a process of one fit has."""
    given = (name, str(people), str(FEATURES), DECLARED[name])
    process = [sys.executable, "-c", FIT, *given]
    done = subprocess.run(process, capture_output=True, text=True, check=True)
    return int(done.stdout)


if __name__ == "__main__":
    settle(main())
