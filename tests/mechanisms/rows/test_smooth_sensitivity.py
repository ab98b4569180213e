"""Noise for a smooth bound hides a move of the centre and of the scale, and not more than that."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import cauchy as cauchy_law
from scipy.stats import laplace as laplace_law

import quick_keys
from tacit.mechanisms.rows.smooth_sensitivity import SPARE, STEPS, SmoothCauchy, SmoothLaplace
from tacit.noise import keys
from tacit.noise.exact import cauchy, laplace, stream

DRAWS = 40_000
EPSILONS = (0.001, 0.1, 0.5, 1.0, 1.2, 3.0, 10.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_cauchy_loss_is_epsilon_and_not_more(epsilon):
    """Over all scales up to e^beta the largest density ratio is epsilon: Harnack's, on a grid."""
    noise = SmoothCauchy(epsilon)
    y = np.tan(np.linspace(-math.pi / 2, math.pi / 2, 200_001)[1:-1])
    y = np.concatenate([y, noise.factor * y, y / noise.factor])
    losses = []
    for share in np.linspace(0, 1, 21):
        other = math.exp(share * (noise.beta + SPARE))
        # In units of the smaller S: centres 0 and 1.
        one = cauchy_law.logpdf(y, 0, noise.factor)
        two = cauchy_law.logpdf(y, 1, noise.factor * other)
        losses.append(np.abs(one - two).max())

    assert max(losses) <= epsilon * (1 + 1e-9)
    assert max(losses) > 0.99 * epsilon


def test_the_cauchy_constants_are_below_the_usual_ones():
    """At epsilon = 1: 0.96 S instead of 6 S, smooth to 0.735 instead of 1/6."""
    noise = SmoothCauchy(1.0)

    assert 1 / (2 * math.sinh(0.5)) <= noise.factor < 0.95952
    assert 0.7353 < noise.beta < math.log(2 * math.cosh(1.0) - 1)


def delta_of(epsilon, one, two):
    """The integral of (p - e^epsilon q)+ for Laplace laws (centre, scale)."""
    y = np.linspace(-60, 60, 600_001) * max(one[1], two[1])
    p, q = laplace_law.pdf(y, *one), laplace_law.pdf(y, *two)
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum() * (y[1] - y[0]))


@pytest.mark.parametrize("epsilon, delta", [(0.5, 1e-2), (1.0, 1e-3), (1.0, 1e-6), (4.0, 1e-5)])
def test_the_laplace_delta_is_attained_and_not_passed(epsilon, delta):
    """By numerical integration in both directions, for all moves of centre and scale."""
    noise = SmoothLaplace(epsilon, delta)
    found = []
    for share, move in itertools.product((0.0, 0.3, 0.7, 1.0), (0.0, 0.5, 1.0)):
        wide = noise.factor * math.exp(share * (noise.beta + SPARE))
        pair = (0.0, wide), (move, noise.factor)
        found += [delta_of(epsilon, *pair), delta_of(epsilon, *pair[::-1])]
    twice = (0.0, noise.factor * math.exp(2 * noise.beta)), (1.0, noise.factor)

    assert max(found) <= delta * (1 + 1e-4)
    assert max(found) > 0.9 * delta or noise.beta > 0.5 * epsilon
    assert delta_of(epsilon, *twice) > 1.5 * delta


@pytest.mark.parametrize("delta", [1e-300, 1e-9, 1e-3])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_laplace_beta_is_above_the_usual_one(epsilon, delta):
    """epsilon / 2 ln(2/delta) is what the general lemma gives."""
    assert SmoothLaplace(epsilon, delta).beta > epsilon / (2 * math.log(2 / delta))


@pytest.mark.parametrize("noise", [SmoothCauchy(1.0), SmoothCauchy(0.01), SmoothLaplace(1.0, 1e-6)])
def test_scales_are_public_and_as_smooth_as_they_should_be(noise):
    """Scales are at least factor S, few, and move by at most e^(beta + SPARE) when ln S by beta."""
    smooth = np.exp(np.random.default_rng(0).uniform(0, 40, 2000))
    scales = np.array([noise.scale(s) for s in smooth])
    moved = np.array([noise.scale(s * math.exp(noise.beta)) for s in smooth])

    assert np.all(scales >= noise.factor * smooth)
    assert np.all(scales <= noise.factor * smooth * math.exp(noise.beta / STEPS) * (1 + 1e-9))
    assert np.all(moved <= scales * math.exp(noise.beta + SPARE))
    assert len(np.unique(scales)) <= 40 * STEPS / noise.beta + 1
    assert noise.scale(0.0) == noise.scale(1.0) == noise.scale(0.3)


@pytest.mark.parametrize("noise", [SmoothCauchy(1.0), SmoothLaplace(1.0, 1e-3)])
def test_the_bound_holds_and_half_of_it_does_not(noise):
    """The stated share of draws is as near as stated; half the distance holds fewer."""
    key, smooth = quick_keys.key(3), 1e6
    source, draw = stream(key), cauchy if isinstance(noise, SmoothCauchy) else laplace
    drawn = np.abs([draw(source, noise.scale(smooth)) for _ in range(DRAWS)])
    near = int((drawn <= noise.error_bound(smooth, 0.1)).sum())
    half = int((drawn <= noise.error_bound(smooth, 0.1) / 2).sum())

    assert 1e-4 < binom.cdf(near, DRAWS, 0.9) < 1 - 1e-4
    assert binom.cdf(half, DRAWS, 0.9) < 1e-9


@pytest.mark.parametrize("smooth", [1.0, 50.0])
def test_the_variance_is_exact(smooth):
    """Against the sum over the geometric law."""
    noise = SmoothLaplace(2.0, 1e-3)
    x = math.exp(-1 / noise.scale(smooth))
    exact = math.fsum((1 - x) * x**g * (g + 0.5) ** 2 for g in range(20_000))

    assert noise.variance(smooth) == pytest.approx(exact, rel=1e-9)


def test_the_same_key_gives_the_same_release():
    """And another key another; a ChaCha key does as well."""
    noise, key = SmoothCauchy(1.0), keys.jax_key(keys.from_seed(1))
    first = noise.sample(key, 10**6, 1e9)

    assert first == noise.sample(key, 10**6, 1e9)
    assert first != noise.sample(keys.jax_key(keys.from_seed(2)), 10**6, 1e9)
    assert noise.sample(key, 0, 1e9) == first - 10**6


@pytest.mark.parametrize("epsilon", [math.nan, 0.0, 11.0, -1.0])
def test_refused_epsilons(epsilon):
    """NaN and zero do not pass."""
    with pytest.raises(ValueError, match="epsilon must be between 0\\.001 and 10, got"):
        SmoothCauchy(epsilon)
    with pytest.raises(ValueError, match="epsilon must be between 0\\.001 and 10, got"):
        SmoothLaplace(epsilon, 0.1)


def test_refused_numbers():
    """Each says what is allowed and what was given."""
    with pytest.raises(ValueError, match="delta must be at least 1e-300 and below 1/2, got nan"):
        SmoothLaplace(1.0, math.nan)
    with pytest.raises(ValueError, match="smooth must be from 0 to 2\\^64, got nan"):
        SmoothCauchy(1.0).sample(quick_keys.key(0), 0, math.nan)
    with pytest.raises(ValueError, match="chance must be between 0 and 1, got 1"):
        SmoothCauchy(1.0).error_bound(1.0, 1)
