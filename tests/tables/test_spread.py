"""Variances, from one triple of sums."""

import numpy as np
import pytest

from tacit import tables
from tacit.server.means import PlainMean
from tacit.tables.asked import Noisy


@pytest.mark.parametrize("numbers", [[3, 3, 3], [0, 30], [1, 2, 3, 29], list(range(31))])
def test_without_noise_it_is_the_variance(numbers):
    """Of whole numbers between whole bounds, exactly; limits are as wide as levels are."""
    asked = tables.variance("days", 0, 30)
    places = np.array(numbers) * (asked.levels // 30)
    cells = [
        (places**2).sum(),
        2 * (places * (asked.levels - places)).sum(),
        ((asked.levels - places) ** 2).sum(),
    ]
    found = asked.read(Noisy(np.array([cells], float), PlainMean(1.0, 1.0), 0.05))

    assert np.var(numbers) == pytest.approx(found[""].estimate[0], abs=1e-9)
    assert np.mean(numbers) == pytest.approx(found["_mean"].estimate[0])
    assert found["_std"].low[0] <= np.std(numbers) <= found["_std"].high[0]
    assert found["_std"].high[0] - found["_std"].low[0] <= 2.1 * 30 / (2 * asked.levels)


def test_of_nothing_but_noise_nothing_is_known():
    """A count of zero or below gives all that a variance can be."""
    found = tables.variance("days", 0, 30).read(
        Noisy(np.array([[5.0, -9, 1]]), PlainMean(1.0, 1.0), 0.05)
    )

    assert (0.0, 225.0) == (found[""].low[0], found[""].high[0])
