"""Entropic mirror descent: a linear model of small L1 norm, by exponential weights on its corners.

The model is a mean of the 2p corners +-r e_j of the ball, with shares that fall exponentially in
what each corner has cost so far. With G_t the sum of the answers (noisy gradients) of t rounds the
shares are proportional to e^(-+h r G_tj), h the step size, so the weights are

    w_tj = r (e^(d_j) - e^(-d_j)) / sum_k (e^(d_k) + e^(-d_k)),   d = -h r G_t:

p numbers of state, and w_0 = 0. Released is the mean of w_0, ..., w_(T-1).

**Error.** On the shares, negative entropy is 1-strongly convex in L1 and ranges over ln 2p, and a
corner's cost is +-r times a number of the answer. With unbiased answers, E |answer|_inf² <= M²,

    E F(mean) - min F <= ln(2p)/(h T) + h r² M²/2 = r M (2 ln(2p)/T)^(1/2),

at the step size h = (2 ln(2p)/T)^(1/2)/(r M) that makes both parts equal. A gradient's numbers are
within [-S R, S R]; Gaussian noise Z of deviation s exceeds x with probability e^(-x²/2s²) at most,
thus E |Z|_inf² <= 2 s² (ln p + 1), and M = S R + s (2 ln p + 2)^(1/2) will do (Minkowski). All of
this is public. The noise of p numbers in T rounds has a deviation of about S R (p T)^(1/2)/(n
epsilon): here Frank-Wolfe, which pays ln p, is better if p is large.

References:
    Nemirovski and Yudin 1983, "Problem complexity and method efficiency in optimization".
    Kivinen and Warmuth 1997, "Exponentiated gradient versus gradient descent for linear
        predictors" (both signs of every feature).
    Beck and Teboulle 2003, "Mirror descent and nonlinear projected subgradient methods for convex
        optimization".
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from tacit.argument import counted, refuse_negative, refuse_not_counted
from tacit.contribution import Cube
from tacit.learning.linear_risk import LinearRisk, People, Person, refuse_no_risk
from tacit.learning.terms import Bounded
from tacit.question.participation import Everyone
from tacit.question.sums import Mean


class Costs(eqx.Module):
    """The public state: the sum of answers, the mean of the weights before each, and how many."""

    total: Float[Array, " dim"]
    average: Float[Array, " dim"]
    done: Int[Array, ""]


@final
class MirrorDescent(eqx.Module):
    """Learns weights from noisy gradients. A person is (features, label).

    **Guarantee**: the question's own; terms are in its shape as they are made.

    **Error**: `excess`, in expectation over Gaussian noise.

    Args:
      risk: what is minimised, and where.
      rounds: T, how many gradients are released.
      noise: the deviation of each number of an answer: the plan's `server.facts.noise` over the
        question's `cohort`. The step size and the error depend on it, the question does not.

    Raises:
      ValueError: if there are no rounds, or the noise is negative or not finite.
    """

    risk: LinearRisk = eqx.field(static=True)
    rounds: int = eqx.field(static=True, converter=counted)
    noise: float = eqx.field(static=True, default=0.0)

    def __check_init__(self):
        refuse_no_risk(self.risk)
        refuse_not_counted("rounds", self.rounds)
        refuse_negative("noise", self.noise)

    def question(self, people: int) -> Mean:
        """What is asked: the mean gradient, number by number within its bounds."""
        shape = Cube(self.risk.dim, -self.risk.bound, self.risk.bound)
        return Mean(shape, Everyone(), self.rounds, people)

    @property
    def largest_answer(self) -> float:
        """M: the root of the largest mean square of an answer's largest number, at most."""
        return self.risk.bound + self.noise * math.sqrt(2 * math.log(self.risk.dim) + 2)

    @property
    def excess(self) -> float:
        """How far the released weights' mean risk is above the least, at most."""
        return self.risk.radius * self.largest_answer * self._root

    @property
    def step(self) -> float:
        """h: what makes both parts of the error equal."""
        return self._root / (self.risk.radius * self.largest_answer)

    def init(self) -> Costs:
        zeros = jnp.zeros(self.risk.dim)
        return Costs(zeros, zeros, jnp.zeros((), jnp.int32))

    def ask(self, state: Costs, person: Person) -> Float[Array, " dim"]:
        """The person's gradient."""
        features, label = person
        row = self.risk.cut(features)
        return self.risk.slopes(row @ self._weights(state), label, self.risk.steepest) * row

    def terms(self, state: Costs, people: People) -> Bounded:
        """Everybody's gradients, so that their sum is one matrix product."""
        features, labels = people
        rows = self.risk.cut(features)
        return self.risk.gradients(rows, labels, rows @ self._weights(state))

    def tell(self, state: Costs, answer: Float[Array, " dim"]) -> Costs:
        done = state.done + 1
        average = state.average + (self._weights(state) - state.average) / done
        return Costs(state.total + answer, average, done)

    def released(self, state: Costs) -> Float[Array, " dim"]:
        """The weights."""
        return state.average

    def _weights(self, state: Costs) -> Float[Array, " dim"]:
        costs = self.step * self.risk.radius * state.total
        most = jnp.max(jnp.abs(costs))
        low, high = jnp.exp(costs - most), jnp.exp(-costs - most)
        return self.risk.radius * (high - low) / jnp.sum(high + low)

    @property
    def _root(self) -> float:
        return math.sqrt(2 * math.log(2 * self.risk.dim) / self.rounds)
