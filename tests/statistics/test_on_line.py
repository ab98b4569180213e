"""Mean and deviation of a law on the line, however narrow."""

import math

import pytest

from tacit.statistics.on_line import moments, points_for


@pytest.mark.parametrize("mean, deviation", [(3.0, 2.0), (-7.3, 0.05), (0.1234, 1e-3)])
def test_a_normal_law_has_its_moments(mean, deviation):
    """A thousandth as wide as the first points are apart, even so."""

    def likely(m):
        return -((m - mean) ** 2) / (2 * deviation**2)

    found, off = moments(likely, 20.0, points_for(20.0))
    assert float(found) == pytest.approx(mean, abs=0.02 * deviation + 1e-6)
    assert float(off) == pytest.approx(deviation, rel=0.02)


def test_a_law_ends_at_the_radius():
    """One that says nothing is even between the two ends; one that rises is near the upper."""
    even, off = moments(lambda m: 0 * m, 8.0, points_for(8.0))

    assert float(even) == pytest.approx(0.0, abs=1e-5)
    assert float(off) == pytest.approx(8 / math.sqrt(3), rel=0.02)
    high, _ = moments(lambda m: 50 * m, 8.0, points_for(8.0))
    assert float(high) == pytest.approx(8 - 1 / 50, abs=5e-3)
