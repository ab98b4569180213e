"""Every answer of a run, as it came: for questions whose answers are not averaged.

Which candidate was chosen, in each round; which rounds were above a threshold.
"""

from typing import NamedTuple, cast, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int, Num

from tacit.population.owners import ONE_VALUE, Group, refuse_group


class AnswersSoFar(NamedTuple):
    """The answers of all rounds, and how many there were."""

    answer: Num[Array, "rounds *shape"]
    rounds: Int[Array, ""]


@final
class Answers(eqx.Module):
    """Asks each person for their own data and keeps the answers of all rounds, in order.

    Args:
      rounds: how many answers there may be; those that never came stay zero.
      dtype: of one answer: int32 for the number of a candidate, float32 for all others.
      shape: of one answer.
    """

    rounds: int = eqx.field(static=True)
    dtype: type = eqx.field(static=True, default=jnp.float32)
    shape: tuple[int, ...] = eqx.field(static=True, default=())

    def init(self) -> AnswersSoFar:
        none = jnp.zeros((self.rounds, *self.shape), self.dtype)
        return AnswersSoFar(none, jnp.zeros((), jnp.int32))

    def ask(self, state, person: Num[Array, "*person"] | Group) -> Num[Array, "*person"]:
        """The person's own number or vector, the same in every round."""
        refuse_group(person, ONE_VALUE)
        return cast(Array, person)

    def tell(self, state: AnswersSoFar, answer: Num[Array, "*shape"]) -> AnswersSoFar:
        answers, given = state
        return AnswersSoFar(answers.at[given].set(answer.astype(self.dtype)), given + 1)
