"""One random projection for all people of a round: reports, their sum and its noise in few numbers.

With W, w, c, v and m as in `mechanisms.local.projection`, but S one for the round, as D is: a term
t of direction u becomes w = |t| Wu/|Wu|, k numbers, and an answer a of k numbers W^T a/c.

**Privacy.** D and S come from the round's public key, which no data has a part in and no other
round shares. Whatever they are, w is a term of the ball of t's own radius in k dimensions: what a
device or a server promises of such terms, it promises of these. The way back is post-processing.

**Error of reports and noise.**

1. A report about w has the covariance of its second moment, of which at most M `returned(s)` comes
   back, less w w^T, of which at least |t|² `shortest` does. M is at most the report's own error and
   |t|².
2. Noise comes back with `stretch` of its energy, and what cutting to the grid adds, which may lie
   anywhere, with `most_stretch`.

**Error of the projection.** What is left is the error of the mean of W^T w/c about the mean m of t.

3. A square is convex, so it is at most one person's, and that is, bias and all,

       |t|² E|W^T w/c - u|² <= |t|² (`longest` - kappa).

   It is the same for everybody, so it falls with rounds and not with people; all of it is met where
   all people hold one vector of the largest norm.
4. Where |m| is smaller so is the error: it is that of (W^T W - 1) m, whose square has the mean
   (e - 1)|m|², and of W^T w (1/c - Q^(1/2)). So its root is at most

       ((d - floor(dk/N))/k)^(1/2) |m| + radius ((N/k) drift)^(1/2).

`common_error` takes the smaller of both.
"""

import math
from dataclasses import replace
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, PRNGKeyArray, UInt32

from tacit.device.few_numbers import Returned, turned
from tacit.facts import ReportFacts
from tacit.mechanisms.local.projection import RandomProjection
from tacit.noise.keys import KEY_BYTES
from tacit.plan import FLOAT_BITS, Device


@final
class SharedRows(eqx.Module):
    """A device of a Ball or Sphere in few dimensions, for terms in many; one projection a round.

    **Guarantee**: that of `device`, whatever the public key.

    Args:
      way: of each term, before the device has it, and of the answer back.
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
        back = Returned(way, own, way.shortest)
        common = self.radius if self.typical is None else self.typical
        return replace(
            own,
            worst_error=back.worst(self.radius),
            typical_error=back.at(self.typical),
            stretch=way.stretch,
            most_stretch=way.most_stretch,
            shared_error=self.common_error(self.radius),
            typical_shared_error=self.common_error(common, common),
            answer_bits=8 * KEY_BYTES + FLOAT_BITS * way.kept,
        )

    def common_error(self, mean: float, radius: float | None = None) -> float:
        """The squared error that the projection adds to a mean of this norm, of terms in a ball.

        Steps 3 and 4.
        """
        way, radius = self.way, self.radius if radius is None else radius
        full = way.dim * way.kept // way.padded
        whole = radius**2 * max(way.longest - way.kappa, 0.0)
        own = math.sqrt((way.dim - full) / way.kept) * mean
        others = radius * math.sqrt(way.padded / way.kept * way.drift)
        return min(whole, (own + others) ** 2)

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people kept"]
    ) -> Float[Array, "people kept"]:
        return self.device.sample(key, terms)

    def compressed(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        terms: Num[Array, "people dim"],
    ) -> tuple[Float[Array, "people kept"], None]:
        signs, rows = self._drawn(public)
        return turned(self.way, signs, jnp.tile(rows, (len(people), 1)), terms), None

    def opened(
        self, reports: Float[Array, "people kept"], known: None
    ) -> Float[Array, "people kept"]:
        del known
        return reports

    def lifted(self, public: PRNGKeyArray, answer: Float[Array, " kept"]) -> Float[Array, " dim"]:
        signs, rows = self._drawn(public)
        return self.way.back(jnp.zeros(self.way.padded).at[rows].set(answer), signs)

    def _drawn(
        self, public: PRNGKeyArray
    ) -> tuple[Float[Array, " padded"], UInt32[Array, " kept"]]:
        for_signs, for_rows = jax.random.split(public)
        return self.way.signs(for_signs), self.way.rows(for_rows)
