"""Claim: a private step of Equinox's own layers costs a part of forming every example's gradient,
and little more than a plain step.

`MLP` and `Conv2d` as they are, nothing converted; cells in a scan, and attention with layers in
`vmap` over the sequence, as Equinox's documents write them. The clipped sum from one backward pass
beside the plain gradient of the mean loss, and beside the same sum from gradients that are formed
one by one (`vmap(grad)`): processor seconds of one step, in turns of two, since what is formed one
by one takes memory that slows whatever comes after; a ratio is the median over turns. Of matrices
as small as attention's with 64 numbers a row gradients are formed either way, and nothing is won.

    python bench/equinox_layers.py
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random

from claims import Claim, at_most, settle
from clipping import kept, mapped, plain, program
from tacit.models.layers import Dense
from tacit.models.recurrent import GRU

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


class Renewed(eqx.Module):
    """The recurrent layer of our own, for whole sequences, in the place of a `GRUCell`."""

    memory: GRU
    last: Dense

    def __init__(self) -> None:
        self.memory, self.last = GRU(64, 128, KEY), Dense(128, 10, KEY)

    def __call__(self, sequence: jax.Array) -> jax.Array:
        return self.last(self.memory(sequence)[-1])


class Case(NamedTuple):
    """A model and a batch, and at most which part of what others take."""

    model: eqx.Module
    inputs: jax.Array
    of_formed: float
    of_plain: float


def cases() -> dict[str, Case]:
    """What Equinox has, as its documents write it."""
    conv = [
        eqx.nn.Conv2d(3, 16, 3, key=KEY),
        eqx.nn.Conv2d(16, 16, 3, stride=2, key=KEY),
    ]
    rectified = eqx.nn.Lambda(jax.nn.relu)
    flat = eqx.nn.Lambda(lambda image: image.reshape(-1))
    last = eqx.nn.Linear(16 * 14 * 14, 10, key=KEY)
    images = eqx.nn.Sequential([conv[0], rectified, conv[1], rectified, flat, last])
    pictures, digits = random.normal(KEY, (64, 3, 32, 32)), random.normal(KEY, (256, 784))
    lstm, gru = Recurrent(eqx.nn.LSTMCell), Recurrent(eqx.nn.GRUCell)
    wide = jnp.tile(SEQUENCES, 4)
    return {
        "MLP 784-256-256-10, batch 256": Case(
            eqx.nn.MLP(784, 10, 256, 2, key=KEY), digits, 0.1, 2.0
        ),
        "two Conv2d and a Linear, batch 64": Case(images, pictures, 0.7, 1.4),
        "LSTMCell of 128, 32 steps of 64, batch 64": Case(lstm, SEQUENCES, 1.0, 1.5),
        "GRUCell of 128, the same": Case(gru, SEQUENCES, 1.0, 1.8),
        "MultiheadAttention of 64, LayerNorm and Linear": Case(Attending(64), SEQUENCES, 1.2, 1.5),
        "the same of 256": Case(Attending(256), wide, 1.0, 1.6),
    }


def seconds(step: Callable[..., object], *given: object) -> float:
    """Of the processor, for one step."""
    began = time.process_time()
    jax.block_until_ready(step(*given))
    return time.process_time() - began


def ratios(
    own: tuple[Callable, eqx.Module], other: tuple[Callable, eqx.Module], inputs: jax.Array
) -> list[float]:
    """Of two ways to a step, each with its model: turn by turn, after one that nobody counts."""
    batch = inputs, jnp.arange(len(inputs)) % 10
    ways = [
        (program(way, model, batch), eqx.filter(model, eqx.is_array)) for way, model in (own, other)
    ]
    turns = [[seconds(run, arrays, batch) for run, arrays in ways] for _ in range(TURNS + 1)]
    return [first / second for first, second in turns[1:]]


def main() -> Iterator[Claim]:
    for name, (model, inputs, of_formed, of_plain) in cases().items():
        over = ratios((kept, model), (plain, model), inputs)
        yield at_most(f"{name}, over jax.grad of the mean loss", over, of_plain)
        over = ratios((kept, model), (mapped, model), inputs)
        yield at_most(f"{name}, over gradients formed one by one", over, of_formed)
    over = ratios((kept, Renewed()), (plain, Recurrent(eqx.nn.GRUCell)), SEQUENCES)
    yield at_most("GRU of tacit.models, over jax.grad of a GRUCell", over, 1.5)


if __name__ == "__main__":
    settle(main())
