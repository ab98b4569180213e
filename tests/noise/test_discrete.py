"""Draws of discrete Laplace and Gaussian noise have their law, and are functions of the key."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare, norm

from hasty import hasty
from tacit.noise import discrete, keys
from tacit.noise.discrete import HALF, DiscreteGaussianLaw, DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB
from tacit.noise.tables import draw

KEY = keys.jax_key(keys.from_seed(20))
DRAWS = 1_000_000
# The chance that a right sampler with a fresh key would fail one of these tests.
NEVER = 1e-6
SCALES = (0.1, 0.7, 3.0, 50.0, 1000.0, 1e5, 2.0**30)
PROMISED = 2.0**-60


def laplace(scale: float) -> DiscreteLaplaceLaw:
    return DiscreteLaplaceLaw.of(1 / scale)


def drawn(law: DiscreteLaplaceLaw | DiscreteGaussianLaw, key=KEY) -> np.ndarray:
    high, low = law.limbs(key, (DRAWS,))
    return np.asarray(high, np.int64) * LIMB + np.asarray(low)


def laplace_below(scale: float):
    """P(K <= k)."""
    rate = 1 / scale

    def below(k: np.ndarray) -> np.ndarray:
        up = 1 - np.exp(-rate * (np.maximum(k, 0) + 1)) / (1 + np.exp(-rate))
        return np.where(k >= 0, up, np.exp(rate * np.minimum(k, 0)) / (1 + np.exp(-rate)))

    return below


def gaussian_below(sigma: float):
    """P(K <= k): summed, or from scale 1000 on by the normal law at half-integers.

    The two differ by about 1 / (24 sigma²), which this many draws cannot see.
    """
    if sigma >= 1000:
        return lambda k: norm.cdf((k + 0.5) / sigma)
    reach = math.ceil(12 * sigma) + 2
    half = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    summed = np.cumsum(half) / half.sum()
    return lambda k: summed[(np.clip(k, -reach, reach) + reach).astype(int)]


def fits(draws: np.ndarray, below, scale: float) -> float:
    """The p-value of chi-square on up to 80 cells, each with 20 expected draws or more."""
    ends = np.unique(np.round(scale * np.linspace(-6, 6, 80)))
    if scale < 1:
        ends = np.arange(-9.0, 9.0)
    upper = below(ends)
    kept = []
    for i, p in enumerate(upper):
        if p - (upper[kept[-1]] if kept else 0) > 20 / DRAWS and 1 - p > 20 / DRAWS:
            kept.append(i)
    edges, cdf = ends[kept], upper[kept]
    expected = np.diff(np.concatenate([[0.0], cdf, [1.0]])) * DRAWS
    counts = np.bincount(np.searchsorted(edges, draws), minlength=len(expected))
    if len(expected) == 1:
        return 1.0
    return chisquare(counts, expected * (counts.sum() / expected.sum())).pvalue


@pytest.mark.parametrize("scale", SCALES)
def test_laplace_has_its_law(scale):
    """The exact law fits; the draws are not two thirds of some noise, nor zero counted twice."""
    draws = drawn(laplace(scale))

    assert fits(draws, laplace_below(scale), scale) > NEVER
    assert fits(draws, laplace_below(scale * 3 / 2), scale) < NEVER
    if scale <= 50:
        assert fits(draws + (draws < 0), laplace_below(scale), scale) < NEVER


@pytest.mark.parametrize("sigma", SCALES)
def test_gaussian_has_its_law(sigma):
    """The exact law fits; the draws are not two thirds of some noise, nor one per cent short."""
    draws = drawn(DiscreteGaussianLaw.of(sigma))

    assert fits(draws, gaussian_below(sigma), sigma) > NEVER
    if sigma > 0.1:
        assert fits(draws, gaussian_below(sigma * 3 / 2), sigma) < NEVER
        assert fits(draws, gaussian_below(sigma * 1.01), sigma) < NEVER


def test_digits_below_zero_are_turned_around(monkeypatch):
    """With steep digits the law fits; without the turn, or turned off by one, it does not."""
    monkeypatch.setattr(discrete, "WIDEST_LAPLACE", 2)
    law = laplace(50.0)
    base, draws = int(law.base), drawn(law)
    leading, last = np.divmod(draws, base)
    unturned = base * leading + np.where(leading < 0, base - 1 - last, last)
    beside = base * leading + np.where(leading < 0, last + 1, last)

    assert fits(draws, laplace_below(50.0), 50.0) > NEVER
    assert fits(unturned, laplace_below(50.0), 50.0) < NEVER
    assert fits(beside, laplace_below(50.0), 50.0) < NEVER


@pytest.mark.parametrize(
    "law", [laplace(2.0**30), DiscreteGaussianLaw.of(2.0**30)], ids=["laplace", "gaussian"]
)
def test_the_lowest_bits_of_wide_noise_are_uniform(law):
    """All 256 low bytes are equally frequent, and independent of the sign."""
    draws = drawn(law)
    cells = draws % 256 + 256 * (draws < 0)

    assert chisquare(np.bincount(cells, minlength=512)).pvalue > NEVER


def test_keys_give_independent_draws():
    """Two keys share no more values than chance; their correlation is that of chance."""
    law = DiscreteGaussianLaw.of(2.0**30)
    first, second = drawn(law), drawn(law, keys.jax_key(keys.from_seed(21)))

    assert abs(np.corrcoef(first, second)[0, 1]) * math.sqrt(DRAWS) < norm.isf(NEVER)
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) * math.sqrt(DRAWS) < norm.isf(NEVER)


WIDE = [laplace(2.0**30), DiscreteGaussianLaw.of(2.0**30)]
SHAPE = (3, 5)


def whole(limbs) -> list[int]:
    high, low = (limb.ravel().tolist() for limb in limbs)
    return [h * LIMB + rest for h, rest in zip(high, low, strict=True)]


def drawn_once(law, key):
    return law.limbs(key, SHAPE)


@pytest.mark.parametrize("law", WIDE, ids=["laplace", "gaussian"])
def test_a_draw_is_a_function_of_its_key(law):
    """The same at every call, and in a compiled program with a batch of keys."""
    alone, other = hasty(drawn_once), jax.random.fold_in(KEY, 1)
    once = whole(alone(law, KEY))

    assert SHAPE == alone(law, KEY)[0].shape
    assert once == whole(alone(law, KEY)) != whole(alone(law, other))
    program = hasty(jax.vmap(drawn_once, (None, 0)))
    assert once + whole(alone(law, other)) == whole(program(law, jnp.stack([KEY, other])))


@pytest.mark.parametrize("law", WIDE, ids=["laplace", "gaussian"])
def test_digits_are_put_together_as_integers(law):
    """The limbs are what Python's integers make of the digits' draws."""
    gaussian = isinstance(law, DiscreteGaussianLaw)
    tables = [law.columns] * law.digits if gaussian else law.tables
    pairs = jax.random.split(KEY, (len(tables), 2))
    base, found = int(law.base), np.zeros(15, object)
    digits = hasty(lambda pair, table: draw(pair, table, SHAPE))
    for i, (pair, table) in enumerate(zip(pairs, tables, strict=True)):
        digit = np.asarray(digits(pair, table)).ravel().astype(object)
        turned = np.where(found < 0, base - 1 - digit, digit)
        found = base * found + (digit - HALF if gaussian or i == 0 else turned)

    assert found.tolist() == whole(hasty(drawn_once)(law, KEY))


def test_scales_are_traced():
    """Laws with as many digits differ in the values of arrays only, so they share a program."""

    def program(law):
        leaves, structure = jax.tree.flatten(law)
        return structure, [(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]

    assert program(laplace(0.5)) == program(laplace(60.0)) != program(laplace(90.0))
    assert program(DiscreteGaussianLaw.of(5e3)) == program(DiscreteGaussianLaw.of(4e4))


def test_limbs_are_the_integer():
    """2^15 high + low, with low in [0, 2^15), is the 32-bit draw."""
    for law in (laplace(1e5), DiscreteGaussianLaw.of(1e5)):
        high, low = (np.asarray(limb) for limb in law.limbs(KEY, (DRAWS,)))
        assert 0 <= low.min() and low.max() < LIMB
        np.testing.assert_array_equal(high * LIMB + low, law.sample(KEY, (DRAWS,)))


def test_wide_noise_is_refused_as_one_word():
    """Above 2^24 the error names the way; at 2^24 it is drawn, and the largest value would fit."""
    for law in (laplace(2.0**24 * 1.01), DiscreteGaussianLaw.of(2.0**24 * 1.01)):
        with pytest.raises(ValueError, match=r"at most 2\^24: take `limbs`"):
            law.sample(KEY, (2,))
    assert laplace(2.0**24).narrow and DiscreteGaussianLaw.of(2.0**24).narrow


@pytest.mark.parametrize(
    "law", [laplace(1e5), DiscreteGaussianLaw.of(1000.0)], ids=["laplace", "gaussian"]
)
def test_variance_is_that_of_the_draws(law):
    """The mean square, within five of its own deviations."""
    squares = drawn(law).astype(float) ** 2
    assert squares.mean() == pytest.approx(law.variance, rel=5 * math.sqrt(5 / DRAWS))


@pytest.mark.parametrize("parameter", [0.0, -1.0, 2.0**-41, math.inf, math.nan])
def test_laplace_parameters_out_of_range_are_refused(parameter):
    """The error names the range."""
    with pytest.raises(ValueError, match=r"at least 2\^-40 and finite"):
        DiscreteLaplaceLaw.of(parameter)


@pytest.mark.parametrize("sigma", [0.0, -1.0, 2.0**41, math.inf, math.nan])
def test_gaussian_deviations_out_of_range_are_refused(sigma):
    """The error names the range."""
    with pytest.raises(ValueError, match=r"positive and at most 2\^40"):
        DiscreteGaussianLaw.of(sigma)


def test_next_to_no_noise_is_none():
    """Tiny deviations and huge parameters give zeros, within the distance of their law."""
    for law in (DiscreteGaussianLaw.of(5e-324), DiscreteLaplaceLaw.of(1e300)):
        assert 0 == np.abs(drawn(law)).max() == law.variance
        assert law.tv_distance <= PROMISED
