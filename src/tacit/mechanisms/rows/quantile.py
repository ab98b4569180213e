"""A quantile of people's numbers, chosen by the exponential mechanism from a grid of an interval.

Point y is scored s(y) = -max(#{x < y} - q n, q n - #{x <= y}, 0), n people: how many ranks q n is
from those that y has. A number that many people share has as many ranks, so it is the quantile
exactly, and no point beside it is.

1. *Sensitivity.* *Add/remove*: one person more moves #{x < y} and #{x <= y} by 0 or 1 and q n by q,
   so each difference by D = max(q, 1-q) at most, and the largest of them and zero by no more.
   *Replace-one*: n stays and the counts move by at most D = 1.
2. *Integers.* Let S be the grid's steps a rank (a power of two) and r = floor(S q n). The score in
   steps is u = -max(S #{x < y} - r, r - S #{x <= y}, 0). When n grows by one, r does by floor(Sq)
   or ceil(Sq), so u moves by at most max(ceil(Sq), ceil(S - Sq)) = ceil(S D) = k steps, the grid's
   own; replacing moves it by S = k. q is a multiple of 2^-32, so q n is an exact product of 16-bit
   limbs: a whole number I of ranks and a fraction. With f the fraction's first log2 S bits as a
   number below S, r = S I + f.
3. *Their differences.* |S c - r| for a count c is written S h + l: with h = I - c, l = f where c
   <= I, and with h = c - I - 1, l = S - f above. A difference of two of those is exact in 32 bits
   once h - min h is cut at 2^21, where S h alone is past `reach`, at which distances are cut
   anyway.
4. *Pieces.* Values become whole numbers b in [0, `cells`], the nearest points, by a monotone map of
   each value alone, so the sensitivity stays. Sorted, b_1 to b_n are n pieces of one point each, of
   which equal ones are there once, and between them are n + 1 pieces of points that nobody has. The
   rest is `tacit.mechanisms.selection.interval_choice`.
"""

from __future__ import annotations

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32, PRNGKeyArray, UInt32

from tacit.argument import got, is_number, is_whole, refuse_outside, takes_numpys
from tacit.mechanisms.selection.exponential import LIMB, LIMB_BITS, product
from tacit.mechanisms.selection.interval_choice import MOST_POINTS, IntervalChoice

# Of q: two limbs of 16 bits (step 2).
UNIT = 2**32
# Twice as many pieces, and one, are counted by whole numbers of 32 bits.
MOST_PEOPLE = 2**29
# Far within the range of floats of 32 bits, differences too.
FARTHEST, NARROWEST = 2.0**80, 2.0**-60
# Ranks beyond the best piece's, far past any reach: step 3.
CUT = 2**21


class Pieces(NamedTuple):
    """Points of equal score, in order: how many, and how many people are below and not above."""

    lengths: Int32[Array, " pieces"]
    below: Int32[Array, " pieces"]
    up_to: Int32[Array, " pieces"]


