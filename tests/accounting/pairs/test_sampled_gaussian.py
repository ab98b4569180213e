"""Sampled Gaussian releases against exact formulas and dp_accounting."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

from tacit.accounting.loss import pld
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.pairs import sampled_gaussian as sampling
from tacit.borrowed import GaussianDpEvent, PoissonSampledDpEvent


def _delta(losses: pld.Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    return losses.infinite - float(np.expm1(epsilon - values[above]) @ losses.masses[above])


@pytest.mark.parametrize("epsilon", [0.0, 0.003, 0.05, 0.4])
@pytest.mark.parametrize(("rate", "multiplier"), [(0.01, 2.0), (0.3, 0.8), (1.0, 1.5)])
def test_without_replacement_is_the_gaussian_profile_shrunk(rate, multiplier, epsilon) -> None:
    """delta(log(1 + q(e^t - 1))) = q delta_Gaussian(t), for one release."""
    exact = rate * gaussian_delta(multiplier, math.log1p(math.expm1(epsilon) / rate))
    both = sampling.without_replacement_losses(rate, multiplier, 1e-4, 1e-20)
    assert exact * (1 - 1e-12) <= _delta(both[0], epsilon) <= exact * 1.001 + 1e-12


@pytest.mark.parametrize("rate", [0.01, 0.4, 1.0])
def test_without_replacement_is_symmetric_and_whole(rate: float) -> None:
    """The pair's masses sum to one, and e^-loss averages to one under P."""
    losses = sampling.without_replacement_losses(rate, 0.7, 1e-4, 1e-20)[0]
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    assert math.isclose(1.0, losses.masses.sum() + losses.infinite, abs_tol=1e-12)
    assert math.isclose(1.0, losses.masses @ np.exp(-values), abs_tol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.2])
@pytest.mark.parametrize(("rate", "multiplier"), [(0.01, 1.0), (0.2, 3.0)])
def test_poisson_matches_dp_accounting(rate, multiplier, epsilon) -> None:
    """Both directions of one release agree with dp_accounting's own distribution."""
    theirs = from_gaussian_mechanism(multiplier, sampling_prob=rate)
    ours = max(
        _delta(one, epsilon) for one in sampling.poisson_losses(rate, multiplier, 1e-4, 1e-20)
    )
    assert math.isclose(float(theirs.get_delta_for_epsilon(epsilon)), ours, rel_tol=1e-7)


def test_tiny_noise_stays_small() -> None:
    """However small the noise, a grid as fine as the loss's spread has a bounded size."""
    for rate in (0.5, 0.01, 1e-6):
        interval = sampling.spread(rate, 0.01) / 64
        losses, _ = sampling.poisson_losses(rate, 0.01, interval, 1e-20)
        assert len(losses.masses) < 500_000


def test_cut_tails_count_as_failure() -> None:
    """What is cut off on both sides is in the infinite loss."""
    for losses in sampling.poisson_losses(0.1, 1.0, 1e-3, 1e-6):
        assert losses.infinite == 1e-6
        assert losses.masses.sum() + losses.infinite >= 1.0


@pytest.mark.parametrize("rate", [1e-12, 1e-10, 1e-8, 1e-6])
def test_renyi_of_a_tiny_rate_is_never_too_small(rate: float) -> None:
    """To leading order it is a/2 times E_Q[(P/Q - 1)^2] = q^2 (e^(1/z^2) - 1), and more than that.

    Sums near one lose what is left of a divergence: their own rounding is added, and little more.
    """
    orders = np.array([1.001, 1.1, 2.0, 5.0])
    leading = orders / 2 * rate**2 * math.expm1(0.25)

    event = PoissonSampledDpEvent(rate, GaussianDpEvent(2.0))
    found = sampling.poisson_renyi(event, orders)

    assert np.all(leading <= found)
    assert np.all(found <= leading * (1 + 4 * rate) + 4e-13 / (orders - 1))


@pytest.mark.parametrize("order", [1.001, 1.5, 2.0, 7.3, 64.0])
@pytest.mark.parametrize(
    ("rate", "multiplier"), [(1e-8, 1.0), (1e-3, 5.0), (0.05, 1.0), (0.9, 5.0)]
)
def test_renyi_of_a_sample_is_never_below_its_integral(rate, multiplier, order) -> None:
    """By forty digits, of the mean of (P/Q)^a, less the mean of P/Q, which is one."""
    event = PoissonSampledDpEvent(rate, GaussianDpEvent(multiplier))
    (found,) = sampling.poisson_renyi(event, np.array([order]))
    with mpmath.workdps(40):
        q, s, a = mpmath.mpf(rate), 1 / mpmath.mpf(multiplier), mpmath.mpf(order)

        def beyond(x):
            more = q * mpmath.expm1(x * s - s * s / 2)
            return mpmath.npdf(x) * (mpmath.expm1(a * mpmath.log1p(more)) - a * more)

        far = a * s
        ends = sorted({-14, -6, -2, 0, 2, 6, 14, far - 8, far, far + 8, far + 16})
        exact = mpmath.log1p(mpmath.quad(beyond, ends)) / (a - 1)
        assert exact <= mpmath.mpf(float(found))
