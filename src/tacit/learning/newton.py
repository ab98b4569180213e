"""Newton's method for a linear model: gradient and Hessian in one question a round.

A person with features x, |x| <= R, and score z = <w, x> has the gradient l'(z, y) x and the Hessian
l''(z, y) x x' (`tacit.solve.losses`), of norms at most S R and C R². Packed as in
`tacit.learning.sufficient_statistics` the Hessian keeps its norm, so a term is a member of a
product of two balls, and the clip changes nothing. A few rounds do: a step costs one answer of
d + d(d+1)/2 numbers, of which only the noise's norm as a matrix, about sqrt(2d), is felt.

**The step.** From a noisy gradient g and Hessian H + E, with the penalty a|w|²/2 added in public,

    K = (H + E, eigenvalues below r raised to r) + a,     D = -K^-1 (g + a w),
    w <- w + t D,     t = log(1 + u)/u,     u = damping R |D|,

with r the `spectral_bound` of the Hessian's noise: |E| <= r with confidence 0.95.

**Why it does not go astray.** Let |l'''| <= l'', as for `Logistic`, and damping 1. Along D scores
move by R|D| = u at most, so the Hessian grows by e^(us) at most after a part s of the way, and
F(w + tD) <= F(w) + t <F', D> + D'(H + a)D (e^(ut) - ut - 1)/u². If |E| <= r then K >= (H + a)/2,
for max(e, r) >= (e + r)/2 in each eigenvalue e. With the exact gradient, q = <F', K^-1 F'>:

    F(w + tD) - F(w) <= -(q/u²) ((2 + u) log(1 + u) - 2u) <= 0.

So *noise in the Hessian alone never raises the objective*, however large it is.

**Error.** Near the minimum w* the damping vanishes. If H has no eigenvalue below h >= 2r, and is
L-Lipschitz, an undamped step with noise e in the gradient and |E| <= r ends within

    (|e| + r |w - w*| + L |w - w*|²/2)/(h + a - r)

of w*: it converges fast to what the gradient's last noise leaves. Hence few rounds.

References:
    Avella-Medina, Bradshaw and Loh 2023, "Differentially private inference via noisy optimization"
        (noisy Newton steps, under local strong convexity and self-concordance).
    Ganesh, Haghifam, Steinke and Thakurta 2023, "Faster differentially private convex optimization
        via second-order methods" (eigenvalues raised to a floor).
    Sun and Tran-Dinh 2019, "Generalized self-concordant functions: a recipe for Newton-type
        methods" (the damping).
"""

import dataclasses
from typing import Any, Self, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from tacit.argument import (
    counted,
    refuse_negative,
    refuse_no_share,
    refuse_not_counted,
    refuse_not_positive,
    single,
)
from tacit.contribution import Ball, Product
from tacit.contribution.packing import packed, unpacked
from tacit.learning.rates import as_number
from tacit.learning.sufficient_statistics import spectral_bound
from tacit.learning.terms import Joined, Squares, Vectors
from tacit.models.per_example import contract
from tacit.plan import Plan
from tacit.question.participation import Participation
from tacit.question.sums import Mean
from tacit.server.means import JointMean
from tacit.solve.losses import Loss, refuse_no_loss
from tacit.solve.regularisers import L2

Factors = tuple[Float[Array, "people features"], Float[Array, " people"], Float[Array, " people"]]


