"""The Gaussian mechanism: calibrated without overshoot, and its noise is the noise it says."""

import functools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm

import audit
import quick_keys
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.fixed import LIMB, FixedPoint

COUNT, STEP = 200_000, 2.0**-20
GRID = FixedPoint.zero((3, 4), jnp.asarray(STEP))


@jax.jit
def sample(mechanism, key, total):
    """The answer as float32, its sum taken on a grid of 2^-20."""
    grid = FixedPoint.zero(total.shape, jnp.asarray(STEP))
    return mechanism.sample(key, grid.terms(total)).value()


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("sensitivity", [1e-3, 1.0, 7.3])
def test_calibration_never_overshoots(epsilon, sensitivity):
    """delta(epsilon) is kept for the sigma returned, in floating point too, and not wasted."""
    mechanism = Gaussian.calibrate(epsilon, 1e-6, sensitivity, sensitivity * 2.0**-12)

    assert 0.999999 * 1e-6 < mechanism.delta(epsilon) <= 1e-6
    assert mechanism.noise_multiplier == pytest.approx(mechanism.sigma / sensitivity)


DIGITS = 45


@functools.cache
def normal_masses(c: str) -> tuple[list[Decimal], Decimal]:
    """P[N(0, c²) rounds to k] for k = 0, 1, ... as far as ten deviations, and of all beyond.

    The distribution function is its series of positive terms, e^(-x²/2) sum x^(2n+1)/(2n+1)!!.
    """
    with localcontext() as context:
        context.prec = DIGITS
        scale, below, masses = Decimal(c), Decimal(0), []
        root = (2 * _pi()).sqrt()
        for k in range(10 * math.ceil(scale)):
            x = (k + Decimal("0.5")) / scale
            square, term, total, odd = x * x, x, x, 1
            while term > total * Decimal("1e-42"):
                odd += 2
                term = term * square / odd
                total += term
            up_to = (-square / 2).exp() * total / root
            masses.append(up_to - below if k else 2 * up_to)
            below = up_to
        return masses, 1 - 2 * below


def _pi() -> Decimal:
    """Machin's formula."""

    def arctan_of_inverse(n: int) -> Decimal:
        terms = (Decimal((-1) ** k) / ((2 * k + 1) * Decimal(n) ** (2 * k + 1)) for k in range(40))
        return sum(terms, Decimal(0))

    return 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


def apart(c: str, twelfths: int) -> Decimal:
    """Total variation between that and the discrete Gaussian of variance c² + `twelfths`/12."""
    with localcontext() as context:
        context.prec = DIGITS
        rounded, beyond = normal_masses(c)
        variance = Decimal(c) ** 2 + Decimal(twelfths) / 12
        weights = [(-Decimal(k * k) / (2 * variance)).exp() for k in range(len(rounded))]
        total = weights[0] + 2 * sum(weights[1:])
        gaps = [abs(p - w / total) for p, w in zip(rounded, weights, strict=True)]
        return gaps[0] / 2 + sum(gaps[1:]) + beyond


@pytest.mark.parametrize("c", ["16", "16.5", "23.7", "64", "250"])
def test_a_discrete_gaussian_with_the_twelfth_is_a_rounded_normal(c):
    """Within 0.004/c⁴ from c = 16 on, to forty digits; and of that order, so c⁴ is the law.

    Without the twelfth, or with two, the distance is 0.02/c²: far beyond.
    """
    fourth, square = Decimal(c) ** 4, Decimal(c) ** 2

    assert Decimal("0.0004") < apart(c, 1) * fourth < Decimal("0.004")
    for wrong in (0, 2):
        assert Decimal("0.019") < apart(c, wrong) * square < Decimal("0.021")
        assert apart(c, wrong) > Decimal("0.004") / fourth


