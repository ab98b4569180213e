"""The mean of one bounded number (or vector) a person: a learner of a single round.

With everybody's term in [lower, upper] this is the oldest question of all. Its error is the
plan's: nothing is estimated beside the answer itself.
"""

from typing import NamedTuple, cast, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from tacit.argument import shape_of
from tacit.population.owners import ONE_VALUE, Group, refuse_group


class MeanSoFar(NamedTuple):
    """The mean of the answers so far, and how many they are."""

    answer: Float[Array, "*shape"]
    rounds: Float[Array, ""]


@final
class Average(eqx.Module):
    """Asks each person for their own number and remembers the mean of the answers.

    Who has no number (NaN) is asked all the same, and counts as what the question's shape makes of
    it: of an `Interval` as its member nearest to zero. `tacit.statistics.mean` leaves them out
    where people come or go.

    Over several rounds (each person in one of them, say) the state is the mean of the rounds'
    answers, which is the mean over everybody.

    Args:
      shape: that of an answer; a question that answers in another is refused as it is granted.
    """

    shape: tuple[int, ...] = eqx.field(static=True, default=(), converter=shape_of)

    def init(self) -> MeanSoFar:
        return MeanSoFar(jnp.zeros(self.shape), jnp.zeros(()))

    def ask(self, state, person: Num[Array, "*shape"] | Group) -> Num[Array, "*shape"]:
        """The person's own number or vector; a ValueError if they hold several records."""
        del state
        refuse_group(person, ONE_VALUE)
        return cast(Array, person)

    def tell(self, state: MeanSoFar, answer: Float[Array, "*shape"]) -> MeanSoFar:
        mean, rounds = state
        if answer.shape != mean.shape:
            raise ValueError(
                f"the question answers in shape {answer.shape}, and Average has {mean.shape}: "
                f"write Average({answer.shape})"
            )
        return MeanSoFar(mean + (answer - mean) / (rounds + 1), rounds + 1)
