"""PrivUnit-infinity: signs of a vector in the cube [-radius, radius]^d, released with a bias to it.

Every coordinate u_j is rounded to a sign U_j, up with probability (1 + u_j/radius)/2. Of the d
coordinates s are taken, a uniform set that depends on nobody. With probability p the report's signs
V on them are uniform on {v: at least t agree with U}, the **cap**, otherwise uniform on the rest.
Let H and L be the numbers of sign vectors in the cap and in the rest, sums of binomials:
H = sum_{l>=t} C(s, l), L = sum_{l<t} C(s, l).

* **privacy**: a sign vector has probability p/H in the cap and (1-p)/L off it, and some inputs see
  it either way: the loss is exactly log (p L / ((1-p) H)), this being the paper's (19) with the t
  that is sampled with. (Its Corollary 4.1 under-states the loss for a strict threshold kappa.)
* **unbiasedness**: a coordinate agrees in C(s-1, t-1) more sign vectors of the cap than not, and in
  as many fewer of the rest. So E V_j = m U_j with m = C(s-1, t-1) (p/H - (1-p)/L), and
  Z_j = radius d/(s m) V_j on the set, 0 off it, has mean u;
* **error**: |Z|² = radius² d²/(s m²) always, so E|Z - u|² is that minus |u|², worst at u = 0;
* **blanket**: every sign vector is off the cap of some input: (1-p) (H + L)/L.

At a given loss, log E, m = C(s-1, t-1) (E-1)/(E H + L), and t <= s/2 is never better, as s + 1 - t
swaps H and L with H > L. `best` takes the s and t with the least error. The paper has s = d; s = 1
is one bit of one coordinate, and t = s is randomised response among 2^s. Below epsilon = 5 some
epsilon coordinates are better than all of them, by a factor of up to pi/2 in the error.

**Sampling.** Given the branch, the number A of agreements has mass proportional to C(s, l). Order
the coordinates at random: the first A agree, those up to s do not, the others are out. The order is
that of 96 random bits, and only the A-th and the s-th place are found, by counting how many bits
lie below a value, bit by bit. If two coordinates tie there, with probability at most d/2^96 each
(given real numbers for bits, the gap at that place is Beta(1, d) and must be below 2^-96), the
earlier comes first.

**Tables.** Relative binomials are products of ratios below one from the middle on, between lower
and upper bounds in units of 2^-256; so H/L is between two rational numbers, and p is rounded with
the worse. A holds the 8192 values next to t on either side; what is beyond, on either, is in
`tv_distance` and in L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32
from scipy.special import gammaln

from tacit.argument import (
    refuse_negative,
    refuse_none_positive,
    refuse_not_positive,
    refuse_not_whole,
    refuse_outside,
    takes_numpys,
)
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.node import node
from tacit.noise import tables, words

# A table's 8192 values reach eight deviations from the middle and more.
LARGEST_DIM = 2**20
# Above it the best cap of so many coordinates is farther from the middle than a table reaches.
LARGEST_EPSILON = 64.0
# Units of binomials: those of 2^-96 and more are right within 2^-140, after 2^14 products.
_ONE = 2**256
# Numbers in a block of rows: one that stays in cache.
_BLOCK = 2**17
# 96 bits a coordinate.
_ROUNDS = 3
# The exponential of the C library errs by less than four units in the last place.
_BELOW = 1 - Fraction(1, 2**50)


@node
@dataclass(frozen=True)
class PrivUnitInfinity:
    """Signs of `taken` coordinates, `agree` of them right with probability p. Build it with `best`.

    **Guarantee**: `epsilon`-local differential privacy of one report for any two inputs
    (replace-one), but for the reserve of `tv_distance`, which is its delta (`accounting.reserve`):
    a report is within `tv_distance` of one whose exact loss is `loss` <= `epsilon`. The probability
    of the cap is a multiple of 2^-64 rounded towards privacy.

    **Error**: `error(norm)` = E|Z - u|² exactly, `worst_error` at zero. Every report has norm
    `bound` and entries of size `largest` or 0. Coordinates are rounded by float32 uniforms.

    | coordinate | treated as |
    | --- | --- |
    | above `radius`, or infinite | `radius` |
    | below -`radius`, or minus infinity | -`radius` |
    | NaN | zero |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, Algorithm 2 and equation (19).
        Chen, Kairouz and Ozgur 2020, "Breaking the communication-privacy-accuracy trilemma" (some
        coordinates and randomised response among their signs).
    """

    dim: int = field(metadata={"static": True})
    epsilon: float
    radius: float
    taken: int
    agree: int
    miss: words.Word
    mean: float
    loss: float
    blanket: float
    tv_distance: float
    least: int
    inside: UInt32[Array, "4 rows"]
    outside: UInt32[Array, "4 rows"]

    def __post_init__(self):
        refuse_none_positive(self, "dim", "epsilon", "radius", "taken", "agree", "mean", "loss")
        for name in ("blanket", "tv_distance", "least"):
            refuse_negative(name, getattr(self, name))

    @classmethod
    @takes_numpys
    def best(cls, dim: int, epsilon: float, radius: float) -> PrivUnitInfinity:
        """The number of coordinates and of agreements with the least error."""
        _check(dim, epsilon, radius)
        many = np.geomspace(65, max(dim, 65), 60).astype(int)
        sizes = sorted({*range(1, min(dim, 64) + 1), *many[many <= dim].tolist(), dim})
        found = {size: _best_agreement(size, epsilon) for size in sizes}
        taken = max(sizes, key=lambda size: found[size][0] * math.sqrt(size))
        return cls.with_cap(dim, epsilon, radius, taken, found[taken][1])

    @classmethod
    @takes_numpys
    def on_all(cls, dim: int, epsilon: float, radius: float) -> PrivUnitInfinity:
        """The paper's mechanism, with all coordinates, and the best number of agreements."""
        _check(dim, epsilon, radius)
        return cls.with_cap(dim, epsilon, radius, dim, _best_agreement(dim, epsilon)[1])

    @classmethod
    @takes_numpys
    def with_cap(
        cls, dim: int, epsilon: float, radius: float, taken: int, agree: int
    ) -> PrivUnitInfinity:
        """The mechanism with this cap and the largest allowed probability of it.

        Raises:
          ValueError: if `dim` is not in [1, 2^20], `epsilon` not in [1e-6, 64], `radius` not
            positive and finite, `taken` not in [1, `dim`], or `agree` not above half of it, at
            most `taken`, and within 4096 of the half, or so high that the cap is never drawn.
        """
        _check(dim, epsilon, radius)
        refuse_not_whole("taken", taken, 1, dim)
        most = min(taken, taken // 2 + tables.ROWS // 2)
        refuse_not_whole("agree", agree, taken // 2 + 1, most)
        cap, rest = binomials(taken, agree)
        if not cap.total:
            raise ValueError(f"agree must be lower: the cap of {agree} of {taken} is too small")
        odds = Fraction(math.exp(epsilon)) * _BELOW * cap.total / (rest.total + rest.missing)
        miss = math.ceil(words.SIZE / (1 + odds))
        if miss >= words.SIZE:
            raise ValueError(f"agree must be lower for an epsilon of {epsilon}, got {agree}")
        hit, missed = Fraction(words.SIZE - miss, words.SIZE), Fraction(miss, words.SIZE)
        first = Fraction(agree * cap.weights[0], taken)
        mean = first * (hit / cap.total - missed / rest.total)
        ratio = hit / missed * (rest.total + rest.missing) / cap.total
        high, low = (tables.table(part.weights, part.missing) for part in (cap, rest))
        ties = Fraction(2 * dim, 2 ** (32 * _ROUNDS))
        blanket = missed * (1 + Fraction(cap.total, rest.total + rest.missing))
        return cls(
            dim,
            float(epsilon),
            float(radius),
            taken,
            agree,
            words.word(miss),
            float(mean),
            math.log1p(float(ratio - 1)),
            words.at_most(blanket),
            math.nextafter(float(max(high.tv_distance, low.tv_distance) + ties), 1.0),
            rest.start,
            jnp.asarray(high.columns),
            jnp.asarray(low.columns),
        )

    @property
    def p(self) -> float:
        """The probability of the cap."""
        return 1 - words.integer(self.miss) / words.SIZE

    @property
    def largest(self) -> float:
        """The size of every entry that is not zero."""
        return self.radius * self.dim / (self.taken * self.mean)

    @property
    def bound(self) -> float:
        """The norm of every report."""
        return self.largest * math.sqrt(self.taken)

    @property
    def worst_error(self) -> float:
        """The largest mean squared error: E|Z|², that at zero."""
        return self.error(0.0)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - u|², at a vector of this Euclidean norm, in the cube."""
        return self.bound**2 - norm**2

    @per_shape
    def sample(self, key: PRNGKeyArray, rows: Float[Array, "n dim"]) -> Float[Array, "n dim"]:
        """One report for each row; beyond its output it holds a few rows at a time.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        refuse_other_columns(rows, self.dim)
        for_branch, for_cap, for_rest, for_rows = jax.random.split(key, 4)
        people = rows.shape[:1]
        missed = words.below(for_branch, self.miss, people)
        cap = self.agree + tables.draw(jax.random.split(for_cap), self.inside, people)
        rest = self.least + tables.draw(jax.random.split(for_rest), self.outside, people)
        each = jax.random.split(for_rows, len(rows)), rows, jnp.where(missed, rest, cap)
        return lax.map(self._report, each, batch_size=_BLOCK // self.dim or None)

    def _report(
        self, person: tuple[PRNGKeyArray, Float[Array, " dim"], Int32[Array, ""]]
    ) -> Float[Array, " dim"]:
        """Of one person's key, row, and number of agreements."""
        key, row, agreements = person
        for_rounding, for_order = jax.random.split(key)
        chance = (1 + jnp.clip(jnp.nan_to_num(row / self.radius, nan=0.0), -1.0, 1.0)) / 2
        up = jax.random.uniform(for_rounding, row.shape) < chance
        right, used = first(for_order, self.dim, jnp.stack([agreements, self.taken]))
        return jnp.where(used, jnp.where(up == right, self.largest, -self.largest), 0.0)


def first(key: PRNGKeyArray, size: int, counts: Int32[Array, " m"]) -> Bool[Array, "m size"]:
    """For each count, which of `size` coordinates come first in one random order."""

    def bits(turn: Int32[Array, ""]) -> UInt32[Array, " size"]:
        return jax.random.bits(jax.random.fold_in(key, turn), (size,), jnp.uint32)

    def unsettled(state) -> Bool[Array, ""]:
        turn, _, tied, need = state
        return (turn < _ROUNDS) & jnp.any((need > 0) & (jnp.sum(tied, 1) > need))

    def settle(state):
        turn, chosen, tied, need = state
        drawn = bits(turn)
        edge = _smallest(drawn, tied, need)[:, None]
        below, at = tied & (drawn < edge), tied & (drawn == edge)
        return turn + 1, chosen | below, at, need - jnp.sum(below, 1, dtype=jnp.int32)

    nobody = jnp.zeros((len(counts), size), bool)
    start = jnp.int32(0), nobody, ~nobody, counts
    _, chosen, tied, need = lax.while_loop(unsettled, settle, start)
    return chosen | (tied & (jnp.cumsum(tied, 1, dtype=jnp.int32) <= need[:, None]))


def _smallest(
    drawn: UInt32[Array, " size"], among: Bool[Array, "m size"], rank: Int32[Array, " m"]
) -> UInt32[Array, " m"]:
    """The largest value below which fewer than `rank` of the numbers lie, found bit by bit."""

    def step(place, value):
        raised = value | (jnp.uint32(1) << (31 - place).astype(jnp.uint32))
        under = jnp.sum(among & (drawn < raised[:, None]), 1, dtype=jnp.int32)
        return jnp.where(under < rank, raised, value)

    return lax.fori_loop(0, 32, step, jnp.zeros(len(among), jnp.uint32))


@dataclass(frozen=True)
class _Part:
    """Binomials from `start` on relative to the middle one, and what `total` is short of at most.

    `missing` includes those beyond the table.
    """

    start: int
    weights: list[int]
    missing: int

    @property
    def total(self) -> int:
        return sum(self.weights)


def _bounds(size: int, places: range) -> tuple[list[int], list[int]]:
    """What each further coefficient over the middle one is between, in those units."""
    lower, upper = [_ONE], [_ONE]
    for l in places:
        lower.append(lower[-1] * (size - l) // (l + 1))
        upper.append(-(-upper[-1] * (size - l) // (l + 1)))
    return lower, upper


def _beyond(last: int, ratio: Fraction) -> int:
    """At least all after the last: ratios fall, so they are no more than a geometric series."""
    return math.ceil(last * ratio / (1 - ratio))


def binomials(size: int, agree: int) -> tuple[_Part, _Part]:
    """C(`size`, l) over C(`size`, size // 2) in units of 2^-256: l >= `agree`, and below it."""
    middle = size - size // 2
    last = min(size, agree + tables.ROWS - 1)
    lower, upper = _bounds(size, range(middle, last))
    beyond = _beyond(upper[-1], Fraction(size - last, last + 1))
    start = max(0, size - last, agree - tables.ROWS)

    def part(start: int, end: int, outside: int) -> _Part:
        places = [max(l, size - l) - middle for l in range(start, end)]
        weights = [lower[place] for place in places]
        short = sum(upper[place] for place in places) - sum(weights)
        return _Part(start, weights, short + sum(upper[outside:]) + beyond)

    # Of a high cap, the rest's table ends nearer to the middle than the cap's.
    return part(agree, last + 1, len(upper)), part(start, agree, size - start + 1 - middle)


def _best_agreement(size: int, epsilon: float) -> tuple[float, int]:
    """The largest m and its t, in float64."""
    middle = size - size // 2
    places = np.arange(middle, min(size, middle + 2 * tables.ROWS) + 1)
    middling = gammaln(size + 1) - gammaln(middle + 1) - gammaln(size - middle + 1)
    ratios = np.log((size - places[:-1]) / places[1:])
    weights = np.exp(np.concatenate([[0.0], np.cumsum(ratios)]))
    cap = np.cumsum(weights[::-1])[::-1]
    shrunk, rest = math.exp(-epsilon), math.exp(size * math.log(2) - middling) - cap
    means = places / size * weights * -math.expm1(-epsilon) / (cap + shrunk * rest)
    allowed = (places > size // 2) & (places <= size // 2 + tables.ROWS // 2)
    best = int(np.argmax(np.where(allowed, means, 0)))
    return float(means[best]), int(places[best])


def _check(dim: int, epsilon: float, radius: float) -> None:
    refuse_not_whole("dim", dim, 1, LARGEST_DIM)
    refuse_outside("epsilon", epsilon, 1e-6, LARGEST_EPSILON)
    refuse_not_positive("radius", radius)
