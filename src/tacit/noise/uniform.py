"""Uniform whole numbers below a bound that may itself be random, in limbs.

1. With w uniform on the 2^128 words of four 32-bit ones, floor(w N / 2^128) is less than N, and
   each outcome has the floor or the ceiling of 2^128 / N words: within N / 2^128 of uniform in
   total variation.
2. The product is never formed: for w with digits w_0, w_1, ... in base 2^16, lowest first,
   a <- floor((a + w_i N) / 2^16) ends at that floor, for inner floors change nothing, and a < N
   throughout.
3. N has three digits in base 2^16, and a digit times a digit plus two digits is below 2^32.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray, UInt32

# Bounds stay below 2^46, the size of the limbs.
LARGEST_BOUND = 2**46
WORDS = 4
DIGIT, MASK = 16, 0xFFFF

Limbs = tuple[Int32[Array, "..."], Int32[Array, "..."]]
Digits = tuple[UInt32[Array, "..."], UInt32[Array, "..."], UInt32[Array, "..."]]


def tv_distance(bound: int) -> float:
    """How far one draw is from uniform, at most, in total variation: step 1."""
    return bound * 2.0 ** (-32 * WORDS)


def uniform_below(key: PRNGKeyArray, bound: Limbs, shape: tuple[int, ...]) -> Limbs:
    """Independent numbers of [0, bound), as (high, low): 2^15 high + low, with low in [0, 2^15).

    Args:
      key: Used for nothing else.
      bound: From 1 to `LARGEST_BOUND` - 1, in limbs likewise; broadcast to `shape`.
      shape: Of the numbers.
    """
    factor = _digits(bound)
    zero = jnp.zeros(shape, jnp.uint32)
    number = zero, zero, zero
    for word in jax.random.bits(key, (WORDS, *shape), jnp.uint32):
        for digit in (word & MASK, word >> DIGIT):
            number = _step(number, digit, factor)
    return _limbs(number)


def _step(number: Digits, digit: UInt32[Array, "*shape"], factor: Digits) -> Digits:
    """floor((number + digit factor) / 2^16), of step 2."""
    lowest = digit * factor[0] + number[0]
    middle = digit * factor[1] + number[1] + (lowest >> DIGIT)
    highest = digit * factor[2] + number[2] + (middle >> DIGIT)
    return middle & MASK, highest & MASK, highest >> DIGIT


def _digits(limbs: Limbs) -> Digits:
    """From limbs of 31 and 15 bits to three of 16."""
    high, low = (limb.astype(jnp.uint32) for limb in limbs)
    return (low | high << 15) & MASK, high >> 1 & MASK, high >> 17


def _limbs(number: Digits) -> Limbs:
    high = number[0] >> 15 | number[1] << 1 | number[2] << 17
    return high.astype(jnp.int32), (number[0] & 0x7FFF).astype(jnp.int32)
