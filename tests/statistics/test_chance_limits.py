"""Clopper and Pearson's limits: exact, for every number of tries."""

import numpy as np
import pytest
from scipy.stats import binom

from tacit.statistics.chance_limits import lower_limit, upper_limit


@pytest.mark.parametrize(("successes", "tries"), [(1, 1), (3, 10), (999, 10_100), (50, 50)])
def test_so_many_are_as_rare_as_was_said_at_the_limit(successes, tries):
    """P[as many or more] is the level there; SciPy's inverse is far off at 999 of 10,100."""
    low = float(lower_limit(successes, tries, 0.01))

    assert binom.sf(successes - 1, tries, low) == pytest.approx(0.01, rel=1e-6)


def test_none_and_all_have_the_ends_for_limits():
    """0 and 1; the other one is what a power says."""
    assert lower_limit(0, 9, 0.05) == 0.0 and upper_limit(9, 9, 0.05) == 1.0
    assert float(lower_limit(9, 9, 0.05)) == pytest.approx(0.05 ** (1 / 9))
    assert float(upper_limit(0, 9, 0.05)) == pytest.approx(1 - 0.05 ** (1 / 9))


@pytest.mark.parametrize("chance", [0.03, 0.5, 0.9])
def test_a_limit_is_on_the_wrong_side_as_seldom_as_was_said(chance):
    """By enumeration of all counts of 40; a level of twice as much is not kept."""
    counts = np.arange(41.0)
    weights = binom.pmf(counts, 40, chance)
    low = lower_limit(counts, np.full(41, 40.0), 0.05)
    high = upper_limit(counts, np.full(41, 40.0), 0.05)

    assert weights @ (low > chance) <= 0.05 and weights @ (high < chance) <= 0.05
