"""The programs that a device keeps: the last few kinds of them, and no more.

A server chooses what a device compiles: a shape, and how it is reported. Whoever sent a new kind
with every order would fill the device's memory with programs, at hardly any epsilon. So each
program has a compiled function of its own, which is freed with it; of those that nobody asked for
lately none is kept.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Any, final

import equinox as eqx
import jax
from jaxtyping import PyTree

# Of a function: a device is in a few federations at a time, and each asks one kind in all rounds.
MOST_KEPT = 8
Program = Callable[[PyTree], PyTree]


@final
class Programs:
    """A function, compiled for each of the last kinds of arguments that it was called with.

    Arrays are arguments of the program; all else, and what the arrays are, is its kind.

    Args:
      function: of anything to arrays.
      most: how many kinds are kept.
    """

    def __init__(self, function: Callable[..., PyTree], most: int = MOST_KEPT) -> None:
        self._function, self._most = function, most
        self._kept: dict[Hashable, Program] = {}
        self._one_at_a_time = threading.Lock()

    def __call__(self, *given: Any) -> PyTree:
        arrays, fixed = eqx.partition(given, eqx.is_array)
        return self._program(arrays, fixed)(arrays)

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def _program(self, arrays: PyTree, fixed: PyTree) -> Program:
        kind = _kind(jax.tree.map(jax.typeof, arrays)), _kind(fixed)
        # A device answers several orders at once; what is called while it is dropped goes on.
        with self._one_at_a_time:
            program = self._kept.pop(kind, None) or self._compiled(fixed)
            self._kept[kind] = program
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return program

    def _compiled(self, fixed: PyTree) -> Program:
        return jax.jit(lambda arrays: self._function(*eqx.combine(arrays, fixed)))


def _kind(tree: PyTree) -> Hashable:
    leaves, structure = jax.tree.flatten(tree)
    return tuple(leaves), structure
