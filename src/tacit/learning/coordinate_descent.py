"""Coordinate descent for a linear model: one coordinate, so one number, a round.

Feature j of everybody is declared to be at most b_j in size. With S and C the bounds of the loss's
slope and curvature (`tacit.solve.losses`), a person's derivative in coordinate j is l'(z, y) x_j:

* at most S b_j in size, so the term is that derivative over S b_j, a number of [-1, 1] that the
  clip leaves alone, and the answer times S b_j is the mean derivative;
* and it changes by at most M_j = C b_j² for each unit that w_j moves, so a step may be as long as
  1/M_j, however steep the other coordinates are.

**Error.** With derivative g_j, step 1/M_j and noise of deviation s in the answer, thus S b_j s in
the derivative, a round changes the smooth part of the objective, in expectation, by at most

    -g_j²/(2 M_j) + S² s²/(2C) :

noise costs the same in every coordinate, while steps of gradient descent are as short as the
steepest needs. So this is better the more the b_j differ. For convex objectives, coordinates drawn
at random and one pass of the best length, Mangold et al. prove an excess of the order of

    sqrt(d log(1/delta)) Q D/(n epsilon),   Q² = sum_j (S b_j)²/M_j = d S²/C,

up to logarithms, D² being the larger of the first excess and of sum_j M_j w_j² at the minimum. The
clipping bounds that they advise too are in the proportion of sqrt(M_j).

A round computes everybody's score, all n d numbers, for one coordinate.

References:
    Mangold, Bellet, Salmon and Tommasi 2022, "Differentially private coordinate descent for
        composite empirical risk minimization", Algorithm 1.
"""

import math
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Num

from tacit.argument import counted, got, is_number, refuse_no_seed, refuse_not_counted
from tacit.contribution import Interval
from tacit.learning.terms import Numbers
from tacit.models.per_example import contract
from tacit.question.participation import Participation
from tacit.question.sums import Mean
from tacit.solve.losses import Loss, refuse_no_loss
from tacit.solve.regularisers import Penalty


@runtime_checkable
class Order(Protocol):
    """Which coordinate has its turn; public, and no privacy rests on it."""

    def coordinate(self, rounds: Int[Array, ""], features: int) -> Int[Array, ""]:
        """The coordinate of the round after so many."""
        ...


@final
class CyclicOrder(eqx.Module):
    """One after the other."""

    def coordinate(self, rounds: Int[Array, ""], features: int) -> Int[Array, ""]:
        return rounds % features


@final
class RandomOrder(eqx.Module):
    """Each with the same chance, from a public seed."""

    seed: int

    def __check_init__(self):
        refuse_no_seed(self.seed)

    def coordinate(self, rounds: Int[Array, ""], features: int) -> Int[Array, ""]:
        key = jax.random.fold_in(jax.random.key(self.seed), rounds)
        return jax.random.randint(key, (), 0, features)


class Coordinates(eqx.Module):
    """The weights, their average since the pass began, and the rounds done."""

    weights: Float[Array, " features"]
    average: Float[Array, " features"]
    rounds: Int[Array, ""]


@final
class CoordinateDescent(eqx.Module):
    """Learns the weights of a linear model, one proximal coordinate step after the other.

    Every `period` rounds the weights become the average of the weights after each of them.

    **Guarantee**: the question's own: a term is in [-1, 1], and `tell` sees nothing but answers.

    | person | counts as |
    | --- | --- |
    | a feature beyond its bound | the nearer end of it |
    | a feature NaN or infinite, a label that is none | nobody: the term is zero |

    Args:
      loss: of one score, with a bounded slope and curvature.
      bounds: one for each feature, of its size.
      period: the rounds of a pass, over whose weights the average goes.
      order: of the coordinates.
      penalty: on the weights, taken care of by its proximal point; None for no penalty.

    Raises:
      ValueError: if a number is out of its range, or the loss has more than one score or lacks a
        constant.
    """

    loss: Loss = eqx.field(static=True)
    bounds: tuple[float, ...] = eqx.field(static=True)
    period: int = eqx.field(static=True, converter=counted)
    order: Order = CyclicOrder()
    penalty: Penalty | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        if not (
            isinstance(self.bounds, tuple) and self.bounds and all(map(_is_bound, self.bounds))
        ):
            raise ValueError(
                "bounds must be a tuple of one positive and finite number a feature, got "
                f"{_said(self.bounds)}"
            )
        refuse_not_counted("period", self.period)
        refuse_no_loss(self.loss)
        if self.loss.outputs:
            raise ValueError(f"a loss of one score is needed, got {self.loss}")
        # A loss that lacks either says so here.
        self.loss.lipschitz(self.bounds[0])
        self.loss.smoothness(self.bounds[0])

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` steps: whole passes, best."""
        return Mean(Interval(-1.0, 1.0), participation, rounds, people)

    def init(self) -> Coordinates:
        zeros = jnp.zeros(len(self.bounds))
        return Coordinates(zeros, zeros, jnp.zeros((), jnp.int32))

    def ask(self, state: Coordinates, person: tuple[Array, Array]) -> Float[Array, ""]:
        return self._terms(state, *(jnp.asarray(leaf)[None] for leaf in person))[0]

    def terms(self, state: Coordinates, people: Any) -> Numbers:
        """Everybody's."""
        return Numbers(self._terms(state, *people))

    def tell(self, state: Coordinates, answer: Float[Array, ""]) -> Coordinates:
        chosen = self._chosen(state)
        bound = jnp.array(self.bounds)[chosen]
        step = 1 / (self.loss.curvature_bound * bound**2)
        weight = state.weights[chosen] - step * self.loss.slope_bound * bound * answer
        weights = state.weights.at[chosen].set(self._proximal(weight, step))
        place = state.rounds % self.period + 1
        average = state.average + (weights - state.average) / place
        weights = jnp.where(place == self.period, average, weights)
        return Coordinates(weights, average, state.rounds + 1)

    def coefficients(self, state: Coordinates) -> Float[Array, " features"]:
        """The average of the last pass."""
        return state.average

    def _proximal(self, weight: Any, step: Any) -> Array:
        return weight if self.penalty is None else self.penalty.proximal(weight, step)

    def _chosen(self, state: Coordinates) -> Int[Array, ""]:
        return self.order.coordinate(state.rounds, len(self.bounds))

    def _terms(
        self,
        state: Coordinates,
        features: Num[Array, "people features"],
        labels: Num[Array, " people"],
    ) -> Float[Array, " people"]:
        bounds, chosen = jnp.array(self.bounds), self._chosen(state)
        rows = jnp.clip(features.astype(jnp.float32), -bounds, bounds)
        labels = labels.astype(jnp.float32)
        scores = contract("bi,i->b", rows, state.weights)
        usable = jnp.isfinite(features).all(axis=1) & self.loss.valid(labels) & jnp.isfinite(scores)
        slopes = self.loss.slope(scores, labels) / self.loss.slope_bound
        return jnp.where(usable, slopes * rows[:, chosen] / bounds[chosen], 0)


def _is_bound(bound: Any) -> bool:
    return is_number(bound) and 0 < bound < math.inf


def _said(bounds: Any) -> str:
    """What was got, number by number."""
    return f"({', '.join(map(got, bounds))})" if isinstance(bounds, tuple) else got(bounds)
