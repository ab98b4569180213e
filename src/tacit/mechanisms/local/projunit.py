"""FastProjUnit: a direction of many dimensions reported in a few, rotated by signs and Hadamard.

Let N >= d and k be powers of two, the unit vector u of R^d be padded with zeros to R^N, H be the
Hadamard matrix divided by N^(1/2), D a diagonal of random signs and S a choice of k of the N rows.
W = (N/k)^(1/2) S H D. D and S are public and do not depend on data. The client sends the k numbers
z = PrivUnit2(w), w = Wu/|Wu|; the server takes Z = W^T z / c, without the padding.

**Rows.** S takes one row at random from each of the k blocks of n = N/k neighbours: k distinct
rows, each of the N with probability 1/n, from k words of randomness. D is one for a round and S one
for each person, so a sum of reports is k additions each and one transform for all.

**Privacy**: whatever D and S are, w is a unit vector, so the budget is PrivUnit2's. The blanket
too, as it is PrivUnit2's at every D and S.

**Bias.** Write Q = |Wu|². Every D has E[W^T W u] = u over S, so E[Q] = 1. With y = HDu,
E[y_i²] = 1/N, E[y_i⁴] = (3 - 2 sum u_j⁴)/N², and E[y_i² y_j²] is as easy, because the product of
rows i and j of a Hadamard matrix is its row i xor j. Summed over blocks they give exactly

    v = Var Q = 2 (1 - K)/k,   K = sum over r of (sum of u_i² over i = r modulo n)² >= k/N.

From 1 + (Q-1)/2 - (Q-1)²/2 <= Q^(1/2) and Jensen, 1 - v/2 <= E[Q^(1/2)] <= 1, and this mean is
<E[W^T w], u>. The whole of E[W^T w] - u is E[W^T w (1 - Q^(1/2))], of norm at most
(2 - 2 E[Q^(1/2)])^(1/2) <= v^(1/2), since for every unit x, E<W^T w, x>² <= E|Wx|² = 1. With a
uniformly random rotation in the place of HD it would be along u, and removed by dividing by

    c = E[Q^(1/2)] = (N/k)^(1/2) B(N/2, 1/2) / B(k/2, 1/2),

about 1 - 1/(4k). Signs and Hadamard make y so nearly Gaussian when u has many coordinates that the
same c is used; a u of few coordinates has Q nearer to 1 and is over-stated by up to 1/c - 1. That
no choice of c removes all bias for all u is the price of a fast rotation. What is proved is `bias`;
measured, the bias is of the size of 1/(4k).

**Error.** Given w, E[V V^T] = gamma m w w^T + (1 - gamma m) I/k with PrivUnit2's m = 1/scale. The
trace of W P W^T, P the projection on the d coordinates, is d, and |P W^T w|² <= N/k. Hence

    E|Z - u|² <= (scale/c)² ((1 - gamma m) d + gamma m N)/k + 1 - 2 (1 - v/2)/c,

above the truth by at most v/c + gamma m (N - d)(scale/c)²/k. It is about d/k times PrivUnit2's in k
dimensions, and so PrivUnit2's in d dimensions but for parts 1/k and epsilon/k of it: 0.4% at
d = 10^6, k = 1024 and epsilon 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, UInt32

from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projection import (
    LARGEST_DIM,
    kept_rows,
    padded,
    places,
    random_signs,
    shrink,
    transform,
)

# Numbers in a block of rows, as for PrivUnit2.
_BLOCK = 2**19


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class FastProjUnit:
    """PrivUnit2 after a fast random projection to `direction.dim` numbers. Build it with `optimal`.

    The round's key `public` and the people's numbers are known to all; `public` gives the signs and
    with a person's number that person's rows. Nobody's number may depend on data.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), that of
    `direction`, for every value of the public key.

    **Error**: E|Z - u|² is at most `worst_error`, and |E[Z] - u| at most `bias`, over the public
    key as well; every decoded report has norm `bound` at most.

    | input row | treated as |
    | --- | --- |
    | squared norm finite in float32 and at least dim 10^-30 | its direction |
    | shorter (its squares vanish in float32), NaN, infinite or too long | the first basis vector |
    | one whose projection vanishes | the first basis vector of the projection's space |

    References:
        Asi, Feldman, Nelson, Nguyen and Talwar 2023, "Fast optimal locally private mean estimation
        via random projections": FastProjUnit-corr. Their rows are any k of the N.
    """

    dim: int = field(metadata={"static": True})
    direction: PrivUnit2

    @classmethod
    def optimal(cls, dim: int, epsilon: float, kept: int) -> FastProjUnit:
        """The mechanism that sends `kept` numbers, with the best PrivUnit2.

        Raises:
            ValueError: if `dim` is not in [3, 2^25], `kept` not a power of two in [4, N] with N the
                least power of two that `dim` does not exceed, or `epsilon` not in [1e-6, 2000].
        """
        if not 3 <= dim <= LARGEST_DIM:
            raise ValueError(f"dim must be between 3 and {LARGEST_DIM}, got {dim}")
        most = padded(dim)
        if not (4 <= kept <= most and kept & (kept - 1) == 0):
            raise ValueError(f"kept must be a power of two between 4 and {most}, got {kept}")
        return cls(dim, PrivUnit2.optimal(kept, epsilon))

    @property
    def padded(self) -> int:
        """N: the least power of two that is not below `dim`."""
        return padded(self.dim)

    @property
    def kept(self) -> int:
        """k: how many numbers are sent."""
        return self.direction.dim

    @property
    def epsilon(self) -> float:
        """The budget of one report."""
        return self.direction.epsilon

    @property
    def blanket(self) -> float:
        """A mass of the report that depends on nobody, that of `direction`."""
        return self.direction.blanket

    @property
    def bound(self) -> float:
        """The largest norm of a decoded report."""
        return math.sqrt(self.padded / self.kept) * self._scale

    @property
    def bias(self) -> float:
        """An upper bound on |E[Z] - u|."""
        mean = shrink(self.padded, self.kept)
        return (math.sqrt(self._variance) + 1 - mean) / mean

    @property
    def worst_error(self) -> float:
        """An upper bound on E|Z - u|²."""
        mean = shrink(self.padded, self.kept)
        share = self.direction.gamma / self.direction.scale
        spread = (1 - share) * self.dim + share * self.padded
        return self._scale**2 * spread / self.kept + 1 - (2 - self._variance) / mean

    @per_shape
    def sample(
        self,
        key: PRNGKeyArray,
        public: PRNGKeyArray,
        people: UInt32[Array, " n"],
        units: Float[Array, "n dim"],
    ) -> Float[Array, "n kept"]:
        """One report for each row, `kept` numbers of norm `direction.scale`.

        Args:
            key: The devices' own.
            public: The round's, known to all.
            people: The number of the person of each row.
            units: Whose directions are sent.

        Raises:
            ValueError: if the rows do not have `dim` columns.
        """
        return self.direction.sample(key, self.project(public, people, units))

    def project(
        self, public: PRNGKeyArray, people: UInt32[Array, " n"], units: Float[Array, "n dim"]
    ) -> Float[Array, "n kept"]:
        """S H D u for each row: the vector whose direction is released."""
        if units.shape[1:] != (self.dim,):
            raise ValueError(f"rows must have {self.dim} columns, got shape {units.shape}")
        for_signs, for_rows = jax.random.split(public)
        signs = random_signs(for_signs, self.padded)

        def one(row) -> Float[Array, " kept"]:
            person, unit = row
            return kept_rows(cap.axis(unit), signs, self._chosen(for_rows, person))

        return jax.lax.map(one, (people, units), batch_size=_BLOCK // self.padded or None)

    @per_shape
    def total(
        self, public: PRNGKeyArray, people: UInt32[Array, " n"], reports: Float[Array, "n kept"]
    ) -> Float[Array, " dim"]:
        """The sum of the decoded reports, whose mean is the sum of the units up to `bias` each."""
        for_signs, for_rows = jax.random.split(public)
        blocks = self.padded // self.kept
        first = jnp.arange(self.kept, dtype=jnp.uint32) * blocks
        rows = jax.vmap(lambda person: first + self._chosen(for_rows, person))(people)
        total = jnp.zeros(self.padded, jnp.float32).at[rows].add(reports)
        turned = transform(total, self.padded) * random_signs(for_signs, self.padded)
        return turned[: self.dim] / (shrink(self.padded, self.kept) * math.sqrt(self.kept))

    @property
    def _variance(self) -> float:
        return 2 * (1 / self.kept - 1 / self.padded)

    @property
    def _scale(self) -> float:
        return self.direction.scale / shrink(self.padded, self.kept)

    def _chosen(self, key: PRNGKeyArray, person: UInt32[Array, ""]) -> UInt32[Array, " kept"]:
        """The place of the row in each block."""
        return places(jax.random.fold_in(key, person), self.padded, self.kept)
