"""Euclidean K-norm noise: the mixture is the law, and the draws are the mixture's."""

import math
from functools import cache
from types import SimpleNamespace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import beta, gamma, kstest

import quick_keys
from tacit.accounting import events
from tacit.mechanisms.additive import k_norm
from tacit.mechanisms.additive.k_norm import SHARE, EuclideanNorm
from tacit.noise.fixed import LIMB, FixedPoint
from tacit.noise.mixture import DiscreteGaussianMixture

NEVER = 1e-6
STEP = 2.0**-24
KEY = quick_keys.key(0)
RELEASES = 20_000


@cache
def made(dimension: int, epsilon: float = 1.0, sensitivity: float = 1.0, step: float = STEP):
    """A mechanism, made once."""
    return EuclideanNorm.calibrate(epsilon, sensitivity, step, dimension)


def whole(high, low) -> np.ndarray:
    return np.asarray(high, np.int64) * LIMB + np.asarray(low)


@pytest.fixture(scope="module")
def noise():
    """Releases of the sum zero in three dimensions, epsilon 1 and sensitivity 1."""
    mechanism = made(3)
    zero = FixedPoint.zero((3,), jnp.float32(STEP))
    sample = jax.jit(lambda m, keys: jax.lax.map(lambda key: m.sample(key, zero), keys))
    answers = sample(mechanism, jax.random.split(KEY, RELEASES))
    return whole(answers.high, answers.low) * STEP


def test_the_norm_is_gamma(noise):
    """Of shape 3; not of shape 2 or 4, nor with two thirds of the noise."""
    norms = np.linalg.norm(noise, axis=1)

    assert kstest(norms, gamma(3).cdf).pvalue > NEVER
    for wrong in (gamma(2), gamma(4), gamma(3, scale=2 / 3)):
        assert kstest(norms, wrong.cdf).pvalue < NEVER


def test_the_direction_is_uniform_and_independent(noise):
    """Each height is uniform on [-1, 1] in three dimensions, among small norms as among large."""
    norms = np.linalg.norm(noise, axis=1)
    heights = noise / norms[:, None]

    for part in (norms < 2.5, norms > 2.5):
        for axis in range(3):
            assert kstest(heights[part, axis], "uniform", args=(-1, 2)).pvalue > NEVER
    assert kstest(heights[:, 0], beta(0.5, 1, loc=-1, scale=2).cdf).pvalue < NEVER


def test_the_variance_is_the_stated_one(noise):
    """Within five standard errors; that of d for d + 1 is not."""
    mechanism = made(3)
    squares = (noise**2).mean(axis=1)
    error = squares.std() / math.sqrt(RELEASES)

    assert abs(squares.mean() - mechanism.variance) < 5 * error
    assert abs(squares.mean() - mechanism.variance * 3 / 4) > 5 * error
    assert mechanism.error(3) == 3 * mechanism.variance == 12.0


def log_sum(logs: np.ndarray) -> np.ndarray:
    top = logs.max(axis=-1)
    return top + np.log(np.exp(logs - top[..., None]).sum(axis=-1))


def apart(dimension: int, spread: int = 1) -> float:
    """Total variation of the mixture from K-norm noise, by quadrature over the norm, lambda = 1.

    Args:
      dimension: Of the noise.
      spread: Only every so many-th node is used.
    """
    nodes = k_norm._nodes(dimension)[::spread]
    squares = np.array([(dimension + 1) * float(node.growth) for node in nodes])
    shares = np.log([node.share for node in nodes])
    norms = gamma(dimension).ppf(np.linspace(0, 1, 4001)[1:-1])
    law = gamma(dimension).logpdf(norms)
    chi = math.log(2) * (1 - dimension / 2) - gammaln(dimension / 2)
    each = chi + (dimension - 1) * np.log(norms)[:, None] - norms[:, None] ** 2 / (2 * squares)
    mixed = log_sum(each - dimension / 2 * np.log(squares) + shares) - log_sum(shares)
    return float(abs(np.expm1(mixed - law)).mean() / 2)


@pytest.mark.parametrize("dimension", [2, 3, 10, 200, 10_000])
def test_the_mixture_is_the_law(dimension):
    """The densities agree to rounding, by quadrature; with a third of the nodes they do not."""
    rounding = 1e-13 * dimension + 1e-11

    assert apart(dimension) < rounding
    assert apart(dimension, 3) > 1e3 * rounding


