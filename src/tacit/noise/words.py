"""What one random 64-bit word gives: a rare event, a uniform with a deep tail, a residue.

Float32 uniforms come on a grid of 2^-23: an event of probability 3e-4 would be wrong in its fourth
digit, one of probability 1e-9 could never happen, and a logarithm of the uniform would stop at 16.
For randomised response these are privacy failures. JAX without x64 has no 64-bit integers, so a
word is a pair (high, low) of 32-bit ones and the arithmetic is done on the pair:

* `below`: the word is uniform on 2^64 values, so it is less than `numerator` with probability
  exactly `numerator` / 2^64. The host computes the integer (`unlikely`), by exact arithmetic and
  rounded up: where the event is the one that protects, rounding can only add privacy.
* `uniform`: high/2^32 + low/2^64 carries 24 significant bits however small it is, because the
  low half fills in what the high half's leading zeros leave free. The smallest value is 2^-65.
* `residue`: the word modulo k < 2^16. Every residue has floor or ceiling of 2^64/k words.
"""

from __future__ import annotations

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt32

Word = tuple[np.uint32 | Array, np.uint32 | Array]

# How many words there are.
SIZE = 2**64
# The largest k for which k (k - 1) fits 32 bits (`residue`).
LARGEST_MODULUS = 2**16 - 1


def word(numerator: int) -> Word:
    """Splits an integer into its two halves, high first.

    Raises:
      ValueError: if `numerator` is not in [0, 2^64).
    """
    if not 0 <= numerator < SIZE:
        raise ValueError(f"numerator must be at least 0 and below 2^64, got {numerator}")
    return np.uint32(numerator >> 32), np.uint32(numerator & 0xFFFFFFFF)


def integer(halves: Word) -> int:
    """The integer a word stands for."""
    high, low = halves
    return (int(high) << 32) | int(low)


def unlikely(log_odds: float) -> int:
    """The numerator of the probability 1 / (1 + e^`log_odds`), rounded up; so it is never zero.

    Exact but for the exponential: near one, a float would lose what the probability leaves.
    """
    odds = Fraction(math.exp(min(log_odds, 700.0)))
    return math.ceil(SIZE / (1 + odds))


def at_most(number: Fraction) -> float:
    """The largest float that is not above a positive number."""
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, 0.0)


def below(key: PRNGKeyArray, numerator: Word, shape: tuple[int, ...]) -> Bool[Array, "*shape"]:
    """Independent events of probability exactly `numerator` / 2^64."""
    high, low = _draw(key, shape)
    return (high < numerator[0]) | ((high == numerator[0]) & (low < numerator[1]))


def uniform(key: PRNGKeyArray, shape: tuple[int, ...]) -> Float[Array, "*shape"]:
    """Uniform on (0, 1] in float32, with 24 significant bits down to 2^-65."""
    high, low = (half.astype(jnp.float32) for half in _draw(key, shape))
    return high * 2.0**-32 + (low + 0.5) * 2.0**-64


def residue(
    key: PRNGKeyArray, modulus: Int[Array, ""] | int, shape: tuple[int, ...]
) -> UInt32[Array, "*shape"]:
    """A 64-bit word modulo `modulus`, which must lie in [1, `LARGEST_MODULUS`] to be exact."""
    high, low = _draw(key, shape)
    k = jnp.asarray(modulus).astype(jnp.uint32)
    # 2^32 mod k, without a number that has 33 bits.
    shift = (jnp.uint32(0xFFFFFFFF) % k + 1) % k
    # At most (k-1)² + (k-1) = k(k-1), which fits because k < 2^16.
    return ((high % k) * shift + low % k) % k


def _draw(
    key: PRNGKeyArray, shape: tuple[int, ...]
) -> tuple[UInt32[Array, "*shape"], UInt32[Array, "*shape"]]:
    bits = jax.random.bits(key, (2, *shape), jnp.uint32)
    return bits[0], bits[1]
