"""K-norm noise for the cube: exactly private on the integers, and with the least error there."""

import math
from fractions import Fraction
from itertools import accumulate, pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare, kstest

import quick_keys
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.fixed import LIMB, FixedPoint

NEVER = 1e-6
KEY = quick_keys.key(0)
RELEASES = 40_000


def whole(answer: FixedPoint) -> np.ndarray:
    return np.asarray(answer.high, np.int64) * LIMB + np.asarray(answer.low)


def releases(mechanism: CubeNorm, step: float) -> np.ndarray:
    zero = FixedPoint.zero((mechanism.dimension,), jnp.float32(step))
    run = jax.jit(lambda m, keys: jax.vmap(lambda key: m.sample(key, zero))(keys))
    return whole(run(mechanism, jax.random.split(KEY, RELEASES)))


def masses(dimension: int, q: Fraction, margin: int, reach: int) -> list[int]:
    """The probability of one point of each norm below `reach`, in units of 2^-400 or so.

    Sums over 400 radii stand for all of them.
    """
    terms = [
        (math.comb(r + dimension, dimension) * q.numerator**r << 400)
        // (q.denominator**r * (2 * (r + margin) + 1) ** dimension)
        for r in range(400)
    ]
    sums = list(accumulate(reversed(terms)))[::-1]
    return [sums[max(m - margin, 0)] for m in range(reach)]


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
@pytest.mark.parametrize("steps", [1, 4])
def test_the_law_is_exactly_private(dimension, steps):
    """Every ratio of norms within n steps is at most q^-n."""
    q, margin = Fraction(4, 5), (dimension + 1) // 2
    law = masses(dimension, q, margin, 80)
    pairs = zip(law[:-steps], law[steps:], strict=True)

    assert all(near * q**steps <= far * (1 + Fraction(1, 10**25)) for near, far in pairs)


@pytest.mark.parametrize("dimension", [3, 6])
def test_without_the_margin_the_law_is_not_private(dimension):
    """Cubes of half-width R are too small near zero."""
    q = Fraction(4, 5)
    law = masses(dimension, q, 0, 80)

    assert any(near * q > far * (1 + Fraction(1, 10**9)) for near, far in pairwise(law))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_norm_has_its_law(dimension):
    """Chi-square accepts the largest coordinate; not a margin of one more, nor another epsilon."""
    drawn = abs(releases(CubeNorm.calibrate(0.5, 2.0, 1.0, dimension), 1.0)).max(axis=1)
    counts = np.bincount(np.minimum(drawn, 29), minlength=30)

    def fits(margin: int, epsilon: float) -> float:
        q = Fraction(round(math.exp(-epsilon / 2) * 2**40), 2**40)
        law = masses(dimension, q, margin, 200)
        sizes = [(2 * m + 1) ** dimension - max(2 * m - 1, 0) ** dimension for m in range(200)]
        shells = np.array([float(Fraction(s * n, 2**400)) for s, n in zip(law, sizes, strict=True)])
        shells = np.append(shells[:29], shells[29:].sum()) / shells.sum()
        return chisquare(counts, shells * RELEASES).pvalue

    margin = (dimension + 1) // 2
    assert fits(margin, 0.5) > NEVER
    assert fits(margin + 1, 0.5) < NEVER
    assert fits(margin, 0.45) < NEVER


def test_coordinates_are_uniform_given_the_largest():
    """On a fine grid, each of the others is uniform below the largest in size."""
    drawn = releases(CubeNorm.calibrate(1.0, 1.0, 2.0**-20, 3), 2.0**-20).astype(float)
    largest = abs(drawn).argmax(axis=1)

    for axis in range(3):
        rows = drawn[largest != axis]
        other = rows[:, axis] / abs(rows).max(axis=1)
        assert kstest(other, "uniform", args=(-1, 2)).pvalue > NEVER


@pytest.mark.parametrize("dimension, step", [(1, 1.0), (2, 1.0), (5, 0.25), (4, 2.0**-20)])
def test_the_variance_is_exact(dimension, step):
    """Within five standard errors; that of one dimension less is not."""
    mechanism = CubeNorm.calibrate(1.0, 1.5, step, dimension)
    squares = ((releases(mechanism, step) * step) ** 2).mean(axis=1)
    error = squares.std() / math.sqrt(RELEASES)
    fewer = CubeNorm.calibrate(1.0, 1.5, step, max(dimension - 1, 1)).variance

    assert abs(squares.mean() - mechanism.variance) < 5 * error
    assert dimension == 1 or abs(squares.mean() - fewer) > 5 * error
    assert mechanism.error(dimension) == dimension * mechanism.variance


