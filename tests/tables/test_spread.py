"""Variances, from one triple of sums."""

import numpy as np
import pytest
from scipy.stats import binom

import tacit
from tables.released import noisy
from tacit import tables
from tacit.server.means import PlainMean
from tacit.tables.asked import Noisy
from tacit.tables.caps import Caps

GROUPS = 1000


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


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_intervals_hold_as_often_as_they_say(delta):
    """Of the variance and of its root, by exact binomial limits, and not much more often; where
    noise is half as large again as was said, not."""
    asked, days = tables.variance("days", 0, 30), np.tile(np.arange(31), 6)
    cells = asked.cells({"level": days * (asked.levels // 30)}, None)
    exact = np.array([cell.sum() for cell in cells])
    true, shape = {"": days.var(), "_std": days.std()}, asked.shape(Caps(1, 1, 1), 1)
    enough, many = binom.ppf(1e-6, GROUPS, 0.95), binom.ppf(1 - 1e-6, GROUPS, 0.97)
    for larger in (1.0, 1.5):
        found = asked.read(noisy(shape, exact, tacit.Central(1.0, delta), GROUPS, larger))
        for name, value in true.items():
            own = found[name]
            held = ((own.low <= value) & (value <= own.high)).sum()
            assert (held >= enough) is np.bool_(larger == 1.0)
            assert held <= many


def test_of_nothing_but_noise_nothing_is_known():
    """A count of zero or below gives all that a variance can be."""
    found = tables.variance("days", 0, 30).read(
        Noisy(np.array([[5.0, -9, 1]]), PlainMean(1.0, 1.0), 0.05)
    )

    assert (0.0, 225.0) == (found[""].low[0], found[""].high[0])
