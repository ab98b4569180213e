"""Claim: choosing among a million scores costs at most twice one logsumexp of them.

The exponential mechanism with exact integer draws, against one pass of `jax.nn.logsumexp` over the
same scores in the same run, fastest of several alternating runs. Beside it the usual Gumbel trick
(float noise on every score, no proof) and permute-and-flip, which tosses a coin for each candidate.
Keys are ChaCha20's.

Run: python bench/selection.py
"""

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import jax
import jax.numpy as jnp

from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.permute_and_flip import PermuteAndFlip
from tacit.noise import keys

CANDIDATES, ROUNDS, LIMIT = 10**6, 30, 2.0


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def main() -> None:
    """Prints the machine, a line for each way to choose, and whether the claim holds."""
    key = keys.jax_key(keys.from_seed(0))
    scores = 100 * jax.random.normal(jax.random.key(0), (CANDIDATES,), jnp.float32)
    works = {
        "logsumexp": lambda key, scores: jax.nn.logsumexp(scores),
        "exponential": Exponential(1.0, 1.0).sample,
        "permute-and-flip": PermuteAndFlip(1.0, 1.0).sample,
        "gumbel": lambda key, scores: jax.random.categorical(key, scores / 2),
    }
    compiled = {name: jax.jit(work).lower(key, scores).compile() for name, work in works.items()}
    times = [
        {name: seconds(lambda work=work: work(key, scores)) for name, work in compiled.items()}
        for _ in range(ROUNDS)
    ]
    best = {name: min(row[name] for row in times) for name in works}

    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; {CANDIDATES:,} scores")
    for name, least in best.items():
        print(f"{name:>16} {1e3 * least:>9.3f} ms {least / best['logsumexp']:>8.2f}")
    verdict = "holds" if best["exponential"] <= LIMIT * best["logsumexp"] else "FAILS"
    print(f"exponential at most {LIMIT:.0f} x logsumexp: {verdict}")


if __name__ == "__main__":
    main()
