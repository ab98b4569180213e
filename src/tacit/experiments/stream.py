"""People of a distribution: a learner that draws the one it asks in every round.

An experiment on a law, and not on a table, needs no table: whoever takes part in round t is a
function of a key and t. The population beside it is of one row that nobody reads.
"""

from collections.abc import Callable
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Num, PRNGKeyArray, PyTree

import tacit
from tacit.learning.rates import Rate, as_rate, length

Somebody = PyTree[Num[Array, "..."]]


class Walk(NamedTuple):
    """Where a descent stands.

    Args:
      done: rounds.
      weights: the last ones.
      average: of the weights after each round.
      seen: what was noted on the way.
    """

    done: Int[Array, ""]
    weights: Float[Array, " dim"]
    average: Float[Array, " dim"]
    seen: PyTree[Float[Array, "points ..."]]


@final
class OnePass(eqx.Module):
    """Descent by one gradient a round, of somebody who is asked once.

    Args:
      dim: of the weights, which start at zero.
      rounds: how many, a multiple of `points`.
      points: how often `noted` is kept, at even distances; the last time after the last round.
      drawn: the person of a key, among people of these `numbers`.
      gradient: at some weights, of a person.
      noted: what to keep of weights.
      numbers: of the law that people come from.
      key: of all people.
      rate: the lengths of steps.
    """

    dim: int = eqx.field(static=True)
    rounds: int = eqx.field(static=True)
    points: int = eqx.field(static=True)
    drawn: Callable[[PRNGKeyArray, PyTree], Somebody] = eqx.field(static=True)
    gradient: Callable[[Float[Array, " dim"], Somebody], Float[Array, " dim"]] = eqx.field(
        static=True
    )
    noted: Callable[[Float[Array, " dim"], PyTree], PyTree] = eqx.field(static=True)
    numbers: PyTree
    key: PRNGKeyArray
    rate: Rate = eqx.field(converter=as_rate)

    def init(self) -> Walk:
        zero = jnp.zeros(self.dim)
        noted = self.noted(zero, self.numbers), self.noted(zero, self.numbers)
        seen = jax.tree.map(lambda leaf: jnp.zeros((self.points, *leaf.shape)), noted)
        return Walk(jnp.int32(0), zero, zero, seen)

    def ask(self, state: Walk, person: Somebody) -> Float[Array, " dim"]:
        del person
        return self.gradient(state.weights, self.person(state.done))

    def tell(self, state: Walk, answer: Float[Array, " dim"]) -> Walk:
        weights = state.weights - length(self.rate, state.done) * answer
        done = state.done + 1
        average = state.average + (weights - state.average) / done
        noted = self.noted(weights, self.numbers), self.noted(average, self.numbers)
        place = state.done * self.points // self.rounds
        seen = jax.tree.map(lambda all, now: all.at[place].set(now), state.seen, noted)
        return Walk(done, weights, average, seen)

    def person(self, number: Int[Array, ""]) -> Somebody:
        """Who takes part in this round."""
        return self.drawn(jax.random.fold_in(self.key, number), self.numbers)


def stand_in() -> tacit.Arrays:
    """The population of one row."""
    return tacit.Arrays(jnp.zeros((1, 1)), "people of a distribution")
