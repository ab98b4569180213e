"""The staircase mechanism: its law is the published one, and no other has less error."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.additive import staircase
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.noise import words
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS = 200_000
NEVER = 1e-6
KEY = quick_keys.key(0)
REACH = 2000


def law(epsilon: float, width: int, floor: int, reach: int = REACH) -> np.ndarray:
    """Geng and Viswanath's discrete staircase on -reach .. reach, by their formula."""
    b = math.exp(-epsilon)
    top = (1 - b) / (2 * floor + 2 * b * (width - floor) - (1 - b))
    size = abs(np.arange(-reach, reach + 1))
    return top * b ** (size // width + (size % width >= floor))


def release(mechanism, step=1.0, key=KEY, total=0, draws=DRAWS) -> np.ndarray:
    high, low = (jnp.full(draws, limb, jnp.int32) for limb in divmod(total, LIMB))
    answer = jax.jit(Staircase.sample)(mechanism, key, FixedPoint(high, low, jnp.float32(step)))
    return np.asarray(answer.high, np.int64) * LIMB + np.asarray(answer.low)


def fits(draws: np.ndarray, chances: np.ndarray, cells: int = 15) -> float:
    """Chi-square's p-value on single outcomes and two tails."""
    middle = len(chances) // 2
    inner = chances[middle - cells : middle + cells + 1].copy()
    inner[0], inner[-1] = chances[: middle - cells + 1].sum(), chances[middle + cells :].sum()
    counts = np.bincount(np.clip(draws, -cells, cells) + cells, minlength=2 * cells + 1)
    return chisquare(counts, inner / inner.sum() * len(draws)).pvalue


@pytest.mark.parametrize("epsilon, width, floor", [(1.0, 5, 2), (0.3, 4, 4), (3.0, 7, 1)])
def test_the_law_is_the_published_one(epsilon, width, floor):
    """Chi-square accepts it; not with one step more in the floor, nor with a wider stair."""
    draws = release(Staircase.with_floor(epsilon, width, 1.0, floor))
    other = floor + 1 if floor < width else floor - 1

    assert fits(draws, law(epsilon, width, floor)) > NEVER
    assert fits(draws, law(epsilon, width, other)) < NEVER
    assert fits(draws, law(epsilon, width + 1, floor)) < NEVER


@pytest.mark.parametrize("epsilon, width, floor", [(1.0, 5, 2), (0.5, 1, 1), (2.0, 6, 6)])
def test_no_shift_within_the_sensitivity_costs_more_than_epsilon(epsilon, width, floor):
    """Every ratio of the law and its translates, and n + 1 steps may cost two epsilons."""
    chances = law(epsilon, width, floor, 200)

    def cost(shift: int) -> float:
        return float(abs(np.log(chances[shift:] / chances[: len(chances) - shift])).max())

    assert max(cost(shift) for shift in range(1, width + 1)) == pytest.approx(epsilon)
    assert cost(width + 1) == pytest.approx(2 * epsilon)


def test_two_coordinates_that_move_cost_two_epsilons():
    """The docstring's warning: one step in each of two coordinates is not one shift of two."""
    chances = law(1.0, 5, 2, 200)
    each = float(np.log(chances[:-1] / chances[1:]).max())

    assert 2 * each == pytest.approx(2.0)


@pytest.mark.parametrize("epsilon, width, floor", [(1.0, 5, 2), (0.5, 1, 1), (1e-6, 100, 50)])
def test_the_coin_is_the_floor_s_mass_rounded_down(epsilon, width, floor):
    """Within 2^-64 below the exact probability, by an independent 60-digit exponential."""
    mpmath = pytest.importorskip("mpmath")
    mechanism = Staircase.with_floor(epsilon, width, 1.0, floor)
    with mpmath.workdps(60):
        b = mpmath.exp(-mpmath.mpf(epsilon))
        exact = (2 * floor - 1) / (2 * floor - 1 + 2 * width * b / (1 - b))
        left = exact * mpmath.mpf(words.SIZE) - words.integer(mechanism.coin)

    assert 0 <= left < 1 + 1e-20


@pytest.mark.parametrize("epsilon, width, floor", [(1.0, 5, 2), (0.5, 1, 1), (2.0, 30, 7)])
def test_errors_are_exact(epsilon, width, floor):
    """Both moments against the sum over the law."""
    mechanism = Staircase.with_floor(epsilon, width * 0.25, 0.25, floor)
    k = np.arange(-REACH, REACH + 1) * 0.25
    chances = law(epsilon, width, floor)

    assert mechanism.absolute == pytest.approx(chances @ abs(k), rel=1e-12)
    assert mechanism.variance == pytest.approx(chances @ k**2, rel=1e-12)
    assert mechanism.error(3) == 3 * mechanism.variance


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("width", [1, 2, 9, 40])
def test_the_floor_is_the_best(epsilon, width):
    """Of all floors, none has less error, absolute or squared, in exact fractions."""
    b = staircase._ratio(epsilon)
    for cost in (staircase._absolute, staircase._squared):
        costs = [cost(b, width, floor) for floor in range(1, width + 1)]
        assert costs[staircase._best(cost, epsilon, width) - 1] == min(costs)


def test_on_a_fine_grid_it_is_the_continuous_one():
    """The floor is the share 1 / (1 + e^(epsilon/2)) of a stair, and the error the published one.

    Geng and Viswanath: E|z| = n e^(epsilon/2) / (e^epsilon - 1).
    """
    for epsilon in (0.1, 1.0, 5.0):
        mechanism = Staircase.least_absolute(epsilon, 2.0**20, 1.0)
        published = 2.0**20 * math.exp(epsilon / 2) / math.expm1(epsilon)

        assert mechanism.floor / 2**20 == pytest.approx(1 / (1 + math.exp(epsilon / 2)), abs=1e-5)
        assert mechanism.absolute == pytest.approx(published, rel=1e-5)


def test_one_step_is_the_geometric_mechanism():
    """For a count nothing is gained over discrete Laplace noise, and nothing lost."""
    stairs, laplace = Staircase.least_squares(1.3, 1.0, 1.0), Laplace.calibrate(1.3, 1.0, 1.0)

    assert (stairs.floor, stairs.width) == (1, 1)
    assert stairs.variance == pytest.approx(laplace.variance, rel=1e-12)


@pytest.mark.parametrize("epsilon, gain", [(0.5, 1.001), (2.0, 1.1), (5.0, 2.0), (10.0, 20.0)])
def test_it_beats_laplace_noise_by_more_the_larger_epsilon(epsilon, gain):
    """At least this factor in squared error, for a sensitivity of 1000 steps."""
    stairs = Staircase.least_squares(epsilon, 1000.0, 1.0)

    assert Laplace.calibrate(epsilon, 1000.0, 1.0).variance >= gain * stairs.variance


@pytest.mark.parametrize("epsilon, width", [(0.01, 2**30 + 7), (5.0, 2**36 + 12_345), (40.0, 3)])
def test_wide_stairs_have_their_moments(epsilon, width):
    """Limbs carry: both means are within five standard errors."""
    mechanism = Staircase.least_absolute(epsilon, width, 1.0)
    sizes = abs(release(mechanism)).astype(float)

    for power, exact in ((1, mechanism.absolute), (2, mechanism.variance)):
        moment = sizes**power
        error = moment.std() / math.sqrt(DRAWS) + 1e-12
        assert abs(moment.mean() - exact) < 5 * error
    assert 0.49 < (release(mechanism) >= 0).mean() or epsilon == 40.0


def test_a_sum_on_another_grid_is_not_released():
    """It counts as zero; on its own grid the same noise is around any sum."""
    mechanism = Staircase.least_absolute(1.0, 8.0, 1.0)
    noise = release(mechanism, draws=50)

    assert np.array_equal(release(mechanism, step=0.5, total=10**9, draws=50), noise)
    assert np.array_equal(release(mechanism, total=10**9, draws=50), noise + 10**9)


def test_compiled_and_plain_agree_and_epsilons_do_not_recompile():
    """One program serves every epsilon and sensitivity."""
    traces = []

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, total)

    total = FixedPoint.zero((40,), jnp.float32(1.0))
    for epsilon, width in ((0.5, 3.0), (2.0, 2.0**35)):
        mechanism = Staircase.least_squares(epsilon, width, 1.0)
        plain, compiled = mechanism.sample(KEY, total), once(mechanism, KEY, total)
        assert np.array_equal(plain.high, compiled.high)
        assert np.array_equal(plain.low, compiled.low)
    assert len(traces) == 1


def test_the_distance_is_small():
    """A million numbers together are within 2^-40."""
    assert Staircase.least_absolute(1.0, 2.0**30, 1.0).tv_distance(10**6) < 2.0**-40


def test_the_sensitivity_is_rounded_up_to_whole_steps():
    """2.1 steps are three."""
    assert Staircase.least_absolute(1.0, 2.1, 1.0).width == 3
    assert Staircase.least_absolute(1.0, 0.2, 2.0**-3).width == math.ceil(Fraction(0.2) * 8)


@pytest.mark.parametrize(
    "epsilon, sensitivity, step, floor, message",
    [
        (0.0, 1.0, 1.0, 1, "epsilon must be between"),
        (math.nan, 1.0, 1.0, 1, "epsilon must be between"),
        (101.0, 1.0, 1.0, 1, "epsilon must be between"),
        (1.0, math.nan, 1.0, 1, "sensitivity must be positive"),
        (1.0, 4.0, 1.0, 5, "floor must be between 1 and 4"),
        (1.0, 4.0, 1.0, 0, "floor must be between 1 and 4"),
        (0.5, 2.0**40, 1.0, 1, "step must be at least"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, step, floor, message):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match=message):
        Staircase.with_floor(epsilon, sensitivity, step, floor)
