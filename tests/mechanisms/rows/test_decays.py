"""Windows of falling weights are sums, to the digit, beside whatever numbers."""

import numpy as np
import pytest

from tacit.mechanisms.rows.decays import decayed, later, powers


@pytest.mark.parametrize("length", [0, 1, 2, 7, 50, 99])
@pytest.mark.parametrize("rate", [1.0, 0.5, 1e-3])
def test_windows_are_sums(length, rate):
    """Of fifty numbers, against the definition."""
    values = np.random.default_rng(0).uniform(size=50)
    expected = [sum(rate**k * values[i - k] for k in range(min(length, i + 1))) for i in range(50)]

    np.testing.assert_allclose(decayed(values, rate, length), expected, rtol=1e-13)


def test_small_ones_are_not_lost_beside_large_ones():
    """A window that a large number has left has nothing of it: nothing is taken off again."""
    values = np.array([1e200, 1.0, 1e-200, 1e-200])

    np.testing.assert_allclose(decayed(values, 1.0, 2)[3], 2e-200, rtol=1e-15)
    np.testing.assert_allclose(powers(0.9, 1000), 0.9 ** np.arange(1000), rtol=1e-12)


def test_what_stands_later_is_moved():
    """Both ways, zeros coming in; by the whole length nothing is left."""
    values = np.arange(1.0, 5.0)

    assert later(values, 1).tolist() == [2, 3, 4, 0]
    assert later(values, -2).tolist() == [0, 0, 1, 2]
    assert later(values, 9).tolist() == [0] * 4
