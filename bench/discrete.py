"""Claim: exact integer noise costs at most 0.1 µs a draw up to scale 1000, and 0.2 µs at any.

A million draws in one compiled program, for both laws and scales 1 to 2^40, least of several
alternating runs. Beside them the floor in the same run: two words of ChaCha20 for each digit of the
draw, and nothing else. Compile time is per number of digits; tables are made per scale.

OpenDP, where it is installed, adds the same noise to a vector of zeros (its samplers are exact too,
one draw after another).

Run: python bench/discrete.py
"""

import importlib
import importlib.util
import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray

from claims import Claim, at_most, settle
from tacit.noise import keys
from tacit.noise.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw

SCALES = (1.0, 30.0, 1000.0, 1e5, 2.0**30, 2.0**40)
DRAWS, ROUNDS = 10**6, 7
PEER_DRAWS = 10**4

Law = DiscreteLaplaceLaw | DiscreteGaussianLaw


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def digits(law: Law) -> int:
    return len(law.tables) if isinstance(law, DiscreteLaplaceLaw) else law.digits


def words(key: PRNGKeyArray, rounds: int) -> Array:
    """What the digits of a draw ask of the generator."""
    pairs = jax.random.split(key, rounds)
    start = jnp.zeros((2, DRAWS), jnp.uint32)
    return jax.lax.fori_loop(
        0, rounds, lambda i, _: jax.random.bits(pairs[i], (2, DRAWS), jnp.uint32), start
    )


def opendp(law: Law, scale: float) -> float:
    """Seconds a draw."""
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    make = dp.m.make_laplace if isinstance(law, DiscreteLaplaceLaw) else dp.m.make_gaussian
    metric = dp.l1_distance if isinstance(law, DiscreteLaplaceLaw) else dp.l2_distance
    noise = make(dp.vector_domain(dp.atom_domain(T="i64")), metric(T="i64"), scale)
    zeros = [0] * PEER_DRAWS
    return min(seconds(lambda: noise(zeros)) for _ in range(3)) / PEER_DRAWS


def laws() -> Iterator[tuple[str, float, Law]]:
    for scale in SCALES:
        yield "Laplace", scale, DiscreteLaplaceLaw.of(1 / scale)
    for scale in SCALES:
        yield "Gaussian", scale, DiscreteGaussianLaw.of(scale)


def measure(name: str, scale: float, law: Law, peer: bool) -> float:
    """Prints one line; returns microseconds a draw."""
    key, rounds = keys.jax_key(keys.from_seed(0)), digits(law)
    begin = time.perf_counter()
    noise = jax.jit(lambda law, key: law.limbs(key, (DRAWS,))).lower(law, key).compile()
    compiling = time.perf_counter() - begin
    floor = jax.jit(words, static_argnums=1).lower(key, rounds).compile()
    runs = {"noise": lambda: noise(law, key), "floor": lambda: floor(key)}
    times = [{each: seconds(work) for each, work in runs.items()} for _ in range(1 + ROUNDS)]
    least = {each: 1e6 * min(row[each] for row in times[1:]) / DRAWS for each in runs}
    ratio = f"{opendp(law, scale) * 1e6 / least['noise']:>8.0f}" if peer else ""
    print(
        f"{name:>8} {scale:>17,.0f} {rounds:>6} {least['noise']:>9.3f} {least['floor']:>9.3f} "
        f"{compiling:>9.1f} {law.tv_distance:>10.1e}{ratio}"
    )
    return least["noise"]


def main() -> Iterator[Claim]:
    """Prints the machine and a line for each law and scale."""
    peer = importlib.util.find_spec("opendp") is not None
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; {DRAWS:,} draws")
    print(
        f"opendp {version('opendp')}, {PEER_DRAWS:,} draws: the last column is its time over ours"
        if peer
        else "OpenDP is not installed, so it is not compared."
    )
    print("     law             scale digits   µs/draw     floor compile s   distance")
    times = [(scale, measure(name, scale, law, peer)) for name, scale, law in laws()]
    narrow, any_scale = max(t for s, t in times if s <= 1000), max(t for _, t in times)
    yield at_most("slowest up to scale 1000, microseconds", narrow, 0.1)
    yield at_most("slowest at any scale, microseconds", any_scale, 0.2)


if __name__ == "__main__":
    settle(main())
