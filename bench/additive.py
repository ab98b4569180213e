"""Claim: exact noise on a sum costs at most eight times the random bits that it is made of.

A million coordinates in one compiled program for each mechanism, least of several alternating runs,
beside the floor in the same run: as many words of ChaCha20 as the mechanism asks for, and nothing
else. Then, without any draw, the errors that the mechanisms state:

* the staircase against Laplace noise, for one number of sensitivity 1000 steps;
* the norms against each other and against Gaussian noise at delta = 1e-6, for vectors in a
  Euclidean ball (L1 sensitivity sqrt(d)) and in a cube (L2 sensitivity sqrt(d), L1 d).

Run: python bench/additive.py
"""

import math
import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp

from claims import Claim, at_most, settle
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint

DIMENSION, ROUNDS, LIMIT, DELTA = 10**6, 5, 8.0, 1e-6
STEP = 2.0**-18


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def mechanisms() -> dict[str, tuple]:
    """Each with the number of 32-bit words it draws for a coordinate."""
    laplace = Laplace.calibrate(1.0, 1.0, STEP)
    staircase = Staircase.least_squares(1.0, 1.0, STEP)
    euclidean = EuclideanNorm.calibrate(1.0, 1.0, 2.0**-20, DIMENSION)
    cube = CubeNorm.calibrate(1.0, 1.0, STEP, DIMENSION)
    return {
        "laplace": (laplace, 2 * len(laplace.noise.tables)),
        "staircase": (staircase, 2 + 1 + 2 * len(staircase.stairs.tables) + 4),
        "euclidean": (euclidean, 2 + 2 * euclidean.noise.bases.shape[1]),
        "cube": (cube, 2 * len(cube.radius.tables) + 4),
    }


def measure(name: str, mechanism, words: int) -> float:
    """Prints one line; returns the time over that of the bits."""
    key = keys.jax_key(keys.from_seed(0))
    total = FixedPoint.zero((DIMENSION,), jnp.float32(mechanism.step))
    noise = jax.jit(type(mechanism).sample).lower(mechanism, key, total).compile()
    # In pairs, as most are drawn: so much at once stays in memory.
    pairs = jax.random.split(key, -(-words // 2))
    start = jnp.zeros((2, DIMENSION), jnp.uint32)
    bits = jax.jit(
        lambda pairs: jax.lax.fori_loop(
            0, len(pairs), lambda i, _: jax.random.bits(pairs[i], start.shape, jnp.uint32), start
        )
    )
    bits = bits.lower(pairs).compile()
    works = {"noise": lambda: noise(mechanism, key, total), "bits": lambda: bits(pairs)}
    times = [{each: seconds(work) for each, work in works.items()} for _ in range(1 + ROUNDS)]
    least = {each: 1e9 * min(row[each] for row in times[1:]) / DIMENSION for each in works}
    ratio = least["noise"] / least["bits"]
    print(f"{name:>10} {words:>6} {least['noise']:>10.0f} {least['bits']:>9.0f} {ratio:>7.2f}")
    return ratio


def one_number() -> None:
    print("\none number of 1000 steps: error of the staircase over Laplace noise")
    print("   epsilon   E|z|      E z²")
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
        arguments = epsilon, 1000.0, 1.0
        laplace = Laplace.calibrate(*arguments)
        absolute = Staircase.least_absolute(*arguments).absolute
        square = Staircase.least_squares(*arguments).variance / laplace.variance
        # E|k| = 2x / (1 - x²) for the two-sided geometric law.
        x = math.exp(-laplace.noise.parameter)
        print(f"{epsilon:>10} {absolute * (1 - x * x) / (2 * x):>6.3f} {square:>9.4f}")


def vectors() -> None:
    """In the limit of a fine grid, for sensitivity 1 of the shape's own norm."""
    print(
        "\na vector: variance of one coordinate times epsilon²; Gaussian noise at epsilon 1 and 8"
    )
    print("     dim   shape      laplace    euclidean         cube   gaussian 1   gaussian 8")
    gaussian = [gaussian_noise_multiplier(epsilon, DELTA) ** 2 * epsilon**2 for epsilon in (1, 8)]
    for dim in (2, 3, 10, 30, 100, 1000, 10**6):
        cube = (dim + 1) * (dim + 2) / 3
        for shape, squared in (("ball", 1), ("cube", dim)):
            laplace, euclidean = 2 * dim * squared, (dim + 1) * squared
            row = laplace, euclidean, cube, *(each * squared for each in gaussian)
            print(f"{dim:>8} {shape:>7} " + " ".join(f"{value:>12.4g}" for value in row))


def main() -> Iterator[Claim]:
    """Prints the machine, a line for each mechanism, and the errors."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; {DIMENSION:,} coordinates")
    print(" mechanism  words   ns/coord   ns bits   ratio")
    ratios = [measure(name, *pair) for name, pair in mechanisms().items()]
    one_number()
    vectors()
    yield at_most("noise over its random bits, the largest", max(ratios), LIMIT)


if __name__ == "__main__":
    settle(main())
