"""Where a mixture's components are, from a few of Lloyd's rounds: for many columns, and devices.

People are asked what `tacit.learning.lloyd` asks, whose proof holds here: a vector in the unit
ball. Of the centres each component starts round, of an even share, as wide as a k-th of the box.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from tacit.learning.components import Components
from tacit.learning.lloyd import Centres, Lloyd, LloydRounds


@final
class MovedStart(eqx.Module):
    """Asks Lloyd's questions.

    Args:
      own: who asks.
      deviation: that components start with.
    """

    own: Lloyd
    deviation: Float[Array, ""]

    @classmethod
    def of(cls, lloyd: LloydRounds, noise: tuple[float, ...]) -> "MovedStart":
        """With noise of these deviations on the numbers of each round."""
        numbers = lloyd.seeds, lloyd.sides, lloyd.bounds, noise, lloyd.longest
        own = Lloyd(*(jnp.asarray(each, jnp.float32) for each in numbers), part=lloyd.part)
        return cls(own, jnp.asarray(lloyd.reach / lloyd.dim**0.5, jnp.float32))

    @property
    def rounds(self) -> int:
        return len(self.own.bounds)

    @property
    def numbers(self) -> int:
        return len(self.own.seeds) * (len(self.own.sides) + 1)

    def init(self) -> Centres:
        return self.own.init()

    def ask(self, state: Centres, person: Float[Array, " dim"]) -> Float[Array, " numbers"]:
        return self.own.ask(state, person)

    def tell(self, state: Centres, answer: Float[Array, " numbers"]) -> Centres:
        return self.own.tell(state, answer)

    def components(self, state: Centres) -> Components:
        clusters = len(self.own.seeds)
        even = jnp.full(clusters, 1 / clusters)
        return Components.round(even, state.centres, self.deviation)
