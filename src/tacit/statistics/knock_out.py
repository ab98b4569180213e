"""Which of k public laws people follow, by knocking out one of each pair: no curator is needed.

Each person says, through their own randomiser, of each pair of laws that is compared in their round
whether they are in its set: in a cell to which the first law gives more than the second. There the
first's share is H_a, the second's H_b, H_a - H_b is all of their distance in total variation, and
the one whose share is nearer to people's stays. So

1. **knock-outs** halve the list, until at most `LAST` are left: the laws that are left are in an
   order, each of the first half meets the one as far into the second, and where their number is odd
   the last stays unmet;
2. **all pairs** of those are compared in the last stage, and the one whose shares of all these sets
   are nearest to people's (the worst counts) is chosen.

**One question for all rounds**: a vector of ones and minus ones for D sets, D what the largest
stage needs. A stage of fewer pairs asks each in several numbers. A report's noise has the variance
e on a number, whose mean over several is that over fewer people of fewer pairs: nothing is lost by
asking all. A stage has several rounds, more where it has more pairs (in proportion to the root of
their number), and decides by all of them.

**Distance**: if each share found is off by x at most and a law left is within y of people's, then
after a knock-out one within 3 y + 2 x is left, and the one chosen last is within 3 y + 2 x too. In
the worst case that is 3^(stages) times the distance of the nearest law; where people follow a law
of the list it is rarely more than 2 x of some stage. What it is on average is played beforehand
(`played`), for people of every law of the list.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Num, PRNGKeyArray

from tacit.population.owners import ONE_VALUE, Group, refuse_group

LAST = 8
# Plays beforehand, a choice: a mean over so many is off by a sixteenth of their deviation.
DRAWS = 256

Places = Int32[np.ndarray, "stages sets"]


@final
@dataclass(frozen=True)
class Bracket:
    """Who meets whom in each stage, by their places among the laws that are left.

    Args:
      laws: k.
      rounds: how many there are for all stages, at least one each.
    """

    laws: int
    rounds: int

    @cached_property
    def pairs(self) -> tuple[int, ...]:
        """Of each stage."""
        left, found = self.laws, []
        while left > LAST:
            found.append(left // 2)
            left -= left // 2
        return *found, left * (left - 1) // 2

    @property
    def last(self) -> int:
        """How many laws are in the last stage."""
        return round((1 + math.sqrt(1 + 8 * self.pairs[-1])) / 2)

    @property
    def sets(self) -> int:
        """D."""
        return max(self.pairs)

    @cached_property
    def stages(self) -> tuple[int, ...]:
        """Of each round."""
        weights = np.sqrt(self.pairs)
        spare = self.rounds - len(self.pairs)
        ends = np.rint(np.cumsum(weights) / weights.sum() * spare).astype(int)
        own = 1 + np.diff(ends, prepend=0)
        return tuple(np.repeat(np.arange(len(own)), own).tolist())

    @cached_property
    def places(self) -> tuple[Places, Places]:
        """Of the first and the second law of each set."""
        first, second = zip(*map(self._met, range(len(self.pairs))), strict=True)
        return np.stack(first), np.stack(second)

    def _met(self, stage: int) -> tuple[Int32[np.ndarray, " sets"], Int32[np.ndarray, " sets"]]:
        asked = np.arange(self.sets, dtype=np.int32) % self.pairs[stage]
        if stage < len(self.pairs) - 1:
            return asked, asked + self.pairs[stage]
        both = np.array(list(combinations(range(self.last), 2)), np.int32)
        return both[asked, 0], both[asked, 1]


class Standing(NamedTuple):
    """The laws that are left, the first ones of the list, and the sum of a stage's answers."""

    left: Int32[Array, " laws"]
    sums: Float[Array, " sets"]
    rounds: Int32[Array, ""]


