"""Claim: the gradient of a maximum over windows costs less than JAX's own, whatever the windows.

The windows are those of four networks here. Each gradient is taken behind an addition and before a
rectifier, as in a network, and takes turns with JAX's in one process; a time is the processor time
of one turn, and a ratio the median over turns.

Run: taskset -c 0 python bench/pooling.py
"""

import time
from collections.abc import Callable, Iterator

import jax
from jax import lax, random

from claims import Claim, at_most, settle
from tacit.models.pooling import max_pool

TURNS = 21
# batch, height, width, channels; window; stride
CASES = {
    "digits, 100 of 28x28x32, 2x2 every 2": ((100, 28, 28, 32), (2, 2), (2, 2)),
    "colours, 64 of 25x25x64, 3x3 every 2": ((64, 25, 25, 64), (3, 3), (2, 2)),
    "small digits, 256 of 14x14x16, 2x2 every 1": ((256, 14, 14, 16), (2, 2), (1, 1)),
    "small colours, 64 of 32x32x32, 2x2 every 2": ((64, 32, 32, 32), (2, 2), (2, 2)),
}


def main() -> Iterator[Claim]:
    """Prints the time of our gradient, and its ratio to JAX's."""
    for name, (shape, size, stride) in CASES.items():
        ways = [compiled(pool, shape, size, stride) for pool in (max_pool, windowed)]
        turns = [[processors(way) for way in ways] for _ in range(TURNS)]
        print(f"{name}: {1e3 * min(ours for ours, _ in turns):.2f} ms")
        yield at_most(f"{name}, over JAX's", [ours / jaxs for ours, jaxs in turns], 0.3)


def windowed(images: jax.Array, size: tuple[int, int], stride: tuple[int, int]) -> jax.Array:
    """JAX's own maximum over windows, with its own gradient."""
    return lax.reduce_window(
        images, -float("inf"), lax.max, (1, *size, 1), (1, *stride, 1), "VALID"
    )


def compiled(pool: Callable, shape, size, stride) -> Callable[[], object]:
    """One gradient, compiled and run once."""
    images = random.normal(random.key(0), shape)
    slopes = random.normal(random.key(1), pool(images, size, stride).shape)

    def pulled(images, slopes):
        return jax.vjp(lambda x: jax.nn.relu(pool(x + 1.0, size, stride)), images)[1](slopes)

    way = jax.jit(pulled)
    jax.block_until_ready(way(images, slopes))
    return lambda: jax.block_until_ready(way(images, slopes))


def processors(way: Callable[[], object]) -> float:
    """The time of all processors."""
    start = time.process_time()
    way()
    return time.process_time() - start


if __name__ == "__main__":
    settle(main())
