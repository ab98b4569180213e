"""The exponential mechanism: candidate i with probability proportional to e^(epsilon s_i / 2D).

D is the sensitivity: how far one person moves any one score. Every rounding is paid for.

**Scores to integers.**

1. The grid's step g is a power of two, 1/256 of the power of two at or below D, so s/g and its
   floor are exact in float32. (A score below 2^-105 in size may count as zero: any that is within
   D of it is within D of zero, as no float exceeds D by less than 2^-82.)
2. Floors of numbers that differ by at most D differ by at most k = ceil(D/g): that is the
   sensitivity of the integers u = floor(s/g).
3. The distance to the highest, d = max u - u, is exact below 2^23: either both are whole floats
   below 2^24, or they are within a factor of two (Sterbenz). Larger ones stay larger when rounded.
4. All are cut at `reach` < 2^23. That replaces u by max(u, max u - `reach`), which moves by k at
   most as well, so it costs no privacy; and no candidate is ever impossible.
5. Scores beyond 2^80 are cut before, each to the nearest number within it: that moves no two
   numbers apart either, wherever neighbours lie. (If they counted as the lowest, one who moves the
   highest score across 2^80 would move it to the last place.)

**Distances to weights.** Let u = 2^-24 be the unit roundoff.

6. The law is proportional to w = 2^-(A d / 2^25), with A an integer such that e^x = 2^(2k A / 2^25)
   for some x <= epsilon - `SPARE`. The product A d is an exact integer below 2^31.
7. Its high part is an exponent; of its low part the 25 bits go through a polynomial with positive
   coefficients (2^y, y in [0, 1]). Five multiplications and five additions of positive numbers cost
   10u relatively, the polynomial and its argument 5u, so every weight is right within 16u, whether
   or not the compiler fuses operations.

**Weights to a choice.**

8. Sixty-four weights at a time are added in a tree of six exact-order float additions (6u), then
   the sums again, until at most 256 are left, at most four times. Walking down, a child is drawn in
   proportion to its float among its siblings'.
9. These are 128-bit integers; their exact sum T times a 192-bit uniform fraction, rounded down,
   tells where the draw falls among the exact cumulative sums. Each integer below T comes from
   2^192/T fractions, rounded up or down: a relative error of at most 2^-64 a level, less than u in
   all.
10. A chance is a product over levels of child / (sum of its siblings). Each parent's float is its
    children's sum within 6u, so the product is in proportion to weights within 24u, and those are
    right within 16u: a chance is w e^±41u over the sum of those, hence the law's times e^±82u. Two
    data sets: 164u, below 2^-16 = `SPARE`, which epsilon contains.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, ArrayLike, Bool, Float32, Int32, PRNGKeyArray, UInt32

from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_not_counted,
    refuse_not_whole,
    takes_numpys,
)
from tacit.in_memory import from_memory
from tacit.mechanisms.alone import doubles, per_shape

# The least power of two above the 164u of step 10, and what other choosers need likewise.
SPARE = 2.0**-16
# From where `reach` is below 2^23 (step 4) to where it is still 22 steps.
LEAST_EPSILON, MOST_EPSILON = 0.01, 1000.0
# Of the least, scores of 2^80 are 2^118 steps: still floats of 32 bits (step 5).
LEAST_SENSITIVITY, MOST_SENSITIVITY = 2.0**-30, 2.0**30

# Costs 1/256 of the sensitivity at most; with a bit more, `reach` passes 2^23 at the least epsilon.
GRID_BITS = 8
# Steps 6 and 7: six bits of the product are left for the exponent, so weights end at e^-44.
FRACTION_BITS = 25
LARGEST = 2**31 - 1
# Step 5: above all scores that mean anything.
HIGHEST_SCORE = 2.0**80
# Whole numbers up to here are floats of 32 bits.
DEEPEST = 2.0**24
# 2^y on [0, 1] within 2^-22, highest power first; all positive, so nothing cancels.
COEFFICIENTS = (0.0018775765, 0.008989341, 0.055826318, 0.24015361, 0.6931531, 0.99999994)

# Step 8: six roundings a level, and four levels for 2^30 candidates.
BRANCHES, MOST_DRAWN = 64, 256
# Sums have 8 limbs of 16 bits; a uniform number has 12.
LIMBS, WORDS, LIMB_BITS = 8, 12, 16
LIMB = 2**LIMB_BITS - 1
# Fewer than 2^30 weights below 2^65 sum to less than 2^95.
MOST_CANDIDATES, TOP = 2**30, 2.0**-95

Limbs = UInt32[Array, "limbs *m"]


@final
class ScoreGrid(eqx.Module):
    """How scores become integers, and integers weights: shared by all selection mechanisms.

    `epsilon` is the promise; `exponent` <= `epsilon` - `SPARE` is that of the law aimed at.
    """

    epsilon: float
    sensitivity: float
    per_step: float
    slope: int
    reach: float

    @takes_numpys
    def __init__(self, epsilon: float, sensitivity: float):
        if not (is_number(epsilon) and LEAST_EPSILON <= epsilon <= MOST_EPSILON):
            raise ValueError(
                f"epsilon must be between {LEAST_EPSILON} and {MOST_EPSILON}, got {got(epsilon)}"
            )
        known = is_number(sensitivity)
        if not (known and LEAST_SENSITIVITY <= sensitivity <= MOST_SENSITIVITY):
            raise ValueError(f"sensitivity must be between 2^-30 and 2^30, got {got(sensitivity)}")
        self.epsilon, self.sensitivity = float(epsilon), float(sensitivity)
        self.per_step = 2.0 ** (GRID_BITS + 1 - math.frexp(sensitivity)[1])
        # A of step 6; the factor covers the float64 rounding of the line itself.
        spent = (epsilon - SPARE) * (1 - 1e-12)
        self.slope = math.floor(spent * 2**FRACTION_BITS / (2 * self.steps * math.log(2)))
        self.reach = float(LARGEST // self.slope)

    @property
    def steps(self) -> int:
        """k: the sensitivity in steps of the grid, rounded up."""
        return math.ceil(self.sensitivity * self.per_step)

    @property
    def exponent(self) -> float:
        """x: the law is proportional to e^(-x d / 2k)."""
        return 2 * self.steps * self.slope * math.log(2) / 2**FRACTION_BITS

    @property
    def step(self) -> float:
        """g: one step of the grid in units of the scores, a power of two."""
        return 1 / self.per_step

    def scores(self, given: ArrayLike) -> Float32[Array, " n"]:
        """Scores as float32, by which every choice is the one that these make; exact.

        JAX's are taken as they are. Of others each is brought to the grid in 64 bits, counted from
        the highest, and cut 2^24 steps below: so are its neighbours, and none moves by more for it.
        """
        if isinstance(given, jax.Array):
            return given
        units = np.floor(_inside(doubles(given), np) * self.per_step)
        below = np.maximum(units - units.max(initial=-np.inf), -DEEPEST)
        return jnp.asarray(below / self.per_step, jnp.float32)

    def distances(self, scores: Float32[Array, " n"]) -> Int32[Array, " n"]:
        """Whole steps below the highest score, cut at `reach`; exact (steps 1 to 5).

        Raises:
          ValueError: if `scores` are not float32 or not between 1 and 2^30 of them.
        """
        if scores.dtype != jnp.float32:
            raise ValueError(f"scores must be float32, got {scores.dtype}")
        if scores.ndim != 1 or not 1 <= len(scores) < MOST_CANDIDATES:
            raise ValueError(
                f"scores must be a vector of 1 to 2^30, for one choice, got shape {scores.shape}"
            )
        inside = _inside(scores, jnp)
        highest = jnp.max(_halved(jnp.maximum, _branched(inside, -HIGHEST_SCORE)))
        below = jnp.floor(highest * self.per_step) - jnp.floor(inside * self.per_step)
        return jnp.minimum(below, self.reach).astype(jnp.int32)

    def weights(self, distances: Int32[Array, " n"]) -> Float32[Array, " n"]:
        """2^64 e^(-x d / 2k) within 16 units of roundoff (step 7); from 1 to 2^64.

        Distances are cut once more, because a product that overflowed would keep no promise.

        Raises:
          ValueError: if `distances` are not int32.
        """
        if distances.dtype != jnp.int32:
            raise ValueError(f"distances must be int32, got {distances.dtype}")
        power = LARGEST - jnp.clip(distances, 0, jnp.int32(self.reach)) * self.slope
        part = (power & (2**FRACTION_BITS - 1)).astype(jnp.float32) * 2.0**-FRACTION_BITS
        mantissa = reduce(
            lambda sum_, c: sum_ * part + c, COEFFICIENTS[1:], jnp.float32(COEFFICIENTS[0])
        )
        exponent = ((power >> FRACTION_BITS) + 127) << 23
        return lax.bitcast_convert_type(exponent, jnp.float32) * mantissa

    def shortfall(self, candidates: int, best: int, t: float) -> float:
        """What the chosen score falls short of the highest by, with probability 1 - e^-`t`.

        With L = ln(`candidates`/`best`) + t + `SPARE`, the weights 2k L/x steps or more below the
        best sum to less than e^-L `candidates`, and the best to `best`; one step more is for the
        floors. Infinite where the cut distances, about 44 in L, are passed.
        """
        refuse_not_counted("candidates", candidates)
        refuse_not_whole("best", best, 1, candidates)
        refuse_negative("t", t)
        short = 2 * self.steps / self.exponent * (math.log(candidates / best) + t + SPARE)
        return (short + 1) / self.per_step if short < self.reach else math.inf


@final
class Exponential(eqx.Module):
    """Chooses candidate i with probability proportional to e^(`epsilon` s_i / 2 `sensitivity`).

    **Guarantee**: pure `epsilon`-differential privacy of the index, in the relation in which no
    score moves by more than `sensitivity`; all rounding included. The log-probabilities move within
    a range of `epsilon` (bounded range), so `events.exponential_mechanism` may compose it.

    **Error**: `shortfall(candidates, best, t)`, where `best` candidates attain the highest score.
    It is 2 sensitivity/epsilon (ln(candidates/best) + t), and 0.4 per cent of the sensitivity for
    the grid. What is kept back: sensitivity/grid is rounded up (up to 0.4 per cent, none for whole
    numbers below 256 and powers of two), and the law's own epsilon, `grid.exponent`, is less by
    2^-16 and by the rounding of a rate (2e-5 relatively at 1, 0.3 per cent at 0.01).

    | scores | effect |
    | --- | --- |
    | NaN | counts as -2^80, so as the lowest |
    | infinite, or above 2^80 in size | count as 2^80 with their sign |
    | equal | equally likely, within the same rounding |
    | one candidate | it is chosen |
    | more than `reach` steps below the highest | as likely as at `reach`: e^-44 of the best |

    The sensitivity is that of the scores after the first row; the second moves no two apart.

    Args:
      epsilon: From 0.01 to 1000.
      sensitivity: From 2^-30 to 2^30, in the unit of the scores.

    References:
        McSherry and Talwar 2007, "Mechanism design via differential privacy".
        Dong, Durfee and Rogers 2020, "Optimal differential privacy composition for exponential
        mechanisms" (bounded range).
    """

    grid: ScoreGrid

    @takes_numpys
    def __init__(self, epsilon: float, sensitivity: float):
        self.grid = ScoreGrid(epsilon, sensitivity)

    @property
    def epsilon(self) -> float:
        return self.grid.epsilon

    def sample(self, key: PRNGKeyArray, scores: Float32[Array, " n"]) -> Int32[Array, ""]:
        """The index of the candidate chosen."""
        return self.sample_distances(key, self.grid.distances(self.grid.scores(scores)))

    @per_shape
    def sample_distances(
        self, key: PRNGKeyArray, distances: Int32[Array, " n"]
    ) -> Int32[Array, ""]:
        """The same from exact integers: how many whole steps each candidate is below the highest.

        The promise needs `distances` = max u - u, cut at `grid.reach`, of integers u of which
        no one moves by more than `grid.steps` between neighbours, as sums of scores that are whole
        multiples of `grid.step` do; the difference must be taken without overflow.
        """
        return choose(key, self.grid.weights(distances))

    def shortfall(self, candidates: int, best: int, t: float) -> float:
        """With probability 1 - e^-`t` the chosen score is within this of the highest."""
        return self.grid.shortfall(candidates, best, t)


def choose(key: PRNGKeyArray, weights: Float32[Array, " n"]) -> Int32[Array, ""]:
    """An index with probability proportional to its weight: zero, or from 1 to 2^65, not all zero.

    Every level of 64 branches errs by 6 units of roundoff; where all sums are whole and below 2^24
    by none.
    """
    # A sum and its parts must come from the same floats.
    return from_memory(_chosen, key, weights)


def _chosen(key: PRNGKeyArray, weights: Float32[Array, " n"]) -> Int32[Array, ""]:
    levels = [weights]
    while len(levels[-1]) > MOST_DRAWN:
        levels.append(_halved(jnp.add, _branched(levels[-1])))
    drawn = jax.random.bits(key, (len(levels), WORDS), jnp.uint32) & LIMB
    index = _draw(drawn[0], levels.pop())
    for uniform, level in zip(drawn[1:], reversed(levels), strict=True):
        table = _branched(level)
        index += table.shape[1] * _draw(uniform, table[:, index])
    return index


def _inside(scores: Any, xp: Any) -> Any:
    """The nearest scores within 2^80; what is no number counts as the lowest."""
    nearest = xp.clip(scores, -HIGHEST_SCORE, HIGHEST_SCORE)
    return xp.where(xp.isnan(scores), -HIGHEST_SCORE, nearest)


def uniform_below(key: PRNGKeyArray, size: Int32[Array, ""]) -> Int32[Array, ""]:
    """A whole number from 0 to `size` - 1, equally likely within 2^-161 relatively."""
    drawn = jax.random.bits(key, (WORDS,), jnp.uint32) & LIMB
    limbs = jnp.stack([size >> LIMB_BITS, size & LIMB]).astype(jnp.uint32)
    high, low = product(drawn, limbs)[:2]
    return (high << LIMB_BITS | low).astype(jnp.int32)


def _branched(values: Float32[Array, " n"], fill: float = 0.0) -> Float32[Array, "branches m"]:
    missing = -len(values) % BRANCHES
    padded = jnp.pad(values, (0, missing), constant_values=fill) if missing else values
    return padded.reshape(BRANCHES, -1)


def _halved(
    operation: Callable[[Array, Array], Array], table: Float32[Array, "branches m"]
) -> Float32[Array, " m"]:
    """The columns' sums or maxima, in a fixed order (a reduction's is the compiler's), and fast."""
    while len(table) > 1:
        half = len(table) // 2
        table = operation(table[:half], table[half:])
    return table[0]


