"""Whitening by principal directions: its definition, beside the whole whitening, and its edges."""

import math

import numpy as np
import pytest

from tacit.features.principal_whitening import PrincipalWhitening

RNG = np.random.default_rng(0)
VARIANCES = np.r_[100.0, 50.0, 20.0, np.linspace(1.0, 0.1, 37)]
TURN = np.linalg.qr(RNG.normal(size=(40, 40)))[0]
ROWS = ((RNG.normal(size=(3000, 40)) * np.sqrt(VARIANCES)) @ TURN + RNG.normal(size=40)).astype(
    "f4"
)
CENTRED = ROWS.astype(float) - ROWS.mean(0, dtype=float)
TOTAL = np.sum(CENTRED**2) / len(ROWS)


def test_it_is_its_definition():
    """In float64 by the singular values of all rows; a direction has no sign."""
    white = PrincipalWhitening.of(ROWS, kept=3, ridge=1e-2)(ROWS[:50])
    _, values, vectors = np.linalg.svd(CENTRED, full_matrices=False)
    scales = np.sqrt(values[:3] ** 2 / len(ROWS) + 1e-2 * TOTAL)
    expected = CENTRED[:50] @ vectors[:3].T / scales

    np.testing.assert_allclose(np.abs(white), np.abs(expected), rtol=0, atol=2e-3)


def test_all_directions_are_the_whole_whitening():
    """Lengths and angles are those of the symmetric root; fewer rows than features will do."""
    few = ROWS[:60]
    every = PrincipalWhitening.of(few, kept=40, ridge=1e-2)(few).astype(float)
    centred = few.astype(float) - few.mean(0, dtype=float)
    spread = centred.T @ centred / 60
    spread += 1e-2 * np.trace(spread) * np.eye(40)

    expected = centred @ np.linalg.solve(spread, centred.T)
    np.testing.assert_allclose(every @ every.T, expected, rtol=0, atol=1e-3 * expected.max())


def test_rows_of_the_source_are_white():
    """Each kept direction has variance s / (s + r), the largest first, and no two go together."""
    white = np.asarray(PrincipalWhitening.of(ROWS, kept=3, ridge=1e-2)(ROWS), float)
    spread = white.T @ white / len(ROWS)
    ridge = 1e-2 * TOTAL

    np.testing.assert_allclose(spread, np.diag(VARIANCES[:3] / (VARIANCES[:3] + ridge)), atol=0.02)


def test_the_mean_becomes_zero():
    """Of the public rows."""
    white = PrincipalWhitening.of(ROWS, kept=3, ridge=1e-2)

    np.testing.assert_array_equal(white(np.asarray(white.mean)[None]), 0)


@pytest.mark.parametrize(
    "rows, kept, ridge, message",
    [
        (ROWS, 0, 1e-2, "kept must be from 1 to the 40 of features and rows, got 0"),
        (ROWS, 41, 1e-2, "kept must be from 1 to the 40 of features and rows, got 41"),
        (ROWS[:5], 6, 1e-2, "kept must be from 1 to the 5 of features and rows, got 6"),
        (ROWS, 3, 0.0, "ridge must be positive and finite, got 0.0"),
        (ROWS, 3, math.nan, "ridge must be positive and finite, got nan"),
        (np.ones((8, 4), np.float32), 3, 1e-2, "rows must be finite and vary, got variances .* 0"),
        (np.full((8, 4), np.nan, np.float32), 3, 1e-2, "rows must be finite and vary, got .* nan"),
    ],
)
def test_what_makes_no_map_is_refused(rows, kept, ridge, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        PrincipalWhitening.of(rows, kept, ridge)
