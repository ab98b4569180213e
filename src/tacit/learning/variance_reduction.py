"""Variance-reduced gradient descent for a linear model: small steps get small noise.

A person's gradient at the weights w is l'(<w, x>, y) x, |x| <= R: at most S R in norm, and at two
weights it differs by at most C R² times their distance (`tacit.solve.losses`). Every `period`
rounds the weights are an *anchor* v, and the round asks for the gradient there. All other rounds
ask for gradient(w) - gradient(v), whose norm is at most

    reach = min(2 S R, C R² |w - v|).

That is public, as w and v are. So the term is the difference times S R/reach: it fits the ball of
radius S R, which is the question's one and only shape, the clip changes nothing, and the answer
times reach/(S R) has less noise by that factor. The step follows anchor gradient plus difference.

**Error.** With noise of deviation s in each number of an answer, the direction of a round has that
of its anchor, s, and independently s min(2, C R |w - v|/S), but no less than 2^-10 s: below that
float rounding of the difference would be seen. Without noise, with everybody and steps of at most
1/(C R²) it is proximal gradient descent, restarted from averages; with drawn cohorts and an exact
anchor gradient it is Prox-SVRG, for which Xiao and Zhang prove a linear rate for strongly convex
objectives. Here the anchor's gradient has noise and its cohort's sampling error, and keeps both for
a period: where they dominate, a longer period averages fewer independent draws, and a period of 1,
which is noisy proximal gradient descent, does better.

References:
    Johnson and Zhang 2013, "Accelerating stochastic gradient descent using predictive variance
        reduction".
    Xiao and Zhang 2014, "A proximal stochastic gradient method with progressive variance
        reduction".
    Wang, Ye and Xu 2017, "Differentially private empirical risk minimization revisited: faster and
        more general" (the private one).
"""

import math
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Num

from tacit.argument import counted, refuse_not_counted, refuse_not_positive, single
from tacit.contribution import Ball
from tacit.learning.rates import as_number
from tacit.learning.terms import RowsBySlopes
from tacit.models.per_example import contract
from tacit.question.participation import Participation
from tacit.question.sums import Mean
from tacit.solve.losses import Loss, refuse_no_loss
from tacit.solve.regularisers import Penalty

# Differences are not magnified by more than its inverse: float32 knows slopes to 2^-24.
_LEAST = 2.0**-10


class Anchored(eqx.Module):
    """Weights, the anchor, the mean gradient there, and the average since; the rounds done."""

    weights: Float[Array, " size"]
    anchor: Float[Array, " size"]
    slope: Float[Array, " size"]
    average: Float[Array, " size"]
    rounds: Int[Array, ""]