@pytest.mark.parametrize("step", [2.0**-30, 2.0**-9, 0.1, 1e-3])
def test_the_variance_drawn_is_never_below_the_sum_of_the_two(step):
    """Floats are rounded so that what is drawn is a rounded normal of sigma at the least."""
    for ratio in (1024.0, 1500.1, 1e5 / 3, 7e9):
        mechanism = Gaussian(ratio * step * (1 + 1e-15), 1.0, step)
        needed = (Fraction(mechanism.sigma) / Fraction(step)) ** 2 + Fraction(1, 12)
        drawn = Fraction(mechanism.steps.sigma) ** 2

        assert needed <= drawn <= needed * (1 + Fraction(1, 2**50))
        steps, c = Fraction(step), Fraction(mechanism.sigma)
        assert pytest.approx(float(c**2 + steps**2 / 12), rel=1e-14) == mechanism.variance


def test_the_distance_is_that_of_the_tables_and_of_rounding():
    """For every coordinate; small enough to be lost in any delta from a million steps on."""
    mechanism = Gaussian(1.0, 1.0, 2.0**-10)
    rounding = 0.004 / 2.0**40
    expected = 7 * (mechanism.steps.tv_distance + rounding)

    assert pytest.approx(expected, rel=1e-9, abs=0) == mechanism.tv_distance(7)
    assert mechanism.steps.tv_distance < 2.0**-79
    assert Gaussian(1.0, 1.0, STEP).tv_distance(1) < 2.0**-79


