"""Exact products of a matrix of whole numbers with sums of whole counts.

Sums have up to 46 bits, and entries 14: more than 32 bits hold. So both are divided into digits, of
7 bits of an entry and 8 of a count. A product of two digits is below 2^15, and those of 2^16 cells
add up to less than 2^31, in whatever order they are formed. The digits are put together by Horner's
rule on sums of two limbs, exactly, modulo 2^46.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int, Int32

from tacit.noise.fixed import LIMB, LIMB_BITS, FixedPoint

# Of an entry, besides its sign.
BITS = 14
_ENTRY_DIGIT, _COUNT_DIGIT = 7, 8


def product(matrix: Int32[Array, "rows cells"], counts: FixedPoint) -> FixedPoint:
    """The product, in units of one.

    Args:
      matrix: whole numbers of at most 2^14 in size.
      counts: whole numbers, none below zero, of at most 2^16 cells.
    """
    parts = [matrix & (2**_ENTRY_DIGIT - 1), matrix >> _ENTRY_DIGIT]
    found = FixedPoint.zero((matrix.shape[0],), jnp.ones(()))
    for digit, bits in _digits(counts):
        found = found.times(2**bits, found.step)
        for place, part in enumerate(parts):
            sums = part @ digit
            limbs = FixedPoint(sums // LIMB, sums % LIMB, found.step)
            found = found.plus(limbs.times(2 ** (place * _ENTRY_DIGIT), found.step))
    return found


def _digits(counts: FixedPoint) -> list[tuple[Int[Array, " cells"], int]]:
    """The first of them, and by how many bits what came before is above each next one."""
    high, low = counts.high + counts.low // LIMB, counts.low % LIMB
    below = 2**_COUNT_DIGIT - 1
    return [
        (high >> _COUNT_DIGIT, 0),
        (high & below, _COUNT_DIGIT),
        (low >> _COUNT_DIGIT, LIMB_BITS - _COUNT_DIGIT),
        (low & below, _COUNT_DIGIT),
    ]
