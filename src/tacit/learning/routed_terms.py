"""Terms of which each is in one of k places: everybody's length, and any weighted sum as one table.

A table is zero but in its person's place, so that it is as long as their own numbers; and the sum
of many is one product of matrices, of who is where with what they give.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from tacit.contribution import Ball, Contribution, L1Ball
from tacit.contribution.vectors import lengths


@final
class RoutedTerms(eqx.Module):
    """People's numbers, each in one of k places.

    Args:
      own: their numbers.
      places: a one in the place that they are in.
      ball: that of the terms.
    """

    own: Float[Array, "people numbers"]
    places: Float[Array, "people clusters"]
    ball: type[Ball] | type[L1Ball] = eqx.field(static=True)

    @property
    def kinds(self) -> tuple[type[Contribution], ...]:
        return (self.ball,)

    @property
    def norms(self) -> Float[Array, "people 1"]:
        if self.ball is L1Ball:
            return jnp.sum(jnp.abs(self.own), axis=1, keepdims=True)
        return lengths(self.own)

    def weighted_sum(self, weights: Float[Array, "people 1"]) -> Float[Array, " table"]:
        # Zero times a NaN is none.
        own = jnp.where(weights > 0, self.own, 0.0)
        return jnp.matmul((weights * self.places).T, own, precision=lax.Precision.HIGHEST).ravel()
