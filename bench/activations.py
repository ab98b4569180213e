"""Claim: a tangent after a bias takes less than half as long as XLA's, on one core.

Each is compiled with the bias's addition before it, as a layer has it; they take turns, and a ratio
is the median over turns of processor times that were measured within a moment of one another.

Run: taskset -c 0 python bench/activations.py
"""

import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np

from claims import Claim, at_most, settle
from tacit.models.activations import tanh

TURNS, CALLS, SHAPE = 25, 20, (256, 14, 14, 16)
LIMIT = 0.5


def main() -> Iterator[Claim]:
    """Prints nanoseconds a number, and their ratio."""
    print(platform.platform(), "jax", version("jax"), "jaxlib", version("jaxlib"))
    numbers = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    bias = numbers[0, 0, 0]
    programs = [jax.jit(lambda z, b, way=way: way(z + b)) for way in (tanh, jnp.tanh)]
    turns = np.array(
        [[seconds(each, numbers, bias) for each in programs] for _ in range(TURNS + 1)]
    )[1:]
    own, theirs = 1e9 * np.median(turns, axis=0) / numbers.size
    print(f"{own:.2f} ns a number, JAX's {theirs:.2f}")
    yield at_most("a tangent after a bias, over JAX's", (turns[:, 0] / turns[:, 1]).tolist(), LIMIT)


def seconds(program: Callable, *given: np.ndarray) -> float:
    """Of one call among several, summed over processors."""
    began = time.process_time()
    for _ in range(CALLS):
        jax.block_until_ready(program(*given))
    return (time.process_time() - began) / CALLS


if __name__ == "__main__":
    settle(main())
