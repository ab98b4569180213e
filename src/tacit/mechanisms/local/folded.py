"""A vector in a ball released through its direction alone: the norm is folded into a sign.

A contribution x = r u with |u| = 1 and r in [0, radius] becomes the unit vector s u, where the sign
s is +1 with probability (1 + r/radius)/2 and -1 otherwise, and that goes through PrivUnit2 with the
whole budget:

* **privacy**: what is randomised is a unit vector, whatever x was, so the budget is PrivUnit2's;
* **unbiasedness**: E[s] = r / radius, so E[radius D] = radius E[s] u = x;
* **error**: |D| = S always, so E|Z - x|² = (S radius)² - r², exact at every norm;
* **blanket**: a density mixed over two signs is at least the least over all unit vectors, so it is
  PrivUnit2's.

The sign costs at most radius² of error and no budget; a magnitude of its own (`Separated`) costs
budget and no such floor. With little budget to share, folding is better: at 650 dimensions and
epsilon 8 its worst error is about half.

References:
    Duchi, Jordan and Wainwright 2018, "Minimax optimal procedures for locally private estimation",
    section 4.2.3, for the sign; Bhowmick et al. 2018, Algorithm 1, for the direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import refuse_not_positive, takes_numpys
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.node import node


@node
@dataclass(frozen=True)
class Folded:
    """PrivUnit2 of a randomly signed direction, times the radius. Build it with `best`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), that of
    `direction`.

    **Error**: `error(norm)` = E|Z - x|², exact; `worst_error` its maximum, at norm zero; every
    report has norm `bound`.

    | contribution | treated as |
    | --- | --- |
    | longer than `radius` | scaled back to it |
    | shorter than sqrt(dim) 1e-15 | its own norm along the first basis vector |
    | zero, NaN or infinite somewhere, norm beyond float32 | zero: a signed first basis vector |
    """

    direction: PrivUnit2
    radius: float

    def __post_init__(self):
        refuse_not_positive("radius", self.radius)
        object.__setattr__(self, "radius", float(self.radius))

    @classmethod
    @takes_numpys
    def best(cls, dim: int, epsilon: float, radius: float) -> Folded:
        """The mechanism with the least error for this budget."""
        return cls(PrivUnit2.optimal(dim, epsilon), radius)

    @property
    def epsilon(self) -> float:
        """The budget of one report."""
        return self.direction.epsilon

    @property
    def bound(self) -> float:
        """The norm of every report."""
        return self.direction.scale * self.radius

    @property
    def blanket(self) -> float:
        """The mass of the least density over inputs, that of `direction`."""
        return self.direction.blanket

    @property
    def along(self) -> float:
        """The share of E|Z|² that lies along the input, that of `direction`."""
        return self.direction.along

    @property
    def largest_second_moment(self) -> float:
        """E|Z|² at every input."""
        return self.bound**2

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, E|Z - x|², over the ball."""
        return self.error(0.0)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - x|², at a contribution of this norm, at most `radius`."""
        return self.bound**2 - norm**2

    @per_shape
    def sample(
        self, key: PRNGKeyArray, contributions: Float[Array, "n dim"]
    ) -> Float[Array, "n dim"]:
        """One report for each row."""
        for_direction, for_sign = jax.random.split(key)
        norms = jnp.linalg.norm(contributions.astype(jnp.float32), axis=1)
        share = jnp.clip(jnp.where(jnp.isfinite(norms), norms, 0.0) / self.radius, 0.0, 1.0)
        positive = jax.random.uniform(for_sign, norms.shape) < (1 + share) / 2
        size = jnp.where(positive, self.radius, -self.radius)
        # A signed direction's report is the direction's report with that sign.
        return size[:, None] * self.direction.sample(for_direction, contributions)
