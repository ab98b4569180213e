"""The risk of a linear model of small L1 norm: the constants that sparse methods are made of.

F(w) is the mean over people of l(<w, x>, y) (`tacit.solve.losses`), for |w|_1 <= r and features
within [-R, R]. A person's gradient is l'(<w, x>, y) x, so no number in it is larger than S R, S the
bound on the slope, whatever the number of features: the geometry of L1 and L-infinity.

Everything a person hands over is made to fit before it is used, so terms stay within these bounds
by construction and clipping is idle.
"""

from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from tacit.argument import counted, got, is_made, is_number, refuse_not_counted
from tacit.contribution import Interval
from tacit.learning.terms import Bounded
from tacit.solve.losses import Loss, refuse_no_loss

Person = tuple[Num[Array, " dim"], Num[Array, ""]]
People = tuple[Num[Array, "people dim"], Num[Array, " people"]]
# Slopes are kept this much below the bound, for the rounding of a quotient and a product.
BELOW = 1 - 2.0**-22
LEAST, MOST = 2.0**-30, 2.0**30


@final
@dataclass(frozen=True)
class LinearRisk:
    """The mean loss of linear models in an L1 ball, over people whose features are bounded.

    | a person's | counts as |
    | --- | --- |
    | feature beyond `largest` | the nearer bound |
    | feature that is NaN or infinite | zero |
    | label that is none of the loss's | no term at all |

    Args:
      loss: of one score a person, with bounds on its slope and curvature. For least squares it is
        `Huber`: residuals beyond its width are clipped to it.
      dim: p, how many features.
      radius: r, the largest L1 norm of the weights.
      largest: R, the largest size of one feature.

    Raises:
      ValueError: if a number is out of range, or the loss lacks a bound.
    """

    loss: Loss
    dim: int
    radius: float
    largest: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "dim", counted(self.dim))
        refuse_no_loss(self.loss)
        if self.loss.outputs != ():
            raise ValueError(
                f"weights of one score are learnt, {type(self.loss).__name__} has more"
            )
        refuse_not_counted("dim", self.dim)
        for name, value in (("radius", self.radius), ("largest", self.largest)):
            if not (is_number(value) and LEAST <= value <= MOST):
                raise ValueError(f"{name} must be between 2^-30 and 2^30, got {got(value)}")
        # A loss without a bound says so here.
        self.loss.lipschitz(self.largest)

    @property
    def bound(self) -> float:
        """S R: the largest number in anybody's gradient."""
        return self.loss.lipschitz(self.largest)

    @property
    def curvature(self) -> float:
        """At least C: how far from linear the risk is across the ball."""
        return self.loss.smoothness(2 * self.radius * self.largest)

    @property
    def steepest(self) -> float:
        """What one person's slope is cut to: S, less a rounding."""
        return self.loss.slope_bound * BELOW

    def cut(self, features: Num[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Features within their bounds."""
        return Interval(-self.largest, self.largest).project(features)

    def slopes(
        self, scores: Float[Array, " people"], labels: Num[Array, " people"], most: float | Array
    ) -> Float[Array, " people"]:
        """The loss's slopes, of size `most` at most."""
        labels = labels.astype(jnp.float32)
        slopes = jnp.clip(self.loss.slope(scores, labels), -most, most)
        return jnp.where(self.loss.valid(labels) & jnp.isfinite(slopes), slopes, 0.0)

    def gradients(
        self,
        rows: Float[Array, "people dim"],
        labels: Num[Array, " people"],
        scores: Float[Array, " people"],
    ) -> Bounded:
        """Everybody's gradient at these scores; the `rows` are cut already."""
        return Bounded(rows, self.slopes(scores, labels, self.steepest), self.largest)


def refuse_no_risk(risk: Any) -> None:
    """Raises a ValueError unless this is a risk that was made."""
    if not is_made(risk, LinearRisk):
        raise ValueError(f"risk must be a LinearRisk(loss, dim, radius), got {got(risk)}")
