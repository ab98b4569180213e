"""Steps that follow from the noise: how much of each answer to believe, and where that ends.

Near its minimum a risk is a quadratic. Let its curvature be h, let w_1 be tau from the minimiser
w*, and answers be h (w_t - w*) + z_t with z_t of mean zero and E |z_t|² <= v, given what was
answered before. A step of length e leaves

    P_(t+1) = (1 - e h)² P_t + e² v,      P_t >= E |w_t - w*|²,  P_1 = tau²,

which is least at e = h P_t/(h² P_t + v), the Kalman gain. Then 1/P_(t+1) = 1/P_t + h²/v: all that
was known adds up, and as 1/P_1 = h² k0/v with k0 = v/(h² tau²),

    step k has length 1/(h (k + k0)),      E |w_(T+1) - w*|² <= v/(h² (T + k0)) < tau².

The last weights are what to release: each is the average of all that was said, tau counted as k0
answers. With k0 = 0 the first answer is believed whole, and what w_1 was is forgotten; steps of
1/sqrt k with an average remember the first, long ones. Nothing but h, tau and v is needed, and
all are public.

**It need be no quadratic.** All that is used is that a step brings points nearer to w* by the
factor 1 - e h. Of an h-strongly convex risk whose gradient is B-Lipschitz, the gradient at w is
h d + g, d = w - w*, with (B - h) <g, d> >= |g|² (Nesterov, Theorem 2.1.5), hence

    |d - e (h d + g)|² <= (1 - e h)² |d|² - (2 e (1 - e h)/(B - h) - e²) |g|²,

and the last part takes nothing back if e <= 2/(h + B). So the bound holds for all steps if
B <= h (1 + 2 k0): `smoothness`. Projections onto a convex set with w* in it bring points nearer.

**v of a plan.** The plan's `error`, or its `typical_error` where gradients are of the declared
norm. If w* is of the population that people of a round were drawn from, their own mean adds its
mean square, at most typical²/cohort.

References:
    Kalman 1960, "A new approach to linear filtering and prediction problems".
    Nesterov 2004, "Introductory lectures on convex optimization", Theorem 2.1.5.
"""

from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from tacit.argument import refuse_not_positive


@final
@dataclass(frozen=True)
class KalmanGain:
    """Steps of 1/(h (k + k0)), and the last weights: `optax.sgd(gain.rate)`.

    Args:
      curvature: h, of the risk; the least one, where there are several.
      radius: tau, how far from the minimiser descent starts, at most.
      noise: v, the mean square of an answer's noise at most: the plan's.

    Raises:
      ValueError: if a number is not positive and finite.
    """

    curvature: float
    radius: float
    noise: float

    def __post_init__(self):
        for name in ("curvature", "radius", "noise"):
            refuse_not_positive(name, getattr(self, name))

    @property
    def offset(self) -> float:
        """k0: how many answers it takes to know as much as is known at the start."""
        return self.noise / (self.curvature * self.radius) ** 2

    @property
    def smoothness(self) -> float:
        """B, up to which a gradient may be Lipschitz for `squared_distance` to hold."""
        return self.curvature * (1 + 2 * self.offset)

    def rate(self, done: ArrayLike) -> Float[Array, ""]:
        """The length of the step after so many rounds: an Optax schedule."""
        return 1 / (self.curvature * (jnp.asarray(done) + 1.0 + self.offset))

    def squared_distance(self, rounds: int) -> float:
        """E |w - w*|² after `rounds`, at most: on a quadratic of this curvature that is it."""
        return self.noise / (self.curvature**2 * (rounds + self.offset))
