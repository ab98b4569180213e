"""Lloyd's rounds of k-means: everybody names the nearest centre, and says how far off it is.

Rows are in a public box about zero whose half diagonal is one; centres are released answers. In a
round a person x is nearest to one centre c_j, and gives in the place of j, of k places of d + 1
numbers that are zero elsewhere,

    (`COUNTED`, (x - c_j)/B shortened to norm one) over the longest that this can be.

**How far one person moves a sum.** Whoever they are, only one place is not zero, and there is one
vector of norm at most one: so the whole table of k (d + 1) numbers is a unit ball's, and noise does
not grow with k. In L2 the longest is sqrt(1 + a²), with a = `COUNTED`; in L1 it is 1 + a. Counts
and sums are of one term, and hide in one noise.

**Differences, and not places.** A centre moves by sum / count. What noise does to the count is then
in proportion to the move, and vanishes as centres settle; and differences are short. If people were
anywhere in the box, cells of a k-th of it would have them at `reach` = k^(-1/d)/sqrt(3) from their
middles (root mean square): B is that. Who is farther counts by their direction.

| a cluster | what happens |
| --- | --- |
| whose noisy count is at most `HEARD` deviations of its noise, empty or not | it stays |
| else | it moves by what noise leaves, and no farther than the box |

No test looks at a true count: an empty cluster has noise like any other. A row with a NaN or an
infinity in it is counted in some place, and is off by nothing.

**What noise leaves** of a noisy sum s of d numbers of deviation v is s max(0, 1 - d v²/|s|²): the
part of its length that noise does not explain (James and Stein, the positive part).

**The first round** has all centres at zero. The nearest is then the first one, so that everybody
is in one cluster: its move is their mean, about which `seeds` are laid, which nobody's data chose.

**Error.** A round is held to leave 2/3 of how far a centre has to go, of `reach` and of the first
round's noise; and a share `SEEDED` of the square of `reach` is held to be lost for good to where
seeds lie. Noise of deviation v on an answer moves the centre of a k-th of the people by v k on each
of d axes: that of the last round stays. Where it is more than `reach`, little is learnt.

References:
    Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework".
    Su, Cao, Li, Bertino and Jin 2016, "Differentially private k-means clustering".
    James and Stein 1961; Baranchik 1964 (the positive part).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int32, Num

from tacit.argument import refuse_not_counted
from tacit.contribution import Ball, L1Ball
from tacit.learning.nearest import nearest_of
from tacit.learning.routed_terms import RoutedTerms
from tacit.plan import Plan
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.box_cells import reach_of
from tacit.statistics.shared_rounds import deviations_of, shared_plan, unit_ball
from tacit.trust.people import Trust

# What a person counts, next to a difference of norm one.
COUNTED = 0.5
# The first round's share of a curator's promise, a choice: it moves one centre, of everybody. Twice
# as much leaves those that move all of them 0.9 instead of 0.95.
LEAD = 0.05
# A choice, not measured: noise alone is above it in one empty cluster of forty-four.
HEARD = 2.0
# As the opening says of an error: held to be so, by choice, and not measured.
LEFT, SEEDED = 2 / 3, 0.1
# Seeds are laid in this part of the box; so many sets of them are tried.
LAID, TRIES = 0.5, 64


@final
@dataclass(frozen=True)
class LloydRounds:
    """The rounds that find so many clusters, all from public numbers.

    Args:
      trust: whom people trust.
      people: how many they are.
      clusters: k.
      sides: half of each side of the box; the half diagonal is one.
      moves: how many rounds follow the first.
    """

    trust: Trust
    people: int
    clusters: int
    sides: tuple[float, ...]
    moves: int

    def __post_init__(self):
        for name in ("people", "clusters", "moves"):
            refuse_not_counted(name, getattr(self, name))

    @property
    def dim(self) -> int:
        return len(self.sides)

    @property
    def reach(self) -> float:
        """B of all rounds but the first, in L2."""
        return reach_of(self.clusters, self.dim)

    @cached_property
    def part(self) -> Ball | L1Ball:
        """The unit ball of a difference."""
        return unit_ball(self.trust, self.dim)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        shape = unit_ball(self.trust, self.clusters * (self.dim + 1))
        shares = (LEAD, *((1 - LEAD) / self.moves,) * self.moves)
        return shared_plan(self.trust, shape, self.people, shares)

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """Of the noise on one number of each round's answer, the deviation."""
        return deviations_of(self.plan)

    @property
    def longest(self) -> float:
        """The longest that a person's numbers can be."""
        return 1 + COUNTED if isinstance(self.part, L1Ball) else math.hypot(1, COUNTED)

    @property
    def bounds(self) -> tuple[float, ...]:
        """B of each round, in the norm of `part`."""
        if isinstance(self.part, L1Ball):
            return math.fsum(self.sides), *(math.sqrt(self.dim) * self.reach,) * self.moves
        return 1.0, *(self.reach,) * self.moves

    @property
    def error(self) -> float:
        """The predicted mean squared distance of a centre from where exact rounds would end."""
        first = self.dim * (self.noise[0] * self.longest * self.bounds[0]) ** 2
        left = LEFT ** (2 * self.moves)
        return (self.reach**2 + first) * left + SEEDED * self.reach**2 + self.by_noise

    @property
    def by_noise(self) -> float:
        """The squared distance that noise moves the mean of a k-th of the people, as the last round
        tells it from a centre that is there; before what noise explains is taken off."""
        return self.dim * (self.clusters * self.noise[-1] * self.longest * self.bounds[-1]) ** 2

    def learner(self) -> "Lloyd":
        """Who asks, of rows in the box."""
        numbers = self.seeds, self.sides, self.bounds, self.noise, self.longest
        return Lloyd(*(jnp.asarray(each, jnp.float32) for each in numbers), part=self.part)

    @property
    def seeds(self) -> Float[np.ndarray, "clusters dim"]:
        """Of many random sets, always the same, that whose nearest two are farthest apart."""
        host = np.random.default_rng(0)
        tried = host.uniform(-LAID, LAID, (TRIES, self.clusters, self.dim)) * self.sides
        return max(tried, key=_nearest_two)


