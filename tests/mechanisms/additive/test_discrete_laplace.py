"""The discrete Laplace mechanism on whole numbers: exact sums, the stated law and price."""

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.accounting import events
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace

KEY = quick_keys.key(0)
NEVER = 1e-6


def test_the_noise_has_its_law():
    """Two-sided geometric of rate epsilon over the sensitivity; not of two thirds of that noise."""
    noise = DiscreteLaplace(1.0, 2).sample(KEY, np.zeros(100_000, int))
    sizes = np.bincount(np.abs(noise), minlength=13)[:13]
    expected = {rate: np.exp(-rate * np.arange(13)) * [1, *[2] * 12] for rate in (0.5, 0.75)}
    right, wrong = (each / each.sum() * sizes.sum() for each in expected.values())

    assert chisquare(sizes, right).pvalue > NEVER > chisquare(sizes, wrong).pvalue


def test_wide_integers_are_added_to_exactly():
    """Beyond 2^53, where floats have lost the unit; in the numbers' own shape."""
    values = np.array([[2**60 + 1], [-(2**60) - 1]])
    noisy = DiscreteLaplace(0.1).sample(KEY, values)
    noise = DiscreteLaplace(0.1).sample(KEY, 0 * values)

    assert np.int64 == noisy.dtype and values.shape == noisy.shape
    assert (noisy - values == noise).all() and (noise != 0).any()


def test_it_is_charged_by_its_law():
    """One number as a discrete Laplace one of its sensitivity, several as pure epsilon."""
    mechanism = DiscreteLaplace(1.0, 4)

    assert events.discrete_laplace(0.25, 4) == mechanism.event(1)
    assert events.k_norm(1.0) == mechanism.event(2)


def test_the_error_and_the_distance_add_up():
    """Over the numbers; the variance is 2x/(1-x)²."""
    mechanism, x = DiscreteLaplace(1.0), np.exp(-1.0)

    assert mechanism.error(3) == 3 * mechanism.variance
    assert pytest.approx(2 * x / (1 - x) ** 2) == mechanism.variance
    assert 0 < 3 * mechanism.noise.tv_distance <= mechanism.tv_distance(3) < 2.0**-70


@pytest.mark.parametrize("values", [[0.5], np.ones(2, np.float32)])
def test_numbers_that_are_not_whole_by_type_are_refused(values):
    """Whatever they are: to look at them would tell."""
    with pytest.raises(ValueError, match=r"as counts\.astype\(int\) is, got float"):
        DiscreteLaplace(1.0).sample(KEY, values)


@pytest.mark.parametrize(
    "epsilon, sensitivity, message",
    [
        (0.0, 1, "epsilon must be positive and finite, got 0"),
        ("1.0", 1, "epsilon must be positive and finite, got '1.0'"),
        (float("nan"), 1, "epsilon must be positive and finite, got nan"),
        (1.0, 0, "sensitivity must be a whole number from 1, got 0"),
        (1.0, 1.5, "sensitivity must be a whole number from 1, got 1.5"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, message):
    """The sentence says what is allowed."""
    with pytest.raises(ValueError, match=message):
        DiscreteLaplace(epsilon, sensitivity)
