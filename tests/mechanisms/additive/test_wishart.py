"""The difference of two Wisharts: its exact laws, its density, draws that are rounded exactly."""

import math
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chi2, gamma, kstest, laplace

import quick_keys
from tacit.accounting import events
from tacit.mechanisms.additive import wishart
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import LIMB, FixedPoint, joined
from tacit.noise.tables import draw

NEVER = 1e-6
STEP = 2.0**-20
KEY = quick_keys.key(0)
RELEASES = 40_000


@cache
def made(dimension: int, epsilon: float = 1.0, sensitivity: float = 1.0, step: float = STEP):
    """A mechanism, made once."""
    return WishartDifference.calibrate(epsilon, sensitivity, step, dimension)


def noise(dimension: int, epsilon: float = 1.0, sensitivity: float = 1.0) -> np.ndarray:
    """Releases of the sum zero, drawn once however they are asked for."""
    return _noise(dimension, float(epsilon), float(sensitivity))


@cache
def _noise(dimension: int, epsilon: float, sensitivity: float) -> np.ndarray:
    keys = jax.random.split(quick_keys.key(dimension), RELEASES)
    answers = _sampled(made(dimension, epsilon, sensitivity), keys)
    return joined((answers.high, answers.low)) * STEP


@jax.jit
def _sampled(mechanism: WishartDifference, keys: jax.Array) -> FixedPoint:
    zero = FixedPoint.zero((mechanism.dimension,) * 2, jnp.float32(STEP))
    return jax.lax.map(lambda key: mechanism.sample(key, zero), keys, batch_size=4_000)


def by_hand(dimension: int, degrees: int, sides: int = 2, scale: float = 1.0) -> np.ndarray:
    """Wisharts in floats: with other degrees of freedom, or one alone, or less of them."""
    host = np.random.default_rng(dimension)
    normal = host.normal(size=(sides, RELEASES, dimension, degrees))
    squares = normal @ np.swapaxes(normal, 2, 3) * scale / 2
    return squares[0] - squares[1] if sides == 2 else squares[0]


def definite(drawn: np.ndarray) -> int:
    return int((np.linalg.eigvalsh(drawn)[:, 0] >= 0).sum())


def test_in_one_dimension_it_is_laplace_noise():
    """Of scale sensitivity / epsilon; not two thirds of it, and not one side alone."""
    drawn = noise(1, 2.0, 3.0).ravel() * 2 / 3

    assert kstest(drawn, laplace.cdf).pvalue > NEVER
    for wrong in (by_hand(1, 1), by_hand(1, 3), by_hand(1, 2, 1), by_hand(1, 2, 2, 2 / 3)):
        assert kstest(wrong.ravel(), laplace.cdf).pvalue < NEVER


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_it_is_positive_with_its_exact_chance_and_is_then_a_wishart(dimension):
    """2^(-d(d+1)/2), from the density; its trace is then a gamma number."""
    shape = dimension * (dimension + 1) / 2
    drawn = noise(dimension)
    positive = np.linalg.eigvalsh(drawn)[:, 0] > 0
    within = binom(RELEASES, 2.0**-shape).ppf([NEVER, 1 - NEVER])

    assert within[0] <= positive.sum() <= within[1]
    traces = np.trace(drawn[positive], axis1=1, axis2=2)
    assert kstest(traces, gamma(shape).cdf).pvalue > NEVER
    if dimension > 1:
        assert not within[0] <= definite(by_hand(dimension, dimension)) <= within[1]


def moments_of(eigenvalues: np.ndarray, nodes: int = 48) -> np.ndarray:
    """J of the opening at rate one for diagonal matrices of two numbers, by quadrature.

    With M = (a, b; b, c) the b that are allowed fill an interval about zero.
    """
    points, weights = np.polynomial.laguerre.laggauss(nodes)
    first, second = np.maximum(-eigenvalues, 0).T
    a = first[:, None, None] + points[:, None] / 2
    c = second[:, None, None] + points[None, :] / 2
    up, down = eigenvalues.T[..., None, None]
    widths = 2 * np.sqrt(np.minimum(a * c, (a + up) * (c + down)))
    inner = np.einsum("nij,i,j->n", widths, weights, weights) / 4
    return inner * np.exp(-2 * (first + second))


