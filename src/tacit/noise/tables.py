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

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

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
    key: PRNGKeyArray, columns: UInt32[Array, "4 rows"], shape: tuple[int, ...]
) -> Int32[Array, "*shape"]:
    """Independent outcomes."""
    for_two, for_third = jax.random.split(key)
    first, second = jax.random.bits(for_two, (2, *shape), jnp.uint32)
    return settle(first, second, columns, lambda: jax.random.bits(for_third, shape, jnp.uint32))


def settle(first, second, columns, third) -> Int32[Array, ...]:
    """The outcomes that words stand for; `third` makes the last ones, if they are needed."""
    column = (first % ROWS).astype(jnp.int32)
    high, middle, low, other = (limb[column] for limb in columns)
    top = first >> COLUMN_BITS
    tied = (top == high) & (second == middle)
    under = (top < high) | ((top == high) & (second < middle))

    def compare() -> Bool[Array, ...]:
        return under | (tied & (third() < low))

    under = lax.cond(jnp.any(tied), compare, lambda: under)
    return jnp.where(under, column, other.astype(jnp.int32))
