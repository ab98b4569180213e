"""Uniform whole numbers below a bound: every draw is the floor it is said to be."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.noise import uniform
from tacit.noise.fixed import LIMB
from tacit.noise.uniform import LARGEST_BOUND, uniform_below

KEY = quick_keys.key(0)
BOUNDS = [1, 2, 3, 2**15, 2**16 - 1, 2**31 + 1, 123_456_789_012, LARGEST_BOUND - 1]


def limbs(bound: int):
    return jnp.int32(bound // LIMB), jnp.int32(bound % LIMB)


def whole(high, low) -> np.ndarray:
    return np.asarray(high, np.int64) * LIMB + np.asarray(low)


@pytest.mark.parametrize("bound", BOUNDS)
def test_draws_are_the_floor_of_a_product(bound):
    """floor(w N / 2^128), in Python's integers, with w the four words of the key."""
    draws = whole(*uniform_below(KEY, limbs(bound), (200,)))
    words = np.asarray(jax.random.bits(KEY, (4, 200), jnp.uint32)).astype(object)
    w = sum(word << (32 * place) for place, word in enumerate(words))

    assert np.array_equal(draws, (w * bound) >> 128)


@pytest.mark.parametrize("bound", [1, 5, 6, 100])
def test_draws_are_uniform(bound):
    """Chi-square accepts the bound, and rejects it where one number more was drawn."""
    draws = whole(*uniform_below(KEY, limbs(bound), (100_000,)))
    more = whole(*uniform_below(KEY, limbs(bound + 1), (100_000,)))

    assert draws.min() == 0 and draws.max() == bound - 1
    assert bound == 1 or chisquare(np.bincount(draws)).pvalue > 1e-6
    assert np.any(more == bound)


def test_every_draw_may_have_its_own_bound():
    """Bounds broadcast to the shape."""
    bounds = np.array([1, 7, 2**40])
    draws = whole(*uniform_below(KEY, limbs_of(bounds), (1000, 3)))

    assert np.all(draws < bounds) and np.all(draws >= 0)
    assert draws[:, 1].max() == 6 and draws[:, 2].max() > 2**39


def limbs_of(bounds: np.ndarray):
    return jnp.asarray(bounds // LIMB, jnp.int32), jnp.asarray(bounds % LIMB, jnp.int32)


def test_the_low_limb_is_within_its_range():
    """Limbs come out as `FixedPoint` wants them."""
    _, low = uniform_below(KEY, limbs(LARGEST_BOUND - 1), (1000,))

    assert 0 <= low.min() and low.max() < LIMB


def test_the_distance_is_the_bound_over_the_words():
    """2^46 outcomes are within 2^-82."""
    assert uniform.tv_distance(LARGEST_BOUND) == 2.0**-82


def test_compiled_or_not_the_draws_are_the_same():
    """Both ways of running agree."""
    compiled = jax.jit(uniform_below, static_argnums=2)

    assert np.array_equal(
        whole(*compiled(KEY, limbs(12_345), (50,))),
        whole(*uniform_below(KEY, limbs(12_345), (50,))),
    )
