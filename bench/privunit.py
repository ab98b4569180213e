"""PrivUnit2 costs what its Gaussians cost: 64 reports of a million coordinates against NumPy.

A report is one Gaussian vector turned to the right height, so the yardstick is the same number of
float32 normals from NumPy's default generator, drawn in the same run. The reports use ChaCha20.

Run: python bench/privunit.py
"""

import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np

from tacit.mechanisms.privunit2 import PrivUnit2
from tacit.noise import keys

ROWS, DIM, EPSILON, ROUNDS = 64, 10**6, 8.0, 7


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def main() -> None:
    """Prints the machine and the ratio of the fastest of several alternating runs."""
    mechanism = PrivUnit2.optimal(DIM, EPSILON)
    units = jax.random.normal(jax.random.key(0), (ROWS, DIM))
    key = keys.jax_key(keys.fresh())
    compiled = jax.jit(PrivUnit2.sample).lower(mechanism, key, units).compile()
    memory = compiled.memory_analysis()
    generator = np.random.default_rng()
    runs = {
        "numpy": lambda: generator.standard_normal(ROWS * DIM, dtype=np.float32),
        "reports": lambda: compiled(mechanism, key, units),
    }
    times = [{name: seconds(work) for name, work in runs.items()} for _ in range(ROUNDS)]
    best = {name: min(row[name] for row in times) for name in runs}
    norms = jnp.linalg.norm(compiled(mechanism, key, units), axis=1)

    print(f"{platform.processor() or platform.machine()}, {jax.devices()[0].platform}")
    print(f"jax {version('jax')}, numpy {version('numpy')}")
    print(f"{ROWS} x {DIM:,} normals by NumPy  {best['numpy']:.3f} s")
    print(f"{ROWS} reports of {DIM:,}          {best['reports']:.3f} s")
    print(f"ratio                            {best['reports'] / best['numpy']:.2f} (claim: <= 1.2)")
    if memory is not None:
        print(f"scratch memory                   {memory.temp_size_in_bytes / 1e6:.0f} MB")
    print(f"largest norm / bound - 1         {float(norms.max()) / mechanism.bound - 1:.1e}")


if __name__ == "__main__":
    main()
