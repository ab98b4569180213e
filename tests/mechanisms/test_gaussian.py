"""The Gaussian mechanism: calibrated without overshoot, and its noise is the noise it says."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare, kstest

import audit
from tacit.mechanisms.gaussian import Gaussian
from tacit.noise.fixed import Fixed

COUNT = 200_000
GRID = Fixed.zero((3, 4), jnp.asarray(2.0**-20))


@jax.jit
def sample(mechanism, key, total):
    """The answer as float32, its sum taken on a grid of 2^-20."""
    grid = Fixed.zero(total.shape, jnp.asarray(2.0**-20))
    return mechanism.sample(key, grid.terms(total)).value()


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("sensitivity", [1e-3, 1.0, 7.3])
def test_calibration_never_overshoots(epsilon, sensitivity):
    """delta(epsilon) is kept for the sigma returned, in floating point too, and not wasted."""
    mechanism = Gaussian.calibrate(epsilon, 1e-6, sensitivity)

    assert 0.999999 * 1e-6 < mechanism.delta(epsilon) <= 1e-6
    assert mechanism.noise_multiplier == pytest.approx(mechanism.sigma / sensitivity)


def test_the_noise_is_normal_of_this_scale():
    """Kolmogorov-Smirnov accepts sigma and rejects two thirds and three halves of it."""
    mechanism = Gaussian(sigma=3.0, sensitivity=1.0)
    total = jnp.full((COUNT // 2, 2), 5.0)
    noise = np.asarray(sample(mechanism, jax.random.key(1), total) - 5.0, np.float64).ravel()

    assert kstest(noise / 3.0, "norm").pvalue > 1e-3
    assert kstest(noise / 2.0, "norm").pvalue < 1e-6
    assert kstest(noise / 4.5, "norm").pvalue < 1e-6


def test_the_error_is_dim_sigma_squared():
    """The mean squared error of many answers is within 4 standard errors."""
    mechanism = Gaussian(sigma=0.7, sensitivity=1.0)
    noise = np.asarray(sample(mechanism, jax.random.key(2), jnp.zeros((COUNT // 5, 5))), np.float64)
    squares = (noise**2).sum(axis=1)

    assert abs(squares.mean() - mechanism.error(5)) < 4 * squares.std() / math.sqrt(len(squares))


def audited(sigma, delta):
    """The epsilon proved by "above 2" on the answers 1 and 0."""
    mechanism = Gaussian(sigma, sensitivity=1.0)
    one = int((sample(mechanism, jax.random.key(3), jnp.ones(COUNT)) > 2).sum())
    other = int((sample(mechanism, jax.random.key(4), jnp.zeros(COUNT)) > 2).sum())
    return audit.epsilon_lower_bound((one, COUNT), (other, COUNT), delta=delta)


def test_the_audit_does_not_refute_the_claim():
    """Neighbouring answers do not show more than epsilon."""
    mechanism = Gaussian.calibrate(2.0, 1e-2, 1.0)

    assert 1.0 < audited(mechanism.sigma, 1e-2) <= 2.0


def test_the_audit_refutes_two_thirds_of_the_noise():
    """A third of the noise missing is caught."""
    assert audited(Gaussian.calibrate(2.0, 1e-2, 1.0).sigma * 2 / 3, 1e-2) > 2.0


def test_compiled_and_plain_agree_and_sigmas_do_not_recompile():
    """One program serves every sigma, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, GRID.terms(total)).value()

    for sigma in [0.5, 50.0]:
        mechanism = Gaussian(sigma, 1.0)
        plain = mechanism.sample(jax.random.key(0), GRID.terms(jnp.ones((3, 4)))).value()
        assert np.allclose(plain, once(mechanism, jax.random.key(0), jnp.ones((3, 4))), rtol=1e-5)

    assert 1 == len(traces)


@pytest.mark.parametrize("sensitivity", [0.0, -1.0, math.inf, math.nan])
def test_refuses_a_sensitivity_that_is_not_positive(sensitivity):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match="sensitivity must be positive and finite"):
        Gaussian.calibrate(1.0, 1e-6, sensitivity)


def test_the_low_bits_of_a_sum_do_not_show_through():
    """Every residue modulo 2^10 steps is as likely after noise, whatever the total was.

    With one float32 normal the answer's low bits are those of the total: the control.
    """
    mechanism, total = Gaussian(sigma=1.0, sensitivity=1.0), jnp.full(COUNT, 2.0**-33)
    grid = Fixed.zero(total.shape, jnp.asarray(2.0**-33))
    noisy = mechanism.sample(jax.random.key(5), grid.terms(total))
    coarse = grid.terms(total).plus(grid.noise(jax.random.normal(jax.random.key(6), total.shape)))

    assert chisquare(np.bincount(np.asarray(noisy.low) % 1024, minlength=1024)).pvalue > 1e-6
    assert chisquare(np.bincount(np.asarray(coarse.low) % 1024, minlength=1024)).pvalue < 1e-6
