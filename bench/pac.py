"""Concepts learnt privately: how many people a parity takes, and how long all trees take.

    python bench/pac.py

* **Parity** of 100 bits at epsilon 1: people for 95% of runs by the published rule (kept with
  epsilon/4, silent with 1/2, one person changed) and by ours, both in as many parts as are best, by
  the exact chance; and how many of 400 runs find it.
* **Decision trees**: all 1.6 10^7 of depth 2 over 100 bits of 100,000 people, and all 7 10^14 of
  depth 3 over 60 bits, drawn from exactly: seconds of one call on one thread, and beside it the
  floor, which is the one product of matrices that counts all pairs of bits (for each bit of the
  root, at depth 3).
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator

import jax
import numpy as np
from threadpoolctl import threadpool_limits

from claims import Claim, at_least, at_most, settle
from tacit.mechanisms.rows.parity_elimination import ParityElimination, failure_of
from tacit.mechanisms.rows.tree_choice import TreeChoice

DIM, EPSILON, FAILURE, RUNS, PEOPLE = 100, 1.0, 0.05, 400, 100_000
BITS, DEPTH = ((100, 2), (60, 3)), {2: 1, 3: 60}


def published(people: int) -> float:
    """The chance to fail of the rule as it was published, with as many parts as are best."""
    return min(failure_of(DIM, people, EPSILON / 4, 0.5, parts) for parts in range(1, 12))


def least(failure: Callable[[int], float]) -> int:
    """The least number of people that fail so rarely."""
    return bisect_left(range(PEOPLE), True, key=lambda people: failure(people) <= FAILURE)


def found(made: ParityElimination, people: int) -> tuple[int, float]:
    """Of 400 runs, how many find the parity; and seconds of the processor for one."""
    numbers, right, spent = np.random.default_rng(0), 0, 0.0
    for seed in range(RUNS):
        bits, parity = numbers.integers(0, 2, (people, DIM)), numbers.integers(0, 2, DIM)
        rows = np.column_stack([bits, bits @ parity % 2]).astype(np.float32)
        start = time.process_time()
        said = made.sample(jax.random.key(seed), rows)
        # The first call compiles what draws.
        spent += (time.process_time() - start) * (seed > 0)
        right += said is not None and np.array_equal(said, parity)
    return right, spent / (RUNS - 1)


def rows_of(dim: int) -> np.ndarray:
    """100,000 people whose labels a tree of depth two gives to nine of ten."""
    numbers = np.random.default_rng(1)
    bits = numbers.integers(0, 2, (PEOPLE, dim))
    label = np.where(bits[:, 3], bits[:, 5], bits[:, 7]) ^ (numbers.random(PEOPLE) < 0.1)
    return np.column_stack([bits, label]).astype(np.float32)


def trees(dim: int, depth: int) -> Iterator[Claim]:
    """Seconds of one call, beside the products of matrices in it."""
    rows, choice = rows_of(dim), TreeChoice(dim, depth, EPSILON, 1)
    own, floor = [], []
    for seed in range(4):
        start = time.process_time()
        choice.sample(jax.random.key(seed), rows)
        own.append(time.process_time() - start)
        start = time.process_time()
        for _ in range(DEPTH[depth]):
            _ = rows[: PEOPLE // max(depth - 1, 1)].T @ rows[: PEOPLE // max(depth - 1, 1)]
        floor.append(time.process_time() - start)
    many, off = choice.law.trees(dim, 2), choice.shortfall(0.05)
    print(f"{many:.2g} trees of depth {depth}, {dim} bits: {off:.1f} people")
    print(f"  times the products of matrices: {np.median(own[1:]) / np.median(floor[1:]):.2f}")
    yield at_most(f"seconds, depth {depth}, {dim} bits", own[1:], {2: 1.0, 3: 10.0}[depth])


def main() -> Iterator[Claim]:
    made = ParityElimination.for_failure(DIM, EPSILON, 1, FAILURE)
    people, theirs = made.people_for(FAILURE), least(published)
    print(f"people for a parity of {DIM} bits: {people:,}, by the published rule {theirs:,}")
    yield at_most(f"people for a parity of {DIM} bits, epsilon {EPSILON:g}", people, 600)
    yield at_most("times as many as by the published rule", people / theirs, 0.25)
    right, seconds = found(made, people)
    yield at_least(f"of {RUNS} runs, found", right / RUNS, 0.93)
    yield at_most("seconds of one", seconds, 0.02)
    # More threads than one spin while they wait for one another, and that is processor time.
    with threadpool_limits(1):
        for dim, depth in BITS:
            yield from trees(dim, depth)


if __name__ == "__main__":
    settle(main())