@pytest.mark.parametrize("dimension", [2, 10, 1000])
def test_it_beats_the_other_norms_on_a_cube(dimension):
    """By 6 d² / (d+1)(d+2) against L1 and 3 d / (d+2) against L2 noise, for the same cube."""
    step = 2.0**-24
    cube = CubeNorm.calibrate(1.0, 1.0, step, dimension).variance
    against_l1 = Laplace.calibrate(1.0, dimension, step).variance / cube
    against_l2 = (dimension + 1) * dimension / cube

    expected = 6 * dimension**2 / (dimension + 1) / (dimension + 2)
    assert against_l1 == pytest.approx(expected, rel=1e-3)
    assert against_l2 == pytest.approx(3 * dimension / (dimension + 2), rel=1e-3)


def test_in_one_dimension_on_a_fine_grid_it_is_laplace():
    """The same variance."""
    step = 2.0**-20
    cube, laplace = CubeNorm.calibrate(1.0, 1.0, step, 1), Laplace.calibrate(1.0, 1.0, step)

    assert cube.variance == pytest.approx(laplace.variance, rel=1e-5)


@pytest.mark.parametrize("dimension", [1022, 1023, 1024, 300_000])
def test_a_long_vector_has_the_radius_of_its_law(dimension):
    """The largest coordinate is near the radius, whose mean and deviation are known."""
    step = 2.0**-18
    mechanism = CubeNorm.calibrate(1.0, 1.0, step, dimension)
    zero = FixedPoint.zero((dimension,), jnp.float32(step))
    answer = jax.jit(CubeNorm.sample)(mechanism, KEY, zero)
    noise = whole(answer) * step
    largest = abs(noise).max()

    assert abs(largest - dimension) < 6 * math.sqrt(dimension) + 10
    assert kstest(noise / largest, "uniform", args=(-1, 2)).pvalue > NEVER
    assert mechanism.tv_distance(dimension) < 2.0**-60


def test_a_sum_on_another_grid_is_not_released():
    """It counts as zero; on its own grid the same noise is around any sum."""
    mechanism = CubeNorm.calibrate(1.0, 1.0, 2.0**-10, 4)

    def release(total: int, step: float):
        high, low = (jnp.full((2, 2), limb, jnp.int32) for limb in divmod(total, LIMB))
        return whole(mechanism.sample(KEY, FixedPoint(high, low, jnp.float32(step))))

    assert np.array_equal(release(10**9, 2.0**-11), release(0, 2.0**-10))
    assert np.array_equal(release(10**9, 2.0**-10), release(0, 2.0**-10) + 10**9)


def test_compiled_and_plain_agree_and_epsilons_do_not_recompile():
    """One program serves every epsilon of as many digits."""
    traces, zero = [], FixedPoint.zero((20,), jnp.float32(1.0))

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, total)

    for epsilon in (0.01, 0.02):
        mechanism = CubeNorm.calibrate(epsilon, 3.0, 1.0, 20)
        plain, compiled = mechanism.sample(KEY, zero), once(mechanism, KEY, zero)
        assert np.array_equal(whole(plain), whole(compiled))
    assert len(traces) == 1


@pytest.mark.parametrize(
    "epsilon, sensitivity, step, dimension, message",
    [
        (math.nan, 1.0, 1.0, 3, "epsilon must be positive"),
        (1.0, math.inf, 1.0, 3, "sensitivity must be positive"),
        (1.0, 1.0, 1.0, 0, "dimension must be between 1 and"),
        (1.0, 1.0, 2.0**-37, 3, "step must be at least"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, step, dimension, message):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match=message):
        CubeNorm.calibrate(epsilon, sensitivity, step, dimension)


def test_a_sum_of_another_size_is_refused():
    """Of more coordinates than the radius was made for."""
    with pytest.raises(ValueError, match="the sum must have 4 coordinates, got 5"):
        CubeNorm.calibrate(1.0, 1.0, 1.0, 4).sample(KEY, FixedPoint.zero((5,), jnp.float32(1.0)))
