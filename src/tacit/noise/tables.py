"""Any law on up to a few thousand outcomes, at the price of two random words and a look-up.

1. *The masses* are integers that sum to exactly 2^96: lower bounds w_j of the true weights, scaled
   and rounded down, what is then left over being given to the likeliest outcome. Let V be the sum
   of all true weights and W of the lower bounds. As V >= W, the exact law exceeds w_j/W nowhere by
   more than (v_j - w_j)/V, so the total variation distance from exact to w/W is at most (V - W)/W;
   the rounding moves `left` / 2^96 more, less than one unit an outcome. `tv_distance` is the sum, a
   fraction.
2. *The look-up* is Walker's alias table, made of integers. The 2^96 units are poured into columns
   of equal height, as many as a power of two, each holding at most two outcomes: its own below a
   threshold, its alias above. Light outcomes are filled up from heavy ones; the heights are
   integers, so the last columns come out exactly full and nothing is rounded. A draw is a uniform
   column and a uniform height, together 96 bits, and each outcome comes from exactly as many of the
   2^96 words as its mass says.
3. *Words.* Of 2^c columns the first word gives c bits for the column, and with the second the upper
   64 - c bits of the height. They decide unless they equal the threshold's, once in 2^(64 - c); the
   third is drawn only then.

References:
    Walker 1977, "An efficient method for generating discrete random variables with general
    distributions"; Vose 1991, the construction in linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, Key, UInt32

# Three words: a mass is then rounded by 2^-96, and thousands of outcomes by less than 2^-83.
BITS = 96
UNITS = 2**BITS
# Columns of a wide table: 128 KiB, which a core keeps near while it looks up a million draws.
ROWS = 2**13


class AliasTable(NamedTuple):
    """A law on the numbers of its columns: three limbs of the thresholds, and the aliases."""

    columns: UInt32[np.ndarray, "4 rows"]
    tv_distance: Fraction


def table(lower: Sequence[int], missing: int, rows: int = ROWS) -> AliasTable:
    """The law with weights within `missing` (in sum) above `lower`, and its distance from it.

    Args:
      lower: One for each outcome.
      missing: At least zero.
      rows: How many columns, a power of two.

    Raises:
      ValueError: if there are more than `rows` weights.
    """
    if not 0 < len(lower) <= rows:
        raise ValueError(f"a table must hold between 1 and {rows} outcomes, got {len(lower)}")
    total = sum(lower)
    masses = [weight * UNITS // total for weight in lower] + [0] * (rows - len(lower))
    left = UNITS - sum(masses)
    masses[masses.index(max(masses))] += left
    return AliasTable(alias(masses), Fraction(missing, total) + Fraction(left, UNITS))


def alias(masses: Sequence[int]) -> UInt32[np.ndarray, "4 rows"]:
    """The columns for as many masses as a power of two, that sum to exactly `UNITS`."""
    height = UNITS // len(masses)
    rest, thresholds, aliases = list(masses), [0] * len(masses), list(range(len(masses)))
    light = [j for j, mass in enumerate(rest) if mass < height]
    heavy = [j for j, mass in enumerate(rest) if mass > height]
    while light:
        # While one is too light another is too heavy, for the columns left are full on average.
        j, donor = light.pop(), heavy[-1]
        thresholds[j], aliases[j] = rest[j], donor
        rest[donor] -= height - rest[j]
        if rest[donor] <= height:
            heavy.pop()
        if rest[donor] < height:
            light.append(donor)
    return np.array([*_limbs(thresholds), aliases], np.uint32)


def _limbs(numbers: Sequence[int]) -> UInt32[np.ndarray, "3 rows"]:
    """The 32-bit words of numbers of 96 bits, the highest first."""
    written = b"".join(number.to_bytes(BITS // 8, "big") for number in numbers)
    return np.frombuffer(written, ">u4").reshape(-1, 3).T


def draw(
    keys: Key[Array, " two"], columns: UInt32[Array, "4 rows"], shape: tuple[int, ...]
) -> Int32[Array, "*shape"]:
    """Independent outcomes, from two keys: for the first two words, and for the third."""
    return draw_from(keys, columns[None], 0, shape)


def draw_from(
    keys: Key[Array, " two"],
    laws: UInt32[Array, "laws 4 rows"],
    law: int | Int32[Array, ""],
    shape: tuple[int, ...],
) -> Int32[Array, "*shape"]:
    """Independent outcomes of one of several laws; no table is copied, however it is chosen."""
    words = jax.random.bits(keys[0], (2, *shape), jnp.uint32)
    return outcomes(words, laws, law, lambda: jax.random.bits(keys[1], shape, jnp.uint32))


def outcomes(
    words: UInt32[Array, " two *shape"],
    laws: UInt32[Array, "laws 4 rows"],
    law: int | Int32[Array, ""],
    third: Callable[[], UInt32[Array, "*shape"]],
) -> Int32[Array, "*shape"]:
    """What these words stand for (step 3); `third` is asked for the last if any draw needs it."""
    rows = laws.shape[-1]
    column = (words[0] % rows).astype(jnp.int32)
    high, middle, low, other = (laws[law, limb, column] for limb in range(4))
    top = words[0] >> rows.bit_length() - 1
    under = (top < high) | ((top == high) & (words[1] < middle))
    tied = (top == high) & (words[1] == middle)

    def settled() -> Bool[Array, "*shape"]:
        return under | (tied & (third() < low))

    under = lax.cond(jnp.any(tied), settled, lambda: under)
    return jnp.where(under, column, other.astype(jnp.int32))