class Centres(NamedTuple):
    """Where clusters are thought to be, after so many rounds."""

    centres: Float[Array, "clusters dim"]
    rounds: Int32[Array, ""]


@final
class Lloyd(eqx.Module):
    """Asks whose centre a person is nearest to, and how far off; moves the centres.

    Args:
      seeds: laid about everybody's mean.
      sides: half of each side of the box.
      bounds, noise: of each round.
      longest: of a person's numbers.
      part: the unit ball of a difference.
    """

    seeds: Float[Array, "clusters dim"]
    sides: Float[Array, " dim"]
    bounds: Float[Array, " rounds"]
    noise: Float[Array, " rounds"]
    longest: Float[Array, ""]
    part: Ball | L1Ball

    def init(self) -> Centres:
        return Centres(jnp.zeros_like(self.seeds), jnp.zeros((), jnp.int32))

    def ask(self, state: Centres, person: Num[Array, " dim"] | Group) -> Float[Array, " numbers"]:
        """The table of k places, one of them theirs; a ValueError if they hold several records."""
        refuse_group(person, ONE_VALUE)
        return self.terms(state, cast(Array, person)[None]).weighted_sum(jnp.ones((1, 1)))

    def terms(self, state: Centres, people: Num[Array, "people dim"]) -> RoutedTerms:
        """The same of many people, who are added up by one product of matrices."""
        place = nearest_of(jnp.clip(people, -self.sides, self.sides), state.centres)
        places = jax.nn.one_hot(place, len(self.seeds))
        nearest = jnp.matmul(places, state.centres, precision=lax.Precision.HIGHEST)
        off = self.part.project((people - nearest) / self.bounds[state.rounds])
        own = jnp.concatenate([jnp.full((len(off), 1), COUNTED), off], axis=1)
        return RoutedTerms(own / self.longest, places, type(self.part))

    def tell(self, state: Centres, answer: Float[Array, " numbers"]) -> Centres:
        table = self.longest * answer.reshape(len(self.seeds), -1)
        noise = self.longest * self.noise[state.rounds]
        shares, sums = table[:, :1] / COUNTED, self.bounds[state.rounds] * table[:, 1:]
        heard = shares > HEARD * noise / COUNTED
        left = beyond_noise(sums, self.bounds[state.rounds] * noise)
        moved = state.centres + jnp.where(heard, left / jnp.where(heard, shares, 1.0), 0.0)
        centres = jnp.where(state.rounds == 0, moved[0] + self.seeds, moved)
        return Centres(jnp.clip(centres, -self.sides, self.sides), state.rounds + 1)


def beyond_noise(
    sums: Float[Array, "clusters dim"], noise: Float[Array, ""]
) -> Float[Array, "clusters dim"]:
    """What is left of noisy sums when the length that noise explains is taken off."""
    squares = jnp.sum(jnp.square(sums), axis=1, keepdims=True)
    own = sums.shape[1] * jnp.square(noise)
    return sums * jnp.where(squares > own, 1 - own / jnp.where(squares > own, squares, 1.0), 0.0)


def _nearest_two(points: Float[np.ndarray, "clusters dim"]) -> float:
    squares = np.square(points).sum(axis=1)
    apart = squares[:, None] + squares - 2 * points @ points.T
    return float((apart + np.diag(np.full(len(points), np.inf))).min())
