"""Local reports of squares: x x' as a vector of a ball, randomised, and put together again.

Packing keeps norms (`contribution.packing`), so the square of a vector no longer than B is a vector
no longer than B², of d (d + 1)/2 numbers, and a ball's own device reports it. Its error grows with
that number, so this is for few dimensions. Unpacking keeps norms too: errors are the ball's.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, PRNGKeyArray, UInt32

from tacit.contribution import Ball
from tacit.contribution.packing import packed, unpacked
from tacit.facts import ReportFacts
from tacit.plan import Device


@final
class OnSquares(eqx.Module):
    """A ball's device, of packed squares; the answer is a matrix.

    **Guarantee**: that of `device`.

    Args:
      ball: of the packed squares.
      device: of its members.
    """

    ball: Ball
    device: Device

    @property
    def facts(self) -> ReportFacts:
        return self.device.facts

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people packed"]
    ) -> Float[Array, "people packed"]:
        return self.device.sample(key, terms)

    def compressed(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        terms: Num[Array, "people dim"],
    ) -> tuple[Float[Array, "people packed"], None]:
        del public, people
        squares = jax.vmap(lambda term: packed(jnp.outer(term, term)))(terms)
        return self.ball.project(squares), None

    def opened(
        self, reports: Float[Array, "people packed"], known: Any
    ) -> Float[Array, "people packed"]:
        del known
        return reports

    def lifted(self, public: PRNGKeyArray, answer: Float[Array, " packed"]) -> Float[Array, "d d"]:
        del public
        return unpacked(answer)
