"""The Gaussian curve is exact, and nothing calibrated on it overshoots."""

import math
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.special import erfcx, ndtr

from tacit.accounting.loss.gaussian import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_noise_multiplier,
)
from tacit.accounting.loss.pld import UNIT

EPSILONS = [0.0, 1e-3, 0.1, 1.0, 8.0, 100.0, 2000.0]
DELTAS = [1e-300, 1e-12, 1e-5, 0.1, 0.9]


@pytest.mark.parametrize("noise_multiplier", [0.2, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 8.0])
def test_delta_is_the_hockey_stick_divergence(noise_multiplier, epsilon):
    """delta(epsilon) equals the integral of the positive part of p - e^epsilon q."""

    def excess(x):
        exponents = [-0.5 * (y / noise_multiplier) ** 2 for y in (x - 1, x)]
        gap = math.exp(exponents[0]) - math.exp(epsilon + exponents[1])
        return gap / (noise_multiplier * math.sqrt(2 * math.pi))

    crossing = 0.5 + epsilon * noise_multiplier**2
    top = max(crossing, 1.0) + 12 * noise_multiplier
    integral = quad(excess, crossing, top, epsabs=1e-18, epsrel=1e-10, limit=200)[0]

    assert gaussian_delta(noise_multiplier, epsilon) == pytest.approx(integral, 1e-8, 1e-17)


@pytest.mark.parametrize("noise_multiplier", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 10.0])
def test_agrees_with_the_reference_accountant(noise_multiplier, epsilon):
    """delta(epsilon) equals the one of Google's dp-accounting."""
    reference = GaussianPrivacyLoss(noise_multiplier).get_delta_for_epsilon(epsilon)

    assert gaussian_delta(noise_multiplier, epsilon) == pytest.approx(reference, 1e-7)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_calibration_never_overshoots_and_is_tight(epsilon, delta):
    """The calibrated noise is private, and one part in 10^9 less is not."""
    noise_multiplier = gaussian_noise_multiplier(epsilon, delta)

    assert gaussian_delta(noise_multiplier, epsilon) <= delta
    assert gaussian_delta(noise_multiplier * (1 - 1e-9), epsilon) > delta


@pytest.mark.parametrize("noise_multiplier", [0.02, 0.5, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_is_an_upper_bound_and_tight(noise_multiplier, delta):
    """At the printed epsilon delta is kept; one part in 10^9 below it is not (unless it is 0)."""
    epsilon = gaussian_epsilon(noise_multiplier, delta)

    assert gaussian_delta(noise_multiplier, epsilon) <= delta
    assert epsilon == 0 or gaussian_delta(noise_multiplier, epsilon * (1 - 1e-9)) > delta


def hockey_stick(noise: float, epsilon: float) -> Any:
    """The closed form, in as many digits as are worked in."""
    s, e = mpf(noise), mpf(epsilon)
    return mp.ncdf(1 / (2 * s) - e * s) - mp.exp(e) * mp.ncdf(-1 / (2 * s) - e * s)


def test_delta_is_never_below_what_it_is() -> None:
    """By no rounding: of extreme numbers as of others, and it is never zero."""
    random = np.random.default_rng(5)
    with mp.workdps(60):
        for noise, epsilon in 10 ** random.uniform([-3, -4], [3, 3], (400, 2)):
            assert gaussian_delta(float(noise), float(epsilon)) >= hockey_stick(noise, epsilon)
    extremes = [(7.3, 10.0), (100.0, 1.0), (1e160, 1e200), (1e-5, 1e308)]
    assert {5e-324} == {gaussian_delta(*each) for each in extremes}
    assert {1.0} == {gaussian_delta(*each) for each in ((1e-320, 0.0), (5e-324, 1e308))}


def test_delta_is_never_below_what_it_is_where_its_arguments_cancel() -> None:
    """Of so little noise, at as large an epsilon, that no float says on which side of zero x is."""
    random = np.random.default_rng(6)
    with mp.workdps(120):
        for power, x in random.uniform([-16, -2], [-9, 2], (300, 2)):
            noise = float(10**power)
            epsilon = (float(x) + 0.5 / noise) / noise
            assert gaussian_delta(noise, epsilon) >= hockey_stick(noise, epsilon)


def test_special_functions_are_right_to_nine_roundings() -> None:
    """What the rounding of delta rests on, wherever delta is a float."""
    with mp.workdps(60):
        for x in np.concatenate([np.linspace(0, 3, 400), np.linspace(3, 40, 400)]):
            scaled, below = mp.exp(mpf(x) ** 2) * mp.erfc(mpf(x)), mp.ncdf(mpf(x))
            assert abs(mpf(float(erfcx(x))) / scaled - 1) <= 9 * UNIT
            assert abs(mpf(float(ndtr(x))) / below - 1) <= 9 * UNIT


def test_delta_falls_with_epsilon_and_with_noise():
    """The curve is monotone in both arguments, across the change of formula at x = 0."""
    along_epsilon = [gaussian_delta(0.7, epsilon) for epsilon in np.linspace(0, 6, 301)]
    along_noise = [gaussian_delta(noise, 1.0) for noise in np.geomspace(0.2, 6, 301)]

    assert np.all(np.diff(along_epsilon) < 0)
    assert np.all(np.diff(along_noise) < 0)


def test_two_thirds_of_the_noise_is_caught():
    """A calibration that forgot a third of its noise would break delta by orders of magnitude."""
    noise_multiplier = gaussian_noise_multiplier(1.0, 1e-5)

    assert gaussian_delta(noise_multiplier * 2 / 3, 1.0) > 50 * 1e-5


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: gaussian_delta(math.nan, 1.0), "noise_multiplier must be positive"),
        (lambda: gaussian_delta(0.0, 1.0), "noise_multiplier must be positive"),
        (lambda: gaussian_delta(1.0, -1.0), "epsilon must be at least zero"),
        (lambda: gaussian_delta(1.0, math.nan), "epsilon must be at least zero"),
        (lambda: gaussian_epsilon(math.inf, 0.1), "noise_multiplier must be positive"),
        (lambda: gaussian_epsilon(1.0, 0.0), "delta must lie strictly between"),
        (lambda: gaussian_noise_multiplier(math.nan, 0.1), "epsilon must be at least zero"),
        (lambda: gaussian_noise_multiplier(1.0, math.nan), "delta must lie strictly between"),
        (lambda: gaussian_noise_multiplier(1.0, 1.0), "delta must lie strictly between"),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused number is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("multiplier", [90.0, 110.0, 1e4, 1e8, 1e16])
def test_large_multipliers_lose_no_digits(multiplier: float) -> None:
    """At epsilon 0 delta is 2 Phi(1/2z) - 1, however small."""
    exact = math.erf(0.5 / multiplier / math.sqrt(2))
    found = gaussian_delta(multiplier, 0.0)
    assert exact * (1 - 1e-14) <= found <= exact * (1 + 1e-11)
    assert gaussian_epsilon(multiplier, exact * 0.999) > 0
