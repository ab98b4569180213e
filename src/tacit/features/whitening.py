"""Whitening by public rows: a linear map that gives every direction about the same energy.

With m and S the mean and the covariance of public rows and L L' = S + r 1, a row becomes

    z = L^-1 (x - m),   then length z / |z|.

Over the public rows z has covariance L^-1 S L^-T = 1 - r (S + r 1)^-1 (up to a rotation): a
principal direction of variance s is left with s / (s + r). What varies much more than r comes out
with variance one, what varies less stays small, and its noise is not blown up.

Descent takes as many steps as the energies of its features are unequal, and every private step is
paid for. A map that makes them equal therefore buys accuracy, but only if it is free: estimated
from people, S would be a release of its own. So the rows have to be somebody's whom no promise
protects, or nobody's at all (`dead_leaves`). They need not look like the people's rows: a bad map
costs accuracy, never privacy.

**Guarantee**: what a row becomes depends on that row and on public numbers. Its norm is `length`,
whatever the row was, up to the rounding of float32; no bound on rows is needed.

| row | result |
| --- | --- |
| m itself | zero, the only one that is shorter |
| with a number that is not finite, or so large that z is not | NaN: zero in every mean |
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from tacit.argument import refuse_not_positive


@final
class Whitening(eqx.Module):
    """The map, made by `of`. Best under `eqx.filter_jit`, a thousand rows at a time.

    Args:
      mean: m.
      lower: L, lower triangular.
      length: of every row that comes out.
    """

    mean: Float[Array, " features"]
    lower: Float[Array, "features features"]
    length: float

    @staticmethod
    def of(
        rows: Float[Array | np.ndarray, "public features"], ridge: float, length: float = 1.0
    ) -> "Whitening":
        """The map that makes these rows white.

        Args:
          rows: public. Fewer than there are features will do: the ridge stands for the rest.
          ridge: r as a share of the sum of all variances.
          length: positive and finite.

        Raises:
          ValueError: if ridge or length is not positive and finite, or if the covariance has no
            Cholesky factor: rows that are not finite or all equal, a ridge lost in rounding.
        """
        for name, value in (("ridge", ridge), ("length", length)):
            refuse_not_positive(name, value)
        mean = rows.mean(axis=0)
        centred = rows - mean
        spread = centred.T @ centred / len(rows)
        added = ridge * np.trace(spread) * np.eye(len(spread), dtype=spread.dtype)
        lower = jnp.linalg.cholesky(spread + added)
        if not np.all(np.isfinite(lower)):
            raise ValueError(f"rows must be finite and vary, got no Cholesky factor at {ridge=}")
        return Whitening(jnp.asarray(mean), lower, length)

    def __call__(
        self, rows: Float[Array | np.ndarray, "people features"]
    ) -> Float[Array, "people features"]:
        white = solve_triangular(self.lower, (rows - self.mean).T, lower=True).T
        largest = jnp.max(jnp.abs(white), axis=1, keepdims=True)
        # The largest number becomes one, so that no square that matters leaves float32's range.
        even = white / jnp.where(largest == 0, 1, largest)
        return self.length * even / jnp.maximum(jnp.linalg.norm(even, axis=1, keepdims=True), 1)
