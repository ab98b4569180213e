"""Shares of two noisy sums, with limits that hold as often as they say."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from tacit.statistics.fieller import share_of


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("people", [30, 3000])
def test_limits_hold_as_often_as_they_say(share, people):
    """Over two thousand draws of normal noise of deviation 5, by an exact binomial limit."""
    rng, far = np.random.default_rng(0), 5 * norm.isf(0.025)
    noise = rng.normal(0, 5, (2000, 2))

    def held(own: np.ndarray) -> bool:
        upper, lower = people * share + own[0], people * (1 - share) + own[1]
        _, low, high = share_of(upper, upper + lower, lambda w: far * float(np.hypot(*w)))
        return low <= share <= high

    assert binom.ppf(1e-6, 2000, 0.95) <= sum(map(held, noise))


def test_of_no_people_nothing_is_known():
    """A count of zero or below."""
    assert (
        (0.5, 0.0, 1.0) == share_of(3.0, 0.0, lambda w: 1.0) == share_of(3.0, -2.0, lambda w: 1.0)
    )
