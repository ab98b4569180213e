"""What is measured is what is added, in compiled programs too."""

import jax
import jax.numpy as jnp
import numpy as np

from ill_conditioned import PICTURES, gradient
from tacit.in_memory import from_memory

LONGEST = 1e-3


def length(vectors):
    return jnp.sqrt(jnp.sum(jnp.square(vectors), axis=-1, keepdims=True))


def shortened(vectors, lengths):
    shrink = jnp.minimum(1.0, LONGEST / jnp.maximum(lengths, 1e-30))
    return jnp.where(jnp.isfinite(lengths), vectors * shrink, 0.0)


# Another order of the axes is merged with what came before in another way.


@jax.jit
def within(pictures):
    """Measured, and then made shorter by what was measured."""
    vectors = jax.vmap(gradient)(pictures)
    return from_memory(shortened, vectors, from_memory(length, vectors)).T


def test_two_readers_see_one_number():
    """Of vectors whose every digit depends on how they are computed, in one program."""
    assert np.linalg.norm(within(PICTURES), axis=0).max() <= LONGEST * (1 + 1e-5)


def test_many_programs_in_one_read_from_memory_too():
    """Those that a batching rule made one of."""
    turns = np.stack([PICTURES, PICTURES[::-1]])
    lengths = np.linalg.norm(jax.jit(jax.vmap(within))(turns), axis=1)
    assert lengths.max() <= LONGEST * (1 + 1e-5)


def test_outside_of_programs_it_is_a_call():
    """Nothing is compiled for it."""
    made = from_memory(lambda value, more: (value, more), 1.0, jnp.ones(2))
    assert made[0] == 1.0 and made[1].shape == (2,)
