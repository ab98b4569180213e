"""FastProjUnit: a direction of many dimensions reported in a few, rotated by signs and Hadamard.

With N, k, H, D, S, W and c as in `projection`, D and S public and not dependent on data. The client
sends the k numbers z = PrivUnit2(w), w = Wu/|Wu|; the server takes Z = W^T z / c, without the
padding. D is one for a round and S one for each person, so a sum of reports is k additions each and
one transform for all.

**Privacy**: whatever D and S are, w is a unit vector, so the budget is PrivUnit2's. The blanket
too, as it is PrivUnit2's at every D and S.

**Error.** Given w, PrivUnit2's second moment is scale² (gamma m w w^T + (1 - gamma m) I/k), with
m = 1/scale: `direction.along` is its share gamma m. So E|Z - u|² is `projection`'s for one report
with rows of its own. It is about d/k times PrivUnit2's in k dimensions, and so PrivUnit2's in d
dimensions but for parts 1/k and epsilon/k of it: 0.4% at d = 10^6, k = 1024 and epsilon 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, UInt32

from tacit.argument import refuse_none_positive, takes_numpys
from tacit.mechanisms.alone import per_shape, refuse_other_columns
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projection import RandomProjection
from tacit.mechanisms.node import node

# Numbers in a block of rows, as for PrivUnit2.
_BLOCK = 2**19


@node
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

    def __post_init__(self):
        refuse_none_positive(self, "dim")

    @classmethod
    @takes_numpys
    def optimal(cls, dim: int, epsilon: float, kept: int) -> FastProjUnit:
        """The mechanism that sends `kept` numbers, with the best PrivUnit2.

        Raises:
          ValueError: if `dim` is not in [3, 2^25], `kept` not a power of two in [4, N] with N the
            least power of two that `dim` does not exceed, or `epsilon` not in [1e-6, 2000].
        """
        RandomProjection(dim, kept)
        return cls(dim, PrivUnit2.optimal(kept, epsilon))

    @property
    def projection(self) -> RandomProjection:
        """To the numbers that are sent, and back."""
        return RandomProjection(self.dim, self.kept)

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
        return math.sqrt(self.projection.most_stretch) * self.direction.scale

    @property
    def bias(self) -> float:
        """An upper bound on |E[Z] - u|."""
        return self.projection.bias

    @property
    def worst_error(self) -> float:
        """An upper bound on the mean squared error, E|Z - u|²."""
        way, direction = self.projection, self.direction
        return direction.scale**2 * way.returned(direction.along) - way.kappa

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
        refuse_other_columns(units, self.dim)
        way = self.projection
        for_signs, for_rows = jax.random.split(public)
        signs = way.signs(for_signs)

        def one(row) -> Float[Array, " kept"]:
            person, unit = row
            return way.forth(cap.axis(unit), signs, way.rows(jax.random.fold_in(for_rows, person)))

        return jax.lax.map(one, (people, units), batch_size=_BLOCK // way.padded or None)

    @per_shape
    def total(
        self, public: PRNGKeyArray, people: UInt32[Array, " n"], reports: Float[Array, "n kept"]
    ) -> Float[Array, " dim"]:
        """The sum of the decoded reports, whose mean is the sum of the units up to `bias` each."""
        way = self.projection
        for_signs, for_rows = jax.random.split(public)
        rows = jax.vmap(lambda person: way.rows(jax.random.fold_in(for_rows, person)))(people)
        spread = jnp.zeros(way.padded, jnp.float32).at[rows].add(reports)
        return way.back(spread, way.signs(for_signs))
