"""k-closest encoding: a direction reported as one of N public candidates, in two bytes.

Everybody's candidates y_1 .. y_N, each uniform on the sphere of R^d, come from a public seed and
the person's number. The client ranks them by <y_i, u> and reports one: with probability p one of
the k closest, uniformly, otherwise one of the N - k others, uniformly. The server makes that
candidate again from the seed. This is PrivUnit2 on a finite sphere, whose cap holds k of N points
exactly.

**Privacy.**

1. A rank R is drawn without looking at u, and the index with that rank is reported.
2. For every u the ranking is a permutation, so an index has probability p/k or (1-p)/(N-k): the
   loss is exactly logit(p) - logit(k/N), of any candidates, any floating-point ranking and any way
   to break ties. No property of the generator is needed.
3. The blanket is N times the lower probability, N (1-p)/(N-k).

**Candidates** are N/2 points and their opposites (`points`), independent in few dimensions; in many
N d/2 Gaussians would take long, and points come in families of n for d Gaussians.

**Unbiasedness.** Whom a rank falls on depends on the |t| of all heights t, and on the sign of its
own. So the mean of what is reported lies along u. With M the mean height of the k closest, that of
the others is -M k/(N-k), so it is m u, m = q M, with q = p - (1-p) k/(N-k) = p (1 - e^-loss).

**Error.** |Z| = 1/m always, so E|Z - u|² = 1/m² - 1. M of families is no smaller than that of
independent points, and no larger than that of a cap of mass k/N. So with 1/m of the independent the
mean is (1 + b) u, 0 <= b <= `bias`, and the error is at most 1/m² - 1.

**Second moment.** Along u that of the k closest is at most the cap's, and all N together have I/d;
across u it is equal in all directions. So the share `along` is at most as in PrivUnit2, q gamma M.

As N grows the law tends to PrivUnit2's; the error is within 0.4% of its own at epsilon 1 to 4 and
N = 1024, and within 0.9% at epsilon 8 and N = 4096, where d is about 1000.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray, UInt32
from scipy.special import log_expit

from tacit.argument import got, is_whole, refuse_none_positive, refuse_not_whole, refuse_outside
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.local import cap, points
from tacit.mechanisms.node import node
from tacit.noise import words

LARGEST_EPSILON = 40.0  # Misses are 78 of 2^64 words then, where k is N/2.
LARGEST_DIM = 2**25  # As of `PrivUnit2`.
MOST_CANDIDATES = 2**16  # A rank is a residue modulo k or N - k, of `words.LARGEST_MODULUS`.
# A rank is a 64-bit word modulo k or N - k: each has its share to 2^-48 of it. The rest covers the
# float64 rounding of the budget.
_SLACK = 2e-14
_BLOCK = 2**19  # Numbers in a block of candidates, as for PrivUnit2.


@node
@dataclass(frozen=True)
class KClosest:
    """k-closest encoding with random candidates. Build it with `optimal` or `with_closest`.

    The round's key `public` and the people's numbers are known to all; together they give each
    person's candidates. Nobody's number may depend on data; two with one number in one round share
    candidates, and their errors are not independent.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), for every
    value of the public key and in floating-point arithmetic. The probability of the k closest is a
    multiple of 2^-64 rounded towards privacy.

    **Error**: `error` >= E|Z - u|² of a decoded report, over the public key as well, for points
    that are uniform; its norm is `bound` = `scale` (to rounding). In fewer than 128 dimensions that
    is exact and the report unbiased. In more its mean is u times 1 and `bias` at most.

    | input row | treated as |
    | --- | --- |
    | squared norm finite in float32 and at least dim 10^-30 | its direction |
    | shorter (its squares vanish in float32), NaN, infinite or too long | the first basis vector |

    References:
        Isik, Chen, Ozgur, Weissman and No 2023, "Exact optimality of communication-privacy-utility
        tradeoffs in distributed mean estimation": the encoding; their candidates are a simplex.
        Shah, Chen, Balle, Kairouz and Theis 2022, "Optimal compression of locally differentially
        private mechanisms": minimal random coding.
        Feldman and Talwar 2021, "Lossless compression of efficient private local randomizers".
    """

    dim: int = field(metadata={"static": True})
    candidates: int = field(metadata={"static": True})
    epsilon: float
    closest: int
    miss: words.Word
    scale: float

    def __post_init__(self):
        refuse_none_positive(self, "dim", "candidates", "epsilon", "closest", "scale")

    @classmethod
    def optimal(cls, dim: int, epsilon: float, candidates: int) -> KClosest:
        """The mechanism with the least error for this budget and number of candidates."""
        _check(dim, epsilon, candidates)
        low, high = 1, candidates // 2
        # The gain has one peak: ever finer nets around it, then every number.
        while high - low > 48:
            net = np.unique(np.geomspace(low, high, 48).round().astype(int)).tolist()
            best = int(np.argmax([_gain(dim, epsilon, candidates, k) for k in net]))
            low, high = net[max(best - 1, 0)], net[min(best + 1, len(net) - 1)]
        gains = [_gain(dim, epsilon, candidates, k) for k in range(low, high + 1)]
        return cls.with_closest(dim, epsilon, candidates, low + int(np.argmax(gains)))

    @classmethod
    def with_closest(cls, dim: int, epsilon: float, candidates: int, closest: int) -> KClosest:
        """The mechanism whose cap holds `closest` of the candidates, with the largest p.

        Raises:
          ValueError: if `dim` is not in [3, 2^25], `epsilon` not in [1e-6, 40], `candidates` not
            even or not in [2, 2^16], or `closest` not in [1, candidates/2].
        """
        _check(dim, epsilon, candidates)
        refuse_not_whole("closest", closest, 1, candidates // 2)
        miss = words.unlikely(epsilon - _SLACK * (1 + epsilon) + _logit(closest, candidates))
        loss = math.log((words.SIZE - miss) / miss) - _logit(closest, candidates)
        highest = points.mean_of_highest(dim, closest, candidates // 2)
        mean = highest * (1 - miss / words.SIZE) * -math.expm1(-loss)
        return cls(dim, candidates, float(epsilon), closest, words.word(miss), 1 / mean)

    @property
    def loss(self) -> float:
        """The loss log p(N-k)/((1-p) k) of step 2; with the ranks' shares below `epsilon`."""
        miss = words.integer(self.miss)
        return math.log((words.SIZE - miss) / miss) - _logit(self.closest, self.candidates)

    @property
    def bits(self) -> int:
        """The length of a report."""
        return (self.candidates - 1).bit_length()

    @property
    def drawn(self) -> int:
        """Gaussians that a device draws for one report."""
        return -(-self.candidates // (2 * points.members(self.dim))) * self.dim

    @property
    def error(self) -> float:
        """The mean squared error of one decoded report, E|Z - u|², at most."""
        return self.scale * self.scale - 1

    @property
    def bias(self) -> float:
        """How much longer than the direction the mean of a decoded report is, at most."""
        _, mean = points.caps(self.dim, 2 * self.closest / self.candidates)
        return max(self._gain * mean * self.scale - 1, 0.0) if points.members(self.dim) > 1 else 0.0

    @property
    def along(self) -> float:
        """The share of E|Z|² along the input, beside an equal one in each direction, at most."""
        gamma, mean = points.caps(self.dim, 2 * self.closest / self.candidates)
        return self._gain * gamma * mean

    @property
    def bound(self) -> float:
        """The norm of every decoded report."""
        return self.scale

    @property
    def blanket(self) -> float:
        """The mass of the least probability over inputs (step 3), less 2^-47: ranks and floats."""
        others = self.candidates - self.closest
        least = words.integer(self.miss) / words.SIZE * self.candidates / others
        return least * (1 - 2.0**-47)

    @per_shape
    def sample(
        self,
        key: PRNGKeyArray,
        public: PRNGKeyArray,
        people: UInt32[Array, " n"],
        units: Float[Array, "n dim"],
    ) -> Int32[Array, " n"]:
        """The index of one candidate for each row, in [0, `candidates`).

        Args:
          key: The devices' own.
          public: The round's, known to all; used for nothing else.
          people: The number of the person of each row.
          units: Whose directions are sent.

        Raises:
          ValueError: if the rows do not have `dim` columns.
        """
        refuse_other_columns(units, self.dim)
        for_turn, for_points = jax.random.split(public)
        turn = points.turn(for_turn, self.dim)

        def report(row) -> Int32[Array, ""]:
            person, unit, rank = row
            own = jax.random.fold_in(for_points, person)
            heights = points.heights(own, turn, cap.axis(unit), self.drawn // self.dim)
            return points.ranked(heights[: self.candidates // 2], rank)

        rows = people, units, self._ranks(key, units.shape[0])
        return jax.lax.map(report, rows, batch_size=_BLOCK // self.drawn or None)

    @per_shape
    def decode(
        self, public: PRNGKeyArray, people: UInt32[Array, " n"], reports: Int32[Array, " n"]
    ) -> Float[Array, "n dim"]:
        """The vector of each report, unbiased for the direction of its person."""
        for_turn, for_points = jax.random.split(public)
        turn = points.turn(for_turn, self.dim)

        def vector(row) -> Float[Array, " dim"]:
            person, index = row
            own = jax.random.fold_in(for_points, person)
            return self.scale * points.one(own, turn, index.astype(jnp.uint32))

        return jax.lax.map(vector, (people, reports), batch_size=_BLOCK // self.dim or None)

    @property
    def _gain(self) -> float:
        """q: how much higher the mean is with the closest as likely as they are."""
        return (1 - words.integer(self.miss) / words.SIZE) * -math.expm1(-self.loss)

    def _ranks(self, key: PRNGKeyArray, count: int) -> UInt32[Array, " {count}"]:
        for_branch, for_near, for_far = jax.random.split(key, 3)
        near = words.residue(for_near, self.closest, (count,))
        far = words.residue(for_far, self.candidates - self.closest, (count,)) + self.closest
        return jnp.where(words.below(for_branch, self.miss, (count,)), far, near)


def _check(dim: int, epsilon: float, candidates: int) -> None:
    refuse_not_whole("dim", dim, 3, LARGEST_DIM)
    refuse_outside("epsilon", epsilon, 1e-6, LARGEST_EPSILON)
    if not (is_whole(candidates) and candidates in range(2, MOST_CANDIDATES + 1, 2)):
        said = f"even and between 2 and {MOST_CANDIDATES}, got {got(candidates)}"
        raise ValueError(f"candidates must be {said}")


def _logit(closest: int, candidates: int) -> float:
    return math.log(closest / (candidates - closest))


def _gain(dim: int, epsilon: float, candidates: int, closest: int) -> float:
    log_p = float(log_expit(epsilon + _logit(closest, candidates)))
    return math.log(points.mean_of_highest(dim, closest, candidates // 2)) + log_p
