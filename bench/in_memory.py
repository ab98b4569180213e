"""Claim: what is added of a person is what was measured, and that costs a private step little.

A round's exact sum with one person present, whose picture is constant, of a model whose layers
normalise; and a projection of such gradients whose reader wants other axes. "Known" are the same
programs where XLA knows that the condition of `in_memory` holds: it drops the condition, and a
vector is computed anew for each reader. Lengths are parts of the bound.

Then private steps of both kinds, in one process and in turns: processor time of one over the other.

Run: python bench/in_memory.py [TURNS]
"""

import functools
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from unittest import mock

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

import tacit
from claims import Claim, at_most, settle
from clipping import cases, kept, program
from tacit import in_memory
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.population.loop import Cohort, Keys, Parts, play_round

TURNS, STEPS = 9, 5
BOUND, SHAPE, OTHERS = 1e-3, (4, 3, 3), 5
VALUES = 3e4, 1e5, 7.7, 0.0
STEPS_OF = "small digits, batch 256", "small colours, batch 64"


@contextmanager
def known() -> Iterator[None]:
    """Programs compiled within have conditions of which XLA knows that they hold."""
    with mock.patch.object(in_memory, "_always", lambda: jnp.full((), True)):
        yield


def pictures(value: float) -> np.ndarray:
    """A constant one, before others."""
    others = np.random.default_rng(0).normal(size=(OTHERS, *SHAPE))
    return np.concatenate([np.full((1, *SHAPE), value), others]).astype(np.float32)


def loss(model: list[Callable[[jax.Array], jax.Array]], picture: jax.Array) -> jax.Array:
    for layer in model:
        picture = layer(picture)
    return jnp.sum(jnp.sin(picture))


def in_a_round(value: float) -> float:
    """The first person's part in the sum of `Descent`."""
    nn = eqx.nn
    normalising = [nn.GroupNorm(2, 4), nn.LayerNorm(SHAPE), nn.RMSNorm(SHAPE, use_bias=True)]
    model = [*normalising, nn.GroupNorm(4, 4, channelwise_affine=False)]
    learner = Descent(model, loss, Flat(BOUND), optax.sgd(1.0))
    state = learner.init()
    dim = state.parameters.size
    question = tacit.Mean(tacit.Ball(dim, BOUND), tacit.Everyone(), 1, 1)
    rows = jnp.arange(1 + OTHERS)[None]
    cohort = Cohort(rows, rows == 0, jnp.asarray(1, jnp.int32))
    parts = Parts.of(tacit.NonPrivate().plan(question))
    keys = Keys(*map(jax.random.key, range(3)))
    # Another object each time, so that the program is compiled anew.
    play = eqx.filter_jit(functools.partial(play_round))
    told, _, _ = play(learner, parts, state, None, jnp.asarray(pictures(value)), cohort, keys)
    return float(np.linalg.norm(np.asarray(told.parameters - state.parameters))) / BOUND


def normed(row: jax.Array) -> jax.Array:
    mean = jnp.mean(row)
    return (row - mean) * jax.lax.rsqrt(jnp.mean(jnp.square(row - mean)) + 1e-5)


def projected(value: float) -> float:
    """The longest of gradients of two normalisations, brought into a ball, by columns."""
    rows = jnp.asarray(pictures(value)).reshape(1 + OTHERS, -1)
    gradient = jax.grad(lambda row: jnp.sum(jnp.sin(normed(normed(row)))))
    ball = tacit.Ball(rows.shape[1], BOUND)
    made = jax.jit(lambda rows: ball.project(jax.vmap(gradient)(rows)).T)(rows)
    return float(np.linalg.norm(np.asarray(made, np.float64), axis=0).max()) / BOUND


def step(name: str) -> Callable[[], object]:
    """A private step of `clipping.py`, compiled."""
    case = cases()[name]
    run, arrays = program(kept, case.model, case.batch), eqx.filter(case.model, eqx.is_array)
    return lambda: jax.block_until_ready(run(arrays, case.batch))


def seconds(run: Callable[[], object]) -> float:
    """Of the processor, for several steps."""
    began = time.process_time()
    for _ in range(STEPS):
        run()
    return time.process_time() - began


def main() -> Iterator[Claim]:
    """Prints the longest parts, and what it costs that they are no longer."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    print(f"jax {jax.__version__}, {platform.machine()}")
    for what, part in (("a round", in_a_round), ("a projection", projected)):
        found = {}
        for how in (nullcontext, known):
            with how():
                found[how] = [part(value) for value in VALUES]
        for value, now, then in zip(VALUES, found[nullcontext], found[known], strict=True):
            print(f"{what}, pictures of {value:g}: {now:.7f} of the bound, {then:.4g} if known")
        yield at_most(f"the longest part in {what}, of the bound", max(found[nullcontext]), 1.00001)
    for name in STEPS_OF:
        own = step(name)
        with known():
            other = step(name)
        rows = [(seconds(own), seconds(other)) for _ in range(turns + 1)]
        yield at_most(f"{name}, over the same if known", [a / b for a, b in rows[1:]], 1.1)


if __name__ == "__main__":
    settle(main())
