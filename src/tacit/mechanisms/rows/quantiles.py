"""Several quantiles of the same numbers, each chosen by the exponential mechanism on its own.

**Privacy.** All are released at once, each with its part of epsilon, so the whole is private with
the sum of the parts. They are then put in order, which is post-processing.

**Error.** Let y_i be chosen for the share q_i, the shares rising, and c(y) = #{x < y}. If every
|c(y_i) - q_i n| is at most r, that holds in order, too. Let z_i be the i-th smallest of them.

1. Among z_1, ..., z_i there is a y_j with j >= i, and c rises: c(z_i) >= c(y_j) >= q_j n - r >=
   q_i n - r.
2. Among z_i, z_(i+1), ... there is one with j <= i, and c(z_i) <= q_i n + r likewise.
"""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, PRNGKeyArray

from tacit.mechanisms.rows.predicted_ranks import alone
from tacit.mechanisms.rows.quantile import ExponentialQuantile


@final
class ExponentialQuantiles(eqx.Module):
    """One quantile for each mechanism of `each`, in order.

    **Guarantee**: pure differential privacy with the sum of their epsilons, in the relation of
    their constructor's name.

    **Error**: `rank_error(best, t)`, in ranks.

    | values | effect |
    | --- | --- |
    | any | that on `ExponentialQuantile` |

    Args:
      each: Of the same interval, their shares rising.
    """

    each: tuple[ExponentialQuantile, ...]

    @property
    def epsilon(self) -> float:
        return math.fsum(one.epsilon for one in self.each)

    def sample(self, key: PRNGKeyArray, values: Float32[Array, " n"]) -> Float32[Array, " shares"]:
        """The numbers released; errors as `ExponentialQuantile.sample`."""
        keys = jax.random.split(key, len(self.each))
        drawn = [one.sample(own, values) for one, own in zip(self.each, keys, strict=True)]
        return jnp.sort(jnp.stack(drawn))

    def rank_error(self, best: int, t: float) -> float:
        """With probability 1 - m e^-`t`, for m quantiles, how many ranks any is off, at most: the
        largest `ExponentialQuantile.rank_error`."""
        return max(one.rank_error(best, t) for one in self.each)

    def ranks(self, confidence: float) -> float:
        """`rank_error` of all, with this probability."""
        return self.rank_error(1, math.log(len(self.each) / (1 - confidence)))

    def predicted(self, people: int) -> float:
        """How many ranks one is off on average, of so many who stand for all."""
        grids = [one.choice.grid for one in self.each]
        rates = [grid.exponent / (2 * grid.steps) * grid.per_step for grid in grids]
        return alone([one.q for one in self.each], rates, people)
