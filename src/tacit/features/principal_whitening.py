"""Whitening by the principal directions of public rows, where there are too many numbers for all.

With m and S = V diag(s) V' the mean and covariance of public rows, a row becomes

    z_k = <v_k, x - m> / (s_k + r)^(1/2)       for the largest s_k alone.

These are the first numbers of `Whitening`'s z, up to a rotation, which no linear model feels. A
direction left out varies so little that the ridge r would have kept it small. A map of 5,184
numbers to 600 costs a ninth of a full one in memory, and is a product instead of a solution.

The directions are found by block iteration: multiply a few more random vectors than wanted by S,
make them orthonormal, and again; then turn them so that S is diagonal among them. The last
directions are approximate. That they are orthonormal does not depend on it, nor does any promise: a
map from public numbers costs accuracy if it is bad, never privacy.

References: Halko, Martinsson and Tropp. Finding structure with randomness: probabilistic algorithms
for constructing approximate matrix decompositions. SIAM Review 2011, algorithm 4.4.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import random
from jaxtyping import Array, Float

from tacit.argument import got, is_whole, refuse_not_positive

# More vectors than wanted, and turns of the iteration: a few of each are enough (Halko et al.).
_SPARE, _TURNS = 20, 3


@final
class PrincipalWhitening(eqx.Module):
    """The map, made by `of`. Best under `eqx.filter_jit`, a thousand rows at a time.

    | row | result |
    | --- | --- |
    | m itself | zeros |
    | with a number that is not finite | not finite: zero in every mean |

    Args:
      mean: m.
      directions: v_k over (s_k + r)^(1/2), one a column, the largest s_k first.
    """

    mean: Float[Array, " features"]
    directions: Float[Array, "features kept"]

    @staticmethod
    def of(
        rows: Float[Array | np.ndarray, "public features"], kept: int, ridge: float
    ) -> "PrincipalWhitening":
        """The map that makes these rows white in their first principal directions.

        Args:
          rows: public.
          kept: how many directions.
          ridge: r as a share of the sum of all variances.

        Raises:
          ValueError: if more are to be kept than there are features or rows, if ridge is not
            positive and finite, or if the rows are not finite or all equal.
        """
        refuse_not_positive("ridge", ridge)
        most = min(rows.shape)
        if not (is_whole(kept) and 1 <= kept <= most):
            raise ValueError(
                f"kept must be from 1 to the {most} of features and rows, got {got(kept)}"
            )
        mean = rows.mean(axis=0)
        centred = rows - mean
        total = float(np.sum(np.square(centred))) / len(rows)
        if not 0 < total < np.inf:
            raise ValueError(f"rows must be finite and vary, got variances that add to {total:g}")
        vectors, variances = _principal(jnp.asarray(centred), kept)
        return PrincipalWhitening(jnp.asarray(mean), vectors / jnp.sqrt(variances + ridge * total))

    def __call__(
        self, rows: Float[Array | np.ndarray, "people features"]
    ) -> Float[Array, "people kept"]:
        return (jnp.asarray(rows) - self.mean) @ self.directions


@eqx.filter_jit
def _principal(
    rows: Float[Array, "public features"], kept: int
) -> tuple[Float[Array, "features kept"], Float[Array, " kept"]]:
    """The first principal directions of centred rows, and the variances along them."""
    size = min(kept + _SPARE, *rows.shape)
    block = random.normal(random.key(0), (rows.shape[1], size))
    for _ in range(_TURNS):
        block = jnp.linalg.qr(rows.T @ (rows @ block))[0]
    across = rows @ block
    variances, turn = jnp.linalg.eigh(across.T @ across / len(rows))
    first = jnp.argsort(-variances)[:kept]
    return block @ turn[:, first], variances[first]
