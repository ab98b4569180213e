"""Find the people, then measure them: rounds of clipped means whose balls narrow.

People's vectors are standard normal about an unknown mean (in units of their known spread), and the
mean lies in a known ball. A round asks for x - c, clipped to norm B, where c is the centre of the
ball in which the mean is known to be, and r that ball's radius.

1. **Wide rounds** hardly clip, or clip all. With z = x - mean and m = mean - c, no longer than r,

       |x - c|² = |z|² + 2 <z, m> + |m|² <= l² + 2 `SIDEWAYS` r + r²

   unless |z| is beyond l = `longest_normal`, with chance `BEYOND`, or z is more than `SIDEWAYS`
   deviations along m, with a tenth of that; and |x - c| <= l + r without the second. B is the
   smaller bound. The answer moves c, and r becomes `longest_normal` of d numbers whose deviation
   is that of n people's mean and of c's noise together. After the first, that tells how long m is,
   too, but for a part 1/sqrt(d) of it. So only directions of x - c may be asked for (B is `SHORT`),
   whose noise is less: the answer is g m (`towards`), and undone by g of the typical m. What is off
   by m's length is (1 - (m g)'/g)/sqrt(d) of m, along it, and `SIDEWAYS` times that is counted. The
   way of less variance is taken.
2. **The last round** clips at the middle: B = `TIGHT` sqrt(d + (r/`TYPICAL`)²), about nine tenths
   of a typical norm. That shrinks the mean by a factor that is known (`response`), and it is undone
   along the answer's direction, for means up to `READ` times as far as r; a longer answer is read
   as that. Noise is in proportion to B, so that a tight one pays.

Undoing a wide round by its own answer would be a mistake: where the answer's length is near B, no
mean is ruled out.

**No round is forgotten.** c and the next answer are both these people's mean with noise, of
variances V and v, independent and known. So c moves by the part V/(V + v) of what the answer says,
the first time by all of it, and its noise is V v/(V + v): every answer weighs what it is worth. Of
the last one v is what undoing makes of its noise and of what clipping loses of people.

**Privacy** is the question's: c is a released answer, B and the table are public, so each round is
a mean of vectors in a ball. They are asked for over B, in the unit ball.

**Error** (root mean square). On a coordinate of the last answer there are s², the noise's variance,
and `CLIPPED` h'(0)²/n, people's own, of which 1/`CLIPPED` is of their mean, and in c, too. At the
distance m that the mean typically has from c, undoing the clipping multiplies a deviation by m/h(m)
across the answer's direction, and by 1/h'(m) along it: its square on average by g². So the error's
is d (g² h'(0)²/n + V v/(V + v)), with v = g² (s² + (`CLIPPED` - 1) h'(0)²/n).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self, cast, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, Num

from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.response import Response, longest_normal
from tacit.statistics.towards import pulls
from tacit.statistics.wide_rounds import (
    BEYOND,
    SIDEWAYS,
    Wide,
    WideWay,
    part_of,
    surely,
    wide_rounds,
)

TIGHT = 0.9
# The mean is no farther than r but for `BEYOND`, and typically at r over this, `longest_normal`
# over sqrt(d): 1.3 of 30 numbers, 1.5 of 10 and 1.2 of 100. It sets a bound, and bounds no error.
TYPICAL = 1.3
# A mean so far out is one that wide rounds lost: noise has it there far less than `BEYOND` often.
READ = 3.0
CLIPPED = 1.02
# A bound within which hardly anybody is: what is clipped to it is a direction.
SHORT = 2.0**-10


class Undone(NamedTuple):
    """The last answer, its clipping undone, on a coordinate: people's own variance, which c has
    too, and v."""

    people: float
    noise: float


@final
@dataclass(frozen=True)
class Narrowing:
    """The balls of all rounds, which follow from public numbers.

    Args:
      dim, people: of the question.
      radius: of the ball that the mean is in.
      noise: on one coordinate of each round's mean, its deviation in units of the round's ball.
    """

    dim: int
    people: int
    radius: float
    noise: tuple[float, ...]

    @cached_property
    def wide(self) -> tuple[tuple[Wide, ...], float, float]:
        """Wide rounds; and after them, within what radius the mean is known to be, and V."""
        return wide_rounds(self.dim, self.people, self.radius, self.noise[:-1], self._way)

    def _way(self, known: float, noisy: float, noise: float) -> WideWay:
        """Of less variance; where the mean's length is not known yet, there is one."""
        sure = surely(self.dim, known, noise)
        if noisy == math.inf:
            return sure
        typical = known / longest_normal(self.dim, BEYOND) * math.sqrt(self.dim)
        return min(sure, self._by_directions(typical, noise))

    def _by_directions(self, typical: float, noise: float) -> WideWay:
        """Of a round that asks for them, the mean typically so far from the centre."""
        across, along = pulls(typical, self.dim)
        # As if the mean were so many deviations nearer or farther than it typically is.
        length = (SIDEWAYS * (1 - along / across) * typical / self.dim) ** 2
        # Of people's own variance a mean of theirs has one part, and is found with it.
        people = max(1 / (self.dim * across**2) - 1, 0) / self.people
        return WideWay((noise / across) ** 2 + length + people, SHORT, 1 / (SHORT * across))

    @property
    def balls(self) -> tuple[tuple[float, float], ...]:
        """Before each round, within what radius the mean is known to be, and its clip bound."""
        rounds, known, _ = self.wide
        last = known, TIGHT * math.sqrt(self.dim + (known / TYPICAL) ** 2)
        return *((each.known, each.bound) for each in rounds), last

    @property
    def parts(self) -> tuple[float, ...]:
        """Of what each round's answer says, by how much the centre moves."""
        rounds, _, noisy = self.wide
        return *(each.part for each in rounds), part_of(noisy, self._last.noise)

    @property
    def response(self) -> Response:
        """Of the last round, to means up to `READ` times as far as they are known to be."""
        known, bound = self.balls[-1]
        return Response(self.dim, bound, READ * known)

    @property
    def rmse(self) -> float:
        """The predicted distance of the last answer from the mean (root mean square); infinite if
        it tells nothing."""
        last = self._last
        if last.noise == math.inf:
            return math.inf
        both = part_of(self.wide[2], last.noise) * last.noise
        return math.sqrt(self.dim * (last.people + both))

    @cached_property
    def _last(self) -> "Undone":
        (known, bound), response = self.balls[-1], self.response
        typical = known * math.sqrt(self.dim) / longest_normal(self.dim, BEYOND)
        rise = response.at(1.01 * typical) - response.at(0.99 * typical)
        if not rise > 0:
            # So far out that what comes out of clipping tells of no distance.
            return Undone(math.inf, math.inf)
        along = 2e-2 * typical / rise
        gain = ((self.dim - 1) * (typical / response.at(typical)) ** 2 + along**2) / self.dim
        people = gain * response.slope**2 / self.people
        return Undone(people, gain * (self.noise[-1] * bound) ** 2 + (CLIPPED - 1) * people)


