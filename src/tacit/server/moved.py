"""A mean that is moved: exact, and then off by a tolerance, to the side that somebody chose.

For oracles that are as wrong as they may be (`tacit.sq.within`); nothing about it is private.
"""

from collections.abc import Callable
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from tacit.facts import NO_NOISE, NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Server

Answers = Float[Array, "*shape"]
# Of a round's exact answers, the side each is moved to, from -1 to 1.
Side = Callable[[Answers], Answers]


@final
class MovedMean(eqx.Module):
    """A mean, and then as far from it as is allowed.

    Args:
      means: the server of exact means.
      tolerance: how far.
      worse: the sides; what is beyond -1 and 1 is cut off.
    """

    means: Server
    tolerance: float
    worse: Side = eqx.field(static=True, metadata={"recorded": False})

    @property
    def grid(self) -> PyTree:
        return self.means.grid

    @property
    def facts(self) -> NoiseFacts:
        return NO_NOISE

    def init(self) -> PyTree:
        return self.means.init()

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Answers, None]:
        carry, answers, _ = self.means.step(carry, key, total)
        side = jnp.clip(self.worse(answers), -1.0, 1.0)
        return carry, answers + self.tolerance * side, None
