"""Streams count in whole steps; noise has the tails that it states."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest

import quick_keys
from tacit.mechanisms.selection.threshold_noise import HIGHEST, OneSided, Stream, TwoSided, cut
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS = 50_000


def test_the_sensitivity_is_rounded_up_to_whole_steps():
    """A sum that moves by one and a half steps may move by two."""
    assert 2 == Stream(0.0, 1.5, 1.0).units
    assert 1 == Stream(0.0, 1.0, 1.0).units


@pytest.mark.parametrize(
    "stream, message",
    [
        ((math.nan, 1.0, 1.0), "threshold must be within"),
        ((2.0**44, 1.0, 1.0), "threshold must be within"),
        ((0.0, math.inf, 1.0), "sensitivity must be positive"),
        ((0.0, 1.0, 0.3), "step must be a power of two"),
        ((0.0, 1.0, "fine"), "step must be a power of two, got 'fine'"),
        (("high", 1.0, 1.0), "threshold must be within .* got 'high'"),
        ((0.0, 1.0, math.nan), "step must be a power of two"),
    ],
)
def test_refused_streams(stream, message):
    """NaN, infinity and steps that are no power of two."""
    with pytest.raises(ValueError, match=message):
        Stream(*stream)


def test_cutting_keeps_the_order():
    """To fewer than 2^44 steps, and no two sums are moved apart."""
    ends = np.array([-(2**46), -(2**44) - 1, -(2**44), -1, 0, 2**44 - 1, 2**44, 2**46 - 1])
    high, low = (jnp.asarray(limb, jnp.int32) for limb in divmod(ends, LIMB))
    found = cut(FixedPoint(high, low, jnp.float32(1)))
    numbers = np.asarray(found[0], np.int64) * LIMB + np.asarray(found[1])

    assert numbers.tolist() == np.clip(ends, -(2**44), 2**44 - 1).tolist()
    assert HIGHEST * LIMB == 2**44


@pytest.mark.parametrize("kind", [OneSided, TwoSided])
def test_tails_are_as_frequent_as_stated(kind):
    """At least k and below k, at places around zero; one step to the side is noticed."""
    noise = kind(DiscreteLaplaceLaw.of(0.3))
    high, low = jax.jit(kind.limbs, static_argnums=2)(noise, quick_keys.key(0), (DRAWS,))
    drawn = np.asarray(high, np.int64) * LIMB + np.asarray(low)
    places = np.array([0.0, 1, 2, 5] if kind is OneSided else [-5.0, -1, 0, 1, 2, 5])

    def likely(chances: np.ndarray) -> float:
        counts = (drawn[:, None] >= places).sum(axis=0)
        pairs = zip(counts, chances, strict=True)
        return min(float(binomtest(int(c), DRAWS, p).pvalue) for c, p in pairs)

    np.testing.assert_allclose(noise.at_least(places) + noise.below(places), 1)
    assert likely(noise.at_least(places)) > 1e-6 > likely(noise.at_least(places + 1))
