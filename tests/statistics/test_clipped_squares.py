"""Clipping's law: level, slope and eigenvalues, against people who are drawn and clipped."""

import numpy as np
import pytest

from tacit.statistics.clipped_squares import SCALES, ClippedSquares

LAW = ClippedSquares(6, 8.0)
DRAWN = np.random.default_rng(0).normal(size=(400_000, 6))


def squares(values: np.ndarray) -> np.ndarray:
    """The mean square on each axis of clipped normal people with these variances."""
    rows = np.square(DRAWN * np.sqrt(values))
    lengths = rows.sum(axis=1, keepdims=True)
    return (rows * np.minimum(1, LAW.bound / lengths)).mean(axis=0)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_level_is_what_comes_out_of_white_people(scale):
    """Each of 2.4 million squares: within 1% but for a chance of 1e-9."""
    level = np.interp(scale, SCALES, LAW.levels)
    assert squares(np.full(6, scale)).mean() == pytest.approx(level, rel=0.01)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_slope_is_what_clipping_leaves_of_a_difference(scale):
    """Of one axis from another: the level's own slope, or no second part, is beyond."""
    apart = np.array([0.1, -0.1, 0.0, 0.0, 0.0, 0.0])
    more, less = (squares(scale * (1 + sign * apart)) for sign in (1, -1))
    slope = (more - less)[:2] @ [1, -1] / (4 * 0.1 * scale)

    assert slope == pytest.approx(np.interp(scale, SCALES, LAW.slopes), rel=0.02)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_spreads_are_what_products_of_two_numbers_vary_by(scale):
    """Less of clipped ones than of normal ones of the same squares."""
    rows = DRAWN * np.sqrt(scale)
    lengths = np.square(rows).sum(axis=1, keepdims=True)
    clipped = rows * np.sqrt(np.minimum(1, LAW.bound / lengths))
    level = np.interp(scale, SCALES, LAW.levels)
    products = np.mean([np.var(clipped[:, i] * clipped[:, i - 1]) for i in range(6)])

    assert products / level**2 == pytest.approx(np.interp(scale, SCALES, LAW.spreads), rel=0.02)


def test_levels_rise_and_slopes_are_positive():
    """So one tells the scale, and the other can be divided by; up to the bound."""
    for dim in (1, 2, 100):
        law = ClippedSquares(dim, 1.5 * dim)
        assert (np.diff(law.levels) >= 0).all() and (law.slopes > 0).all()
        assert law.levels[-1] <= law.bound / dim


@pytest.mark.parametrize(
    "values", [[1.0] * 6, [4.0, 4, 4, 0.1, 0.1, 0.1], [3, 1, 0.5, 0.2, 0, 0], [20, 0.1, 0, 0, 0, 0]]
)
def test_eigenvalues_that_come_out_are_nearly_foreseen(values):
    """By a law of two moments: within 3% of the largest."""
    values = np.array(values, float)
    assert np.abs(LAW.clipped(np.maximum(values, 1e-12)) - squares(values)).max() <= 0.03 * max(
        values
    )
