"""Means of runs: their standard error, and the line and band that show both."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from tacit.experiments.spread import draw_lines, standard_error

RUNS = np.array([[1.0, 4.0], [3.0, 4.0], [5.0, 4.0]])


def test_the_error_of_a_mean_is_that_of_a_run_over_a_root():
    """Deviations 2 and 0 of three runs; one run tells nothing."""
    np.testing.assert_allclose(standard_error(RUNS), [2 / 3**0.5, 0.0])
    assert standard_error(RUNS[:1]) is None
    assert standard_error(RUNS[:, 0]) == pytest.approx(2 / 3**0.5)


def test_a_line_is_a_mean_and_its_band_two_errors_wide():
    """One run has no band."""
    axes = Figure().subplots()
    draw_lines(axes, np.array([1, 2]), [("three", RUNS), ("one", RUNS[:1])])
    (band,) = axes.collections
    edges = band.get_paths()[0].vertices[:, 1]

    assert [line.get_label() for line in axes.lines] == ["three", "one"]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), [3.0, 4.0])
    assert (edges.min(), edges.max()) == pytest.approx((3 - 4 / 3**0.5, 3 + 4 / 3**0.5))
