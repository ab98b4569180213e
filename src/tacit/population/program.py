"""The program of a grant: its rounds, lowered once, so that what was granted is what runs.

A learner is Python, and Python changes: a global, a NumPy array in a field, an attribute. The same
noise over another learner's sums would cancel out. So a grant keeps no learner. What it keeps is
the round as JAX lowered it for the compiler, and its numbers; these are fingerprinted, and these
run.

It is the compiler's own text that is hashed, with every constant in it, and not what JAX traced
before: how a kernel indexes, which generator draws, in which precision to multiply is settled only
there. Constants are copied into it, so a caller's own array can change afterwards. What could still
change what it computes is a call back to the host, and a program that makes one is refused.

Programs of the same text are compiled once, whoever asked for them; a sweep over epsilon is one
program, because a plan's numbers are arguments.

A program of few whole numbers may be computed without being compiled (`noise.uncompiled`): what it
gives is the same, bit by bit, for whole numbers have no rounding that a compiler could choose.
"""

import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr
from jax.stages import Compiled, Lowered
from jaxtyping import PyTree

from tacit.noise.uncompiled import computed, is_whole
from tacit.population.placement import placed, whole

# Compiled programs that are kept for the next grant.
MOST_PROGRAMS = 64
CALLS_BACK = re.compile(r"custom_call.*callback|stablehlo\.(infeed|outfeed|send|recv)\b")


@final
@dataclass(frozen=True)
class Program:
    """A function of arrays, lowered; equal to another of the same text.

    Args:
      digest: of what the compiler is given.
      lowered: what is compiled.
      returns: the shapes, types and structure of its results.
      traced: its equations, before they were lowered.
    """

    digest: str
    lowered: Lowered = field(compare=False, repr=False)
    returns: PyTree = field(compare=False, repr=False)
    traced: ClosedJaxpr = field(compare=False, repr=False)

    @classmethod
    def of(cls, function: Callable, *like: PyTree) -> Self:
        """The program of `function` on arguments like these, which say where they lie.

        Raises:
          ValueError: if it calls back to the host, for then it can be anything.
        """

        leaves, structure = jax.tree.flatten(like)
        made = []

        # Flat, so that a program is the same whatever the trees it was made for are called.
        def program(*flat):
            result = function(*jax.tree.unflatten(structure, flat))
            made.append(jax.tree.structure(result))
            return jax.tree.leaves(result)

        traced = jax.jit(program, keep_unused=True, out_shardings=whole()).trace(*leaves)
        lowered = traced.lower()
        returns = jax.tree.unflatten(made[0], lowered.out_info)
        return cls(_digest(lowered.as_text()), lowered, returns, traced.jaxpr)

    def compiled(self) -> Callable:
        """The program, compiled."""
        return self._flat(_compiled(self))

    def computed(self) -> Callable | None:
        """The program without compiling it, from the host's arrays to the host's; None where that
        could change one of its numbers."""
        if not is_whole(self.traced):
            return None
        return self._flat(functools.partial(computed, self.traced))

    def _flat(self, run: Callable[..., Sequence]) -> Callable:
        structure = jax.tree.structure(self.returns)
        return lambda *given: jax.tree.unflatten(structure, run(*jax.tree.leaves(given)))


def _digest(text: str) -> str:
    if CALLS_BACK.search(text):
        raise ValueError("a learner must not call back to the host from a compiled round")
    return hashlib.sha256(text.encode()).hexdigest()


@functools.lru_cache(maxsize=MOST_PROGRAMS)
def _compiled(program: Program) -> Compiled:
    return program.lowered.compile()


def forget() -> None:
    """Drops every compiled program, so that a process of many tests keeps none of them mapped."""
    _compiled.cache_clear()


def compiles() -> int:
    """How many programs were compiled since they were last forgotten: what a sweep is timed by."""
    return _compiled.cache_info().misses


def numbers_of(tree: PyTree) -> tuple[PyTree, PyTree]:
    """The arrays of an object, copied, and the rest of it."""
    arrays, rest = eqx.partition(tree, eqx.is_array)
    return placed(arrays), rest


def digest_of(*trees: PyTree) -> str:
    """A digest of every array's type, shape and bytes."""
    digest = hashlib.sha256()
    for leaf in jax.tree.leaves(trees):
        if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        array = np.ascontiguousarray(leaf)
        digest.update(f"{array.dtype}{array.shape}".encode())
        # NumPy hands out no buffer of types that are not its own, as bfloat16.
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
