"""Claim: a step of clipped gradients costs about what the plain gradient costs.

Four models, each with random data: the sum of clipped per-example gradients (one backward pass and
book-keeping), against `jax.grad` of the mean loss of the same model and `vmap(grad)` with clipping.
They take turns; a time is the fastest turn, on the clock and summed over processors (on a shared
machine the steadier of the two). Memory is what the compiled program needs beside its
arguments, by XLA's own account. The gradient of JAX's own windowed maximum is slow on CPUs, so the
networks with pooling are measured with it (what a user would write, and what the claim is about)
and with ours. `clipping_opacus.py` lays the same networks beside Opacus.

Run: python bench/clipping.py
"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random

from claims import Claim, at_most, settle
from tacit.learning import progress
from tacit.learning.clipping import Flat, clipped
from tacit.learning.gradient_terms import GradientTerms
from tacit.models.activations import tanh
from tacit.models.convolution import Convolution
from tacit.models.layers import Attention, Dense, Embedding, LayerNorm
from tacit.models.pooling import max_pool
from tacit.models.recurrent import LSTM
from tacit.population.summing import sum_of

TURNS, ROOM = 25, 1.3
PLAIN, SAME, VMAP = "jax.grad", "jax.grad, our pooling", "vmap(grad)"
KEPT = "book-keeping"


class Case(NamedTuple):
    """A model, the same with JAX's own pooling, a batch, and the largest allowed ratio of times."""

    model: eqx.Module
    usual: eqx.Module | None
    batch: tuple[jax.Array, jax.Array]
    limit: float


class Cost(NamedTuple):
    """Seconds on the clock and of all processors, and bytes."""

    wall: float
    processors: float
    room: float


class SmallDigits(eqx.Module):
    """The network of Papernot et al. (2021) for 28x28 digits: 26,010 parameters."""

    first: Convolution
    second: Convolution
    hidden: Dense
    output: Dense
    pool: Callable = eqx.field(static=True)

    def __init__(self, key, pool):
        self.pool = pool
        keys = random.split(key, 4)
        self.first = Convolution(1, 16, (8, 8), keys[0], stride=(2, 2), padding=(3, 3))
        self.second = Convolution(16, 32, (4, 4), keys[1], stride=(2, 2))
        self.hidden = Dense(512, 32, keys[2])
        self.output = Dense(32, 10, keys[3])

    def __call__(self, image):
        features = self.pool(tanh(self.first(image)), (2, 2), (1, 1))
        features = self.pool(tanh(self.second(features)), (2, 2), (1, 1))
        return self.output(tanh(self.hidden(features.reshape(-1))))


class SmallColours(eqx.Module):
    """Two convolutions and a hidden layer for 32x32 colour images: 1,070,794 parameters."""

    first: Convolution
    second: Convolution
    hidden: Dense
    output: Dense
    pool: Callable = eqx.field(static=True)

    def __init__(self, key, pool):
        self.pool = pool
        keys = random.split(key, 4)
        self.first = Convolution(3, 32, (3, 3), keys[0], padding=(1, 1))
        self.second = Convolution(32, 64, (3, 3), keys[1], padding=(1, 1))
        self.hidden = Dense(4096, 256, keys[2])
        self.output = Dense(256, 10, keys[3])

    def __call__(self, image):
        features = self.pool(jax.nn.relu(self.first(image)), (2, 2), (2, 2))
        features = self.pool(jax.nn.relu(self.second(features)), (2, 2), (2, 2))
        return self.output(jax.nn.relu(self.hidden(features.reshape(-1))))


class Reader(eqx.Module):
    """An embedding, an LSTM and a classifier of its last state."""

    words: Embedding
    memory: LSTM
    output: Dense

    def __init__(self, key):
        keys = random.split(key, 3)
        self.words = Embedding(10_000, 64, keys[0])
        self.memory = LSTM(64, 128, keys[1])
        self.output = Dense(128, 2, keys[2])

    def __call__(self, words):
        return self.output(self.memory(self.words(words))[-1])


class Block(eqx.Module):
    """Attention and two dense layers, each after a normalisation and beside a shortcut."""

    before: LayerNorm
    attention: Attention
    between: LayerNorm
    wide: Dense
    narrow: Dense

    def __init__(self, width, key):
        keys = random.split(key, 3)
        self.before, self.between = LayerNorm(width), LayerNorm(width)
        self.attention = Attention(width, 4, keys[0])
        self.wide = Dense(width, 4 * width, keys[1])
        self.narrow = Dense(4 * width, width, keys[2])

    def __call__(self, sequence):
        sequence = sequence + self.attention(self.before(sequence))
        return sequence + self.narrow(jax.nn.gelu(self.wide(self.between(sequence))))


class Transformer(eqx.Module):
    """Words and their places, two blocks of width 128, and a classifier of the mean."""

    words: Embedding
    places: Embedding
    blocks: list[Block]
    output: Dense

    def __init__(self, key):
        keys = random.split(key, 5)
        self.words, self.places = Embedding(10_000, 128, keys[0]), Embedding(64, 128, keys[1])
        self.blocks = [Block(128, keys[2]), Block(128, keys[3])]
        self.output = Dense(128, 2, keys[4])

    def __call__(self, words):
        sequence = self.words(words) + self.places(jnp.arange(len(words)))
        for block in self.blocks:
            sequence = block(sequence)
        return self.output(jnp.mean(sequence, axis=0))


