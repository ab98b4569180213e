"""Exact convolutions of counts with whole numbers, between two scalings: sums without a matrix.

What is wanted is y_i = r_i sum over j <= i of f_(i-j) d_j h_j, of up to 60 bits, in integers of 32.

1. *Counts.* Of more than 2^31 - 1 people in a cell so many are counted. That moves no two counts
   apart.
2. *Digits.* With d_j up to 2^18, d_j h_j is below 2^49, so it is written in seven digits of 8 bits:
   four digits of h_j in turn are multiplied by d_j, and products and what is carried to them are
   below 2^27; what is carried last is below 2^19, three digits more.
3. *Sums.* Each digit is convolved with f by itself. Digits are below 2^8 and f add up to less than
   2^23, so no sum of theirs reaches 2^31, in whatever order it is formed. (The f that stand for a
   square root, of `solve.scaled_convolution`, add up to less than 2^19.)
4. *Horner's rule* puts them together on sums of three limbs, and times r_i: exactly, modulo 2^62.

**In blocks.** A convolution is the product with a Toeplitz matrix. Cut into blocks of 256 by 256,
all on one diagonal are the same, so it takes one product of matrices for each diagonal, and no more
memory than the numbers themselves.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int32, Num

from tacit.noise.fixed import LIMB, FixedPoint, Tall

# Rows of a block, and bits of a digit; four of a count's 31 bits and three of what is carried.
_BLOCK, _DIGIT = 256, 8
_COUNT_DIGITS, _CARRY_DIGITS = 4, 3
# The largest number of 32 bits.
_MOST = 2**31 - 1


def scaled_convolution(
    rows: Int32[Array, " cells"],
    falling: Int32[Array, " cells"],
    columns: Int32[Array, " cells"],
    counts: FixedPoint,
) -> Tall:
    """y, in units of one, by steps 3 and 4.

    Args:
      rows, falling, columns: r, f and d, not negative: up to 2^15 and 2^18 the first and the last;
        f add up to less than 2^23.
      counts: whole numbers, none below zero.
    """
    sums = convolution(falling, _digits(columns, counts))
    nothing = FixedPoint.zero(rows.shape, jnp.ones(()))
    found = Tall.of(nothing)
    for place in reversed(range(sums.shape[1])):
        digit = FixedPoint(sums[:, place] // LIMB, sums[:, place] % LIMB, nothing.step)
        found = found.times(2**_DIGIT).plus(digit)
    return found.times(rows)


def _digits(columns: Int32[Array, " cells"], counts: FixedPoint) -> Int32[Array, "cells digits"]:
    """Of each count times its scale, the lowest first: steps 1 and 2."""
    high, low = counts.high + counts.low // LIMB, counts.low % LIMB
    whole = jnp.where(high < 2 * LIMB, high * LIMB + low, _MOST)
    below, carried, found = 2**_DIGIT - 1, jnp.zeros_like(whole), []
    for place in range(_COUNT_DIGITS):
        carried = carried + ((whole >> (_DIGIT * place)) & below) * columns
        found.append(carried & below)
        carried = carried >> _DIGIT
    rest = [(carried >> (_DIGIT * place)) & below for place in range(_CARRY_DIGITS)]
    return jnp.stack([*found, *rest], 1)


def convolution(
    falling: Num[Array, " cells"], columns: Num[Array, "cells columns"]
) -> Num[Array, "cells columns"]:
    """Of each column with the same numbers: sum over j <= i of falling_(i-j) times row j."""
    cells, many = columns.shape
    blocks = -(-cells // _BLOCK)
    filled = jnp.pad(columns, ((0, blocks * _BLOCK - cells), (0, 0)))
    # A row for each place in a block, and in it all blocks one after the other.
    laid = filled.reshape(blocks, _BLOCK, many).swapaxes(0, 1).reshape(_BLOCK, -1)
    padded = jnp.pad(falling, (_BLOCK - 1, blocks * _BLOCK - cells))
    apart = _BLOCK - 1 + jnp.arange(_BLOCK)[:, None] - jnp.arange(_BLOCK)

    def diagonal(found: Num[Array, "block all"], place: Int32[Array, ""]) -> tuple:
        own = lax.dynamic_slice(padded, (place * _BLOCK,), (2 * _BLOCK - 1,))[apart]
        moved = jnp.roll(jnp.dot(own, laid, precision="highest"), place * many, 1)
        return found + jnp.where(jnp.arange(blocks * many) >= place * many, moved, 0), None

    found, _ = lax.scan(diagonal, jnp.zeros_like(laid), jnp.arange(blocks))
    return found.reshape(_BLOCK, blocks, many).swapaxes(0, 1).reshape(-1, many)[:cells]
