"""Random Fourier features: of norm one, near the kernel, and of nobody's data."""

import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.features.random_features import RandomFourier

ROWS = np.random.default_rng(0).normal(0, 1, (20, 3))


@cache
def phi():
    """Waves of two thousand frequencies."""
    return RandomFourier(3, 4000, 0.7, jax.random.key(0))


def kernel(rows: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * np.sum((rows[:, None] - rows) ** 2, axis=-1))


@pytest.mark.parametrize("scale", [0.0, 1e-6, 1.0, 1e6])
def test_features_have_norm_one(scale):
    """Whatever the row: no bound on it is needed."""
    norms = np.linalg.norm(phi()(scale * ROWS), axis=1)

    np.testing.assert_allclose(norms, 1.0, rtol=1e-12)
    assert np.all(np.linalg.norm(phi()((scale * ROWS).astype(np.float32)), axis=1) <= 1 + 1e-6)


def test_inner_products_are_near_the_kernel():
    """Within what Hoeffding allows for all 190 pairs, with a chance of failing of 1e-9.

    Frequencies that lack the 2 of 2 gamma have another kernel, which is farther off.
    """
    features = phi()(ROWS)
    most = math.sqrt(2 * math.log(2 * 190 / 1e-9) / 4000)
    apart = np.abs(features @ features.T - kernel(ROWS, 0.7)).max()

    assert apart <= most
    assert np.abs(features @ features.T - kernel(ROWS, 0.35)).max() > most


def test_arrays_of_jax_give_the_same():
    """One row or several, whole numbers too, inside a compiled program."""
    rows = np.arange(6).reshape(2, 3)
    made = phi()
    compiled = jax.jit(lambda own: made(own))

    np.testing.assert_allclose(compiled(jnp.asarray(rows)), phi()(rows), atol=1e-4)
    np.testing.assert_allclose(phi()(rows)[1], phi()(rows[1]), rtol=1e-12)
    assert phi()(rows).shape == (2, phi().features) == (2, 8000)


def test_the_public_key_alone_decides():
    """The same key, the same features; another, others."""
    same, other = (RandomFourier(3, 5, 0.7, jax.random.key(seed)) for seed in (3, 4))
    again = RandomFourier(3, 5, 0.7, jax.random.key(3))

    np.testing.assert_array_equal(same(ROWS), again(ROWS))
    assert np.abs(same(ROWS) - other(ROWS)).max() > 0.1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((0, 5, 1.0), "inputs must be a whole number of at least 1, got 0"),
        ((3, 0, 1.0), "pairs must be a whole number of at least 1, got 0"),
        ((3, "5", 1.0), "pairs must be a whole number of at least 1, got '5'"),
        ((3, 5, None), "gamma must be positive and finite, got None"),
        ((3, 5, 0.0), "gamma must be positive and finite, got 0.0"),
        ((3, 5, math.nan), "gamma must be positive and finite, got nan"),
        ((3, 5, math.inf), "gamma must be positive and finite, got inf"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        RandomFourier(*arguments, jax.random.key(0))
