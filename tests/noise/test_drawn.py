"""Draws come to the host the same, whoever makes them."""

import jax
import numpy as np

from tacit.noise import chacha
from tacit.noise.drawn import drawn

KEY, OTHER = jax.random.key(1, impl=chacha.IMPL), jax.random.key(1, impl="threefry2x32")


def test_a_function_that_may_not_be_computed_here_is_called():
    """With other keys, and with floats; either way it gives arrays of the host."""
    for given in (KEY, OTHER):
        draws = drawn(jax.jit(lambda key: (jax.random.bits(key, (3,)), 2)), given)
        words, two = draws(given)

        assert np.array_equal(jax.random.bits(given, (3,)), words) and 2 == two
        assert all(isinstance(each, np.ndarray) for each in (words, two))


def test_numbers_have_the_types_that_they_were_traced_with():
    """A whole number of Python's is one of 32 bits, and wraps; a float is handed on as one."""
    function = jax.jit(lambda key, numbers: (numbers[0] * 65_536, numbers[1]))
    whole, real = drawn(function, KEY, (65_537, 0.5))(KEY, (65_537, 0.5))

    assert (whole, whole.dtype) == (65_536, np.int32)
    assert (real, real.dtype) == (0.5, np.float32)


def test_a_function_is_traced_once():
    """Of the same types, whatever their numbers."""
    traced = []
    function = jax.jit(lambda key, n: (traced.append(0), n + 1)[1])
    for n in (np.int32(1), np.int32(2)):
        assert drawn(function, KEY, n)(KEY, n) == [n + 1]

    assert len(traced) == 1
