"""A random projection of each person's own: a report of few numbers, and a sum in all of them.

With W, c, v and kappa as in `mechanisms.local.projection`, D one for the round and S one for each
person: a term t of direction u becomes w = |t| Wu/|Wu|, and its report a the vector
(N/k)^(1/2) S^T a/c of N numbers, k of them in the places of the person's rows. The server adds
these up, and its noise in all N; then one transform H D brings the answer back to d numbers.

**Privacy.**

1. D and S come from the round's public key and a number that nothing depends on. Whatever they are,
   w is a term of the ball of t's own radius in k dimensions, and what a device promises of such
   terms, it promises of these.
2. The vector in N numbers is (N/k)^(1/2)/c as long as the report: that is what noise on the sum is
   scaled to. The way back is post-processing.

**Error.**

3. H D is orthogonal: noise on the sum comes back with d/N of its energy, and nothing with more than
   its own.
4. A report's error is that of `projection` for rows of its own (its step 6): M `returned(s)` less
   kappa |t|², where M is at most the report's error and |t|². It falls with people.
5. What their errors have in common is a bias, over S with one D, whose square is at most |t|²
   `drift`.
"""

import math
from dataclasses import replace
from typing import final

import equinox as eqx
import jax
from jaxtyping import Array, Float, Num, PRNGKeyArray, UInt32

from tacit.contribution import Ball, SparseBall
from tacit.contribution.sparse import Placed
from tacit.device.few_numbers import Returned, turned
from tacit.facts import ReportFacts
from tacit.mechanisms.local.projection import RandomProjection
from tacit.plan import Device


@final
class OwnRows(eqx.Module):
    """A device of a Ball or Sphere in few dimensions, for terms in many; each person's projection.

    **Guarantee**: that of `device`, whatever the public key.

    Args:
      way: of each term, before the device has it.
      device: of the projected terms.
      radius, typical: the largest norm of a term, and the declared typical one.
    """

    way: RandomProjection = eqx.field(static=True)
    device: Device
    radius: float
    typical: float | None = eqx.field(static=True, default=None)

    @property
    def facts(self) -> ReportFacts:
        own, way = self.device.facts, self.way
        back = Returned(way, own, way.kappa)
        longest = math.sqrt(way.most_stretch) * own.report_set.bound
        common = self.radius if self.typical is None else self.typical
        return replace(
            own,
            report_set=SparseBall(way.padded, Ball(way.kept, longest)),
            worst_error=back.worst(self.radius),
            typical_error=back.at(self.typical),
            stretch=way.dim / way.padded,
            shared_error=self.radius**2 * way.drift,
            typical_shared_error=common**2 * way.drift,
            numbered=True,
        )

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people kept"]
    ) -> Float[Array, "people kept"]:
        return self.device.sample(key, terms)

    def compressed(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        terms: Num[Array, "people dim"],
    ) -> tuple[Float[Array, "people kept"], UInt32[Array, "people kept"]]:
        for_signs, for_rows = jax.random.split(public)
        own = jax.vmap(lambda person: self.way.rows(jax.random.fold_in(for_rows, person)))
        rows = own(people)
        return turned(self.way, self.way.signs(for_signs), rows, terms), rows

    def opened(
        self, reports: Float[Array, "people kept"], known: UInt32[Array, "people kept"]
    ) -> Placed:
        return math.sqrt(self.way.most_stretch) * reports, known

    def lifted(self, public: PRNGKeyArray, answer: Float[Array, " padded"]) -> Float[Array, " dim"]:
        for_signs, _ = jax.random.split(public)
        return self._whole.back(answer, self._whole.signs(for_signs))

    @property
    def _whole(self) -> RandomProjection:
        """The same turn, with all numbers kept."""
        return replace(self.way, kept=self.way.padded)
