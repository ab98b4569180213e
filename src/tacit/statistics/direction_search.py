"""Looking for the mean of normal vectors by asking each person once, for one direction.

Numbers have deviation one about a mean m, each of whose numbers is in [-R, R]. Every round asks
other people for a vector of length one, so that all rounds are one question of one shape.

1. **Coarse rounds** ask for the signs of x - c, over sqrt(d), at a point c that was released. The
   mean of a sign is 2 Phi(m_j - c_j) - 1; the answer is that and noise, of variance s² a sign. What
   is known of m_j after some rounds is a law on the line, as in `sign_search`: its mean is the next
   c_j. Every number is looked for at once, and a round halves where it may be.
2. **Fine rounds** ask for the direction of x - c itself, whose mean is g(|m - c|) (m - c)
   (`towards`). It tells pi/2 times as much of m as d signs do, but only from a c that is within
   about sqrt(d) of it. After each round the estimate, and next c, is where what all fine answers
   leave unexplained, and what the coarse ones say, cancel:

       (near - m)/off² + sum over fine rounds of (g d/s²) (answer - g (m - c)) = 0,

   near and off being the means and deviations of the coarse laws. Where c was far from m, g is
   small, and that answer weighs little. It is found in a few steps, within the radius.

**Noise**: s² = e + 1/n, for the plan's error e of one answer (squared distance) and n people a
round, whose own directions are spread over the sphere.

**Error**, predicted. Let V be the variance of what is known of one number, R²/3 at first. A coarse
round makes it 1/(1/V + E[(2 phi(u))²]/s²), u normal of variance V; while V is above one the point
is most likely far from m_j, and a round tells one bit at most, or what fits through its noise: V is
not less than V/4, or V/(1 + 1/s²). From then on let A be the variance along m - c, and C that of
each number across. At r² = A + (d - 1) C a fine round makes 1/C larger by d g²/s², and 1/A by
d ((r g)')²/s². From far away directions tell hardly how far it is: the point then comes nearer by
3 sqrt(d) at most, which is as far as the steps go, and by no more than where 1 - r g, about
d/(2r²), is lost in the noise of one number, s/sqrt(d). The root of A + (d - 1) C is what is
predicted; `bench/local_directions.py` measures
beside it.

**Whoever has no direction**, a NaN among their numbers or an infinity, reports one of two opposite
ones, in turn by round: few of them cancel over many rounds, and many pull the estimate away.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, Num
from scipy import stats

from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.on_line import moments, points_for
from tacit.statistics.towards import pull, pulls

# Of a fixed point that a few find: all are run, as the program is compiled.
_STEPS = 12
# Numbers whose laws are laid out side by side: of all at once there are points times dimensions.
_AT_ONCE = 64
# Equally likely places of a normal number.
_NORMAL = stats.norm.ppf((np.arange(256) + 0.5) / 256)


@final
@dataclass(frozen=True)
class DirectionRounds:
    """What is public of the rounds.

    Args:
      dim: how many numbers a person has.
      radius: R, in units of the deviation; the largest, where numbers have their own.
      coarse, fine: how many rounds there are of each kind.
      noise: s² of one round.
    """

    dim: int
    radius: float
    coarse: int
    fine: int
    noise: float

    @cached_property
    def rmse(self) -> float:
        """The predicted distance from m (root mean square)."""
        known = self.radius**2 / 3
        for _ in range(self.coarse):
            known = self._signed(known)
        along = across = known
        for _ in range(self.fine):
            along, across = self._directed(along, across)
        return math.sqrt(along + (self.dim - 1) * across)

    @property
    def least(self) -> float:
        """What it would be if every round were a fine one asked at the mean itself."""
        rounds = self.coarse + self.fine
        return math.sqrt(self.noise / rounds) / pulls(0.0, self.dim)[0]

    def _signed(self, known: float) -> float:
        slopes = 2 * stats.norm.pdf(_NORMAL * math.sqrt(known))
        told = 1 / (1 / known + float(np.mean(slopes**2)) / self.noise)
        return max(told, known / min(4.0, 1 + 1 / self.noise)) if known > 1 else told

    def _directed(self, along: float, across: float) -> tuple[float, float]:
        """Variances along the mean's direction from the point, and across, after a fine round."""
        far = math.sqrt(along + (self.dim - 1) * across)
        each, (crossing, rising) = self.dim / self.noise, pulls(far, self.dim)
        left = 1 / (1 / across + each * crossing**2)
        # No farther than before, all in all.
        way = min(max(far - self._reach, 0.0) ** 2, far**2 - (self.dim - 1) * left)
        return max(1 / (1 / along + each * rising**2), way), left

    @property
    def _reach(self) -> float:
        """How much nearer a fine round brings the point from far away, at most."""
        heard = math.sqrt(self.dim**1.5 / (2 * math.sqrt(self.noise)))
        return min(3 * math.sqrt(self.dim), heard)


