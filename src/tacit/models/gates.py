"""What the gates of recurrent layers come to at one step, and the slopes at what drove them.

The slopes are written out: they follow from the gates and the state before, so that nothing else of
a step need be kept, where JAX's own gradient keeps each number on the way (decision 29).

An LSTM's gates stand in the order write, keep, seen, read; a GRU's in reset, update, candidate.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tacit.models.activations import tanh


def lstm_gates(driven: Float[Array, " gates"]) -> Float[Array, " gates"]:
    """Sigmoids of three quarters, and the hyperbolic tangent of the third."""
    write, keep, seen, read = jnp.split(driven, 4)
    # Not by `tanh`: what a nearly closed gate lets through may be large.
    bent = jax.nn.sigmoid(write), jax.nn.sigmoid(keep), tanh(seen), jax.nn.sigmoid(read)
    return jnp.concatenate(bent)


def lstm_slopes(
    to_hidden: Array, to_cell: Array, gates: Array, cell: Array, before: Array
) -> tuple[Float[Array, " width"], Float[Array, " gates"]]:
    """The slopes at the cell before and at what drove the gates."""
    write, keep, seen, read = jnp.split(gates, 4)
    bent = tanh(cell)
    to_cell = to_cell + to_hidden * read * (1 - bent * bent)
    slopes = (
        to_cell * seen * write * (1 - write),
        to_cell * before * keep * (1 - keep),
        to_cell * write * (1 - seen * seen),
        to_hidden * bent * read * (1 - read),
    )
    return to_cell * keep, jnp.concatenate(slopes)


def gru_gates(
    driven: Float[Array, " gates"], product: Float[Array, " gates"]
) -> Float[Array, " gates"]:
    """Of what the inputs give and what the state before does, which the reset gate lets through."""
    both = 2 * len(driven) // 3
    reset, update = jnp.split(jax.nn.sigmoid(driven[:both] + product[:both]), 2)
    return jnp.concatenate([reset, update, tanh(driven[both:] + reset * product[both:])])


def gru_state(gates: Float[Array, " gates"], before: Array) -> Float[Array, " width"]:
    """What the candidate leaves of the state before."""
    _, update, candidate = jnp.split(gates, 3)
    return (1 - update) * candidate + update * before


def gru_slopes(
    to_hidden: Array, gates: Array, let: Array, before: Array
) -> tuple[Float[Array, " width"], Float[Array, " gates"]]:
    """The slopes at the state before, but for its product's part, and at what the inputs give.

    `let` is the part of the product that the reset gate is multiplied with.
    """
    reset, update, candidate = jnp.split(gates, 3)
    to_candidate = to_hidden * (1 - update) * (1 - candidate * candidate)
    to_reset = to_candidate * let * reset * (1 - reset)
    to_update = to_hidden * (before - candidate) * update * (1 - update)
    to_driven = jnp.concatenate([to_reset, to_update, to_candidate])
    return to_hidden * update, to_driven


def let_through(
    slopes: Float[Array, "*n gates"], reset: Float[Array, "*n width"]
) -> Float[Array, "*n gates"]:
    """The slopes at a GRU's products, from those at what the inputs give."""
    return slopes.at[..., -reset.shape[-1] :].multiply(reset)