@final
class Newton(eqx.Module):
    """Learns the weights of a linear model by noisy, damped Newton steps from zero.

    **Guarantee**: the question's own: `tell` sees nothing but its answers, and numbers that are
    public.

    | person | counts as |
    | --- | --- |
    | features longer than `bound` | themselves, shortened to it |
    | a feature NaN or infinite, a label that is none | nobody: the term is zero |

    Args:
      features: how many numbers a person has beside the label.
      loss: of one score, with a bounded slope and curvature.
      bound: R, of the features' L2 norm.
      penalty: on the weights; it keeps the steps finite.
      share: of the budget, for the gradient; the Hessian has the rest.
      damping: 1 is proved for `Logistic`, and slow while the weights are far from the minimum; 0
        makes full steps, as suits `Huber`.
      noise: deviation of each number of the Hessian's answer; see `expecting`.

    Raises:
      ValueError: if a number is out of its range, or the loss has more than one score or lacks a
        constant.
    """

    features: int = eqx.field(static=True, converter=counted)
    loss: Loss = eqx.field(static=True)
    bound: float
    penalty: L2 = eqx.field(static=True)
    share: float = 0.5
    damping: float = 1.0
    noise: Float[Array, ""] = eqx.field(converter=as_number, default=0.0)

    def __check_init__(self):
        refuse_not_counted("features", self.features)
        refuse_not_positive("bound", self.bound)
        refuse_no_share("share", self.share)
        refuse_negative("damping", self.damping)
        refuse_negative("noise", single(self.noise))
        refuse_no_loss(self.loss)
        if self.loss.outputs:
            raise ValueError(f"a loss of one score is needed, got {self.loss}")
        self._shape()

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` steps."""
        return Mean(self._shape(), participation, rounds, people)

    def expecting(self, plan: Plan) -> Self:
        """The same, told how much noise the server of a plan for its question adds.

        That of reports which devices randomise is not known; the floor is zero then.

        Raises:
          ValueError: if the plan is for another question.
        """
        if not isinstance(plan.server, JointMean):
            shape = type(plan.sums.contribution).__name__
            raise ValueError(f"a plan for a Product of two parts is needed, got one for {shape}")
        _, hessian = plan.server.parts
        return dataclasses.replace(self, noise=hessian.facts.stated_noise / plan.sums.cohort)

    def init(self) -> Float[Array, " features"]:
        return jnp.zeros(self.features)

    def ask(
        self, state: Float[Array, " features"], person: tuple[Array, Array]
    ) -> Float[Array, " numbers"]:
        one = (jnp.asarray(leaf)[None] for leaf in person)
        (row,), (slope,), (curvature,) = self._factors(state, *one)
        return jnp.concatenate([slope * row, curvature * packed(jnp.outer(row, row))])

    def terms(self, state: Float[Array, " features"], people: Any) -> Joined:
        """Everybody's, so that their sums are two matrix products."""
        rows, slopes, curvatures = self._factors(state, *people)
        return Joined((Vectors(rows, slopes), Squares(rows, curvatures)))

    def tell(
        self, state: Float[Array, " features"], answer: Float[Array, " numbers"]
    ) -> Float[Array, " features"]:
        floor = spectral_bound(self.noise, self.features)
        values, vectors = jnp.linalg.eigh(unpacked(answer[self.features :]))
        raised = jnp.maximum(values, floor) + self.penalty.ridge
        slope = answer[: self.features] + self.penalty.ridge * state
        direction = -vectors @ ((vectors.T @ slope) / raised)
        return state + self._damped(direction) * direction

    def coefficients(self, state: Float[Array, " features"]) -> Float[Array, " features"]:
        """The weights learnt."""
        return state

    def _shape(self) -> Product:
        slopes, size = self.loss.lipschitz(self.bound), self.features
        curvatures = Ball(size * (size + 1) // 2, self.loss.smoothness(self.bound))
        return Product(Ball(size, slopes), curvatures, shares=(self.share, 1 - self.share))

    def _factors(
        self,
        weights: Float[Array, " features"],
        features: Num[Array, "people features"],
        labels: Num[Array, " people"],
    ) -> Factors:
        """Rows, slopes and curvatures, which make up the gradients and Hessians."""
        rows = Ball(self.features, self.bound).project(features)
        labels = labels.astype(jnp.float32)
        scores = contract("bi,i->b", rows, weights)
        usable = self.loss.valid(labels) & jnp.isfinite(scores)
        slopes = jnp.where(usable, self.loss.slope(scores, labels), 0)
        return rows, slopes, jnp.where(usable, self.loss.curvature(scores, labels), 0)

    def _damped(self, direction: Float[Array, " features"]) -> Float[Array, ""]:
        moved = self.damping * self.bound * jnp.linalg.norm(direction)
        return jnp.where(moved > 0, jnp.log1p(moved) / jnp.maximum(moved, 1e-30), 1)
