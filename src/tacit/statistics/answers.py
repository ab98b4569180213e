"""Every answer of a run, as it came: for questions whose answers are not averaged.

Which candidate was chosen, in each round; which rounds were above a threshold.
"""

from typing import Any, NamedTuple, cast, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Num

from tacit.argument import counted, got, refuse_not_counted, shape_of
from tacit.population.owners import ONE_VALUE, Group, refuse_group

# What an answer may be of, as NumPy and as JAX have it.
_KINDS = jnp.float32, jnp.int32, np.float32, np.int32


class AnswersSoFar(NamedTuple):
    """The answers of all rounds, and how many there were."""

    answer: Num[Array, "rounds *shape"]
    rounds: Int[Array, ""]


def _rounds_of(rounds: Any) -> int:
    refuse_not_counted("rounds", rounds)
    return counted(rounds)


def _kind_of(dtype: Any) -> type:
    own = dtype.type if isinstance(dtype, np.dtype) else dtype
    if not any(own is each for each in _KINDS):
        said = own.__name__ if isinstance(own, type) else got(own)
        raise ValueError(f"dtype must be jnp.float32, or jnp.int32 of candidates, got {said}")
    return own


@final
class Answers(eqx.Module):
    """Asks each person for their own data and keeps the answers of all rounds, in order.

    Args:
      rounds: how many there are, as many as the plan has: another number is refused as it is
        granted. Where a run ends before its last round, as that of an `Above` does that has found
        what it looked for, or where a watch ends it, the answers that never came are zeros; the
        state's `rounds` says how many came.
      dtype: of one answer: int32 for the number of a candidate, float32 for all others.
      shape: of one answer.
    """

    rounds: int = eqx.field(static=True, converter=_rounds_of)
    dtype: type = eqx.field(static=True, default=jnp.float32, converter=_kind_of)
    shape: tuple[int, ...] = eqx.field(static=True, default=(), converter=shape_of)

    @property
    def kept_rounds(self) -> int:
        """There is room for so many answers."""
        return self.rounds

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
