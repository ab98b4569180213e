"""Claim: choosing among a million scores costs at most twice one logsumexp of them.

The exponential mechanism with exact integer draws, against one pass of `jax.nn.logsumexp` over the
same scores in the same run, fastest of several alternating runs. Beside it the usual Gumbel trick
(float noise on every score, no proof), the selections that toss a coin or draw noise for each
candidate, ten picks in order (ten passes), and a median of the scores with the sort inside it. Ten
million candidates are measured too, without a claim. Keys are ChaCha20's.

Run: python bench/selection.py
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp

from claims import Claim, at_most, settle
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.noisy_max import LaplaceMax
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.mechanisms.selection.top_k import TopK
from tacit.noise import keys

CLAIMED, LIMIT = 10**6, 2.0
# Candidates, and alternating rounds of all ways to choose.
SIZES = ((CLAIMED, 20), (10**7, 3))


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def measured(candidates: int, rounds: int) -> dict[str, float]:
    """The fastest time of each way to choose."""
    key = keys.jax_key(keys.from_seed(0))
    scores = 100 * jax.random.normal(jax.random.key(0), (candidates,), jnp.float32)
    median = ExponentialQuantile.add_remove(0.5, 1.0, -1000.0, 1000.0, 10**6)
    works = {
        "logsumexp": lambda key, scores: jax.nn.logsumexp(scores),
        "exponential": Exponential(1.0, 1.0).sample,
        "permute-and-flip": PermuteAndFlip(1.0, 1.0).sample,
        "noisy max": LaplaceMax.of(1.0, 1.0).sample,
        "gumbel": lambda key, scores: jax.random.categorical(key, scores / 2),
        "top 10": TopK(1.0, 1.0, 10).sample,
        "integer sort": lambda key, scores: jnp.sort(scores.astype(jnp.int32)),
        "median": median.sample,
    }
    # A mechanism that holds tables has no hash, which `jit` asks of a bound method.
    compiled = {
        name: jax.jit(lambda key, scores, work=work: work(key, scores)).lower(key, scores).compile()
        for name, work in works.items()
    }
    times = [
        {name: seconds(lambda work=work: work(key, scores)) for name, work in compiled.items()}
        for _ in range(rounds)
    ]
    return {name: min(row[name] for row in times) for name in works}


def main() -> Iterator[Claim]:
    """Prints the machine and a line for each way to choose."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; fastest of several")
    for candidates, rounds in SIZES:
        best = measured(candidates, rounds)
        print(f"{candidates:,} scores")
        for name, least in best.items():
            print(f"{name:>18} {1e3 * least:>9.2f} ms {least / best['logsumexp']:>8.2f}")
        if candidates == CLAIMED:
            ratio = best["exponential"] / best["logsumexp"]
            yield at_most("exponential over logsumexp", ratio, LIMIT)


if __name__ == "__main__":
    settle(main())
