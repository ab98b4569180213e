"""The tangent of our own is that of mathematics, to rounding."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.models.activations import tanh

NUMBERS = np.float32(
    [
        *np.linspace(-12, 12, 200_001),
        *np.geomspace(1e-37, 1e38, 100_001),
        0.0,
        -0.0,
        np.inf,
        -np.inf,
    ]
)


@pytest.fixture(scope="module")
def found():
    """Of many numbers, compiled."""
    return np.asarray(jax.jit(tanh)(NUMBERS))


def test_the_tangent_is_near_the_exact_one(found):
    """Within 2^-21 of it, at every size, and of its sign."""
    exact = np.tanh(NUMBERS.astype(np.float64))

    assert (np.abs(found - exact) <= 2.0**-21 * np.abs(exact)).all()
    assert np.array_equal(np.signbit(found), np.signbit(NUMBERS))


def test_the_tangent_stays_within_its_ends(found):
    """No number is beyond one, where its slope would have the wrong sign."""
    assert found.max() == 1 and found.min() == -1
    assert (np.abs(found) == 1)[np.abs(NUMBERS) > 9.2].all()
    assert np.isnan(tanh(jnp.float32(jnp.nan)))


def test_slopes_are_those_of_jax():
    """Forwards, backwards and twice."""
    numbers = jnp.linspace(-6, 6, 101)
    for along in (
        lambda f: jax.grad(lambda x: f(x).sum()),
        lambda f: jax.vmap(jax.grad(jax.grad(f))),
    ):
        np.testing.assert_allclose(along(tanh)(numbers), along(jnp.tanh)(numbers), atol=2e-6)


def test_numbers_of_other_kinds_are_jaxs_own():
    """Halves are not made whole; a number of Python's and an array of NumPy's are one of JAX's."""
    halves = jnp.linspace(-3, 3, 11, dtype=jnp.bfloat16)

    assert tanh(halves).dtype == jnp.bfloat16
    assert np.array_equal(tanh(halves), jnp.tanh(halves))
    assert tanh(0.0) == 0 and tanh(np.float32([0.0])).shape == (1,)
