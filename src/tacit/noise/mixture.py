"""Vectors of independent discrete Gaussians whose common deviation is drawn from a few.

Each deviation needs a law of its own, but not a wide table of its own: only the leading digit
depends on it. Lower digits are drawn from wide tables that are the same in every mixture, and so
are made once in a process; the leading ones' are a few hundred rows each.

1. *A chain.* Let V_0 = u², and V_k = b_k² V_(k-1) + s_k². By step 2 of `noise.discrete`, X <- b_k
   X + Y, with Y of deviation s_k, is within 2^-84 of the discrete Gaussian of variance V_k if X is
   that of V_(k-1) and 1/V_(k-1) + b_k²/s_k² <= 1/3. That holds where V_(k-1) >= 12 and s_k
   >= 2 b_k.
2. *Its digits*, found from the last to the first. There are two kinds of lower digit, of deviation
   s = 320 and 20, in bases up to s/2. Given V = V_k, take the wider kind with V >= s² + 108. If V
   <= s² + 12 (s/2)², choose b = floor(sqrt((V - s²)/12)), from 3 to s/2, and stop: u² = (V - s²)/b²
   is at least 12, and below 12 (1 + 1/3)² < 22. Otherwise choose the largest b up to s/2 that
   leaves V_(k-1) = (V - s²)/b² at s² + 108 or more; b = 1 does, as 3 s² >= s² + 108. Below
   20² + 108 = 508 no digit follows the leading one, and u² = V. So u < 22.6 at all times, and its
   table of 512 rows is cut off beyond eleven deviations.
3. *One length.* Shorter chains are filled up with digits that are zero, in base one.
4. *Distance.* As of one discrete Gaussian, the tables' and the joints' add up; that of the longest
   chain is `tv_distance`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int32, PRNGKeyArray, UInt32

from tacit.noise.discrete import JOINT, Limbs, gaussian_table
from tacit.noise.fixed import LIMB
from tacit.noise.tables import ROWS, AliasTable, draw, draw_from, table

# Of step 2: the deviations of lower digits, the least leading variance, and the rows of its table.
WIDE, NARROW, LEAST, LEADING_ROWS = 320, 20, 12, 512
# The least variance above s² that has a base of 3 or more.
ROOM = 9 * LEAST
# Which table a lower digit is drawn from.
NOTHING, KINDS = 0, (NARROW, WIDE)


class Chain(NamedTuple):
    """u², and for each further digit, first to last, its kind and its base."""

    leading: Fraction
    kinds: list[int]
    bases: list[int]

    def filled(self, digits: int) -> Chain:
        """With so many further digits (step 3)."""
        empty = digits - len(self.kinds)
        return Chain(self.leading, self.kinds + empty * [NOTHING], self.bases + empty * [1])


@final
class DiscreteGaussianMixture(eqx.Module):
    """Vectors of independent discrete Gaussians whose common deviation is drawn; see `of`.

    Args:
      chances: The table of the deviation drawn.
      leading: Each deviation's table of the leading digit.
      shared: The tables of the other digits: always zero, narrow, wide.
      kinds: Which of them each digit is drawn from.
      bases: What the number is multiplied by before each digit.
      tv_distance: Of one number from a discrete Gaussian, at most.
    """

    chances: UInt32[Array, "4 chances"]
    leading: UInt32[Array, "sigmas 4 few"]
    shared: UInt32[Array, "three 4 rows"]
    kinds: Int32[Array, "sigmas digits"]
    bases: Int32[Array, "sigmas digits"]
    tv_distance: float

    @classmethod
    def of(
        cls, chances: UInt32[np.ndarray, "4 chances"], sigmas: Sequence[float]
    ) -> DiscreteGaussianMixture:
        """The mixture of these deviations, each up to 2^40, with the chances of a table."""
        found = [chain(Fraction(sigma) ** 2) for sigma in sigmas]
        digits = max(len(each.kinds) for each in found)
        filled = [each.filled(digits) for each in found]
        leading = [gaussian_table(each.leading, LEADING_ROWS) for each in found]
        apart = max(each.tv_distance for each in leading)
        lower = max(each.tv_distance for each in _shared()) + JOINT
        return cls(
            jnp.asarray(chances),
            jnp.asarray(np.stack([each.columns for each in leading])),
            jnp.asarray(np.stack([each.columns for each in _shared()])),
            jnp.asarray(np.array([each.kinds for each in filled], np.int32)),
            jnp.asarray(np.array([each.bases for each in filled], np.int32)),
            math.nextafter(float(apart + digits * lower), math.inf),
        )

    def limbs(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        """One vector, as (high, low): 2^15 high + low, with low in [0, 2^15)."""
        for_sigma, for_leading, for_digits = jax.random.split(key, 3)
        sigma = draw(jax.random.split(for_sigma), self.chances, ())
        pair = jax.random.split(for_leading)
        first = draw_from(pair, self.leading, sigma, shape) - LEADING_ROWS // 2

        def step(number: Limbs, level: tuple) -> tuple[Limbs, None]:
            keys, kind, base = level
            low = number[1] * base + draw_from(keys, self.shared, kind, shape) - ROWS // 2
            return (number[0] * base + low // LIMB, low % LIMB), None

        digits = self.bases.shape[1]
        levels = jax.random.split(for_digits, (digits, 2)), self.kinds[sigma], self.bases[sigma]
        return lax.scan(step, (first // LIMB, first % LIMB), levels)[0]


def chain(variance: Fraction) -> Chain:
    """The digits of a discrete Gaussian of this variance (step 2)."""
    kinds, bases = [], []
    while variance >= NARROW**2 + ROOM:
        kind = len(KINDS) if variance >= WIDE**2 + ROOM else 1
        square = KINDS[kind - 1] ** 2
        above, last = variance - square, variance <= square + LEAST * square / 4
        base = math.isqrt(math.floor(above / (LEAST if last else square + ROOM)))
        base = min(base, KINDS[kind - 1] // 2)
        kinds, bases, variance = [kind, *kinds], [base, *bases], above / base**2
        if last:
            break
    return Chain(variance, kinds, bases)


@functools.cache
def _shared() -> tuple[AliasTable, ...]:
    zero = [0] * ROWS
    zero[ROWS // 2] = 1
    return table(zero, 0), *(gaussian_table(Fraction(s**2), ROWS) for s in KINDS)
