"""Claim: the logistic experiment's published curves are met, and what is known since is below them.

Eight repetitions of `tacit reproduce logistic` at three budgets and without privacy: 100,000 people
of 500 numbers, one a round. Gaps of the published rule beside those that an independent program
found for it (.0740, .0150, .0038 at 31.2, 125 and without privacy, of 30 repetitions), and gaps of
ours beside the quadratic's prediction and beside theta = 0. Last, processor time of one person's
round in a run of eight side by side, all of it: the person, the report, the step.

Run: python bench/logistic.py
"""

import math
import platform
import time
from collections.abc import Iterator

import jax

from claims import Claim, at_most, settle
from tacit.experiments.logistic import METHODS, Curves, Size, curves, most_likely

SIZE = Size(repetitions=8)
PUBLISHED, OURS = METHODS
# What another program found, its standard error, and the most that ours may have.
FOUND = {31.2: (0.0740, 0.0013), 125.0: (0.0150, 0.0002), math.inf: (0.0038, 0.00005)}
MOST = {31.2: 0.0138, 125.0: 0.0055, math.inf: 0.0023}
MICROSECONDS = 60.0


def end(found: Curves) -> tuple[float, float]:
    """The mean gap after the last round, and its standard error."""
    gaps = found.gaps[:, -1]
    return float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps)))


def main() -> Iterator[Claim]:
    """Prints the gaps, and claims where they lie."""
    print(f"jax {jax.__version__}, {platform.machine()}; {SIZE}")
    zero = SIZE.law.gap_at_zero
    for epsilon, (theirs, spread) in FOUND.items():
        gap, error = end(curves(SIZE, PUBLISHED, epsilon))
        print(f"published, epsilon {epsilon:g}: {gap:.5f} ({error:.5f}), found {theirs:.5f}")
        apart = abs(gap - theirs) / math.hypot(error, spread)
        yield at_most("  standard errors from what was found", [apart], 4.5)
        start = time.process_time()
        ours = curves(SIZE, OURS, epsilon)
        each = 1e6 * (time.process_time() - start) / SIZE.people / SIZE.repetitions
        gap, error = end(ours)
        print(f"ours: {gap:.5f} ({error:.5f}), predicted {ours.predicted:.5f}, zero {zero:.5f}")
        yield at_most("  gap, less three standard errors", [gap - 3 * error], MOST[epsilon])
        yield at_most("  gap, of that of theta = 0", [gap / zero], 1.0)
        yield at_most("  processor us a person, with compiling", [each], MICROSECONDS)
    gap, error = end(most_likely(SIZE))
    print(f"maximum likelihood: {gap:.5f} ({error:.5f}), theory {SIZE.dim / SIZE.people / 2:.5f}")


if __name__ == "__main__":
    settle(main())