def density(eigenvalues: np.ndarray) -> np.ndarray:
    """f of the opening at rate one, of two dimensions, from both eigenvalues."""
    return (2 / math.pi) ** 2 * np.exp(-eigenvalues.sum(axis=1)) * moments_of(eigenvalues)


def cells(drawn: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How many have the larger eigenvalue in each cell, and the smaller one."""
    values = np.linalg.eigvalsh(drawn)
    return np.histogram2d(values[:, 1], values[:, 0], bins=(edges, edges))[0]


def test_in_two_dimensions_eigenvalues_have_the_density():
    """Cell by cell, by quadrature; with other degrees of freedom, or less noise, they have not."""
    edges, parts = np.array([-14, -4, -2, -1, 0, 1, 2, 4, 14.0]), 24
    widths = np.repeat(np.diff(edges) / parts, parts)
    points = np.repeat(edges[:-1], parts) + widths * (np.tile(np.arange(parts), 8) + 0.5)
    pairs = np.stack([each.ravel() for each in np.meshgrid(points, points, indexing="ij")], axis=1)
    # A pair x > y is that of a matrix turned by up to half a circle: (x - y) pi to an area.
    mass, larger = np.zeros(len(pairs)), pairs[:, 0] > pairs[:, 1]
    mass[larger] = density(pairs[larger]) * np.ptp(pairs[larger], axis=1) * math.pi
    mass = (mass * np.outer(widths, widths).ravel()).reshape(8, parts, 8, parts).sum(axis=(1, 3))
    expected = RELEASES * mass
    likely = expected > 50

    assert expected.sum() == pytest.approx(RELEASES, rel=2e-3)
    limit = chi2(likely.sum()).isf(NEVER)
    drawn = noise(2), by_hand(2, 3), by_hand(2, 2), by_hand(2, 4), by_hand(2, 3, 2, 2 / 3)
    apart = [
        (((cells(own, edges) - expected) ** 2)[likely] / expected[likely]).sum() for own in drawn
    ]
    assert max(apart[:2]) < limit < min(apart[2:])


@pytest.mark.parametrize("dimension", [2, 3])
def test_traces_with_a_matrix_have_the_law_of_laplace_sums(dimension):
    """The trace itself is one gamma number less another, of shape d (d+1)/2; noise in any direction
    is as along an axis; and no bug has that law."""
    host, shape = np.random.default_rng(0), dimension * (dimension + 1) / 2
    turned = np.linalg.qr(host.normal(size=(dimension, dimension)))[0][0]

    def sums(shape: float) -> np.ndarray:
        return np.subtract(*host.gamma(shape, size=(2, RELEASES)))

    def along(drawn: np.ndarray) -> np.ndarray:
        return np.einsum("i,nij,j->n", turned, drawn, turned)

    def alike(drawn: np.ndarray) -> bool:
        trace = np.trace(drawn, axis1=1, axis2=2)
        one = kstest(trace, sums(shape)).pvalue
        other = kstest(along(drawn), sums((dimension + 1) / 2)).pvalue
        return min(one, other) > NEVER

    assert alike(noise(dimension))
    for wrong in ((dimension,), (dimension + 2,), (dimension + 1, 1), (dimension + 1, 2, 2 / 3)):
        assert not alike(by_hand(dimension, *wrong))


def test_neighbours_densities_are_within_epsilon():
    """By quadrature, over pairs of sums within one in the nuclear norm; some are that far apart."""
    host, worst = np.random.default_rng(3), 0.0
    for _ in range(60):
        near = host.normal(size=(2, 2)) * host.uniform(0.1, 3)
        near = near + near.T
        one, other = (host.normal(size=2) for _ in range(2))
        moved = np.outer(one, one) - host.integers(0, 2) * np.outer(other, other)
        moved /= np.abs(np.linalg.eigvalsh(moved)).sum()
        values = np.linalg.eigvalsh(np.stack([near, near + moved]))
        loss = abs(np.diff(np.log(density(values)))[0])
        assert loss <= 1 + 2e-3
        worst = max(worst, loss)
    assert worst > 0.95


@pytest.mark.parametrize("dimension, epsilon, sensitivity", [(3, 1.0, 1.0), (2, 0.5, 2.0)])
def test_moments_are_the_stated_ones(dimension, epsilon, sensitivity):
    """The variance on the diagonal, half of it off it, no covariance, the error: within five
    standard errors. With a degree of freedom less the error is another."""
    mechanism, drawn = made(dimension, epsilon, sensitivity), noise(dimension, epsilon, sensitivity)
    rows, columns = np.triu_indices(dimension)
    numbers = drawn[:, rows, columns]
    wanted = mechanism.variance * np.where(rows == columns, 1.0, 0.5)

    products = numbers[:, :, None] * numbers[:, None, :]
    deviations = products.std(axis=0) / math.sqrt(RELEASES)
    assert np.all(np.abs(products.mean(axis=0) - np.diag(wanted)) < 5 * deviations)
    squares = (drawn**2).sum(axis=(1, 2))
    off = (squares.mean() - mechanism.error(dimension**2)) / (squares.std() / math.sqrt(RELEASES))
    assert abs(off) < 5 and np.array_equal(drawn, np.swapaxes(drawn, 1, 2))
    less = mechanism.error(dimension**2) * dimension / (dimension + 1)
    assert abs(squares.mean() - less) > 5 * squares.std() / math.sqrt(RELEASES)
    unit = sensitivity / epsilon
    expected = dimension * (dimension + 1) ** 2 / 2 * unit**2
    assert mechanism.error(dimension**2) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon, step", [(1.0, 2.0**-20), (0.3, 2.0**-24), (7.0, 2.0**-10)])
@pytest.mark.parametrize("dimension", [1, 5])
def test_what_is_added_is_the_rounding_of_whole_products(dimension, epsilon, step):
    """With integers of Python's, from the same draws: not one step off."""
    mechanism = made(dimension, epsilon, 1.0, step)
    shape = wishart.DIGITS, 2, dimension, dimension + 1
    draws = np.asarray(draw(jax.random.split(KEY), mechanism.columns, shape)) - wishart.HALF
    place = [wishart.BASE**i for i in range(wishart.DIGITS)]
    one, other = np.einsum("i...,i->...", draws.astype(object), np.array(place, object))
    products = one @ other.T
    whole = ((products + products.T) * 2 + 2**mechanism.shift) // 2 ** (mechanism.shift + 1)
    answer = mechanism.sample(KEY, FixedPoint.zero((dimension,) * 2, jnp.float32(step)))

    assert np.array_equal(joined((answer.high, answer.low)), whole.astype(np.int64))


def test_whole_numbers_have_the_deviation_that_the_shift_stands_for():
    """2^shift = 2 rate step k², exactly, with a table wide and smooth enough, for any rate."""
    for rate in np.geomspace(2.0**-40, 2.0**-4, 50):
        shift = wishart._shift(wishart.Fraction(rate))
        variance = 2**shift / (2 * wishart.Fraction(rate) * wishart.SPREAD)
        assert 3 * (1 + 128**2) <= variance < 2 * 3 * (1 + 128**2) <= 320**2
        assert shift // 7 + wishart.KEPT <= wishart.PLACES


@pytest.mark.parametrize("dimension", [1, 4])
def test_the_chance_of_another_rounding_is_bounded(dimension):
    """Numbers of a deviation that shows: roundings differ less often than stated, yet they do."""
    deviation, rate, host = 2.0**12, 2.0**-3, np.random.default_rng(0)
    exact = host.normal(size=(2, RELEASES, dimension, dimension + 1))
    whole = np.rint(exact * deviation) / deviation

    def steps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        products = one @ np.swapaxes(other, 1, 2)
        return np.rint((products + np.swapaxes(products, 1, 2)) / (2 * rate))

    chance = (steps(*exact) != steps(*whole)).any(axis=(1, 2)).mean()
    assert 0 < chance < wishart._misrounded(dimension, rate, deviation)


def test_the_distance_is_below_2_to_the_minus_40_and_counts_all_there_is(monkeypatch):
    """In many dimensions, at a fine step; every draw's table, and every number's rounding."""
    assert 0 < made(1).tv_distance(1) < made(300).tv_distance(300**2) < 2.0**-40
    finest = made(2, 1.0, 1.0, 2.0**-40)
    assert finest.tv_distance(4) > made(2).tv_distance(4)
    drawn = 2 * 30 * 31 * wishart.DIGITS
    monkeypatch.setattr(wishart, "JOINT", wishart.Fraction(1, 2**60))
    joints = WishartDifference.calibrate(1.0, 1.0, STEP, 30).tv_distance(900)
    assert drawn * 2.0**-60 < joints < 1.1 * drawn * 2.0**-60
    q = math.sqrt(31)
    assert wishart._misrounded(30, 1e-6, 1e9) == pytest.approx(
        30 * 31 * q * (q + 11) * (1e6 + 2) / 1e9 + 60 * math.exp(-50), rel=1e-5
    )


def test_a_large_matrix_has_the_norm_of_its_law():
    """In 100 dimensions the Frobenius norm hardly varies, and the spectrum is known."""
    mechanism, zero = made(100), FixedPoint.zero((100, 100), jnp.float32(STEP))
    drawn = mechanism.sample(KEY, zero).exact()

    assert np.linalg.norm(drawn) == pytest.approx(math.sqrt(mechanism.error(100**2)), rel=0.03)
    assert 1.3 < np.abs(np.linalg.eigvalsh(drawn)).max() / 100 < 1.8


def test_a_sum_on_another_grid_is_not_released():
    """It counts as zero; on its own grid the same noise is around any sum."""
    mechanism = made(3)

    def release(total: int, step: float) -> np.ndarray:
        high, low = (jnp.full((3, 3), limb, jnp.int32) for limb in divmod(total, LIMB))
        answer = mechanism.sample(KEY, FixedPoint(high, low, jnp.float32(step)))
        return joined((answer.high, answer.low))

    assert np.array_equal(release(10**9, STEP / 2), release(0, STEP))
    assert np.array_equal(release(10**9, STEP), release(0, STEP) + 10**9)
    assert np.array_equal(release(-(10**12), STEP), release(0, STEP) - 10**12)


def test_epsilons_do_not_recompile():
    """One program serves every epsilon and every step, and does what is done without it."""
    traces, zero = [], FixedPoint.zero((3, 3), jnp.float32(STEP))

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, total)

    for mechanism in (made(3), made(3, 0.01), made(3, 30.0)):
        plain, compiled = mechanism.sample(KEY, zero), once(mechanism, KEY, zero)
        assert np.array_equal(plain.high, compiled.high) and np.array_equal(plain.low, compiled.low)
    assert len(traces) == 1


