"""Finding where normal people are and how they vary, both in the same rounds.

To clip tightly one has to know both. A round asks for the squares z z' of

    z = (a, w),     w = A (x - c) clipped to norm B,     a = sqrt(`COUNTED`) B,

where c and A are released answers: A (x - c) is thought to be nearly white. One answer Z has the
mean of w, a times, beside its squares:

1. **Wide rounds** have people no longer than they may be in every direction, hardly clip
   (`narrowing`), and move c by their part of the mean of w. They have small shares.
2. **Level rounds** tell how long A (x - c) is, and scale A (`whitening`); c stays.
3. **All others** move c by the mean m of w over `Response.slope`, what a small mean has left when
   it is clipped; what is left of the squares without m m' goes to `whitening`, which makes A of it.
   The last one's mean and covariance are the answer.

A row with a NaN or an infinity in it is at c in every round.

**How far one person moves a sum**: |z|² <= (1 + `COUNTED`) B², whatever c and A are; they are asked
for over that, in the unit ball of squares.

**What the mean costs beside the covariance.** With s the deviation on the diagonal of a unit's
answer, a number of m has the deviation s (1 + k) B / sqrt(2 k), k = `COUNTED`: noise off the
diagonal has half the variance. Two people's squares are sqrt(2) of one's bound apart, their vectors
twice of it: so where people are replaced a mean costs sqrt(1.125) of what it would alone, in a ball
of its own, and the covariance's noise is 1 + k times its own.

**Error** of the mean, in people's own units, if people are nearly white in the last round: each
number has that noise over the slope, and people's own share, `CLIPPED` times 1/n.
"""

import math
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, Num

from tacit.contribution import Ball
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.whitening import Rung, Whitened, first, said, told
from tacit.statistics.wide_rounds import Wide

# a² over B².
COUNTED = 0.5


class Located(NamedTuple):
    """What is known of people.

    Args:
      centre: c.
      spread: of A, and the covariance.
      rounds: that were asked.
    """

    centre: Float[Array, " dim"]
    spread: Whitened
    rounds: Int32[Array, ""]


@final
class LocatingSquares(eqx.Module):
    """Asks for z z' in the unit ball, and makes c and A of what comes out.

    Args:
      wide: the clip bounds of wide rounds.
      parts: of their answers, by how much the centre moves (`narrowing`).
      rungs: of all others.
      slopes: what a small mean has left in these.
      most: the largest deviation that people may have in any direction.
      dim: of people.
    """

    wide: Float[Array, " wide"]
    parts: Float[Array, " wide"]
    rungs: Rung
    slopes: Float[Array, " others"]
    most: Float[Array, ""]
    dim: int = eqx.field(static=True)

    @classmethod
    def of(
        cls,
        wide: tuple[Wide, ...],
        rungs: tuple[Rung, ...],
        slopes: tuple[float, ...],
        dim: int,
        most: float,
    ) -> "LocatingSquares":
        """The learner of these rounds."""
        stacked = jax.tree.map(lambda *each: jnp.stack(each), *rungs)
        bounds, parts = ([each[place] for each in wide] for place in (1, 2))
        around = jnp.asarray(bounds), jnp.asarray(parts)
        return cls(*around, stacked, jnp.asarray(slopes), jnp.asarray(most), dim)

    def init(self) -> Located:
        none = jnp.zeros((), jnp.int32)
        return Located(jnp.zeros(self.dim), first(self.dim, self.most), none)

    def ask(self, state: Located, person: Num[Array, " dim"] | Group) -> Float[Array, " z"]:
        """z in units of the round's bound; a ValueError if the person has several records."""
        refuse_group(person, ONE_VALUE)
        white = state.spread.inverse @ (cast(Array, person) - state.centre)
        is_wide = state.rounds < len(self.wide)
        own = white / self._bounds[state.rounds]
        own = jnp.where(is_wide, own, said(white, self._rung(state)))
        inside = Ball(self.dim, 1.0).project(own[None])[0]
        z = jnp.concatenate([jnp.full(1, math.sqrt(COUNTED)), inside])
        return z / math.sqrt(1 + COUNTED)

    def tell(self, state: Located, answer: Float[Array, "z z"]) -> Located:
        table, rung = (1 + COUNTED) * answer, self._rung(state)
        mean = self._bounds[state.rounds] * table[0, 1:] / math.sqrt(COUNTED)
        is_wide = state.rounds < len(self.wide)
        # A level round tells nothing of where they are.
        part = jnp.concatenate([self.parts, jnp.where(self.rungs.whole, 1 / self.slopes, 0.0)])
        moved = state.centre + state.spread.root @ (part[state.rounds] * mean)
        own = jnp.where(rung.whole, jnp.outer(mean, mean) / rung.bound, 0.0)
        turned = told(state.spread, table[1:, 1:] - own, rung)
        spread = jax.tree.map(lambda old, new: jnp.where(is_wide, old, new), state.spread, turned)
        return Located(moved, spread, state.rounds + 1)

    def _rung(self, state: Located) -> Rung:
        at = jnp.maximum(state.rounds - len(self.wide), 0)
        return jax.tree.map(lambda each: each[at], self.rungs)

    @property
    def _bounds(self) -> Float[Array, " rounds"]:
        """B of all rounds."""
        return jnp.concatenate([self.wide, jnp.sqrt(self.rungs.bound)])
