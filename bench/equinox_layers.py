"""Claim: a private step of Equinox's own layers costs a part of forming every example's gradient.

`MLP` and `Conv2d` as they are, nothing converted. The clipped sum from one backward pass beside the
same from gradients that are formed one by one (`vmap(grad)`): processor seconds of one step, in
turns; a ratio is the median over turns.

    python bench/equinox_layers.py
"""

import time
from collections.abc import Callable, Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import random

from claims import Claim, at_most, settle
from clipping import kept, mapped, program

TURNS = 9
KEY = random.key(0)


def models() -> dict[str, tuple[eqx.Module, jax.Array, float]]:
    """A model, a batch, and at most which part of the time."""
    conv = [eqx.nn.Conv2d(3, 16, 3, key=KEY), eqx.nn.Conv2d(16, 16, 3, stride=2, key=KEY)]
    rectified = eqx.nn.Lambda(jax.nn.relu)
    flat = eqx.nn.Lambda(lambda image: image.reshape(-1))
    last = eqx.nn.Linear(16 * 14 * 14, 10, key=KEY)
    images = eqx.nn.Sequential([conv[0], rectified, conv[1], rectified, flat, last])
    return {
        "MLP 784-256-256-10, batch 256": (
            eqx.nn.MLP(784, 10, 256, 2, key=KEY),
            random.normal(KEY, (256, 784)),
            0.1,
        ),
        "two Conv2d and a Linear, batch 64": (images, random.normal(KEY, (64, 3, 32, 32)), 0.7),
    }


def seconds(step: Callable[..., object], *given: object) -> float:
    """Of the processor, for one step."""
    began = time.process_time()
    jax.block_until_ready(step(*given))
    return time.process_time() - began


def main() -> Iterator[Claim]:
    for name, (model, inputs, most) in models().items():
        batch = inputs, jnp.arange(len(inputs)) % 10
        arrays = eqx.filter(model, eqx.is_array)
        fast, slow = (program(way, model, batch) for way in (kept, mapped))
        turns = [[seconds(run, arrays, batch) for run in (fast, slow)] for _ in range(TURNS + 1)]
        ratios = [own / formed for own, formed in turns[1:]]
        yield at_most(f"{name}, over gradients formed one by one", ratios, most)


if __name__ == "__main__":
    settle(main())
