"""Student's t noise for a smooth bound is pure, to the last constant, and has its variance."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom
from scipy.stats import t as t_law

import quick_keys
from tacit.mechanisms.rows import smooth_student
from tacit.mechanisms.rows.smooth_quantile import CELLS, SmoothSensitivityQuantile, smooth_gap
from tacit.mechanisms.rows.smooth_sensitivity import SPARE, SmoothCauchy, SmoothLaplace
from tacit.mechanisms.rows.smooth_student import SmoothStudent
from tacit.noise.exact import stream, student

DRAWS = 5_000
CASES = [(epsilon, d) for epsilon in (0.001, 0.1, 1.0, 3.0, 10.0) for d in (3, 4, 20)]


def density(y, centre, scale, degrees):
    """The logarithm of the density of centre + scale T/d^(1/2)."""
    root = math.sqrt(degrees)
    return t_law.logpdf((y - centre) * root / scale, degrees) - math.log(scale)


def loss(noise, ratio, c=None):
    """The largest density ratio, on a grid, in units of the smaller S: centres 0 and 1."""
    c = noise.factor if c is None else c
    y = np.tan(np.linspace(-math.pi / 2, math.pi / 2, 20_001)[1:-1])
    y = np.concatenate([y * c**power for power in (-1, 0, 1, 2)])
    one, two = density(y, 0, c, noise.degrees), density(y, 1, c * ratio, noise.degrees)
    return np.abs(one - two).max()


def most(noise, **change):
    """Over scales that are apart by up to beta."""
    shares = (0.0, 0.02, 0.2, 0.5, 0.8, 0.98, 1.0)
    return max(loss(noise, math.exp(share * (noise.beta + SPARE)), **change) for share in shares)


@pytest.mark.parametrize("epsilon, degrees", CASES)
def test_the_loss_is_epsilon_and_not_more(epsilon, degrees):
    """The largest density ratio is epsilon; with nine tenths of the noise it is more."""
    noise = SmoothStudent(epsilon, degrees)

    assert 0.999 * epsilon < most(noise) <= epsilon * (1 + 1e-9)
    assert most(noise, c=0.9 * noise.factor) > 1.01 * epsilon


@pytest.mark.parametrize("epsilon, degrees", CASES)
def test_the_ends_are_the_worst(epsilon, degrees):
    """Between scales that are equal and those apart by beta there is never less room."""
    noise = SmoothStudent(epsilon, degrees)
    inside = np.linspace(0, noise.beta + SPARE, 200)
    room = [smooth_student._room(epsilon, degrees, b) for b in inside]

    assert min(room) >= min(room[0], room[-1]) * (1 - 1e-12)
    assert noise.beta < epsilon / degrees


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 3.0, 10.0])
def test_one_degree_would_be_cauchy_noise(epsilon):
    """The same numbers from both proofs."""
    cauchy = SmoothCauchy(epsilon)
    ends = [smooth_student._room(epsilon, 1, b) for b in (0.0, cauchy.beta + SPARE)]

    assert cauchy.factor == pytest.approx(min(ends) ** -0.5, rel=1e-8)
    assert smooth_student._free(epsilon, 1) <= cauchy.beta + 3 * SPARE


@pytest.mark.parametrize("epsilon, degrees", CASES)
def test_no_beta_is_much_better(epsilon, degrees):
    """c/beta is within 3 % of the least."""
    noise = SmoothStudent(epsilon, degrees)
    betas = np.linspace(0, epsilon / degrees, 2001)[1:-1]
    flat = smooth_student._room(epsilon, degrees, 0.0)
    best = max(
        b * math.sqrt(min(flat, smooth_student._room(epsilon, degrees, b))) for b in betas.tolist()
    )

    assert noise.beta / noise.factor > 0.97 * best


def test_the_figures_of_the_proof():
    """At epsilon = 1: the noise of Laplace with delta = 1e-6, for a bound 4 times rougher."""
    noise, other = SmoothStudent(1.0, 3), SmoothLaplace(1.0, 1e-6)

    assert (round(noise.factor, 2), round(noise.beta, 3)) == (2.85, 0.229)
    assert (round(other.factor * math.sqrt(2), 2), round(other.beta, 3)) == (2.83, 0.053)


@pytest.mark.parametrize("scale", [1.0, 2.5, 40.0])
@pytest.mark.parametrize("degrees", [3, 6])
def test_rounding_adds_at_most_a_quarter_to_the_variance(degrees, scale):
    """The sum over whole numbers against that of the real law: between nothing and 1/4 more."""
    root = math.sqrt(degrees)
    edges = np.arange(400_001) * root / scale
    chances = -np.diff(t_law.sf(edges, degrees))
    rounded = 2 * math.fsum(chances * (np.arange(400_000) + 0.5) ** 2)
    cut = edges[-1]
    real = 2 * quad(lambda z: z * z * t_law.pdf(z, degrees), 0, 50, epsabs=1e-12)[0]
    real += 2 * quad(lambda z: z * z * t_law.pdf(z, degrees), 50, cut, limit=500)[0]

    assert -1e-4 < rounded - real * scale**2 / degrees <= 0.25 + 1e-6
    assert real / degrees == pytest.approx(1 / (degrees - 2), rel=1e-3)


@pytest.mark.parametrize("degrees", [3, 8])
def test_bounds_hold_and_half_of_them_do_not(degrees):
    """The stated share is as near as stated, and the mean square is the variance (8 degrees)."""
    noise, smooth = SmoothStudent(1.0, degrees), 1e6
    source = stream(quick_keys.key(3))
    drawn = np.abs([student(source, noise.scale(smooth), degrees) for _ in range(DRAWS)])
    near, half = (int((drawn <= noise.error_bound(smooth, 0.1) / by).sum()) for by in (1, 2))

    assert 1e-4 < binom.cdf(near, DRAWS, 0.9) < 1 - 1e-4
    assert binom.cdf(half, DRAWS, 0.9) < 1e-9
    # The kurtosis of 8 degrees is 4.5: the mean square is within 5 of its standard deviations.
    off = np.mean(drawn.astype(float) ** 2) / noise.variance(smooth) - 1
    assert degrees == 3 or abs(off) < 5 * math.sqrt(3.5 / DRAWS)


@pytest.mark.parametrize("degrees", [3, 20])
@pytest.mark.parametrize("chance", [0.05, 1e-9, 1e-100])
def test_the_bound_is_the_quantile_of_the_least_chances_too(degrees, chance):
    """What is beyond it has that chance; of less than 1e-100 nothing finite is said."""
    noise = SmoothStudent(1.0, degrees)
    beyond = noise.error_bound(1.0, chance) / noise.scale(1.0) * math.sqrt(degrees)

    assert 2 * t_law.sf(beyond, degrees) == pytest.approx(chance, rel=1e-9)
    assert noise.error_bound(1.0, 1e-101) == noise.error_bound(1.0, 5e-324) == math.inf


def test_a_median_with_it():
    """It goes where the other noises go; half zeros and half ones are hidden, crowds are not."""
    median = SmoothSensitivityQuantile(SmoothStudent(1.0), 0.0, 1.0)
    crowd = np.clip(np.random.default_rng(0).normal(0.5, 0.1, 20_000), 0, 1)
    near = np.array([median.sample(quick_keys.key(seed), crowd) for seed in range(50)])
    smooth = median.smooth_sensitivity(crowd)

    assert (median.epsilon, median.delta) == (1.0, 0.0)
    assert np.quantile(np.abs(near - np.median(crowd)), 0.8) <= 2 * median.error_bound(smooth, 0.2)
    assert median.error_bound(smooth, 0.01) < 0.01
    assert smooth_gap(median.interval.units(np.array([0.0, 1.0])), 1, 1, median.noise.beta) == CELLS


def test_the_same_key_gives_the_same_release():
    """And another key another."""
    noise, key = SmoothStudent(1.0), quick_keys.key(1)
    first = noise.sample(key, 10**6, 1e9)

    assert first == noise.sample(key, 10**6, 1e9) == noise.sample(key, 0, 1e9) + 10**6
    assert first != noise.sample(quick_keys.key(2), 10**6, 1e9)


@pytest.mark.parametrize("degrees", [2, 21, 3.0, 3.5, math.nan])
def test_refused_degrees(degrees):
    """Two have no variance."""
    with pytest.raises(ValueError, match="degrees must be whole, from 3 to 20, got"):
        SmoothStudent(1.0, degrees)


def test_refused_numbers():
    """Each says what is allowed and what was given."""
    with pytest.raises(ValueError, match="epsilon must be between 0\\.001 and 10, got nan"):
        SmoothStudent(math.nan)
    with pytest.raises(ValueError, match="smooth must be from 0 to 2\\^64, got nan"):
        SmoothStudent(1.0).sample(quick_keys.key(0), 0, math.nan)
    with pytest.raises(ValueError, match="chance must be between 0 and 1, got 1"):
        SmoothStudent(1.0).error_bound(1.0, 1)