def _draw(uniform: UInt32[Array, " words"], weights: Float32[Array, " m"]) -> Int32[Array, ""]:
    """The same for at most `MOST_DRAWN` weights: where a uniform integer below their sum falls.

    Step 9.
    """
    ends = _ends(weights)
    drawn = product(uniform, ends[:, -1])[:LIMBS]
    return jnp.sum(~_less(drawn[:, None], ends)).astype(jnp.int32)


def _ends(weights: Float32[Array, " m"]) -> UInt32[Array, "limbs m"]:
    """Cumulative sums in units of 2^-33, exactly."""
    rest, limbs = weights * TOP, []
    for _ in range(LIMBS):
        rest = rest * 2.0**LIMB_BITS
        limbs.append(jnp.floor(rest))
        rest = rest - limbs[-1]
    return _carried(jnp.cumsum(jnp.stack(limbs).astype(jnp.uint32), axis=1))


def product(one: UInt32[Array, " k"], other: UInt32[Array, " l"]) -> UInt32[Array, " k+l"]:
    """The exact product of two numbers in limbs of 16 bits, the highest first."""
    products = one[:, None] * other
    high, low = (_diagonals(part) for part in (products >> LIMB_BITS, products & LIMB))
    return _carried(jnp.pad(high, (0, 1)) + jnp.pad(low, (1, 0)))


def _diagonals(table: UInt32[Array, "k l"]) -> UInt32[Array, " k+l-1"]:
    """Sums along i + j: with k zeros after each, a row of l + k - 1 starts one column later."""
    k, l = table.shape
    flat = jnp.pad(table, ((0, 0), (0, k))).reshape(-1)
    return jnp.sum(flat[:-k].reshape(k, k + l - 1), axis=0)


def _carried(sums: Limbs) -> Limbs:
    """The same number with limbs of 16 bits, the highest first."""
    limbs = list(sums)
    for place in range(len(limbs) - 1, 0, -1):
        limbs[place - 1] += limbs[place] >> LIMB_BITS
        limbs[place] &= LIMB
    return jnp.stack(limbs)


def _less(one: Limbs, other: Limbs) -> Bool[Array, " m"]:
    """Compares numbers limb by limb, from the lowest: the highest that differs decides."""
    less = jnp.asarray(False)
    for a, b in zip(reversed(list(one)), reversed(list(other)), strict=True):
        less = (a < b) | ((a == b) & less)
    return less
