"""Separated release of a vector in a ball: its direction by PrivUnit2, its norm by ScalarDP.

A contribution x = r u with |u| = 1 and r in [0, radius] is reported as Z = R D, with D the
direction report and R the magnitude report, drawn independently:

* **privacy**: the pair (D, R) is a basic composition of an epsilon1- and an epsilon2-private
  release, and Z is computed from it: the total is epsilon1 + epsilon2;
* **unbiasedness**: E[R D] = E[R] E[D] = r u by independence. At r = 0 the direction is arbitrary, a
  fixed one serves, since E[R] = 0 whatever it is;
* **error**: |D| = S always, so E|Z|² = S² (r² + Var R) and
  E|Z - x|² = S² Var R + (S² - 1) r², exact at every norm;

* **blanket**: the density of (D, R) is the product of the parts', and the least of a product is at
  least the product of the least; computing Z from the pair loses none of it.

The worst norm and the best number of levels both come from `ScalarDP`'s closed form, with the
weight 1 - 1/S² on r². How much of the budget goes to the direction is one number: `split`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import got, is_number, takes_numpys
from tacit.late import fminbound
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.node import node


@node
@dataclass(frozen=True)
class Separated:
    """PrivUnit2 on the direction times ScalarDP on the norm. Build it with `split`.

    **Guarantee**: pure `epsilon`-local differential privacy of one report (replace-one), the sum of
    the two parts'; their docstrings say how rounding is treated.

    **Error**: `error(norm)` = E|Z - x|², exact; `worst_error` its maximum; |Z| <= `bound`.

    | contribution | treated as |
    | --- | --- |
    | longer than `magnitude.maximum` | scaled back to it |
    | shorter than sqrt(dim) 1e-15 | its own norm along the first basis vector |
    | zero, NaN or infinite somewhere, norm beyond float32 | zero, along the first basis vector |

    References:
        Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, section 4.
    """

    direction: PrivUnit2
    magnitude: ScalarDP

    @classmethod
    @takes_numpys
    def split(cls, dim: int, epsilon: float, radius: float) -> Separated:
        """The split of `epsilon` between the parts with the lowest worst-case error.

        Raises:
          ValueError: if `dim`, `epsilon` or `radius` is outside what the parts allow.
        """
        if not (is_number(epsilon) and 1e-4 <= epsilon):
            raise ValueError(f"epsilon must be at least 1e-4, got {got(epsilon)}")

        def cost(share: float) -> float:
            return math.log(cls._at_share(dim, epsilon, radius, share).worst_error)

        # The number of levels jumps, so the curve has shallow dips: a grid first, then one dip.
        shares = np.linspace(0.02, 0.98, 25)
        middle = shares[np.argmin([cost(float(share)) for share in shares])]
        share = cast(float, fminbound(cost, middle - 0.02, middle + 0.02, xtol=1e-5))
        return cls._at_share(dim, epsilon, radius, share)

    @classmethod
    def _at_share(cls, dim: int, epsilon: float, radius: float, share: float) -> Separated:
        direction = PrivUnit2.optimal(dim, epsilon * share)
        rest = epsilon - direction.epsilon
        return cls(direction, ScalarDP.best(rest, radius, 1 - direction.scale**-2))

    @property
    def epsilon(self) -> float:
        """The total budget of one report."""
        return self.direction.epsilon + self.magnitude.epsilon

    @property
    def bound(self) -> float:
        """The largest norm of a report."""
        return self.direction.scale * self.magnitude.bound

    @property
    def blanket(self) -> float:
        """A mass of the report that depends on nobody: the product of the parts', rounded down."""
        return math.nextafter(self.direction.blanket * self.magnitude.blanket, 0.0)

    @property
    def along(self) -> float:
        """The share of E|Z|² that lies along the input, that of `direction`."""
        return self.direction.along

    @property
    def largest_second_moment(self) -> float:
        """The largest E|Z|² over the ball."""
        return self.direction.scale**2 * self.magnitude.worst(1.0)

    @property
    def worst_error(self) -> float:
        """The largest mean squared error, E|Z - x|², over the ball."""
        square = self.direction.scale**2
        return square * self.magnitude.worst(1 - 1 / square)

    def error(self, norm: float) -> float:
        """The mean squared error, E|Z - x|², at a contribution of this norm, at most
        `magnitude.maximum`."""
        square = self.direction.scale**2
        return square * self.magnitude.error(norm) + (square - 1) * norm * norm

    @per_shape
    def sample(
        self, key: PRNGKeyArray, contributions: Float[Array, "n dim"]
    ) -> Float[Array, "n dim"]:
        """One report for each row."""
        for_direction, for_magnitude = jax.random.split(key)
        norms = jnp.linalg.norm(contributions.astype(jnp.float32), axis=1)
        norms = jnp.where(jnp.isfinite(norms), norms, 0.0)
        magnitudes = self.magnitude.sample(for_magnitude, norms)
        return magnitudes[:, None] * self.direction.sample(for_direction, contributions)
