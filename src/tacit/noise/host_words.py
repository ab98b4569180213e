"""What JAX draws from a key, on the host: word for word, and of the library's own keys without XLA.

To call a compiled program for a few words takes longer than to compute them; and afterwards the
threads of XLA wait for the next one by asking again and again, which is processor time that
whoever else is on the machine does not have. OpenSSL computes the blocks of ChaCha20, and which
block a word comes from is what `chacha` says of bits, of children and of numbers folded in. So
nothing that is drawn depends on who asked for it.

Keys of other generators are no releases': their words are asked of JAX.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import final

import jax
import numpy as np
from jaxtyping import Array, PRNGKeyArray, UInt32

from tacit.noise import by_numpy, chacha, keys


@final
@dataclass(frozen=True)
class HeldKey:
    """One of ChaCha20: its 32 bytes."""

    secret: bytes = field(repr=False)

    def split(self) -> "tuple[HeldKey, HeldKey]":
        """What `jax.random.split` gives."""
        one, other = self._blocks(0, chacha.SPLIT, 2)
        return self._child(one), self._child(other)

    def folded(self, data: int) -> "HeldKey":
        """What `jax.random.fold_in` gives, of a whole number from 0 to 2^32 - 1."""
        return self._child(self._blocks(data, chacha.FOLD, 1)[0])

    def bits(self, shape: tuple[int, ...]) -> UInt32[np.ndarray, "..."]:
        """What `jax.random.bits` gives, of 32 bits."""
        return by_numpy.laid(self._chunk, shape)

    def _chunk(self, chunk: int, width: int) -> UInt32[np.ndarray, "16 width"]:
        return self._blocks(chunk << 32, chacha.DRAW, width).T

    def _blocks(self, counter: int, domain: int, many: int) -> UInt32[np.ndarray, "many 16"]:
        return chacha.host_blocks(self.secret, counter, domain << 32, many)

    def _child(self, block: UInt32[np.ndarray, "16"]) -> "HeldKey":
        return HeldKey(block[: chacha.KEY_WORDS].tobytes())


@final
@dataclass(frozen=True)
class AskedKey:
    """One of any other generator: another key, and what is to become of it, in one program.

    Args:
      root: the other key.
      children: of each step, whether it is a child of `split`, or what is folded in.
      numbers: which of them, or what.
    """

    root: PRNGKeyArray = field(repr=False)
    children: tuple[bool, ...] = ()
    numbers: tuple[int, ...] = ()

    def split(self) -> "tuple[AskedKey, AskedKey]":
        """As of `HeldKey`."""
        return self._then(True, 0), self._then(True, 1)

    def folded(self, data: int) -> "AskedKey":
        """As of `HeldKey`."""
        return self._then(False, data)

    def bits(self, shape: tuple[int, ...]) -> UInt32[np.ndarray, "..."]:
        """As of `HeldKey`."""
        numbers = np.array(self.numbers, np.uint32)
        return np.asarray(_bits(self.root, self.children, numbers, shape))

    def _then(self, child: bool, number: int) -> "AskedKey":
        return AskedKey(self.root, (*self.children, child), (*self.numbers, number))


HostKey = HeldKey | AskedKey


def held(key: PRNGKeyArray | HostKey) -> HostKey:
    """The same key, for the host; one that it holds is itself."""
    if not isinstance(key, jax.Array):
        return key
    if str(key.dtype) == by_numpy.KEY_NAME:
        return HeldKey(np.asarray(jax.random.key_data(key)).astype("<u4").tobytes())
    return AskedKey(key)


def children(key: PRNGKeyArray) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    """The two keys of `jax.random.split`, for JAX again."""
    own = held(key)
    if isinstance(own, HeldKey):
        one, other = (keys.jax_key(child.secret) for child in own.split())
        return one, other
    one, other = jax.random.split(key)
    return one, other


@partial(jax.jit, static_argnums=(1, 3))
def _bits(
    key: PRNGKeyArray,
    children: tuple[bool, ...],
    numbers: UInt32[Array | np.ndarray, " steps"],
    shape: tuple[int, ...],
) -> UInt32[Array, "..."]:
    for step, child in enumerate(children):
        number = numbers[step]
        key = jax.random.split(key)[number] if child else jax.random.fold_in(key, number)
    return jax.random.bits(key, shape, np.uint32)
