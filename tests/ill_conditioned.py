"""A gradient of which no digit is sure: that of a layer which brings constants to one length."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SIZE = 36
CONSTANT = [np.full(SIZE, value, np.float32) for value in (3e4, 1e5, 7.7, 3e-3)]
# Compilers merge operations in other ways where some are no constants.
PICTURES = np.stack([*CONSTANT, *np.random.default_rng(0).normal(size=(2, SIZE))], dtype=np.float32)


def normed(picture):
    """Less its mean, over its standard deviation."""
    mean = jnp.mean(picture)
    variance = jnp.mean(jnp.square(picture - mean))
    return (picture - mean) * lax.rsqrt(variance + 1e-5)


def gradient(picture):
    """Zero for a constant one in exact arithmetic; in float32 what rounding left, enlarged."""
    return jax.grad(lambda own: jnp.sum(jnp.sin(normed(normed(own)))))(picture)
