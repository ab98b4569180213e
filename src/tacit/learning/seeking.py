"""k-means that looks for its clusters: many places where people are scattered, merged into few.

Lloyd's rounds (`lloyd`) end near their seeds, and seeds that nobody's data chose miss most of many
clusters in many columns. Here people say what they say there, in the place of the nearest of K > k
places c_j, and how far off they are as well: x gives

    (`COUNTED`, (x - c_j)/B shortened to norm one, `SQUARED` min(|x - c_j|²/B², 1))

over the longest that this can be, so that a round releases a noisy count, sum and scatter of every
place. All that is made of them is free:

| rounds | asked of | what is made of the answer |
| --- | --- | --- |
| the first | the middle of the box | everybody's mean, and how scattered they are about it |
| `LOOKS` | K places, laid where scatter is (`laying`) | after the last, k centres (`merging`) |
| `settling`, the last | k centres | they move |

**How far one person moves a sum.** Only one place of theirs is not zero, in which their numbers are
of norm at most sqrt(1 + a² + s²) in L2, a = `COUNTED` and s = `SQUARED`, and 1 + a + s in L1: over
that the whole table is in a unit ball, however many places there are and wherever they lie.

**B follows people.** It is one, the half diagonal, in the first round, and then `REACHED` times how
far from their centres people were found to be (root mean square; the box may be far wider than
they lie): noise on sums is in proportion to it. Who is farther counts by their direction, and in
L1 the radius is sqrt(d) times B. It is a released number like the centres.

| case | what happens |
| --- | --- |
| a noisy count of at most `HEARD` deviations of its noise | the place stays, or is laid anew |
| a larger one | the place moves by what noise leaves (`beyond_noise`), in the box |
| scatter less than its noise | counts as that noise where places are laid |
| a row with a NaN or an infinity in it | it is counted in some place, and is off by nothing |

No test looks at a true count: an empty place has noise like any other.

**Error.** As `lloyd`'s: the last round's noise on the centre of a k-th of the people, with its
`reach` for B; that of looks with the deviation of a box full of people, of which merging averages
K/k places and later rounds leave `LEFT` each; both times `NEARER`, as people seldom fill their box.
Of the square of `reach` `MISSED` k/K is held to be lost to clusters that no place found. More
places miss fewer and have more noise: all `TIMES` are tried.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int32, Num

from tacit.contribution import Ball, L1Ball
from tacit.learning.laying import Cells, directions_of, laid
from tacit.learning.lloyd import COUNTED, HEARD, LEFT, beyond_noise
from tacit.learning.merging import draws_of, merged
from tacit.learning.nearest import FINE, nearest_of
from tacit.learning.routed_terms import RoutedTerms
from tacit.plan import Plan
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.box_cells import reach_of
from tacit.statistics.shared_rounds import deviations_of, shared_plan, unit_ball
from tacit.trust.people import Curated

# Places for each cluster, of which that of the least predicted error is taken.
TIMES = (2, 4)
# What a person says of their squared distance, next to a difference of norm one.
SQUARED = 0.5
LOOKS = 3
# Of the promise: for the first round, each look, all that settle, and the last. A choice: twice
# `LOOK` leaves nothing for the last, twice `LEAD` 0.25 instead of 0.3, twice `SETTLE` 0.1.
LEAD, LOOK, SETTLE = 0.05, 0.15, 0.2
LAST = 1 - LEAD - LOOKS * LOOK - SETTLE
REACHED, NEARER, MISSED = 1.2, 0.75, 0.015


@final
@dataclass(frozen=True)
class SeekingRounds:
    """The rounds that find so many clusters wherever they are, all from public numbers.

    Args:
      trust: a curator, or nobody.
      people: how many they are.
      clusters: k.
      sides: half of each side of the box; the half diagonal is one.
      times: places for each cluster.
      settling: how many rounds move merged centres before the last.
    """

    trust: Curated
    people: int
    clusters: int
    sides: tuple[float, ...]
    times: int
    settling: int = 1

    @property
    def dim(self) -> int:
        return len(self.sides)

    @property
    def places(self) -> int:
        return self.times * self.clusters

    @property
    def part(self) -> Ball | L1Ball:
        """The unit ball of a difference."""
        return unit_ball(self.trust, self.dim)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the promise, each round's."""
        settle = (SETTLE / self.settling,) * self.settling
        return (LEAD, *(LOOK,) * LOOKS, *settle, LAST)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        shape = unit_ball(self.trust, self.places * (self.dim + 2))
        return shared_plan(self.trust, shape, self.people, self.shares)

    @property
    def noise(self) -> tuple[float, ...]:
        """Of the noise on one number of each round's answer, the deviation."""
        return deviations_of(self.plan)

    @property
    def longest(self) -> float:
        """The longest that a person's numbers can be."""
        parts = COUNTED, 1.0, SQUARED
        return math.fsum(parts) if isinstance(self.part, L1Ball) else math.hypot(*parts)

    @property
    def error(self) -> float:
        """The predicted mean squared distance of a centre from where exact rounds would end."""
        fixed = self.dim * (_wide(self.part) * self.longest * NEARER) ** 2
        reach, left = reach_of(self.clusters, self.dim), LEFT ** (2 * self.settling + 2)
        looks = left * self.clusters * self.places * (self.noise[1] * reach_of(1, self.dim)) ** 2
        last = (self.clusters * self.noise[-1] * reach) ** 2
        return fixed * (looks + last) + MISSED / self.times * reach**2

    @property
    def by_noise(self) -> float:
        """The squared distance that noise moves the mean of a k-th of the people, as the last round
        tells it from a centre that is there, if people were found to be `reach_of` from centres."""
        wide = self.clusters * _wide(self.part) * REACHED * reach_of(self.clusters, self.dim)
        return self.dim * (self.longest * self.noise[-1] * wide) ** 2

    def learner(self) -> "Seeking":
        """Who asks, of rows in the box."""
        drawn = directions_of(self.sides, LOOKS, self.places), draws_of(self.clusters)
        numbers = *drawn, self.sides, self.noise, self.longest
        return Seeking(*(jnp.asarray(each, jnp.float32) for each in numbers), part=self.part)