@final
class KnockOut(eqx.Module):
    """Asks in which sets people are, and keeps the laws nearer to their answers.

    Args:
      masses: of each law's cells.
      pairs, stages, first, second: of `Bracket`; by stage, by round, and by stage and set.
      last: how many laws are in the last stage.
    """

    masses: Float[Array, "laws cells"]
    pairs: Int32[Array, " stages"]
    stages: Int32[Array, " rounds"]
    first: Int32[Array, "stages sets"]
    second: Int32[Array, "stages sets"]
    last: int = eqx.field(static=True)

    @classmethod
    def of(cls, masses: Float[np.ndarray, "laws cells"], bracket: Bracket) -> "KnockOut":
        """The learner of these laws."""
        numbers = bracket.pairs, bracket.stages, *bracket.places
        pairs, stages, first, second = (jnp.asarray(each, jnp.int32) for each in numbers)
        return cls(jnp.asarray(masses, jnp.float32), pairs, stages, first, second, bracket.last)

    def init(self) -> Standing:
        laws = jnp.arange(len(self.masses), dtype=jnp.int32)
        return Standing(laws, jnp.zeros(self.first.shape[1]), jnp.zeros((), jnp.int32))

    def ask(self, state: Standing, person: Num[Array, ""] | Group) -> Float[Array, " sets"]:
        """One or minus one for each set, zero for who is in no cell; a ValueError for several
        records."""
        refuse_group(person, ONE_VALUE)
        cell = cast(Array, person).astype(jnp.int32)
        given = self.masses[:, jnp.clip(cell, 0, self.masses.shape[1] - 1)]
        first, second = self.met(state)
        inside = (cell >= 0) & (cell < self.masses.shape[1])
        return jnp.where(inside, jnp.where(given[first] > given[second], 1.0, -1.0), 0.0)

    def tell(self, state: Standing, answer: Float[Array, " sets"]) -> Standing:
        told = state._replace(sums=state.sums + answer)
        rounds, stage = state.rounds + 1, self.stages[state.rounds]
        own = jnp.sum(self.stages == stage)
        after = jnp.where(rounds < len(self.stages), rounds, 0)
        ends = (rounds == len(self.stages)) | (self.stages[after] != stage)
        shares = (1 + self._by_pair(told.sums / own, self.pairs[stage])) / 2
        decided = jax.lax.cond(ends, lambda: self._decided(told, shares), lambda: told)
        return decided._replace(rounds=rounds)

    def met(self, state: Standing) -> tuple[Int32[Array, " sets"], Int32[Array, " sets"]]:
        """The two laws of each set."""
        stage = self.stages[state.rounds]
        return state.left[self.first[stage]], state.left[self.second[stage]]

    def shares(self, laws: Int32[Array, " some"], state: Standing) -> Float[Array, "some sets"]:
        """What these laws give to each set."""
        first, second = self.met(state)
        inside = (self.masses[first] > self.masses[second]).astype(jnp.float32)
        return self.masses[laws] @ inside.T

    def _by_pair(
        self, answers: Float[Array, " sets"], pairs: Int32[Array, ""]
    ) -> Float[Array, " sets"]:
        """Each pair's mean, in every number that asks it."""
        pair = jnp.arange(len(answers)) % pairs
        total = jnp.zeros_like(answers).at[pair].add(answers)
        return (total / jnp.zeros_like(answers).at[pair].add(1.0).clip(1.0))[pair]

    def _decided(self, told: Standing, shares: Float[Array, " sets"]) -> Standing:
        final = self.stages[told.rounds] == len(self.pairs) - 1
        left = jax.lax.cond(
            final, lambda: self._nearest(told, shares), lambda: self._kept(told, shares)
        )
        return told._replace(left=left, sums=jnp.zeros_like(told.sums))

    def _kept(self, told: Standing, shares: Float[Array, " sets"]) -> Int32[Array, " laws"]:
        first, second = self.met(told)
        own = self.shares(jnp.arange(len(self.masses)), told)
        sets = jnp.arange(len(first))
        middle = (own[first, sets] + own[second, sets]) / 2
        pairs, place = self.pairs[self.stages[told.rounds]], jnp.arange(len(told.left))
        stay = jnp.where(shares >= middle, first, second)[jnp.minimum(place, len(first) - 1)]
        unmet = told.left[jnp.minimum(2 * pairs, len(told.left) - 1)]
        return jnp.where(place < pairs, stay, unmet)

    def _nearest(self, told: Standing, shares: Float[Array, " sets"]) -> Int32[Array, " laws"]:
        laws = told.left[: self.last]
        off = jnp.max(jnp.abs(self.shares(laws, told) - shares), axis=1)
        return told.left.at[0].set(laws[jnp.argmin(off)])


def played(
    learner: KnockOut, noise: float, own: float, distances: Float[np.ndarray, "laws laws"]
) -> Float[np.ndarray, " draws"]:
    """How far the law chosen is from people's in so many plays, each law people's as often.

    Args:
      noise: the variance of what reports add to one number of a round's answer.
      own: one over the people of a round.
      distances: of any two laws.
    """

    laws = jnp.arange(DRAWS) % len(learner.masses)
    found = _plays(learner, noise, own, laws, jax.random.split(jax.random.key(0), DRAWS))
    return distances[np.asarray(laws), np.asarray(found)]


@jax.jit
def _plays(
    learner: KnockOut,
    noise: float,
    own: float,
    laws: Int32[Array, " draws"],
    keys: PRNGKeyArray,
) -> Int32[Array, " draws"]:
    return jax.lax.map(
        lambda drawn: _play(learner, noise, own, *drawn), (laws, keys), batch_size=16
    )


def _play(
    learner: KnockOut, noise: float, own: float, law: Int32[Array, ""], key: PRNGKeyArray
) -> Int32[Array, ""]:
    """The law that is left of people who follow this one."""

    def step(state: Standing, key: PRNGKeyArray) -> tuple[Standing, None]:
        share = 2 * learner.shares(law[None], state)[0] - 1
        deviation = jnp.sqrt(noise + own * (1 - share**2))
        noisy = share + deviation * jax.random.normal(key, share.shape)
        return learner.tell(state, noisy), None

    keys = jax.random.split(key, len(learner.stages))
    return jax.lax.scan(step, learner.init(), keys)[0].left[0]