class Directed(NamedTuple):
    """Where the mean is thought to be, where coarse rounds left it, and all answers."""

    centre: Float[Array, " dim"]
    near: Float[Array, " dim"]
    off: Float[Array, " dim"]
    asked: Float[Array, "rounds dim"]
    answers: Float[Array, "rounds dim"]
    rounds: Int32[Array, ""]


@final
class DirectionSearch(eqx.Module):
    """Asks on which side of the point each number is, and then into which direction people are.

    Args:
      radii: within which each number of the mean is.
      noise: of `DirectionRounds`.
      coarse, rounds: how many rounds are coarse, and how many there are.
      points: of the line, in the first of four passes.
    """

    radii: Float[Array, " dim"]
    noise: float
    coarse: int = eqx.field(static=True)
    rounds: int = eqx.field(static=True)
    points: int = eqx.field(static=True)

    @classmethod
    def of(cls, plan: DirectionRounds, radii: Float[np.ndarray, " dim"]) -> "DirectionSearch":
        """The learner of these rounds."""
        rounds, points = plan.coarse + plan.fine, points_for(plan.radius)
        return cls(jnp.asarray(radii, jnp.float32), plan.noise, plan.coarse, rounds, points)

    def init(self) -> Directed:
        none, dim = jnp.zeros_like(self.radii), self.radii.shape[0]
        each = jnp.zeros((self.rounds, dim))
        return Directed(none, none, self.radii / math.sqrt(3), each, each, jnp.zeros((), jnp.int32))

    def ask(self, state: Directed, person: Num[Array, " dim"] | Group) -> Float[Array, " dim"]:
        """The person's signs about the centre, or direction; a ValueError for several records."""
        refuse_group(person, ONE_VALUE)
        away = cast(Array, person) - state.centre
        signs = jnp.where(away > 0, 1.0, -1.0)
        length = jnp.linalg.norm(away)
        none = jnp.where(state.rounds % 2 == 0, 1.0, -1.0) * jnp.ones_like(signs)
        asked = jnp.where(state.rounds < self.coarse, signs, away)
        found = jnp.isfinite(length) & (length > 0)
        term = jnp.where(found, asked, none)
        return term / jnp.linalg.norm(term)

    def tell(self, state: Directed, answer: Float[Array, " dim"]) -> Directed:
        told = state._replace(
            asked=state.asked.at[state.rounds].set(state.centre),
            answers=state.answers.at[state.rounds].set(answer),
            rounds=state.rounds + 1,
        )
        coarse = state.rounds < self.coarse
        return jax.lax.cond(coarse, lambda: self._looked(told), lambda: self._fitted(told))

    def _looked(self, told: Directed) -> Directed:
        """After a coarse round: each number by itself."""
        signs = math.sqrt(len(self.radii)) * told.answers
        come = jnp.arange(self.rounds) < told.rounds

        def one(number) -> tuple[Array, Array]:
            radius, asked, signs = number
            return moments(lambda m: self._likely(m, asked, signs, come), radius, self.points)

        each = self.radii, told.asked.T, signs.T
        near, off = jax.lax.map(one, each, batch_size=_AT_ONCE)
        return told._replace(centre=near, near=near, off=off)

    def _likely(
        self,
        mean: Float[Array, ""],
        asked: Float[Array, " rounds"],
        signs: Float[Array, " rounds"],
        come: Bool[Array, " rounds"],
    ) -> Float[Array, ""]:
        expected = jax.lax.erf((mean - asked) / math.sqrt(2))
        return -jnp.sum(jnp.where(come, (signs - expected) ** 2, 0.0)) / (2 * self.noise)

    def _fitted(self, told: Directed) -> Directed:
        """After a fine round: by all of them, and within the radii."""
        place, dim = jnp.arange(self.rounds), len(self.radii)
        come = ((place >= self.coarse) & (place < told.rounds))[:, None]

        def step(_, mean: Float[Array, " dim"]) -> Float[Array, " dim"]:
            away = mean - told.asked
            slope = pull(jnp.linalg.norm(away, axis=1), dim)[:, None]
            weight = jnp.where(come, dim / self.noise * slope, 0.0)
            left = jnp.sum(weight * (told.answers - slope * away), axis=0)
            left = left + (told.near - mean) / told.off**2
            moved = mean + left / (jnp.sum(weight * slope, axis=0) + told.off**-2)
            return jnp.clip(moved, -self.radii, self.radii)

        return told._replace(centre=jax.lax.fori_loop(0, _STEPS, step, told.centre))
