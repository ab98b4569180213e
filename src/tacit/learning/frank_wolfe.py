"""Private Frank-Wolfe: a linear model of small L1 norm, one coordinate a round.

The risk F(w) is the mean over people of l(<w, x>, y) (`tacit.solve.losses`), for |w|_1 <= r and
features within [-R, R]. The ball's corners are +-r e_j. Each round asks which corner v has the
least <v, grad F(w)>, then goes part of the way there:

    w_(t+1) = w_t + g_t (v_t - w_t),   g_t = 2/(t + 2),   t = 0, 1, ...

so w_1 is a corner, and after T rounds at most T weights are not zero. A corner's score is -<v, grad
F>/r: a mean of numbers -+l'(<w, x>, y) x_j, each within [-S R, S R], S the bound on the slope. That
is a `Select`, whose price grows with the logarithm of the number of corners 2p and with T, while
noise on all p numbers would grow with p.

**Convergence.** With curvature C = sup 2/g² (F(w + g (v - w)) - F(w) - g <v - w, grad F(w)>), and
choices whose scores are within a of the highest, h_t = F(w_t) - min F obeys

    h_(t+1) <= (1 - g_t) h_t + g_t r a + g_t² C/2,   so   h_t <= 2 C/(t + 2) + r a,  t >= 1

(induction). As <v - w, x>² <= (2 r R)² the curvature is at most (2 r R)² sup l''.

References:
    Frank and Wolfe 1956, "An algorithm for quadratic programming".
    Jaggi 2013, "Revisiting Frank-Wolfe: projection-free sparse convex optimization" (Theorem 1).
    Talwar, Thakurta and Zhang 2015, "Nearly optimal private LASSO".
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from tacit.argument import counted, refuse_negative, refuse_not_counted
from tacit.contribution import Cube
from tacit.learning.linear_risk import LinearRisk, People, Person, refuse_no_risk
from tacit.learning.terms import BothSigns
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, Select


class Corners(eqx.Module):
    """The public state: the corners chosen so far, and the share that each has in the model."""

    numbers: Int[Array, " rounds"]
    shares: Float[Array, " rounds"]
    done: Int[Array, ""]


@final
class FrankWolfe(eqx.Module):
    """Learns sparse weights from the corners that `Select` chooses. A person is (features, label).

    **Guarantee**: the question's own; terms are in its shape as they are made.

    **Error**: `excess`, from the plan's `server.shortfall`, which is certified.

    A round costs one matrix product of the features and what comparing 2 p sums does: a person's
    score needs only the features chosen so far.

    Args:
      risk: what is minimised, and where.
      rounds: T, how many corners are chosen.
    """

    risk: LinearRisk = eqx.field(static=True)
    rounds: int = eqx.field(static=True, converter=counted)

    def __check_init__(self):
        refuse_no_risk(self.risk)
        refuse_not_counted("rounds", self.rounds)

    @property
    def kept_rounds(self) -> int:
        """There is room for so many corners."""
        return self.rounds

    def question(self, people: int) -> Select:
        """What is asked: candidate j is the corner r e_j, and p + j its opposite."""
        shape = Cube(2 * self.risk.dim, -self.risk.bound, self.risk.bound)
        return Select(Mean(shape, Everyone(), self.rounds, people))

    def excess(self, shortfall: float) -> float:
        """How far the released weights' risk is above the least, at most.

        Args:
          shortfall: by how much every round's chosen mean falls short of the highest, at most; with
            probability 1 - b that is `plan.server.shortfall(b / rounds)`.
        """
        refuse_negative("shortfall", shortfall)
        return 2 * self.risk.curvature / (self.rounds + 2) + self.risk.radius * shortfall

    def init(self) -> Corners:
        none = jnp.zeros(self.rounds, jnp.int32)
        return Corners(none, jnp.zeros(self.rounds), jnp.zeros((), jnp.int32))

    def ask(self, state: Corners, person: Person) -> Float[Array, " candidates"]:
        """The person's slope times their features, with both signs."""
        features, label = person
        places, weights = self._weighted(state)
        row = self.risk.cut(features)
        term = self.risk.slopes(row[places] @ weights, label, self.risk.steepest) * row
        return jnp.concatenate([-term, term])

    def terms(self, state: Corners, people: People) -> BothSigns:
        """Everybody's, so that their sum is one matrix product."""
        features, labels = people
        places, weights = self._weighted(state)
        rows = self.risk.cut(features)
        return BothSigns(self.risk.gradients(rows, labels, rows[:, places] @ weights))

    def tell(self, state: Corners, answer: Int[Array, ""]) -> Corners:
        share = 2 / (state.done + 2)
        return Corners(
            state.numbers.at[state.done].set(answer),
            ((1 - share) * state.shares).at[state.done].set(share),
            state.done + 1,
        )

    def released(self, state: Corners) -> Float[Array, " dim"]:
        """The weights."""
        places, weights = self._weighted(state)
        return jnp.zeros(self.risk.dim).at[places].add(weights)

    def _weighted(self, state: Corners) -> tuple[Int[Array, " rounds"], Float[Array, " rounds"]]:
        """The features chosen, and what each choice adds to their weights."""
        signs = jnp.where(state.numbers < self.risk.dim, 1.0, -1.0)
        return state.numbers % self.risk.dim, self.risk.radius * signs * state.shares
