"""Claim: a stream of 100,000 sums is answered for at most twice the cost of its noise.

`AboveThreshold.answers` against one draw of the noise on as many sums in the same run, fastest of
several alternating runs; beside it the server's state machine, one `step` at a time in a compiled
scan. Keys are ChaCha20's. Before that, what the noise costs in accuracy: the distance from the
threshold at which all answers are right with probability 0.95, in units of the sensitivity, at
epsilon 1 (and delta 1e-6).

Run: python bench/threshold.py
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp

from claims import Claim, at_most, settle
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.threshold_noise import Stream
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint

SUMS, RUNS, LIMIT = 10**5, 5, 2.0
EPSILON, DELTA, BETA = 1.0, 1e-6, 0.05
STREAM = Stream(0.0, 1.0, 2.0**-10)


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def margins() -> None:
    """Prints one line for each number of answers and of sums."""
    print(f"margin at beta {BETA}, epsilon {EPSILON}, delta {DELTA} (the last two)")
    print(f"{'c':>5}{'sums':>8}{'monotone':>10}{'tight':>10}{'concentr.':>11}{'H.-R.':>9} /tight")
    for positives in (1, 10, 100, 1000):
        for rounds in (10, 1000, 100_000):
            monotone, tight, concentrated, published = (
                mechanism.margin(rounds, BETA)
                for mechanism in (
                    AboveThreshold.monotone(EPSILON, positives, STREAM, rounds),
                    AboveThreshold.tight(EPSILON, positives, STREAM, rounds),
                    AboveThreshold.concentrated(EPSILON, DELTA, positives, STREAM),
                    AboveThreshold.hardt_rothblum(EPSILON, DELTA, positives, STREAM),
                )
            )
            print(
                f"{positives:>5}{rounds:>8}{monotone:>10.1f}{tight:>10.1f}{concentrated:>11.1f}"
                f"{published:>9.0f}{published / tight:>7.1f}"
            )


def scan(mechanism: AboveThreshold, key: jax.Array, totals: FixedPoint) -> jax.Array:
    """The server's loop in one program."""

    def body(carry, at):
        key, high, low = at
        carry, answer, _ = mechanism.step(carry, key, FixedPoint(high, low, totals.step))
        return carry, answer

    streams = (jax.random.split(key, SUMS), totals.high, totals.low)
    return jax.lax.scan(body, mechanism.init(), streams)[1]


def main() -> Iterator[Claim]:
    """Prints the errors, the machine and a line for each way to answer."""
    margins()
    key = keys.jax_key(keys.from_seed(0))
    mechanism = AboveThreshold.tight(EPSILON, 100, STREAM, SUMS)
    totals = FixedPoint.zero((SUMS,), jnp.float32(STREAM.step))
    works = {
        "noise": lambda mechanism, key, totals: mechanism.query.limbs(key, totals.high.shape),
        "answers": AboveThreshold.answers,
        "scan of steps": scan,
    }
    compiled = {
        name: jax.jit(work).lower(mechanism, key, totals).compile() for name, work in works.items()
    }
    times = [
        {
            name: seconds(lambda work=work: work(mechanism, key, totals))
            for name, work in compiled.items()
        }
        for _ in range(RUNS)
    ]
    best = {name: min(row[name] for row in times) for name in works}

    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; {SUMS:,} sums")
    for name, least in best.items():
        print(f"{name:>16} {1e3 * least:>9.2f} ms {least / best['noise']:>8.2f}")
    yield at_most("answers over the noise", best["answers"] / best["noise"], LIMIT)


if __name__ == "__main__":
    settle(main())
