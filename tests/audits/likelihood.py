"""How much likelier all answers of a fit are of one data set than of another.

Whoever attacks a fit knows both, the learner, and every answer; so they know what was summed in
each round, had it been the one or the other, for what is asked depends on answers before it alone.
The log of the ratio of both chances is then a sum over rounds, of the noise's own law: with answers
a, sums s and s', and noise of deviation v on each number,

    Gaussian   (|a - s'|² - |a - s|²)/(2 v²)      Laplace   sqrt(2) (|a - s'|_1 - |a - s|_1)/v.

By Neyman and Pearson nothing else that is made of the answers tells both apart better, so an audit
of this number is one of the whole fit. How far apart both are is known without luck, too: what
promises of such rounds rest on is that in *every* run

    sum over rounds of |s - s'|²/v²  <=  1/z²            sum of sqrt(2) |s - s'|_1 / v  <=  epsilon,

for the promised multiplier z, or epsilon. Both are made inside the compiled rounds, beside the
learner, who is told what it would be told, and does not know.
"""

import math
from typing import Any, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Num, PRNGKeyArray, PyTree

from audits import runs
from tacit.contribution import Contribution
from tacit.mechanisms.additive.laplace import Laplace
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.population.loop import terms_of, traced
from tacit.population.summing import MeasuredTerms, Summing

People = Num[np.ndarray, "people *record"]
# What is asked, by whom, and of whom.
Asking = tuple[Plan, Learner]


class Heard(NamedTuple):
    """The learner's own state, the log of the ratio so far, and how far apart sums were."""

    own: PyTree
    ratio: Float[Array, ""]
    apart: Float[Array, ""]
    rounds: Int32[Array, ""]


@final
class Told(eqx.Module):
    """A learner beside whom somebody listens.

    Args:
      own: the learner.
      shape: what its terms are brought into.
      one, other: two data sets.
      noise: on a sum of each round, the deviation.
      divisor: of sums.
      pure: whether the noise is Laplace's.
    """

    own: Learner
    shape: Contribution
    one: Num[Array, "people *record"]
    other: Num[Array, "others *record"]
    noise: Float[Array, " rounds"]
    divisor: Float[Array, ""]
    pure: bool = eqx.field(static=True)

    def init(self) -> Heard:
        return Heard(self.own.init(), jnp.zeros(()), jnp.zeros(()), jnp.zeros((), jnp.int32))

    def ask(self, state: Heard, person: PyTree) -> Any:
        return self.own.ask(state.own, person)

    def tell(self, state: Heard, answer: Float[Array, " *shape"]) -> Heard:
        noise, heard = self.noise[state.rounds], self.divisor * answer
        one, other = (self._sum(state, people) for people in (self.one, self.other))
        ratio = self._size(heard - other, noise) - self._size(heard - one, noise)
        apart = self._size(one - other, noise) * (1 if self.pure else 2)
        own = self.own.tell(state.own, answer)
        return Heard(own, state.ratio + ratio, state.apart + apart, state.rounds + 1)

    def _sum(self, state: Heard, people: Array) -> Array:
        return jnp.sum(terms_of(self.own, self.shape, state.own, people), axis=0)

    def _size(self, off: Array, noise: Array) -> Array:
        """Minus the log of the noise's density, but for a constant."""
        if self.pure:
            return math.sqrt(2) * jnp.sum(jnp.abs(off)) / noise
        return jnp.sum(jnp.square(off / noise)) / 2


@final
class ToldSums(eqx.Module):
    """The same of a learner that sums a chunk's terms itself."""

    told: Told

    def init(self) -> Heard:
        return self.told.init()

    def ask(self, state: Heard, person: PyTree) -> Any:
        return self.told.ask(state, person)

    def terms(self, state: Heard, people: PyTree) -> MeasuredTerms:
        own: Any = self.told.own
        return own.terms(state.own, people)

    def tell(self, state: Heard, answer: Float[Array, " *shape"]) -> Heard:
        return self.told.tell(state, answer)


def heard(
    asking: Asking, people: People, pair: tuple[People, People], key: PRNGKeyArray, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """Of so many runs on `people`: the log of how much likelier the first of `pair` is; and how far
    apart the sums of both were."""
    plan, learner = asking
    opened = runs.granted(plan, listened(plan, learner, pair), people)
    ends = runs.states(opened, runs.roots_of(key, draws))
    return np.asarray(ends.ratio, np.float64), np.asarray(ends.apart, np.float64)


def listened(plan: Plan, learner: Learner, pair: tuple[People, People]) -> Told | ToldSums:
    """The learner, beside whom somebody listens who knows the rounds' servers."""
    each: Any = plan.server
    numbers = np.array([own.mechanism.variance for own in each.rounds]) ** 0.5, each.divisor
    pure = isinstance(each.rounds[0].mechanism, Laplace)
    shape = traced(plan.sums.contribution)
    noise, divisor = (jnp.asarray(number, jnp.float32) for number in numbers)
    one, other = map(jnp.asarray, pair)
    told = Told(learner, shape, one, other, noise, divisor, pure)
    return ToldSums(told) if isinstance(learner, Summing) else told
