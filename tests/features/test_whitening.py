"""Whitening: its definition, a covariance near the identity, one norm for every row."""

import math
from functools import cache

import jax
import numpy as np
import pytest

from tacit.features.whitening import Whitening

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=(4000, 5)).astype(np.float32)
MIX = np.linalg.qr(RNG.normal(size=(5, 5)))[0].astype(np.float32)
# Of different energies, and no two features independent.
SKEWED = NORMAL * np.float32([1, 2, 5, 10, 20]) @ MIX
ROWS = SKEWED + RNG.normal(size=5).astype(np.float32)


@cache
def fitted():
    """Of all rows."""
    return Whitening.of(ROWS, ridge=1e-3, length=3.0)


def test_it_is_its_definition():
    """L^-1 (x - m), then the length; L L' is the covariance and the ridge. In float64."""
    mean, spread = ROWS.mean(0, dtype=float), np.cov(ROWS.T.astype(float), ddof=0)
    lower = np.linalg.cholesky(spread + 1e-3 * np.trace(spread) * np.eye(5))
    white = np.linalg.solve(lower, (ROWS[:50] - mean).T).T
    expected = 3 * white / np.linalg.norm(white, axis=1, keepdims=True)

    np.testing.assert_allclose(fitted()(ROWS[:50]), expected, rtol=0, atol=1e-3)


def test_rows_of_the_source_are_white():
    """Directions of normal rows become uniform: covariance length^2 / 5 times the identity.

    Of 4,000 rows an entry deviates by about 0.02; L' in the place of L is far off.
    """
    white = Whitening.of(SKEWED, ridge=1e-6)
    turned = Whitening(white.mean, white.lower.T, 1.0)

    def off(mapped: Whitening) -> float:
        return np.abs(5 * np.cov(np.asarray(mapped(SKEWED)).T) - np.eye(5)).max()

    assert off(white) <= 0.1
    assert off(turned) >= 0.5


def test_small_directions_stay_small():
    """A variance s comes out as s / (s + r): nearly one far above r, a hundredth at r/100."""
    variances = np.array([100.0, 0.01])
    rows = NORMAL[:, :2] * np.sqrt(variances).astype(np.float32)
    scales = np.diag(np.linalg.inv(Whitening.of(rows, ridge=0.01).lower))

    np.testing.assert_allclose(scales**2 * variances, variances / (variances + 1), rtol=0.1)


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e30])
def test_every_row_has_the_length(scale):
    """Whatever it was: near the mean or far off, and when its squares leave float32's range."""
    centred = Whitening(np.zeros(5, np.float32), fitted().lower, 3.0)
    norms = np.linalg.norm(centred(np.float32(scale) * ROWS), axis=1)

    np.testing.assert_allclose(norms, 3.0, rtol=1e-6)


def test_the_mean_becomes_zero():
    """The only row that is shorter."""
    np.testing.assert_array_equal(fitted()(np.asarray(fitted().mean)[None]), 0)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_row_that_is_not_finite_spoils_itself_only(number):
    """Its person counts as zero, and nobody else does."""
    rows = ROWS[:3].copy()
    rows[1, 0] = number
    white = np.asarray(jax.jit(fitted().__call__)(rows))

    np.testing.assert_array_equal(np.isfinite(white).all(axis=1), [True, False, True])
    np.testing.assert_allclose(white[[0, 2]], fitted()(ROWS[:3])[np.array([0, 2])], atol=1e-5)


@pytest.mark.parametrize(
    "rows, ridge, length, message",
    [
        (ROWS, 0.0, 1.0, "ridge must be positive and finite, got 0.0"),
        (ROWS, math.nan, 1.0, "ridge must be positive and finite, got nan"),
        (ROWS, 1e-4, math.inf, "length must be positive and finite, got inf"),
        (np.ones((8, 2), np.float32), 1e-4, 1.0, "rows must be finite and vary"),
        (np.full((8, 2), np.nan, np.float32), 1e-4, 1.0, "rows must be finite and vary"),
    ],
)
def test_what_makes_no_map_is_refused(rows, ridge, length, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        Whitening.of(rows, ridge, length)