class Narrowed(NamedTuple):
    """Where the mean is thought to be, after so many rounds."""

    centre: Float[Array, " dim"]
    rounds: Int32[Array, ""]


@final
class NarrowingMean(eqx.Module):
    """Asks for x - centre in the unit ball of the round, and undoes what the last one clips.

    Args:
      centre: where the first round looks.
      bounds: each round's clip bound.
      parts: of its answer, by how much the centre moves.
      means, clipped: of the last round's `Response`.
    """

    centre: Float[Array, " dim"]
    bounds: Float[Array, " rounds"]
    parts: Float[Array, " rounds"]
    means: Float[Array, " means"]
    clipped: Float[Array, " means"]

    @classmethod
    def of(cls, centre: Float[Array, " dim"], plan: Narrowing) -> Self:
        """The learner of these balls."""
        response = plan.response
        bounds = [bound for _, bound in plan.balls]
        numbers = bounds, plan.parts, response.means, response.clipped
        return cls(jnp.asarray(centre), *map(jnp.asarray, numbers))

    def init(self) -> Narrowed:
        return Narrowed(self.centre, jnp.zeros((), jnp.int32))

    def ask(self, state: Narrowed, person: Num[Array, " dim"] | Group) -> Float[Array, " dim"]:
        """The person's place about the centre; a ValueError if they hold several records."""
        refuse_group(person, ONE_VALUE)
        return (cast(Array, person) - state.centre) / self.bounds[state.rounds]

    def tell(self, state: Narrowed, answer: Float[Array, " dim"]) -> Narrowed:
        moved = answer * self.bounds[state.rounds]
        length = jnp.linalg.norm(moved)
        true = jnp.interp(length, self.clipped, self.means)
        undone = moved * true / jnp.maximum(length, jnp.finfo(jnp.float32).tiny)
        last = state.rounds == len(self.bounds) - 1
        step = self.parts[state.rounds] * jnp.where(last, undone, moved)
        return Narrowed(state.centre + step, state.rounds + 1)
