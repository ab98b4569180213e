"""The mean of one bounded number (or vector) a person: a learner of a single round.

With everybody's term in [lower, upper] this is the oldest question of all. Its error is the
plan's: nothing is estimated beside the answer itself.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Num


@final
class Average(eqx.Module):
    """Asks each person for their own number and remembers the mean of the answers.

    Over several rounds (each person in one of them, say) the state is the mean of the rounds'
    answers, which is the mean over everybody.
    """

    shape: tuple[int, ...] = eqx.field(static=True, default=())

    def init(self) -> tuple[Float[Array, "*shape"], Float[Array, ""]]:
        return jnp.zeros(self.shape), jnp.zeros(())

    def ask(self, state, person: Num[Array, "*shape"]) -> Num[Array, "*shape"]:
        del state
        return person

    def tell(self, state, answer: Float[Array, "*shape"]):
        mean, rounds = state
        return mean + (answer - mean) / (rounds + 1), rounds + 1
