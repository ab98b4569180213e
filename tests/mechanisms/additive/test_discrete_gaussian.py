"""The discrete Gaussian mechanism on whole numbers: exact sums, the stated law and price."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.accounting import events
from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian

KEY = quick_keys.key(0)
NEVER = 1e-6


def masses(sigma: float, reach: int) -> np.ndarray:
    """Of the sizes up to `reach`."""
    return np.exp(-((np.arange(reach + 1) / sigma) ** 2) / 2) * [1, *[2] * reach]


def test_the_noise_has_its_law():
    """Of a small deviation, where no normal law is near; not of two thirds of that noise."""
    noise = DiscreteGaussian(1.5).sample(KEY, np.zeros(100_000, int))
    sizes = np.bincount(np.abs(noise), minlength=6)[:6]
    right, wrong = (each / each.sum() * sizes.sum() for each in (masses(1.5, 5), masses(1.0, 5)))

    assert chisquare(sizes, right).pvalue > NEVER > chisquare(sizes, wrong).pvalue


def test_wide_integers_are_added_to_exactly():
    """Beyond 2^53, where floats have lost the unit; in the numbers' own shape."""
    values = np.array([[2**60 + 1], [-(2**60) - 1]])
    noisy = DiscreteGaussian(9.0).sample(KEY, values)
    noise = DiscreteGaussian(9.0).sample(KEY, 0 * values)

    assert np.int64 == noisy.dtype and values.shape == noisy.shape
    assert (noisy - values == noise).all() and (noise != 0).any()


@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("order", [1.3, 2.0, 5.5])
@pytest.mark.parametrize("apart", [1, 2])
def test_the_divergence_is_at_most_that_of_normal_noise(sigma, order, apart):
    """By sums over the laws; half of the stated price would be too little."""
    k = np.arange(-200, 201)
    logs = [-((k - shift) ** 2) / (2 * sigma**2) for shift in (apart, 0)]
    one, other = (each - np.log(np.exp(each).sum()) for each in logs)
    terms = order * one + (1 - order) * other
    found = (terms.max() + math.log(np.exp(terms - terms.max()).sum())) / (order - 1)
    rho = DiscreteGaussian(sigma, apart).rho

    assert found <= order * rho * (1 + 1e-9)
    assert found > order * rho / 2 or sigma < 1


def test_it_is_charged_by_its_law():
    """One number as a discrete Gaussian one of its sensitivity, several as zero-concentrated."""
    assert events.discrete_gaussian(3.0, 2) == DiscreteGaussian(3.0, 2).event(1)
    assert events.zcdp(DiscreteGaussian(3.0, 2).rho) == DiscreteGaussian(3.0, 2).event(2)
    assert events.zcdp(DiscreteGaussian(3.0, 1.5).rho) == DiscreteGaussian(3.0, 1.5).event(1)
    assert pytest.approx(2 / 9, rel=1e-12) == DiscreteGaussian(3.0, 2).rho


def test_the_error_and_the_distance_add_up():
    """Over the numbers; the variance is that of the law, below sigma² at small ones."""
    mechanism, law = DiscreteGaussian(0.5), masses(0.5, 9)

    assert mechanism.error(3) == 3 * mechanism.variance < 3 * 0.25
    assert pytest.approx((law * np.arange(10) ** 2).sum() / law.sum()) == mechanism.variance
    assert 0 < 3 * mechanism.noise.tv_distance <= mechanism.tv_distance(3) < 2.0**-70


def test_numbers_that_are_not_whole_by_type_are_refused():
    """Whatever they are: to look at them would tell."""
    with pytest.raises(ValueError, match=r"as counts\.astype\(int\) is, got float64"):
        DiscreteGaussian(1.0).sample(KEY, [1.0])


@pytest.mark.parametrize(
    "sigma, sensitivity, message",
    [
        (0.0, 1, "sigma must be positive and finite, got 0"),
        (2.0**41, 1, "sigma must be at most 2"),
        (1.0, float("nan"), "sensitivity must be positive and finite, got nan"),
        ("3", 1, "sigma must be positive and finite, got '3'"),
    ],
)
def test_refused_parameters(sigma, sensitivity, message):
    """The sentence says what is allowed."""
    with pytest.raises(ValueError, match=message):
        DiscreteGaussian(sigma, sensitivity)
