"""Draws come to the host the same, whoever makes them."""

import jax
import numpy as np

from tacit.noise import chacha
from tacit.noise.drawn import drawn

KEY, OTHER = jax.random.key(1, impl=chacha.IMPL), jax.random.key(1, impl="threefry2x32")


def test_a_function_that_may_not_be_computed_here_is_called():
    """With other keys, and with floats; either way it gives arrays of the host."""
    for given in (KEY, OTHER):
        draws = drawn(lambda key: (jax.random.bits(key, (3,)), 2), given)
        words, two = draws(given)

        assert np.array_equal(jax.random.bits(given, (3,)), words) and 2 == two
        assert all(isinstance(each, np.ndarray) for each in (words, two))