@final
class ExponentialQuantile(eqx.Module):
    """The `q`-quantile on a grid of [`lower`, `upper`]. Build it with `add_remove`, `replace_one`.

    **Guarantee**: pure `epsilon`-differential privacy of the number, in the relation of the
    constructor's name; all rounding included. The log-probabilities move within a range of
    `epsilon` (bounded range), so `events.exponential_mechanism` may compose it.

    **Error**: `rank_error(best, t)`, in ranks.

    | values | effect |
    | --- | --- |
    | below `lower`, or NaN | count as `lower` |
    | above `upper` | count as `upper` |
    | none at all | a uniform point of the grid |
    | between two points of the grid | count as the nearer one |
    | of many equal | most likely their own number, if their ranks hold the quantile's |
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

    def __check_init__(self):
        _refuse_no_grid(self.lower, self.upper, self.cells)
        refuse_outside("q", self.q, 0, 1)

    @classmethod
    @takes_numpys
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
    @takes_numpys
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
        _refuse_no_grid(lower, upper, cells)
        ends = float(np.float32(lower)), float(np.float32(upper))
        limbs = np.array([units >> shift & LIMB for shift in (32, 16, 0)], np.uint32)
        return cls(choice, units / UNIT, *ends, int(cells), limbs)

    @property
    def epsilon(self) -> float:
        return self.choice.epsilon

    def sample(self, key: PRNGKeyArray, values: Float32[Array, " n"]) -> Float32[Array, ""]:
        """The number released: `lower` + y (`upper` - `lower`) / `cells` for a whole y, in float32.

        One program for as many values, whatever the mechanism's numbers: they are traced.

        Raises:
          ValueError: if `values` are not a float32 vector of fewer than 2^29.
        """
        if values.dtype != jnp.float32:
            raise ValueError(f"values must be float32, got {values.dtype}")
        if values.ndim != 1 or not len(values) < MOST_PEOPLE:
            raise ValueError(f"values must be a vector below 2^29, got shape {values.shape}")
        return _sampled(jax.tree.map(jnp.asarray, self), key, values)

    def rank_error(self, best: int, t: float) -> float:
        """With probability 1 - e^-`t`, how many ranks the number is off, at most.

        #{x < y} exceeds q n, and q n exceeds #{x <= y}, by no more, with values and points compared
        on the grid; `best` of its points are not off at all, and where anybody is there is one. Two
        steps are for the floors of r.
        """
        return self.choice.shortfall(self.cells + 1, best, t) + self.choice.grid.step

    def _positions(self, values: Float32[Array, " n"]) -> Int32[Array, " n"]:
        """b: the grid point nearest to each value."""
        inside = jnp.clip(jnp.where(jnp.isnan(values), self.lower, values), self.lower, self.upper)
        share = (inside - self.lower) / (self.upper - self.lower)
        return jnp.clip(jnp.round(share * self.cells).astype(jnp.int32), 0, self.cells)

    def _pieces(self, positions: Int32[Array, " n"]) -> Pieces:
        """Of people at these points: what is between two of them, and each of them, in turn."""
        ends, past = jnp.sort(positions), jnp.int32(self.cells + 1)
        places = jnp.arange(len(ends) + 1, dtype=jnp.int32)
        between = jnp.diff(ends, prepend=-1, append=past) - 1
        last = (jnp.diff(ends, append=past) > 0).astype(jnp.int32)
        own = jnp.diff(ends, prepend=-1) > 0
        below = jax.lax.cummax(jnp.where(own, places[:-1], 0))
        lengths = _in_turn(jnp.maximum(between, 0), last)
        return Pieces(lengths, _in_turn(places, below), _in_turn(places, places[1:]))

    def _distances(self, pieces: Pieces) -> Int32[Array, " pieces"]:
        """Whole steps below the highest score of a piece with a point, cut at `reach`; exact."""
        lengths, people = pieces.lengths, len(pieces.lengths) // 2
        factor = jnp.array([people >> LIMB_BITS, people & LIMB], jnp.uint32)
        _, high, low, fraction, _ = product(jnp.asarray(self.limbs), factor)
        per_rank = jnp.int32(self.choice.grid.per_step)
        part = fraction.astype(jnp.int32) * per_rank >> LIMB_BITS
        target = (high << LIMB_BITS | low).astype(jnp.int32)
        least, most = pieces.below - target, pieces.up_to - target
        # Too many are below, or too few are not above; or neither.
        over = jnp.where(least > 0, least, most)
        within = (least <= 0) & (most > 0)
        ranks = jnp.where(within, 0, jnp.where(over > 0, over - 1, -over))
        rest = jnp.where(within, 0, jnp.where(over > 0, per_rank - part, part))
        fewest = jnp.min(jnp.where(lengths > 0, ranks, MOST_PEOPLE))
        beyond = jnp.where(lengths > 0, jnp.minimum(ranks - fewest, CUT), CUT) * per_rank + rest
        return jnp.minimum(beyond - jnp.min(beyond), jnp.int32(self.choice.grid.reach))


@jax.jit
def _sampled(
    mechanism: ExponentialQuantile, key: PRNGKeyArray, values: Float32[Array, " n"]
) -> Float32[Array, ""]:
    pieces = mechanism._pieces(mechanism._positions(values))
    distances = mechanism._distances(pieces)
    point = mechanism.choice.sample_distances(key, pieces.lengths, distances)
    lower, upper = mechanism.lower, mechanism.upper
    share = point.astype(jnp.float32) / mechanism.cells
    return jnp.clip(lower + share * (upper - lower), lower, upper)


def _in_turn(odd: Int32[Array, " more"], even: Int32[Array, " fewer"]) -> Int32[Array, " pieces"]:
    """One of each, beginning and ending with the former, of which there is one more."""
    return jnp.append(jnp.stack([odd[:-1], even], axis=1).ravel(), odd[-1])


def _refuse_no_grid(lower: float, upper: float, cells: int) -> None:
    if not all(is_number(end) and abs(end) <= FARTHEST for end in (lower, upper)):
        raise ValueError(f"lower and upper must be within 2^80, got {got(lower)} and {got(upper)}")
    ends = float(np.float32(lower)), float(np.float32(upper))
    if not ends[1] - ends[0] >= NARROWEST:
        raise ValueError(f"upper must be above lower by 2^-60 or more, got {lower} and {upper}")
    if not (is_whole(cells) and 1 <= cells < MOST_POINTS):
        raise ValueError(f"cells must be a whole number from 1 to 2^30 - 1, got {got(cells)}")


def _units(q: float) -> int:
    refuse_outside("q", q, 0, 1)
    return round(q * UNIT)
