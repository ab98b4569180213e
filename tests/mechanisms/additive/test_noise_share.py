"""Shares of Gaussian noise: so many of them are the Gaussian mechanism, and fewer are not."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import kstest

import quick_keys
from tacit.mechanisms.additive.noise_share import LEAST_VARIANCE, NoiseShare
from tacit.noise.discrete import JOINT
from tacit.noise.fixed import LIMB, FixedPoint

DIGITS, FAR = 50, 120


def law(variance: Fraction) -> list[Decimal]:
    """The masses of a discrete Gaussian from -`FAR` to `FAR`, to fifty digits."""
    twice = 2 * Decimal(variance.numerator) / Decimal(variance.denominator)
    weights = [(-Decimal(k * k) / twice).exp() for k in range(-FAR, FAR + 1)]
    return [weight / sum(weights) for weight in weights]


def summed(variance: Fraction, many: int) -> list[Decimal]:
    """The masses of the sum of so many shares."""
    own = law(variance)
    total = own
    for _ in range(many - 1):
        far = [Decimal(0)] * FAR
        padded = [*far, *total, *far]
        total = [
            sum((own[j] * padded[k + 2 * FAR - j] for j in range(2 * FAR + 1)), Decimal(0))
            for k in range(2 * FAR + 1)
        ]
    return total


def joints(variance: Fraction, many: int) -> Decimal:
    """How far the sum of so many shares is from one discrete Gaussian, in joints."""
    with localcontext() as context:
        context.prec = DIGITS
        each = zip(summed(variance, many), law(many * variance), strict=True)
        gap = sum((abs(p - q) for p, q in each), Decimal(0)) / 2
        return gap * JOINT.denominator / JOINT.numerator


@pytest.mark.parametrize("many", [2, 3])
def test_shares_add_up_to_one_discrete_gaussian(many):
    """By one joint for each that is added, from the least variance on; narrower ones do not."""
    assert joints(LEAST_VARIANCE, many) < many - 1
    assert joints(LEAST_VARIANCE / 2, many) > 1_000 * many


@pytest.mark.parametrize("shares", [1, 2, 3, 70_000])
@pytest.mark.parametrize("ratio", [1024.0, 1500.1, 7e9])
def test_so_many_shares_have_the_normals_variance_and_a_twelfth(ratio, shares):
    """Rounded up, and by next to nothing."""
    step = 2.0**-12
    share = NoiseShare(ratio * step, step, shares)
    needed = (Fraction(share.sigma) / Fraction(step)) ** 2 + Fraction(1, 12)
    together = shares * Fraction(share.law.sigma) ** 2

    assert needed <= together <= needed * (1 + Fraction(1, 2**50))
    assert pytest.approx(float(together) * step**2) == shares * share.variance


def noise_of(share: NoiseShare, many: int, draws: int, seed: int) -> np.ndarray:
    """What so many devices add to a sum."""
    nothing = FixedPoint.zero((many, draws), jnp.asarray(share.step))
    return np.asarray(share.sample(quick_keys.key(seed), nothing).sum().value(), np.float64)


def test_their_sum_is_normal_of_this_scale():
    """Kolmogorov-Smirnov accepts sigma for as many shares as suffice; for one fewer, and for two
    thirds of sigma, it rejects."""
    share, draws = NoiseShare(3.0, 2.0**-12, 8), 60_000
    enough, fewer = (noise_of(share, many, draws, 1) for many in (8, 7))

    assert kstest(enough / 3.0, "norm").pvalue > 1e-3
    assert kstest(fewer / 3.0, "norm").pvalue < 1e-6
    assert kstest(enough / 2.0, "norm").pvalue < 1e-6


def test_the_distance_counts_draws_joints_and_the_normal():
    """For every number; more shares have more draws."""
    share = NoiseShare(2.0**8, 2.0**-12, 100)
    each = share.law.tv_distance + float(JOINT)

    exactly = {"rel": 1e-12, "abs": 0}
    for many, found in ((100, share.tv_distance(7)), (300, share.tv_distance(7, 300))):
        assert pytest.approx(7 * (many * each + 0.004 / 2.0**80), **exactly) == found


def test_a_share_is_added_in_whole_steps():
    """Whatever is summed moves by what was drawn, exactly; a sum on another grid counts as zero."""
    share, key = NoiseShare(1.0, 2.0**-12, 5), quick_keys.key(2)
    nothing = FixedPoint.zero((50,), jnp.asarray(2.0**-12))
    drawn = share.sample(key, nothing)
    moved = share.sample(key, nothing.whole(jnp.full(50, 12_345.0)))
    other = share.sample(key, FixedPoint.zero((50,), jnp.asarray(0.5)).whole(jnp.full(50, 9.0)))

    apart = LIMB * (moved.high - drawn.high) + moved.low - drawn.low
    np.testing.assert_array_equal(apart, 12_345)
    np.testing.assert_array_equal(other.high * LIMB + other.low, drawn.high * LIMB + drawn.low)


@pytest.mark.parametrize(
    "given, said",
    [
        ((0.0, 1.0, 1), "sigma must be positive"),
        ((math.nan, 1.0, 1), "sigma must be positive"),
        ((1e3, 1.0, 1), "at least 1024 steps"),
        ((1e9, 0.0, 1), "step must be from"),
        ((2048.0, 1.0, 0), "shares must be a positive whole number"),
        ((2048.0, 1.0, 2.5), "shares must be a positive whole number"),
        ((2048.0, 1.0, 10**6), "has at most 699050 shares"),
    ],
)
def test_what_is_no_share_is_refused(given, said):
    """With a sentence that says what is allowed."""
    with pytest.raises(ValueError, match=said):
        NoiseShare(*given)
    assert NoiseShare(2048.0, 1.0, 699_050).shares == 699_050
