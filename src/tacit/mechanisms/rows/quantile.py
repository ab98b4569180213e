"""A quantile of people's numbers, chosen by the exponential mechanism from a grid of an interval.

Point y is scored s(y) = -|#{x < y} - q n|, n people: how many ranks it is off.

**Sensitivity.** *Add/remove*: one person more moves #{x < y} by 0 or 1 and q n by q, so their
difference by -q or 1 - q, and the score by D = max(q, 1-q) at most. *Replace-one*: n stays and the
count moves by at most D = 1.

**Integers.** Let S be the grid's steps a rank (a power of two) and r = floor(S q n). The score in
steps is u = -|S #{x < y} - r|. When n grows by one, r does by floor(Sq) or ceil(Sq), so u moves by
at most max(ceil(Sq), ceil(S - Sq)) = ceil(S D) = k steps, the grid's own; replacing moves it by
S = k. q is a multiple of 2^-32, so q n is an exact product of 16-bit limbs: a whole number I of
ranks and a fraction. With f the fraction's first log2 S bits as a number below S, r = S I + f.

|S c - r| for a count c is written S h + l: with h = I - c, l = f where c <= I, and with
h = c - I - 1, l = S - f above. A difference of two of those is exact in 32 bits once h - min h is
cut at 2^21, where S h alone is past `reach`, at which distances are cut anyway.

**Pieces.** Values become whole numbers b in [0, `cells`], by a monotone map of each value alone, so
the sensitivity stays. Sorted, with -1 before and `cells` after them, they end the pieces of equal
count: #{b < y} = i for b_i < y <= b_(i+1), of b_(i+1) - b_i points, zero for equal values. The rest
is `tacit.mechanisms.selection.interval_choice`.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32, PRNGKeyArray, UInt32

from tacit.mechanisms.selection.exponential import LIMB, LIMB_BITS, product
from tacit.mechanisms.selection.interval_choice import MOST_POINTS, IntervalChoice

UNIT = 2**32
MOST_PEOPLE = 2**30
FARTHEST, NARROWEST = 2.0**80, 2.0**-60
# Ranks beyond the best piece's, far past any reach.
CUT = 2**21


@final
class ExponentialQuantile(eqx.Module):
    """The `q`-quantile on a grid of [`lower`, `upper`]. Build it with `add_remove`, `replace_one`.

    **Guarantee**: pure `epsilon`-differential privacy of the number, in the relation of the
    constructor's name; all rounding included. The log-probabilities move within a range of
    `epsilon` (bounded range), so `events.exponential_mechanism` may compose it.

    **Error**: `error(t)`, in ranks.

    | values | effect |
    | --- | --- |
    | below `lower`, or NaN | count as `lower` |
    | above `upper` | count as `upper` |
    | none at all | a uniform point of the grid |
    | all equal | most likely a point on the side of them that is fewer ranks off |
    | in any order | the order does not matter |

    References:
        Smith 2011, "Privacy-preserving statistical estimation with optimal convergence rates",
        Algorithm 2.
        McSherry and Talwar 2007, "Mechanism design via differential privacy".
    """

    choice: IntervalChoice
    q: float
    lower: float
    upper: float
    cells: int
    limbs: UInt32[np.ndarray, " three"]

    @classmethod
    def add_remove(
        cls, q: float, epsilon: float, lower: float, upper: float, cells: int
    ) -> ExponentialQuantile:
        """For neighbours of which one has a person more; sensitivity max(`q`, 1 - `q`).

        Args:
            q: From 0 to 1; rounded to a multiple of 2^-32.
            epsilon: From 0.01 to 1000.
            lower: The interval's ends are public, at most 2^80 in size, and 2^-60 apart or more.
            upper: The other end.
            cells: How many equal parts the grid has, from 1 to 2^30 - 1.
        """
        units = _units(q)
        sensitivity = max(units, UNIT - units) / UNIT
        return cls._over(units, IntervalChoice(epsilon, sensitivity), lower, upper, cells)

    @classmethod
    def replace_one(
        cls, q: float, epsilon: float, lower: float, upper: float, cells: int
    ) -> ExponentialQuantile:
        """For neighbours of the same number of people, one of whom changed; sensitivity 1.

        Args:
            q: From 0 to 1; rounded to a multiple of 2^-32.
            epsilon: From 0.01 to 1000.
            lower: The interval's ends are public, at most 2^80 in size, and 2^-60 apart or more.
            upper: The other end.
            cells: How many equal parts the grid has, from 1 to 2^30 - 1.
        """
        return cls._over(_units(q), IntervalChoice(epsilon, 1.0), lower, upper, cells)

    @classmethod
    def _over(
        cls, units: int, choice: IntervalChoice, lower: float, upper: float, cells: int
    ) -> ExponentialQuantile:
        if not (abs(lower) <= FARTHEST and abs(upper) <= FARTHEST):
            raise ValueError(f"lower and upper must be within 2^80, got {lower} and {upper}")
        ends = float(np.float32(lower)), float(np.float32(upper))
        if not ends[1] - ends[0] >= NARROWEST:
            raise ValueError(f"upper must be above lower by 2^-60 or more, got {lower} and {upper}")
        if not (1 <= cells < MOST_POINTS and cells == int(cells)):
            raise ValueError(f"cells must be a whole number from 1 to 2^30 - 1, got {cells}")
        limbs = np.array([units >> shift & LIMB for shift in (32, 16, 0)], np.uint32)
        return cls(choice, units / UNIT, *ends, int(cells), limbs)

    @property
    def epsilon(self) -> float:
        return self.choice.epsilon

    def sample(self, key: PRNGKeyArray, values: Float32[Array, " n"]) -> Float32[Array, ""]:
        """The number released: `lower` + y (`upper` - `lower`) / `cells` for a whole y, in float32.

        One program for as many values, whatever the mechanism's numbers: they are traced.

        Raises:
            ValueError: if `values` are not a float32 vector of fewer than 2^30.
        """
        if values.dtype != jnp.float32:
            raise ValueError(f"values must be float32, got {values.dtype}")
        if values.ndim != 1 or not len(values) < MOST_PEOPLE:
            raise ValueError(f"values must be a vector below 2^30, got shape {values.shape}")
        return _sampled(jax.tree.map(jnp.asarray, self), key, values)

    def error(self, best: int, t: float) -> float:
        """With probability 1 - e^-`t`, by how many ranks the number is farther off than need be.

        |#{x < y} - q n| exceeds the least that a grid point has, which `best` of them attain, by no
        more, with values and points compared on the grid. Two steps are for the floors of r.
        """
        return self.choice.error(self.cells + 1, best, t) + self.choice.grid.step

    def _positions(self, values: Float32[Array, " n"]) -> Int32[Array, " n"]:
        """b: the grid point at or below each value."""
        inside = jnp.clip(jnp.where(jnp.isnan(values), self.lower, values), self.lower, self.upper)
        share = (inside - self.lower) / (self.upper - self.lower)
        return jnp.clip(jnp.floor(share * self.cells).astype(jnp.int32), 0, self.cells)

    def _distances(self, lengths: Int32[Array, " pieces"]) -> Int32[Array, " pieces"]:
        """Whole steps below the highest score of a piece with a point, cut at `reach`; exact."""
        people = len(lengths) - 1
        factor = jnp.array([people >> LIMB_BITS, people & LIMB], jnp.uint32)
        _, high, low, fraction, _ = product(jnp.asarray(self.limbs), factor)
        per_rank = jnp.int32(self.choice.grid.per_step)
        part = fraction.astype(jnp.int32) * per_rank >> LIMB_BITS
        over = jnp.arange(people + 1, dtype=jnp.int32) - (high << LIMB_BITS | low).astype(jnp.int32)
        ranks = jnp.where(over > 0, over - 1, -over)
        rest = jnp.where(over > 0, per_rank - part, part)
        least = jnp.min(jnp.where(lengths > 0, ranks, MOST_PEOPLE))
        beyond = jnp.where(lengths > 0, jnp.minimum(ranks - least, CUT), CUT) * per_rank + rest
        return jnp.minimum(beyond - jnp.min(beyond), jnp.int32(self.choice.grid.reach))


@jax.jit
def _sampled(
    mechanism: ExponentialQuantile, key: PRNGKeyArray, values: Float32[Array, " n"]
) -> Float32[Array, ""]:
    sorted_ = jnp.sort(mechanism._positions(values))
    # From -1, because the first piece begins with point 0.
    lengths = jnp.diff(sorted_, prepend=-1, append=jnp.int32(mechanism.cells))
    point = mechanism.choice.sample_distances(key, lengths, mechanism._distances(lengths))
    lower, upper = mechanism.lower, mechanism.upper
    share = point.astype(jnp.float32) / mechanism.cells
    return jnp.clip(lower + share * (upper - lower), lower, upper)


def _units(q: float) -> int:
    if not 0 <= q <= 1:
        raise ValueError(f"q must be between 0 and 1, got {q}")
    return round(q * UNIT)