def test_the_event_is_pure():
    """Of the very epsilon."""
    assert made(3, 0.3).event == events.k_norm(0.3)


def test_a_sum_of_another_size_is_refused():
    """Of fewer rows, or no matrix."""
    with pytest.raises(ValueError, match="the sum must have 9 numbers, got 4"):
        made(3).sample(KEY, FixedPoint.zero((2, 2), jnp.float32(STEP)))
    with pytest.raises(ValueError, match="a matrix of 3 rows and columns, got shape"):
        made(3).sample(KEY, FixedPoint.zero((9,), jnp.float32(STEP)))
    with pytest.raises(ValueError, match="the sum must have 9 numbers, got 3"):
        made(3).error(3)


@pytest.mark.parametrize(
    "epsilon, sensitivity, step, dimension, message",
    [
        (math.nan, 1.0, STEP, 3, "epsilon must be positive"),
        (1.0, 0.0, STEP, 3, "sensitivity must be positive"),
        (1.0, 1.0, STEP, 0, "dimension must be between 1 and 1024"),
        (1.0, 1.0, STEP, 1025, "dimension must be between 1 and 1024"),
        (1.0, 1.0, 2.0**-3, 3, "step must be between 9.09e-13 and 0.0625"),
        (1.0, 1.0, 2.0**-41, 3, "step must be between"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, step, dimension, message):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match=message):
        WishartDifference.calibrate(epsilon, sensitivity, step, dimension)
