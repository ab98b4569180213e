"""Local vector reports cost what their Gaussians cost in NumPy: 64 people, 10^6 coordinates.

Claims, against as many float32 normals from NumPy's default generator, drawn in the same run:
PrivUnit2 and PrivUnitG at most 1.2 times, FastProjUnit to 1,024 numbers at most 2 times. The
reports use ChaCha20; the floor of the first two is the time of their random bits. A report of two
bytes (1,024 numbers after projection, 4,096 candidates) is printed beside them.

Run: python bench/privunit.py
"""

import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np

from claims import Claim, at_most, settle
from tacit.mechanisms.local.compressed import KClosest
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunitg import PrivUnitG
from tacit.mechanisms.local.projunit import FastProjUnit
from tacit.noise import keys

ROWS, DIM, KEPT, CANDIDATES, EPSILON, ROUNDS = 64, 10**6, 1024, 4096, 8.0, 5
YARDSTICK = "NumPy's normals"
CLAIMS = {"PrivUnit2": 1.2, "PrivUnitG": 1.2, "FastProjUnit, devices": 2.0}


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def runs() -> dict[str, Callable[[], object]]:
    """What is timed, compiled and with its inputs ready."""
    key, public = (keys.jax_key(keys.fresh()) for _ in range(2))
    units = jax.random.normal(jax.random.key(0), (ROWS, DIM))
    people = jnp.arange(ROWS, dtype=jnp.uint32)
    sphere, gaussian = PrivUnit2.optimal(DIM, EPSILON), PrivUnitG.optimal(DIM, EPSILON)
    fast = FastProjUnit.optimal(DIM, EPSILON, KEPT)
    index = KClosest.optimal(KEPT, EPSILON, CANDIDATES)
    seen = fast.project(public, people, units)
    reports = fast.direction.sample(key, seen)
    generator = np.random.default_rng()
    bits = jax.jit(lambda keys: jax.lax.map(lambda k: jax.random.bits(k, (DIM,)), keys))
    rows = jax.random.split(key, ROWS)
    work = {
        "PrivUnit2": (PrivUnit2.sample, sphere, key, units),
        "PrivUnitG": (PrivUnitG.sample, gaussian, key, units),
        "FastProjUnit, devices": (FastProjUnit.sample, fast, key, public, people, units),
        "FastProjUnit, server": (FastProjUnit.total, fast, public, people, reports),
        "k-closest encoding": (KClosest.sample, index, key, public, people, seen),
    }
    made: dict[str, Callable[[], object]] = {
        YARDSTICK: lambda: generator.standard_normal(ROWS * DIM, dtype=np.float32),
        "random bits": lambda: bits(rows),
    }
    for name, (method, *arguments) in work.items():
        compiled = jax.jit(method).lower(*arguments).compile()
        made[name] = lambda compiled=compiled, arguments=arguments: compiled(*arguments)
    return made


def main() -> Iterator[Claim]:
    """Prints the machine, and each time's ratio to NumPy's, the fastest of alternating runs."""
    work = runs()
    times = [{name: seconds(call) for name, call in work.items()} for _ in range(ROUNDS)]
    best = {name: min(row[name] for row in times) for name in work}

    print(f"{platform.processor() or platform.machine()}, {jax.devices()[0].platform}")
    print(f"jax {version('jax')}, numpy {version('numpy')}; {ROWS} people of {DIM:,} coordinates")
    for name, fastest in best.items():
        print(f"{name:<24}{fastest:8.3f} s{fastest / best[YARDSTICK]:8.2f}")
    for name, limit in CLAIMS.items():
        yield at_most(f"{name}, over {YARDSTICK}", best[name] / best[YARDSTICK], limit)


if __name__ == "__main__":
    settle(main())
