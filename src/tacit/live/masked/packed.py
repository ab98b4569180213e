"""Whole numbers modulo powers of two: masks, sums under them, and as bytes on a network.

Numbers are added in 64 bits and wrap there. Every modulus 2^bits divides 2^64, so what is left
modulo 2^bits is right whenever it is taken.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from jaxtyping import PyTree, UInt8, UInt64

from tacit.noise.fixed import LIMB_BITS, FixedPoint, joined

Numbers = UInt64[np.ndarray, " numbers"]
# A keystream from its beginning: every seed makes one.
_START = bytes(16)
_WORD = 8


class Layout(NamedTuple):
    """The parts of a report: how many numbers each has, and modulo which power of two.

    Args:
      sizes: how many numbers.
      bits: of each number.
    """

    sizes: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, empty: PyTree[FixedPoint], bits: Sequence[int]) -> Self:
        """That of sums like this one."""
        return cls(tuple(each.high.size for each in _parts(empty)), tuple(bits))

    @property
    def numbers(self) -> int:
        return sum(self.sizes)

    @property
    def length(self) -> int:
        """Of all of them, in bytes."""
        return sum(-(-each // 8) for each in self._bits_of_parts)

    @property
    def _bits_of_parts(self) -> list[int]:
        return [size * bits for size, bits in zip(self.sizes, self.bits, strict=True)]

    def mask(self, seed: bytes) -> Numbers:
        """As many uniform numbers, from a seed of 32 bytes."""
        stream = Cipher(ChaCha20(seed, _START), mode=None).encryptor()
        return np.frombuffer(stream.update(bytes(_WORD * self.numbers)), "<u8")

    def pairwise(self, seed: bytes, own: int, other: int) -> Numbers:
        """What the device in one place adds with that in another: what that one takes off."""
        mask = self.mask(seed)
        return mask if own < other else -mask

    def numbers_of(self, sums: PyTree[FixedPoint]) -> Numbers:
        """The steps of all numbers."""
        each = [joined((own.high, own.low)).ravel() for own in _parts(sums)]
        return np.concatenate(each).astype(np.uint64)

    def sums_of(self, numbers: Numbers, empty: PyTree[FixedPoint]) -> PyTree[FixedPoint]:
        """Sums of so many steps, from -2^(bits - 1) on, in the form of an empty one."""
        parts, structure = _parts(empty), jax.tree.structure(empty, is_leaf=_is_sum)
        each = zip(self._split(numbers), self.bits, parts, strict=True)
        return jax.tree.unflatten(structure, [_sum(*own) for own in each])

    def pack(self, numbers: Numbers) -> UInt8[np.ndarray, " bytes"]:
        """As bytes: the lowest bits of each number, the first number first."""
        each = zip(self._split(numbers), self.bits, strict=True)
        return np.concatenate([_packed(own, bits) for own, bits in each])

    def unpack(self, packed: UInt8[np.ndarray, " bytes"]) -> Numbers:
        """The numbers whose bytes these are."""
        ends = np.cumsum([-(-each // 8) for each in self._bits_of_parts])[:-1]
        parts = zip(np.split(packed, ends), self.sizes, self.bits, strict=True)
        return np.concatenate([_unpacked(*own) for own in parts])

    def _split(self, numbers: Numbers) -> list[Numbers]:
        return np.split(numbers, np.cumsum(self.sizes)[:-1])


def _is_sum(value: object) -> bool:
    return isinstance(value, FixedPoint)


def _parts(sums: PyTree[FixedPoint]) -> list[FixedPoint]:
    return jax.tree.leaves(sums, is_leaf=_is_sum)


def _sum(numbers: Numbers, bits: int, like: FixedPoint) -> FixedPoint:
    """The numbers modulo 2^bits that are nearest to zero."""
    spare = np.uint64(64 - bits)
    near = (numbers << spare).astype(np.int64) >> np.int64(spare)
    high, low = (near >> LIMB_BITS).astype(np.int32), (near % 2**LIMB_BITS).astype(np.int32)
    limbs = (jnp.asarray(limb.reshape(like.high.shape)) for limb in (high, low))
    return FixedPoint(*limbs, step=like.step)


def _packed(numbers: Numbers, bits: int) -> UInt8[np.ndarray, " bytes"]:
    each = numbers.astype("<u8").view(np.uint8).reshape(-1, _WORD)
    lowest = np.unpackbits(each, axis=1, bitorder="little", count=bits)
    return np.packbits(lowest.ravel(), bitorder="little")


def _unpacked(packed: UInt8[np.ndarray, " bytes"], size: int, bits: int) -> Numbers:
    each = np.unpackbits(packed, bitorder="little", count=size * bits).reshape(size, bits)
    room = np.zeros((size, 64), np.uint8)
    room[:, :bits] = each
    return np.packbits(room, axis=1, bitorder="little").view("<u8").ravel().astype(np.uint64)
