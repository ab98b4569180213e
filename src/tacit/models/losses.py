"""The training loss of a batch in which some places may be empty.

A device's batch has a fixed size so that one compiled program serves every device; a mask says
which places hold an example. An empty place contributes zero to the sum *and* to the gradient, and
the divisor is the number of examples, so padding a batch changes nothing:

    loss = sum_i present_i (log sum_c exp(z_ic) - z_i,label) / max(1, sum_i present_i)
"""

import jax.numpy as jnp
from jax.nn import log_softmax
from jaxtyping import Array, Bool, Float, Int


def cross_entropy(
    logits: Float[Array, "batch classes"],
    labels: Int[Array, " batch"],
    present: Bool[Array, " batch"],
) -> Float[Array, ""]:
    """Averages the negative log-likelihood of the labels over the examples present.

    | case | loss |
    | --- | --- |
    | no example present | 0, gradient 0 |
    | non-finite logits in an empty place | as if they were 0 |
    | a label outside the classes, example present | NaN, so that the contribution counts as zero |
    """
    settled = jnp.where(present[:, None], logits, 0)
    column = jnp.where(present, labels, 0)[:, None]
    found = jnp.take_along_axis(log_softmax(settled), column, axis=1)[:, 0]
    # Of a negative one JAX takes the column that it counts from the end.
    chosen = jnp.where(column[:, 0] >= 0, found, jnp.nan)
    return -jnp.sum(jnp.where(present, chosen, 0)) / jnp.maximum(1, jnp.sum(present))
