"""Reports of an index: which of a person's public candidates is near their projected term.

`own_rows` projects a term t to few numbers w of its norm. Of these the direction is reported by
k-closest encoding (`mechanisms.local.compressed`), and the norm by a sign: the candidate is
replaced by its opposite with probability (1 - |t|/radius)/2, as `Folded` does. The server draws the
candidate again, with the numbers' places, and adds radius times the decoded vector to its sum.

**Privacy.** Whatever w is, its index has one of two probabilities, and that of the opposite has the
other candidate's: the ratio is at most e^epsilon for every public key.

**Error.**

1. A report Z about w is as long as all others, radius/m, so what is known of it is what `own_rows`
   needs: E|Z|² and its share along w.
2. The mean of Z is (1 + b) w, 0 <= b <= `bias`, which lowers E|Z - w|² and moves the mean on the
   way back, by `drifting(1 + b)` at most.
3. That is convex in b, so it is largest at an end.

**Work.** A device draws `direction.drawn` Gaussians for a report and ranks its candidates; a server
draws the reported one, `kept` Gaussians.
"""

import math
from dataclasses import replace
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, Num, PRNGKeyArray, PyTree, UInt32

from tacit.contribution import Ball, Sphere
from tacit.contribution.sparse import Placed
from tacit.device.own_rows import OwnRows
from tacit.device.vectors import refuse_beyond_floats
from tacit.facts import ReportFacts
from tacit.mechanisms.local import points
from tacit.mechanisms.local.compressed import LARGEST_EPSILON, MOST_CANDIDATES, KClosest
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projection import RandomProjection

# Of the best cap of a sphere as many candidates as this are enough: the error is within 0.5%.
_HELD = 64
# Gaussians that a report may take, some milliseconds. At epsilon 8 and 1,024 numbers, 25 are held.
_MOST_DRAWN = 2**19


@final
class OnCandidates(eqx.Module):
    """A vector of a ball or sphere, by the index of a candidate with its direction and a sign.

    **Guarantee**: that of `direction`, whatever the public key.

    Its terms are trios: vectors, and the public key and people's numbers of their candidates.
    """

    shape: Ball | Sphere
    direction: KClosest

    def __check_init__(self):
        refuse_beyond_floats(self.shape.bound * self.direction.bound)

    @property
    def facts(self) -> ReportFacts:
        own, shape = self.direction, self.shape
        square = (shape.bound * own.bound) ** 2
        typical = shape.typical if isinstance(shape, Ball) else None
        shortest = 0.0 if isinstance(shape, Ball) else shape.bound
        return ReportFacts(
            epsilon=own.epsilon,
            report_set=Ball(own.dim, math.sqrt(square)),
            worst_error=square - shortest**2,
            report_bits=own.bits,
            blanket=own.blanket,
            typical_error=None if typical is None else square - typical**2,
            second_moment=square,
            along=own.along,
        )

    def sample(self, key: PRNGKeyArray, terms: PyTree) -> Int32[Array, " people"]:
        vectors, public, people = terms
        for_rank, for_sign = jax.random.split(key)
        found = self.direction.sample(for_rank, public, people, vectors)
        share = jnp.linalg.norm(vectors, axis=1) / self.shape.bound
        same = jax.random.uniform(for_sign, share.shape) < (1 + share) / 2
        return jnp.where(same, found, points.opposite(found))

    def vectors(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        reports: Int32[Array, " people"],
    ) -> Float[Array, "people kept"]:
        """What these indices stand for."""
        return self.shape.bound * self.direction.decode(public, people, reports)


@final
class Indexed(eqx.Module):
    """A device of a Ball or Sphere whose reports are indices, two bytes at most.

    **Guarantee**: that of `near`, whatever the public key.

    Args:
      rows: each person's projection, around `near`.
      near: of the projected terms.
    """

    rows: OwnRows
    near: OnCandidates

    @classmethod
    def best(cls, shape: Ball | Sphere, kept: int, epsilon: float) -> "Indexed":
        """With as many candidates as a budget has a use for, and the time allows."""
        way = RandomProjection(shape.dim, kept)
        spent = min(epsilon, LARGEST_EPSILON)
        needed = _HELD * math.exp(-PrivUnit2.optimal(kept, spent).log_rho)
        most = min(MOST_CANDIDATES, 2 * points.members(kept) * (_MOST_DRAWN // kept))
        candidates = min(2 ** math.ceil(math.log2(needed)), most)
        near = OnCandidates(replace(shape, dim=kept), KClosest.optimal(kept, spent, candidates))
        typical = shape.typical if isinstance(shape, Ball) else None
        return cls(OwnRows(way, near, shape.bound, typical), near)

    @property
    def facts(self) -> ReportFacts:
        rows, way = self.rows, self.rows.way
        common = rows.radius if rows.typical is None else rows.typical
        # Step 3: both ends.
        drift = max(way.drift, way.drifting(1 + self.near.direction.bias))
        return replace(
            rows.facts,
            shared_error=rows.radius**2 * drift,
            typical_shared_error=common**2 * drift,
        )

    def sample(self, key: PRNGKeyArray, terms: PyTree) -> Int32[Array, " people"]:
        return self.near.sample(key, terms)

    def compressed(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        terms: Num[Array, "people dim"],
    ) -> tuple[PyTree, PyTree]:
        for_rows, for_points = jax.random.split(public)
        vectors, rows = self.rows.compressed(for_rows, people, terms)
        return (vectors, for_points, people), (for_points, people, rows)

    def opened(self, reports: Int32[Array, " people"], known: PyTree) -> Placed:
        for_points, people, rows = known
        return self.rows.opened(self.near.vectors(for_points, people, reports), rows)

    def lifted(self, public: PRNGKeyArray, answer: Float[Array, " padded"]) -> Float[Array, " dim"]:
        for_rows, _ = jax.random.split(public)
        return self.rows.lifted(for_rows, answer)
