"""Any law on a few thousand outcomes, at the price of two random words and a look-up.

**The masses** are integers that sum to exactly 2^96: lower bounds w_j of the true weights, scaled
and rounded down, what is then left over being given to the likeliest outcome. Let V be the sum of
all true weights and W of the lower bounds. As V >= W, the exact law exceeds w_j/W nowhere by more
than (v_j - w_j)/V, so the total variation distance from exact to w/W is at most (V - W)/W; the
rounding moves `left` / 2^96 more, less than one unit an outcome. `distance` is the sum, a fraction.

**The look-up** is Walker's alias table, made of integers. The 2^96 units are poured into `ROWS`
columns of equal height, each holding at most two outcomes: its own below a threshold, its alias
above. Light outcomes are filled up from heavy ones; the heights are integers, so the last columns
come out exactly full and nothing is rounded. A draw is a uniform column and a uniform height,
together 96 bits, and each outcome comes from exactly as many of the 2^96 words as its mass says.

**Words.** The first gives the column (13 bits) and with the second the upper 51 bits of the
height. They decide unless they equal the threshold's, once in 2^51; the third is drawn only then.

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

BITS = 96
COLUMN_BITS = 13
ROWS = 2**COLUMN_BITS
UNITS = 2**BITS
HEIGHT = UNITS // ROWS


class Table(NamedTuple):
    """A law on 0 .. `ROWS` - 1: three limbs of the thresholds and the aliases, by column."""

    columns: UInt32[np.ndarray, "4 rows"]
    distance: Fraction


def table(lower: Sequence[int], missing: int) -> Table:
    """The law with weights within `missing` (in sum) above `lower`, and its distance from it.

    Raises:
        ValueError: if there are more than `ROWS` weights.
    """
    if not 0 < len(lower) <= ROWS:
        raise ValueError(f"a table must hold between 1 and {ROWS} outcomes, got {len(lower)}")
    total = sum(lower)
    masses = [weight * UNITS // total for weight in lower] + [0] * (ROWS - len(lower))
    left = UNITS - sum(masses)
    masses[masses.index(max(masses))] += left
    return Table(alias(masses), Fraction(missing, total) + Fraction(left, UNITS))


def alias(masses: Sequence[int]) -> UInt32[np.ndarray, "4 rows"]:
    """The columns for `ROWS` masses that sum to exactly `UNITS`."""
    rest, thresholds, aliases = list(masses), [0] * ROWS, list(range(ROWS))
    light = [j for j in range(ROWS) if rest[j] < HEIGHT]
    heavy = [j for j in range(ROWS) if rest[j] > HEIGHT]
    while light:
        # While one is too light another is too heavy, for the columns left are full on average.
        j, donor = light.pop(), heavy[-1]
        thresholds[j], aliases[j] = rest[j], donor
        rest[donor] -= HEIGHT - rest[j]
        if rest[donor] <= HEIGHT:
            heavy.pop()
        if rest[donor] < HEIGHT:
            light.append(donor)
    limbs = [[t >> shift & 0xFFFFFFFF for t in thresholds] for shift in (64, 32, 0)]
    return np.array([*limbs, aliases], np.uint32)


def draw(
    keys: Key[Array, " two"], columns: UInt32[Array, "4 rows"], shape: tuple[int, ...]
) -> Int32[Array, "*shape"]:
    """Independent outcomes, from two keys: for the first two words, and for the third."""
    words = jax.random.bits(keys[0], (2, *shape), jnp.uint32)
    return outcomes(words, columns, lambda: jax.random.bits(keys[1], shape, jnp.uint32))


def outcomes(
    words: UInt32[Array, " two *shape"],
    columns: UInt32[Array, "4 rows"],
    third: Callable[[], UInt32[Array, "*shape"]],
) -> Int32[Array, "*shape"]:
    """What these words stand for; `third` gives the last of the three, if any draw needs it."""
    column = (words[0] % ROWS).astype(jnp.int32)
    high, middle, low, other = (limb[column] for limb in columns)
    top = words[0] >> COLUMN_BITS
    under = (top < high) | ((top == high) & (words[1] < middle))
    tied = (top == high) & (words[1] == middle)

    def settled() -> Bool[Array, "*shape"]:
        return under | (tied & (third() < low))

    under = lax.cond(jnp.any(tied), settled, lambda: under)
    return jnp.where(under, column, other.astype(jnp.int32))