class Sought(NamedTuple):
    """Where clusters are thought to be, after so many rounds.

    Args:
      centres: of all places; those that are not in use lie on the first, which is nearer than they.
      bound: B of the next round.
      rounds: so many.
    """

    centres: Float[Array, "places dim"]
    bound: Float[Array, ""]
    rounds: Int32[Array, ""]


@final
class Seeking(eqx.Module):
    """Asks whose place a person is nearest to, and how far off; lays, merges and moves places.

    Args:
      directions: in which each look's are laid.
      draws: by which merging starts.
      sides: half of each side of the box.
      noise: of each round.
      longest: of a person's numbers.
      part: the unit ball of a difference.
    """

    directions: Float[Array, "looks places dim"]
    draws: Float[Array, "starts clusters"]
    sides: Float[Array, " dim"]
    noise: Float[Array, " rounds"]
    longest: Float[Array, ""]
    part: Ball | L1Ball

    def init(self) -> Sought:
        centres = jnp.zeros_like(self.directions[0])
        return Sought(centres, jnp.ones(()), jnp.zeros((), jnp.int32))

    def ask(self, state: Sought, person: Num[Array, " dim"] | Group) -> Float[Array, " numbers"]:
        """The table of K places, one of them theirs; a ValueError if they hold several records."""
        refuse_group(person, ONE_VALUE)
        return self.terms(state, cast(Array, person)[None]).weighted_sum(jnp.ones((1, 1)))

    def terms(self, state: Sought, people: Num[Array, "people dim"]) -> RoutedTerms:
        """The same of many people, who are added up by one product of matrices."""
        place = nearest_of(jnp.clip(people, -self.sides, self.sides), state.centres)
        places = jax.nn.one_hot(place, len(state.centres))
        wide = _wide(self.part)
        off = self.part.project((people - state.centres[place]) / (wide * state.bound))
        square = jnp.minimum(jnp.sum(jnp.square(wide * off), axis=1, keepdims=True), 1.0)
        own = jnp.concatenate([jnp.full_like(square, COUNTED), off, SQUARED * square], axis=1)
        return RoutedTerms(own / self.longest, places, type(self.part))

    def tell(self, state: Sought, answer: Float[Array, " numbers"]) -> Sought:
        cells, total = self._cells(state, answer)
        look, used = jnp.minimum(state.rounds, LOOKS - 1), self._in_use(state.rounds)
        ways = (
            lambda: laid(cells, self.directions[look]),
            lambda: self._merged(cells),
            lambda: jnp.where(used[:, None], cells.middles, cells.middles[0]),
        )
        centres = lax.switch(jnp.clip(state.rounds - LOOKS + 1, 0, 2), ways)
        bound = jnp.clip(REACHED * jnp.sqrt(total), 1 / FINE, 1.0)
        return Sought(jnp.clip(centres, -self.sides, self.sides), bound, state.rounds + 1)

    def _cells(self, state: Sought, answer: Array) -> tuple[Cells, Float[Array, ""]]:
        """The places after their moves, and how scattered all people are about them."""
        table = self.longest * answer.reshape(len(state.centres), -1)
        noise, wide = self.longest * self.noise[state.rounds], _wide(self.part)
        shares, sums = table[:, 0] / COUNTED, beyond_noise(wide * table[:, 1:-1], wide * noise)
        held = self._in_use(state.rounds) & (shares > HEARD * noise / COUNTED)
        moves = jnp.where(held[:, None], sums / jnp.where(held, shares, 1.0)[:, None], 0.0)
        middles = jnp.clip(state.centres + state.bound * moves, -self.sides, self.sides)
        scatter = table[:, -1] / SQUARED - shares * jnp.sum(jnp.square(moves), axis=1)
        least, unit = noise / SQUARED, jnp.square(state.bound)
        total = jnp.sum(jnp.where(held, jnp.maximum(scatter, 0.0), 0.0))
        cells = Cells(middles, shares, unit * jnp.maximum(scatter, least), held)
        return cells, unit * jnp.maximum(total, HEARD * least)

    def _in_use(self, rounds: Int32[Array, ""]) -> Bool[Array, " places"]:
        places, clusters = self.directions.shape[1], self.draws.shape[1]
        many = jnp.where(rounds > LOOKS, clusters, jnp.where(rounds > 0, places, 1))
        return jnp.arange(places) < many

    def _merged(self, cells: Cells) -> Float[Array, "places dim"]:
        found = merged(cells.middles, jnp.where(cells.held, cells.shares, 0.0), self.draws)
        return jnp.full_like(cells.middles, found[0]).at[: len(found)].set(found)


def _wide(part: Ball | L1Ball) -> float:
    """The radius that holds what is no longer than one in L2, in the norm of `part`."""
    return math.sqrt(part.dim) if isinstance(part, L1Ball) else 1.0
