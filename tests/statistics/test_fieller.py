"""Shares of two noisy sums, with limits that hold as often as they say."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from tacit.statistics.fieller import left, narrowed, share_of


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("people", [30, 3000])
def test_limits_hold_as_often_as_they_say(share, people):
    """Over two thousand draws of normal noise of deviation 5, by exact binomial limits; and where
    a share can be too large and too small, no oftener than 97%."""
    rng, far = np.random.default_rng(0), 5 * norm.isf(0.025)
    noise = rng.normal(0, 5, (2000, 2))

    def held(own: np.ndarray) -> bool:
        upper, lower = people * share + own[0], people * (1 - share) + own[1]
        _, low, high = share_of(upper, upper + lower, lambda w: far * float(np.hypot(*w)))
        return low <= share <= high

    often = sum(map(held, noise))
    assert binom.ppf(1e-6, 2000, 0.95) <= often
    if share == 0.5 and people > 30:
        assert often <= binom.ppf(1 - 1e-6, 2000, 0.955)


def test_what_is_refuted_is_refuted_from_both_ends():
    """Of a parameter that is as far off as it is large, within a bit; of none, where all are
    refuted, the range is what it was."""

    def near(v: float, w: float) -> tuple[float, float]:
        return 1.0 - max(v, w) / 4, 1.0 + max(v, w) / 4

    low, high = left(near, *narrowed(near, 0.0, 4.0))

    assert 0.75 <= low <= 0.8 and 4 / 3 <= high <= 1.4
    assert (2.0, 3.0) == left(lambda v, w: (7.0, 9.0), 2.0, 3.0)


def test_of_no_people_nothing_is_known():
    """A count of zero or below."""
    assert (
        (0.5, 0.0, 1.0) == share_of(3.0, 0.0, lambda w: 1.0) == share_of(3.0, -2.0, lambda w: 1.0)
    )
