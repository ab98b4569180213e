"""The trimmed mean with smooth noise: exact sums, exact sensitivity, its edge cases."""

import math

import jax
import numpy as np
import pytest
from scipy.stats import binom, trim_mean

import quick_keys
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace
from tacit.mechanisms.rows.smooth_trimmed_mean import SmoothTrimmedMean

VALUES = np.random.default_rng(0).normal(size=801)


def test_the_sum_is_that_of_scipy():
    """Without noise it is `scipy.stats.trim_mean` of the values, to the grid."""
    mechanism = SmoothTrimmedMean(SmoothCauchy(1.0), -50.0, 50.0, 0.1)
    total, _, kept = mechanism._sum(VALUES)

    assert kept == 801 - 2 * 80
    assert total / kept * mechanism.interval.cell - 50 == pytest.approx(
        trim_mean(VALUES, 0.1), abs=1e-7
    )


def test_without_a_trim_the_sensitivity_is_nearly_global():
    """Zero trim is the mean: one replacement makes room for another of the whole width."""
    mechanism = SmoothTrimmedMean(SmoothLaplace(1.0, 1e-6), -50.0, 50.0, 0.0)
    nearly = math.exp(-mechanism.noise.beta) * 100 / 801

    assert mechanism.smooth_sensitivity(VALUES) == pytest.approx(nearly)
    assert mechanism.smooth_sensitivity(np.full(801, 50.0)) == pytest.approx(100 / 801)


@pytest.mark.parametrize("trim", [0.01, 0.1, 0.3, 0.49])
def test_it_is_as_smooth_as_it_says(trim):
    """Replacing one moves the mean by S at most and ln S by beta at most."""
    mechanism = SmoothTrimmedMean(SmoothLaplace(1.0, 1e-6), 0.0, 1.0, trim)
    rng = np.random.default_rng(1)
    for _ in range(200):
        one = rng.random(40) ** 9
        other = one.copy()
        other[rng.integers(40)] = rng.choice([0.0, 1.0, rng.random()])
        (before, near, kept), (after, far, _) = mechanism._sum(one), mechanism._sum(other)

        assert abs(before - after) <= min(near, far)
        assert abs(math.log(near / far)) <= mechanism.noise.beta + 1e-12
        assert mechanism.smooth_sensitivity(one) == near * mechanism.interval.cell / kept


def test_the_bound_holds_and_a_third_of_it_does_not():
    """Releases are as near as stated, as often as stated; and far nearer than the range says."""
    mechanism = SmoothTrimmedMean(SmoothCauchy(1.0), -50.0, 50.0, 0.1)
    keys = jax.random.split(quick_keys.key(2), 500)
    off = np.abs([mechanism.sample(key, VALUES) - trim_mean(VALUES, 0.1) for key in keys])
    stated = mechanism.error_bound(mechanism.smooth_sensitivity(VALUES), 0.2, 801)

    assert 1e-5 < binom.cdf((off <= stated).sum(), 500, 0.8) < 1 - 1e-5
    assert binom.cdf((off <= stated / 3).sum(), 500, 0.8) < 1e-9
    assert np.median(off) < 0.3 * 100 / 801


def test_bad_values_count_as_the_table_says():
    """NaN is the lower end, infinity the nearer one; the release is never NaN."""
    mechanism = SmoothTrimmedMean(SmoothCauchy(1.0), 0.0, 1.0, 0.25)
    bad, good = np.array([math.nan, math.inf, -math.inf, 7.0]), np.array([0.0, 1.0, 0.0, 1.0])

    assert mechanism.sample(quick_keys.key(3), bad) == mechanism.sample(quick_keys.key(3), good)
    assert 0 <= mechanism.sample(quick_keys.key(3), bad) <= 1
    assert (mechanism.epsilon, mechanism.delta) == (1.0, 0.0)


@pytest.mark.parametrize("trim", [0.5, -0.1, math.nan])
def test_refused_trims(trim):
    """NaN does not pass."""
    with pytest.raises(ValueError, match="trim must be at least 0 and below 1/2, got"):
        SmoothTrimmedMean(SmoothCauchy(1.0), 0.0, 1.0, trim)


def test_refused_people():
    """Sums of more than 2^30 would not be exact."""
    with pytest.raises(ValueError, match="people must be between 1 and 2\\^30, got 0"):
        SmoothTrimmedMean(SmoothCauchy(1.0), 0.0, 1.0, 0.1).kept(0)
