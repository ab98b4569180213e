"""Claim: a private step of Equinox's own layers costs a part of forming every example's gradient.

`MLP` and `Conv2d` as they are, nothing converted; cells in a scan, and attention with layers in
`vmap` over the sequence, as Equinox's documents write them. The clipped sum from one backward pass
beside the same from gradients that are formed one by one (`vmap(grad)`): processor seconds of one
step, in turns; a ratio is the median over turns. Of matrices as small as attention's with 64
numbers a row gradients are formed either way, and nothing is won.

    python bench/equinox_layers.py
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random

from claims import Claim, at_most, settle
from clipping import kept, mapped, program

TURNS = 9
KEY = random.key(0)
SEQUENCES = random.normal(KEY, (64, 32, 64))


class Recurrent(eqx.Module):
    """A cell in a scan, whose last state is classified."""

    cell: eqx.nn.LSTMCell | eqx.nn.GRUCell
    last: eqx.nn.Linear

    def __init__(self, kind: type) -> None:
        self.cell, self.last = kind(64, 128, key=KEY), eqx.nn.Linear(128, 10, key=KEY)

    def __call__(self, sequence: jax.Array) -> jax.Array:
        nothing = jnp.zeros(128)
        start: Any = (nothing, nothing) if isinstance(self.cell, eqx.nn.LSTMCell) else nothing
        end, _ = lax.scan(lambda state, row: (self.cell(row, state), None), start, sequence)
        return self.last(jax.tree.leaves(end)[0])


class Attending(eqx.Module):
    """Four heads, and layers of one position in `vmap`."""

    attention: eqx.nn.MultiheadAttention
    norm: eqx.nn.LayerNorm
    last: eqx.nn.Linear

    def __init__(self, width: int) -> None:
        self.attention = eqx.nn.MultiheadAttention(4, width, key=KEY)
        self.norm, self.last = eqx.nn.LayerNorm(width), eqx.nn.Linear(width, 10, key=KEY)

    def __call__(self, sequence: jax.Array) -> jax.Array:
        rows = jax.vmap(self.norm)(sequence)
        return jnp.mean(jax.vmap(self.last)(sequence + self.attention(rows, rows, rows)), axis=0)


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
        "LSTMCell of 128, 32 steps of 64, batch 64": (Recurrent(eqx.nn.LSTMCell), SEQUENCES, 1.0),
        "GRUCell of 128, the same": (Recurrent(eqx.nn.GRUCell), SEQUENCES, 1.0),
        "MultiheadAttention of 64, LayerNorm and Linear": (Attending(64), SEQUENCES, 1.2),
        "the same of 256": (Attending(256), jnp.tile(SEQUENCES, 4), 1.0),
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