def windowed(image: jax.Array, size: tuple[int, int], stride: tuple[int, int]) -> jax.Array:
    """JAX's own maximum over windows, with its own gradient."""
    return lax.reduce_window(image, -jnp.inf, lax.max, (*size, 1), (*stride, 1), "VALID")


def cases() -> dict[str, Case]:
    """The models, their batches and what is claimed of them."""
    key = random.key(0)
    digits, colours = random.normal(key, (256, 28, 28, 1)), random.normal(key, (64, 32, 32, 3))
    text = random.randint(key, (64, 64), 0, 10_000)
    classes, answers = jnp.arange(256) % 10, jnp.arange(64) % 2
    return {
        "small digits, batch 256": Case(
            SmallDigits(key, max_pool), SmallDigits(key, windowed), (digits, classes), 0.85
        ),
        "small colours, batch 64": Case(
            SmallColours(key, max_pool), SmallColours(key, windowed), (colours, classes[:64]), 1.0
        ),
        "LSTM, 64 texts of 64 words": Case(Reader(key), None, (text, answers), 1.5),
        "transformer, 64 texts of 64 words": Case(Transformer(key), None, (text, answers), 1.5),
    }


def loss(model, example):
    """The negative log-likelihood of one example's label."""
    inputs, label = example
    return -jax.nn.log_softmax(model(inputs))[label]


def plain(model, batch):
    """The gradient of the mean loss, without privacy."""
    return eqx.filter_grad(lambda m: jnp.mean(jax.vmap(loss, (None, 0))(m, batch)))(model)


def kept(model, batch):
    """The clipped sum, as a round adds it up."""
    dim = progress.size(model)

    def ask(people):
        return GradientTerms(clipped(loss, model, people, Flat(1.0)), dim)

    return sum_of(ask, batch, jnp.full(1, 2.0), jnp.ones(len(batch[1]), bool))


def mapped(model, batch):
    """The clipped sum from gradients formed one by one."""
    each = jax.vmap(eqx.filter_grad(loss), (None, 0))(model, batch)
    squared = sum(jnp.sum(g.reshape(len(g), -1) ** 2, axis=1) for g in jax.tree.leaves(each))
    weights = 1 / jnp.maximum(1, jnp.sqrt(squared))
    return jax.tree.map(lambda g: jnp.tensordot(weights, g, 1), each)


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """The wall time of one call, its result included, and the time of all processors."""
    start, busy = time.perf_counter(), time.process_time()
    jax.block_until_ready(work())
    return time.perf_counter() - start, time.process_time() - busy


def measured(case: Case, turns: int) -> dict[str, Cost]:
    """What each way costs."""
    ways = {
        PLAIN: (plain, case.usual or case.model),
        KEPT: (kept, case.model),
    }
    ways |= {SAME: (plain, case.model)} if case.usual else {}
    ways |= {VMAP: (mapped, case.model)}
    programs = {name: program(way, model, case.batch) for name, (way, model) in ways.items()}
    works = {
        name: lambda run=run, arrays=eqx.filter(ways[name][1], eqx.is_array): run(
            arrays, case.batch
        )
        for name, run in programs.items()
    }
    for work in works.values():
        work()
    times = [{name: seconds(work) for name, work in works.items()} for _ in range(turns)]

    def least(name: str, kind: int) -> float:
        return min(row[name][kind] for row in times)

    return {
        name: Cost(least(name, 0), least(name, 1), memory(run)) for name, run in programs.items()
    }


def program(way, model, batch):
    """One way, compiled for the model's arrays and the batch."""
    arrays, rest = eqx.partition(model, eqx.is_array)
    work = jax.jit(lambda arrays, batch: way(eqx.combine(arrays, rest), batch))
    return work.lower(arrays, batch).compile()


def memory(compiled) -> float:
    """What a compiled program holds at its worst, beside its arguments."""
    analysis = compiled.memory_analysis()
    return analysis.temp_size_in_bytes + analysis.output_size_in_bytes


def main() -> Iterator[Claim]:
    """Prints the machine and a table for each model."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}; fastest of {turns} turns")
    for name, case in cases().items():
        size = sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(case.model, eqx.is_array)))
        print(f"{name}, {size:,} parameters")
        costs = measured(case, turns)
        base = costs[PLAIN]
        for way, cost in costs.items():
            print(
                f"{way:>24} {1e3 * cost.wall:8.1f} ms {cost.wall / base.wall:6.2f}"
                f" {1e3 * cost.processors:8.1f} ms {cost.processors / base.processors:6.2f}"
                f" {cost.room / 2**20:8.1f} MiB {cost.room / base.room:6.2f}"
            )
        time_ratio, room_ratio = costs[KEPT].wall / base.wall, costs[KEPT].room / base.room
        yield at_most(f"{name}, time over that of jax.grad", time_ratio, case.limit)
        yield at_most(f"{name}, memory over that of jax.grad", room_ratio, ROOM)


if __name__ == "__main__":
    settle(main())
