"""k-closest encoding: a direction reported as one of N public candidates, in two bytes.

Everybody's candidates y_1 .. y_N, uniform on the sphere of R^d, come from a public seed and the
person's number. The client ranks them by <y_i, u> and reports one: with probability p one of the k
closest, uniformly, otherwise one of the N - k others, uniformly. The server makes that candidate
again from the seed. This is PrivUnit2 on a finite sphere, whose cap holds k of N points exactly.

* **privacy**: a rank R is drawn without looking at u, and the index with that rank is reported.
  For every u the ranking is a permutation, so an index has probability p/k or (1-p)/(N-k), and the
  loss is exactly logit(p) - logit(k/N). This is true of any candidates, any floating-point ranking
  and any way to break ties. No property of the generator is needed.
* **unbiasedness**: for uniform candidates E[y_R] = m u by symmetry about u. With M the mean height
  of the k closest of N, that of the others is -M k/(N-k), so m = M (p - (1-p) k/(N-k))
  = M p (1 - e^-loss), and Z = y_R/m has mean u;
* **error**: |Z| = 1/m always, so E|Z - u|² = 1/m² - 1;
* **blanket**: N times the lower probability, N (1-p)/(N-k).

**The mean height.** A point is among the k closest if its tail mass q is under the k-th smallest of
the N - 1 others', which is Beta(k, N-k). The heights above t have the partial mean
G = (1 - t²)^((d-1)/2) / ((d-1) B(1/2, (d-1)/2)), so M = N/k E[G] at the height whose tail mass is
that Beta variable. As a function of its normal quantile the integrand is smooth and falls like a
Gaussian: the trapezoidal rule is exact to rounding.

As N grows the law tends to PrivUnit2's; the error is within 0.4% of its own at epsilon 1 to 4 and
N = 1024, and within 0.9% at epsilon 8 and N = 4096, where d is about 1000. The time is N d, so many
dimensions go through `FastProjUnit.project` first and `FastProjUnit.total` after.

**Why not rejection.** Feldman and Talwar draw seeds until one is accepted with probability
f(y|u)/(e^epsilon f_0(y)). The chance that a seed is accepted at all then depends on which vectors
the generator can make, and with it the law of the output: epsilon holds for an ideal generator,
2 epsilon for a real one, and a rule to give up must be proved besides. Choosing an index among N
candidates with weights that depend on its cap (minimal random coding) has the same fault, as the
number of candidates in the cap varies with u. Ranks do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray, UInt32
from scipy.special import betaincinv, betaln, log_expit, ndtr

from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.local import cap
from tacit.noise import words

LARGEST_EPSILON = 40.0
LARGEST_DIM = 2**25
MOST_CANDIDATES = words.LARGEST_MODULUS
# A rank is a 64-bit word modulo k or N - k: each has its share to 2^-48 of it. The rest covers the
# float64 rounding of the budget.
_SLACK = 2e-14
# Numbers in a block of candidates, as for PrivUnit2.
_BLOCK = 2**19
_NODES = np.linspace(-9.0, 9.0, 181)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class KClosest:
    """k-closest encoding with independent candidates. Build it with `optimal` or `with_closest`.

    The round's key `public` and the people's numbers are known to all; together they give each
    person's candidates. Nobody's number may depend on data; two with one number in one round share
    candidates, and their errors are not independent.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), for every
    value of the public key and in floating-point arithmetic. The probability of the k closest is a
    multiple of 2^-64 rounded towards privacy.

    **Error**: `error` = E|Z - u|² of a decoded report, over the public key as well, for candidates
    that are uniform; its norm is `bound` = `scale` (to rounding).

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

    @classmethod
    def optimal(cls, dim: int, epsilon: float, candidates: int) -> KClosest:
        """The mechanism with the least error for this budget and number of candidates."""
        _check(dim, epsilon, candidates)
        low, high = 1, candidates - 1
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
                in [2, 65535], or `closest` not in [1, candidates).
        """
        _check(dim, epsilon, candidates)
        if not 1 <= closest < candidates:
            raise ValueError(f"closest must be at least 1 and below {candidates}, got {closest}")
        miss = words.unlikely(epsilon - _SLACK * (1 + epsilon) + _logit(closest, candidates))
        loss = math.log((words.SIZE - miss) / miss) - _logit(closest, candidates)
        mean = _mean_height(dim, closest, candidates) * (1 - miss / words.SIZE) * -math.expm1(-loss)
        return cls(dim, candidates, float(epsilon), closest, words.word(miss), 1 / mean)

    @property
    def loss(self) -> float:
        """The privacy loss log p(N-k)/((1-p) k); with the ranks' shares below `epsilon`."""
        miss = words.integer(self.miss)
        odds = math.log((words.SIZE - miss) / miss)
        return odds - _logit(self.closest, self.candidates)

    @property
    def bits(self) -> int:
        """The length of a report."""
        return (self.candidates - 1).bit_length()

    @property
    def error(self) -> float:
        """E|Z - u|² of one decoded report."""
        return self.scale * self.scale - 1

    @property
    def bound(self) -> float:
        """The norm of every decoded report."""
        return self.scale

    @property
    def blanket(self) -> float:
        """The mass of the least probability over inputs: N (1-p)/(N-k), less the ranks' 2^-48."""
        others = self.candidates - self.closest
        least = words.integer(self.miss) / words.SIZE * self.candidates / others
        return least * (1 - 2.0**-48)

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
        if units.shape[1:] != (self.dim,):
            raise ValueError(f"rows must have {self.dim} columns, got shape {units.shape}")
        indices = jnp.arange(self.candidates, dtype=jnp.uint32)

        def report(row) -> Int32[Array, ""]:
            person, unit, rank = row
            own, axis = jax.random.fold_in(public, person), cap.axis(unit)

            def height(index: UInt32[Array, ""]) -> Float[Array, ""]:
                return jnp.sum(self._candidate(own, index) * axis)

            block = max(1, _BLOCK // self.dim)
            heights = jax.lax.map(height, indices, batch_size=min(block, self.candidates))
            return jnp.argsort(heights, descending=True)[rank].astype(jnp.int32)

        rows = people, units, self._ranks(key, units.shape[0])
        return jax.lax.map(report, rows, batch_size=_BLOCK // (self.dim * self.candidates) or None)

    @per_shape
    def decode(
        self, public: PRNGKeyArray, people: UInt32[Array, " n"], reports: Int32[Array, " n"]
    ) -> Float[Array, "n dim"]:
        """The vector of each report, unbiased for the direction of its person."""

        def vector(row) -> Float[Array, " dim"]:
            person, index = row
            own = jax.random.fold_in(public, person)
            return self.scale * self._candidate(own, index.astype(jnp.uint32))

        return jax.lax.map(vector, (people, reports), batch_size=_BLOCK // self.dim or None)

    def _ranks(self, key: PRNGKeyArray, count: int) -> UInt32[Array, " {count}"]:
        for_branch, for_near, for_far = jax.random.split(key, 3)
        near = words.residue(for_near, self.closest, (count,))
        far = words.residue(for_far, self.candidates - self.closest, (count,)) + self.closest
        return jnp.where(words.below(for_branch, self.miss, (count,)), far, near)

    def _candidate(self, key: PRNGKeyArray, index: UInt32[Array, ""]) -> Float[Array, " dim"]:
        gaussian = jax.random.normal(jax.random.fold_in(key, index), (self.dim,))
        return gaussian / jnp.sqrt(jnp.sum(gaussian * gaussian))


def _check(dim: int, epsilon: float, candidates: int) -> None:
    if not 3 <= dim <= LARGEST_DIM:
        raise ValueError(f"dim must be between 3 and {LARGEST_DIM}, got {dim}")
    if not 1e-6 <= epsilon <= LARGEST_EPSILON:
        raise ValueError(f"epsilon must be between 1e-6 and {LARGEST_EPSILON}, got {epsilon}")
    if not 2 <= candidates <= MOST_CANDIDATES:
        raise ValueError(f"candidates must be between 2 and {MOST_CANDIDATES}, got {candidates}")


def _logit(closest: int, candidates: int) -> float:
    return math.log(closest / (candidates - closest))


def _gain(dim: int, epsilon: float, candidates: int, closest: int) -> float:
    log_p = float(log_expit(epsilon + _logit(closest, candidates)))
    return math.log(_mean_height(dim, closest, candidates)) + log_p


def _mean_height(dim: int, closest: int, candidates: int) -> float:
    """M: the mean height of the `closest` highest of so many points of the sphere."""
    mass = betaincinv(closest, candidates - closest, ndtr(_NODES))
    half = 0.5 * (dim - 1)
    square = betaincinv(half, 0.5, 2 * np.minimum(mass, 1 - mass))
    partial = square**half / ((dim - 1) * math.exp(betaln(0.5, half)))
    return candidates / closest * float(_WEIGHTS @ partial)
