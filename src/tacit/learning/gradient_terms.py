"""Clipped gradients as terms of a ball: everybody's length, and any weighted sum as one vector."""

from typing import final

import equinox as eqx
import jax
from jaxtyping import Array, Float

from tacit.contribution import Ball
from tacit.learning import progress
from tacit.learning.clipping import Clipped


@final
class GradientTerms(eqx.Module):
    """Gradients under a rule, each the vector that `progress.joined` makes of it."""

    clipped: Clipped
    dim: int = eqx.field(static=True)

    kinds = (Ball,)

    @property
    def norms(self) -> Float[Array, "people 1"]:
        return self.clipped.norms[:, None]

    @property
    def numbers_kept(self) -> int:
        """Factors, or gradients that were formed."""
        return sum(leaf.size for leaf in jax.tree.leaves(self.clipped.gradients))

    def weighted_sum(self, weights: Float[Array, "people 1"]) -> Float[Array, " dim"]:
        return progress.joined(self.clipped.weighted_sum(weights[:, 0]), self.dim)