@final
class VarianceReduction(eqx.Module):
    """Learns the weights of a linear model in a ball, from zero; the answers are gradients.

    The anchor's round makes the period's first step; the average of the weights after each step of
    a period is the next anchor.

    **Guarantee**: the question's own: terms are in its ball, and `tell` sees nothing but answers.

    | person | counts as |
    | --- | --- |
    | features longer than `bound` | themselves, shortened to it |
    | a feature NaN or infinite, a label that is none | nobody: the term is zero |

    Args:
      features: how many numbers a person has beside the label.
      loss: with a bounded slope and curvature; of several scores, a weight for each in turn.
      bound: R, of the features' L2 norm.
      radius: of the ball that the weights are kept in.
      period: rounds from one anchor to the next.
      rate: the length of steps; traced, so trying rates compiles once.
      penalty: on the weights, taken care of by its proximal point; None for no penalty.

    Raises:
      ValueError: if a number is out of its range, or the loss lacks a constant.
    """

    features: int = eqx.field(static=True, converter=counted)
    loss: Loss = eqx.field(static=True)
    bound: float
    radius: float
    period: int = eqx.field(static=True, converter=counted)
    rate: Float[Array, ""] = eqx.field(converter=as_number)
    penalty: Penalty | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        refuse_not_counted("features", self.features)
        refuse_not_counted("period", self.period)
        refuse_not_positive("bound", self.bound)
        refuse_not_positive("radius", self.radius)
        refuse_not_positive("rate", single(self.rate))
        refuse_no_loss(self.loss)
        # A loss that lacks either says so here.
        self.loss.lipschitz(self.bound)
        self.loss.smoothness(self.bound)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self.features * math.prod(self.loss.outputs)

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` steps: whole periods, best."""
        ball = Ball(self.size, self.loss.lipschitz(self.bound))
        return Mean(ball, participation, rounds, people)

    def init(self) -> Anchored:
        zeros = jnp.zeros(self.size)
        return Anchored(zeros, zeros, zeros, zeros, jnp.zeros((), jnp.int32))

    def ask(self, state: Anchored, person: tuple[Array, Array]) -> Float[Array, " size"]:
        rows, slopes = self._factors(state, *(jnp.asarray(leaf)[None] for leaf in person))
        return jnp.outer(rows[0], slopes[0]).ravel()

    def terms(self, state: Anchored, people: Any) -> RowsBySlopes:
        """Everybody's, so that their sum is one matrix product."""
        return RowsBySlopes(*self._factors(state, *people))

    def tell(self, state: Anchored, answer: Float[Array, " size"]) -> Anchored:
        place = state.rounds % self.period
        slope = jnp.where(place == 0, answer, state.slope)
        direction = jnp.where(place == 0, answer, state.slope + self._scale(state) * answer)
        weights = self._nearest(state.weights - self.rate * direction, self.rate)
        average = state.average + (weights - state.average) / (place + 1)
        ends = place + 1 == self.period
        return Anchored(
            jnp.where(ends, average, weights),
            jnp.where(ends, average, state.anchor),
            slope,
            average,
            state.rounds + 1,
        )

    def coefficients(self, state: Anchored) -> Float[Array, "features *outputs"]:
        """The average of the last period."""
        return state.average.reshape(self.features, *self.loss.outputs)

    def _scale(self, state: Anchored) -> Float[Array, ""]:
        """How long a difference can be, relative to a gradient; of the anchor's round, one."""
        moved = jnp.linalg.norm(state.weights - state.anchor)
        steepest = self.loss.smoothness(self.bound) / self.loss.lipschitz(self.bound)
        reach = jnp.clip(steepest * moved, _LEAST, 2)
        return jnp.where(state.rounds % self.period == 0, 1, reach)

    def _nearest(self, weights: Array, step: Any) -> Float[Array, " size"]:
        """The proximal point of the penalty in the ball: shrinking that leaves directions alone."""
        if self.penalty is not None:
            weights = self.penalty.proximal(weights, step)
        return weights * (self.radius / jnp.maximum(jnp.linalg.norm(weights), self.radius))

    def _factors(
        self,
        state: Anchored,
        features: Num[Array, "people features"],
        labels: Num[Array, " people"],
    ) -> tuple[Float[Array, "people features"], Float[Array, "people outputs"]]:
        """Rows, and the slopes that they are multiplied with in the terms."""
        rows = Ball(self.features, self.bound).project(features)
        labels = labels.astype(jnp.float32)
        here = self._slopes(state.weights, rows, labels)
        before = self._slopes(state.anchor, rows, labels)
        is_anchor = state.rounds % self.period == 0
        return rows, (here - jnp.where(is_anchor, 0, before)) / self._scale(state)

    def _slopes(self, weights: Array, rows: Array, labels: Array) -> Float[Array, "people outputs"]:
        scores = contract("bi,ik->bk", rows, weights.reshape(self.features, -1))
        scores = scores.reshape(len(rows), *self.loss.outputs)
        usable = self.loss.valid(labels) & jnp.isfinite(scores).reshape(len(rows), -1).all(axis=1)
        slopes = self.loss.slope(scores, labels).reshape(len(rows), -1)
        return jnp.where(usable[:, None], slopes, 0)
