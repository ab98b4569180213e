"""Claim: shuffled binary counts come within a tenth of the central error at epsilon up to one.

For one round of a million people who may be replaced: the root mean squared error of a shuffled
histogram over that of the central one, under the same (epsilon, delta). The central histogram has
Gaussian noise; the shuffled one is randomised response on each device, at the largest local epsilon
that its own blanket allows. Errors are the plans' own, which tests hold to what is measured.

Run: python bench/shuffled.py
"""

import math
import platform
import time
from collections.abc import Iterator
from typing import Any, cast

import jax

import tacit
from claims import Claim, at_most, settle

PEOPLE, DELTA = 10**6, 1e-6
NEAR = 1.1


def main() -> Iterator[Claim]:
    print(f"{PEOPLE:,} people, delta {DELTA:g}; jax {jax.__version__}, {platform.machine()}")
    print(
        f"{'categories':>10}{'epsilon':>9}{'local':>8}{'error / central':>17}{'plan, s':>9}  device"
    )
    claimed = []
    for categories in (2, 10, 100, 1000):
        for epsilon in (0.1, 0.5, 1.0, 4.0):
            shape = tacit.OneHot(categories)
            question = tacit.Mean(shape, tacit.Once(), 1, PEOPLE)
            central = tacit.Central(epsilon, DELTA, tacit.Relation.REPLACE_ONE).plan(question)
            began = time.perf_counter()
            shuffled = tacit.Shuffled(epsilon, DELTA).plan(question)
            took = time.perf_counter() - began
            ratio = math.sqrt(cast(float, shuffled.error) / cast(float, central.error))
            claimed += [ratio] if categories == 2 and epsilon <= 1 else []
            local = shuffled.guarantees[-1].epsilon
            name = type(cast(Any, shuffled.device).oracle).__name__
            print(f"{categories:>10}{epsilon:>9g}{local:>8.2f}{ratio:>17.2f}{took:>9.1f}  {name}")
    yield at_most("binary counts up to epsilon 1, error over central, worst", max(claimed), NEAR)


if __name__ == "__main__":
    settle(main())