@pytest.mark.parametrize("dimension", [2, 50, 10**6])
def test_the_spacing_keeps_the_bound(dimension):
    """E of step 1, at the best of other thetas than the constructor's, is at most its share."""
    spacing = float(k_norm._spacing(dimension))
    theta = np.arctan(np.geomspace(1e-3, 50, 100_001))
    logs = math.log(2) - (dimension + 0.5) * np.log(np.cos(theta))
    turns = 2 * math.pi * theta / spacing
    bound = np.exp((logs - turns - np.log(-np.expm1(-turns))).min())

    assert 0.9 * SHARE < bound <= SHARE * (1 + 1e-5)


def test_the_coordinates_share_one_scale(noise):
    """Sizes of two coordinates are correlated: independent ones would not be private."""
    assert np.corrcoef(abs(noise[:, 0]), abs(noise[:, 1]))[0, 1] > 0.1


def test_the_distance_is_at_most_2_to_the_minus_40():
    """In few dimensions, and in a million on the coarsest grid that is allowed."""
    assert 0 < made(3).tv_distance(3) < 2.0**-40
    assert 0 < made(10**6, step=2.0**-20).tv_distance(10**6) < 2.0**-40


def test_the_distance_counts_every_coordinates_table(monkeypatch):
    """Were tables coarse, three coordinates would be three times as far from their law."""

    def coarse(chances, sigmas):
        return eqx.tree_at(
            lambda own: own.tv_distance, DiscreteGaussianMixture.of(chances, sigmas), 2.0**-30
        )

    monkeypatch.setattr(k_norm, "DiscreteGaussianMixture", SimpleNamespace(of=coarse))

    assert 3 * 2.0**-30 <= EuclideanNorm.calibrate(1.0, 1.0, STEP, 3).tv_distance(3) < 4 * 2.0**-30


def test_a_long_vector_has_the_norm_of_its_law():
    """In 100,000 dimensions the norm hardly varies: within six of its deviations."""
    dimension, epsilon, sensitivity, step = 100_000, 20.0, 1e-3, 2.0**-37
    mechanism = made(dimension, epsilon, sensitivity, step)
    zero = FixedPoint.zero((dimension,), jnp.float32(step))
    answer = jax.jit(EuclideanNorm.sample)(mechanism, KEY, zero)
    noise = whole(answer.high, answer.low) * step * epsilon / sensitivity

    assert abs(np.linalg.norm(noise) - dimension) < 6 * math.sqrt(dimension)
    assert kstest(noise / math.sqrt(dimension), "norm").pvalue > NEVER


def test_a_sum_on_another_grid_is_not_released():
    """It counts as zero; on its own grid the same noise is around any sum, whatever its shape."""
    mechanism = made(1000)

    def release(total: int, step: float):
        high, low = (jnp.full((10, 100), limb, jnp.int32) for limb in divmod(total, LIMB))
        answer = mechanism.sample(KEY, FixedPoint(high, low, jnp.float32(step)))
        return whole(answer.high, answer.low)

    assert np.array_equal(release(10**9, STEP / 2), release(0, STEP))
    assert np.array_equal(release(10**9, STEP), release(0, STEP) + 10**9)


def test_compiled_and_plain_agree_and_epsilons_do_not_recompile():
    """One program serves every epsilon of as many digits."""
    traces, zero = [], FixedPoint.zero((1000,), jnp.float32(STEP))

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, total)

    for mechanism in (made(1000), made(1000, 1.5)):
        plain, compiled = mechanism.sample(KEY, zero), once(mechanism, KEY, zero)
        assert np.array_equal(plain.high, compiled.high)
        assert np.array_equal(plain.low, compiled.low)
    assert len(traces) == 1


def test_the_event_knows_the_dimension():
    """The tight pair's event, of the very epsilon."""
    assert made(1000, 1.5).event == events.euclidean_norm(1.5, 1000)


def test_a_sum_of_another_size_is_refused():
    """Of fewer coordinates, or more."""
    with pytest.raises(ValueError, match="the sum must have 3 coordinates, got 5"):
        made(3).sample(KEY, FixedPoint.zero((5,), jnp.float32(STEP)))
    with pytest.raises(ValueError, match="the sum must have 3 coordinates, got 2"):
        made(3).error(2)


@pytest.mark.parametrize(
    "epsilon, sensitivity, step, dimension, message",
    [
        (math.nan, 1.0, STEP, 3, "epsilon must be positive"),
        (1.0, 0.0, STEP, 3, "sensitivity must be positive"),
        (1.0, 1.0, STEP, 1, "dimension must be between 2 and"),
        (1.0, 1.0, 2.0**-19, 3, "step must be between"),
        (1.0, 1.0, 2.0**-40, 3, "step must be between"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, step, dimension, message):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match=message):
        EuclideanNorm.calibrate(epsilon, sensitivity, step, dimension)