def test_the_noise_is_normal_of_this_scale():
    """Kolmogorov-Smirnov accepts sigma and rejects two thirds and three halves of it."""
    mechanism = Gaussian(sigma=3.0, sensitivity=1.0, step=STEP)
    total = jnp.full((COUNT // 2, 2), 5.0)
    noise = np.asarray(sample(mechanism, quick_keys.key(1), total) - 5.0, np.float64).ravel()

    assert kstest(noise / 3.0, "norm").pvalue > 1e-3
    assert kstest(noise / 2.0, "norm").pvalue < 1e-6
    assert kstest(noise / 4.5, "norm").pvalue < 1e-6


def test_on_the_coarsest_grid_whole_steps_have_the_masses_of_a_rounded_normal():
    """A thousand and twenty-four steps a deviation, in bins of 32; two thirds are rejected."""
    noise = FixedPoint.zero((COUNT,), jnp.asarray(2.0**-10))
    noisy = Gaussian(1.0, 1.0, 2.0**-10).sample(quick_keys.key(7), noise)
    steps = np.asarray(noisy.high, np.int64) * LIMB + np.asarray(noisy.low)
    edges = np.concatenate([[-np.inf], np.arange(-3072, 3073, 32) - 0.5, [np.inf]])
    seen = np.histogram(steps, edges)[0]

    assert chisquare(seen, np.diff(norm.cdf(edges / 1024)) * COUNT).pvalue > 1e-6
    assert chisquare(seen, np.diff(norm.cdf(edges * 1.5 / 1024)) * COUNT).pvalue < 1e-6


def test_the_error_is_dim_times_the_variance():
    """The mean squared error of many answers is within 4 standard errors."""
    mechanism = Gaussian(sigma=0.7, sensitivity=1.0, step=STEP)
    noise = np.asarray(sample(mechanism, quick_keys.key(2), jnp.zeros((COUNT // 5, 5))), np.float64)
    squares = (noise**2).sum(axis=1)

    assert pytest.approx(5 * 0.49, rel=1e-9) == mechanism.error(5)
    assert abs(squares.mean() - mechanism.error(5)) < 4 * squares.std() / math.sqrt(len(squares))


def audited(sigma, delta):
    """The epsilon proved by "above 2" on the answers 1 and 0."""
    mechanism = Gaussian(sigma, sensitivity=1.0, step=STEP)
    one = int((sample(mechanism, quick_keys.key(3), jnp.ones(COUNT)) > 2).sum())
    other = int((sample(mechanism, quick_keys.key(4), jnp.zeros(COUNT)) > 2).sum())
    return audit.epsilon_lower_bound((one, COUNT), (other, COUNT), delta=delta)


def test_the_audit_does_not_refute_the_claim():
    """Neighbouring answers do not show more than epsilon."""
    mechanism = Gaussian.calibrate(2.0, 1e-2, 1.0, STEP)

    assert 1.0 < audited(mechanism.sigma, 1e-2) <= 2.0


def test_the_audit_refutes_two_thirds_of_the_noise():
    """A third of the noise missing is caught."""
    assert audited(Gaussian.calibrate(2.0, 1e-2, 1.0, STEP).sigma * 2 / 3, 1e-2) > 2.0


def test_compiled_and_plain_agree_and_sigmas_do_not_recompile():
    """One program serves every sigma with as many digits, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, GRID.terms(total)).value()

    for sigma in [0.5, 5.0]:
        mechanism = Gaussian(sigma, 1.0, STEP)
        plain = mechanism.sample(quick_keys.key(0), GRID.terms(jnp.ones((3, 4)))).value()
        assert np.allclose(plain, once(mechanism, quick_keys.key(0), jnp.ones((3, 4))), rtol=1e-5)

    assert 1 == len(traces)


@pytest.mark.parametrize("sensitivity", [0.0, -1.0, math.inf, math.nan])
def test_refuses_a_sensitivity_that_is_not_positive(sensitivity):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match="sensitivity must be positive and finite"):
        Gaussian.calibrate(1.0, 1e-6, sensitivity, STEP)
    with pytest.raises(ValueError, match="sensitivity must be positive and finite"):
        Gaussian(1.0, sensitivity, STEP)


@pytest.mark.parametrize("step", [0.0, -1.0, math.inf, math.nan, 2.0**-101, 2.0**101])
def test_refuses_a_step_that_is_not_positive_or_too_far_from_one(step):
    """The answer says what is allowed: what float32 numbers can be divided by and multiplied."""
    with pytest.raises(ValueError, match=r"step must be from 2\^-100 to 2\^100, got"):
        Gaussian(1.0, 1.0, step)


@pytest.mark.parametrize("step", [2.0**-100, 2.0**100])
def test_noise_is_the_same_number_of_steps_on_the_farthest_grids(step):
    """As on a grid of ones, to the bit; and the sum comes back as a finite float."""
    draws = []
    for own in (1.0, step):
        total = FixedPoint.zero((1000,), jnp.asarray(own, jnp.float32))
        draws.append(Gaussian(4096 * own, own, own).sample(quick_keys.key(3), total))

    assert jnp.array_equal(draws[0].high, draws[1].high)
    assert jnp.array_equal(draws[0].low, draws[1].low)
    assert jnp.array_equal(draws[0].value() * step, draws[1].value())
    assert jnp.isfinite(draws[1].value()).all()


def test_refuses_a_grid_on_which_the_rounding_is_not_small():
    """Fewer than 1024 steps a deviation; the sentence says so, and a grid a hair finer serves."""
    with pytest.raises(ValueError, match=r"at least 1024 steps of 0\.5, got 511\.9"):
        Gaussian(511.9, 1.0, 0.5)

    assert 512.0 == Gaussian(512.0, 1.0, 0.5).sigma


def test_the_low_bits_of_a_sum_do_not_show_through():
    """Every residue modulo 2^10 steps is as likely after noise, whatever the total was.

    With one float32 normal the answer's low bits are those of the total: the control.
    """
    step = 2.0**-33
    mechanism, total = Gaussian(sigma=1.0, sensitivity=1.0, step=step), jnp.full(COUNT, step)
    grid = FixedPoint.zero(total.shape, jnp.asarray(step))
    noisy = mechanism.sample(quick_keys.key(5), grid.terms(total))
    normal = jax.random.normal(quick_keys.key(6), total.shape)
    coarse = grid.terms(total).plus(grid.whole(jnp.floor(normal / step)))

    assert chisquare(np.bincount(np.asarray(noisy.low) % 1024, minlength=1024)).pvalue > 1e-6
    assert chisquare(np.bincount(np.asarray(coarse.low) % 1024, minlength=1024)).pvalue < 1e-6
