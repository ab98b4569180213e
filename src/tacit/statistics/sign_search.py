"""Looking for the mean of normal numbers by asking each person once: is yours above this point?

Numbers have deviation one about a mean m in [-R, R]. In each round other people are asked for one
bit, whether they are above a point c, which is released and the same for all of them. A share
Phi(m - c) of them are, so with what a report's randomness does to it,

    q(m, c) = other + (own - other) Phi(m - c)

of the n reports of a round say "above"; f do. Everything that is known of m after some rounds is
the likelihood of their answers, the product of q^(nf) (1 - q)^(n - nf). With even chances on
[-R, R] before the first round, that is a law of m on the line; the next point asked is its mean,
and so is the estimate after the last. So far away the rounds halve where m may be; near it each
report tells nearly as much of m as one bit can, and no answer is thrown away.

**Information.** One report tells I(u) = (own - other)² phi(u)²/(q (1 - q)) of m, at u = m - c. With
randomised response at epsilon I(0) = (2/pi) ((e^epsilon - 1)/(e^epsilon + 1))², the most that any
local report tells for an epsilon up to one (Kalinin and Steinberger 2025). So 1/sqrt(people I(0))
is what errors are compared with: `least`.

**Error**, predicted: let V be the variance of what is known of m, R²/3 at first. A round of n
people makes it 1/(1/V + n E I(u)), u normal of variance V. As long as V is above one, the point is
most likely far from m on one side or the other. Then a round tells one bit at most, or what fits
through its noise, so V is not less than a quarter of what it was. The root of the last V is what is
predicted; `bench/local_normal.py` measures beside it.

**Computed** on points of the line a quarter apart, then on ever finer ones (`on_line`). Each
round's logarithm is taken relative to its largest possible value, n (f log(q/f) + (1 - f)
log((1 - q)/(1 - f))), by logarithms of one plus a difference: so float32 has the digits, whatever n
is.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Num
from scipy import stats

from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.on_line import moments, points_for


@final
@dataclass(frozen=True)
class SignRounds:
    """What is public of the rounds.

    Args:
      radius: R, in units of the deviation.
      people: how many report in one round.
      rounds: how many there are.
      own, other: the chances that a report says "above", of a person who is and of one who is not.
    """

    radius: float
    people: float
    rounds: int
    own: float
    other: float

    @cached_property
    def rmse(self) -> float:
        """The predicted distance from m (root mean square)."""
        known = self.radius**2 / 3
        for _ in range(self.rounds):
            told = 1 / (1 / known + self.people * self._information(known))
            known = max(told, known / 4**self._bits) if known > 1 else told
        return math.sqrt(known)

    @property
    def least(self) -> float:
        """What no way of asking these people by such reports is below, on average."""
        each = float(self._told(np.zeros(1))[0])
        return 1 / math.sqrt(self.people * self.rounds * each)

    @property
    def _bits(self) -> float:
        """Of a round whose point is far from m, at most."""
        half, spread = (self.own - self.other) / 2, self.own * (1 - self.own) / self.people
        return min(1.0, math.log2(1 + half**2 / spread) / 2)

    def _information(self, variance: float) -> float:
        """What one report tells on average, of an m so far from the point asked.

        The average is over places that are as near as either law is narrow: far from the point
        nothing is told, however far m may be.
        """
        narrow = 9 / math.sqrt(1 + 1 / variance)
        places, apart = np.linspace(-narrow, narrow, 257, retstep=True)
        chances = stats.norm.pdf(places, scale=math.sqrt(variance))
        return float(self._told(places) @ chances * apart)

    def _told(self, away: Float[np.ndarray, " places"]) -> Float[np.ndarray, " places"]:
        share = self.other + (self.own - self.other) * stats.norm.cdf(away)
        slope = (self.own - self.other) * stats.norm.pdf(away)
        spread = share * (1 - share)
        # Nothing is told where everybody says the same.
        return np.divide(slope**2, spread, out=np.zeros_like(away), where=spread > 0)


class Searched(NamedTuple):
    """Where the mean is thought to be, and all that was asked and answered."""

    centre: Float[Array, ""]
    asked: Float[Array, " rounds"]
    above: Float[Array, " rounds"]
    rounds: Int32[Array, ""]


@final
class SignSearch(eqx.Module):
    """Asks who is above where the mean is thought to be, and thinks again.

    Args:
      radius, people, own, other: of `SignRounds`.
      rounds: how many answers there will be.
      points: of the line, in the first of four passes.
    """

    radius: float
    people: float
    own: float
    other: float
    rounds: int = eqx.field(static=True)
    points: int = eqx.field(static=True)

    @classmethod
    def of(cls, plan: SignRounds) -> "SignSearch":
        """The learner of these rounds."""
        points = points_for(plan.radius)
        return cls(plan.radius, plan.people, plan.own, plan.other, plan.rounds, points)

    def init(self) -> Searched:
        none = jnp.zeros(self.rounds)
        return Searched(jnp.zeros(()), none, none, jnp.zeros((), jnp.int32))

    def ask(self, state: Searched, person: Num[Array, ""] | Group) -> Int32[Array, ""]:
        """Category one for who is above the centre, else zero; a ValueError for several records."""
        refuse_group(person, ONE_VALUE)
        return (cast(Array, person) > state.centre).astype(jnp.int32)

    def tell(self, state: Searched, answer: Float[Array, " two"]) -> Searched:
        # The answer undoes what reports did to the share; the likelihood is of the reports.
        reported = self.other + (self.own - self.other) * answer[1]
        asked = state.asked.at[state.rounds].set(state.centre)
        above = state.above.at[state.rounds].set(jnp.clip(reported, 0.0, 1.0))
        told = Searched(state.centre, asked, above, state.rounds + 1)
        return told._replace(centre=self._mean(told))

    def _mean(self, told: Searched) -> Float[Array, ""]:
        """Of the law of m."""
        return moments(lambda m: self._likely(told, m), self.radius, self.points)[0]

    def _likely(self, told: Searched, mean: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.sum(self._log_likelihood(told, mean))

    def _log_likelihood(self, told: Searched, mean: Float[Array, ""]) -> Float[Array, " rounds"]:
        """Of each answer, beside the likeliest share's; nothing of rounds to come."""
        share = jax.scipy.stats.norm.cdf(mean - told.asked)
        expected = self.other + (self.own - self.other) * share
        apart = expected - told.above
        each = _part(told.above, apart) + _part(1 - told.above, -apart)
        come = jnp.arange(self.rounds) < told.rounds
        return jnp.where(come, self.people * each, 0.0)


def _part(
    share: Float[Array, " rounds"], apart: Float[Array, " rounds"]
) -> Float[Array, " rounds"]:
    """share log(1 + apart/share), which is zero where the share is."""
    least = jnp.finfo(jnp.float32).tiny
    return jnp.where(share > 0, share * jnp.log1p(apart / jnp.maximum(share, least)), 0.0)
