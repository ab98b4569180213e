"""The Laplace mechanism on a grid: whole numbers, pure epsilon, and the error it states."""

import dataclasses
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.accounting import events
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS = 200_000
NEVER = 1e-6
KEY = quick_keys.key(0)


def whole(answer: FixedPoint) -> np.ndarray:
    return np.asarray(answer.high, np.int64) * LIMB + np.asarray(answer.low)


def release(mechanism, total: int, step: float, key=KEY, draws=DRAWS) -> np.ndarray:
    high, low = (jnp.full(draws, limb, jnp.int32) for limb in divmod(total, LIMB))
    answer = jax.jit(type(mechanism).sample)(
        mechanism, key, FixedPoint(high, low, jnp.float32(step))
    )
    return whole(answer)


def geometric(epsilon: float, k: np.ndarray) -> np.ndarray:
    """The two-sided geometric law."""
    x = math.exp(-epsilon)
    return (1 - x) / (1 + x) * x ** abs(k)


def fits(draws: np.ndarray, epsilon: float) -> float:
    """Chi-square's p-value of the two-sided geometric law, tails in one cell each."""
    ends = np.arange(-8, 9)
    counts = np.bincount(np.clip(draws, -8, 8) + 8, minlength=17)
    chances = geometric(epsilon, ends)
    chances[[0, -1]] += (1 - chances.sum()) / 2
    return chisquare(counts, chances * len(draws)).pvalue


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.7])
@pytest.mark.parametrize("sensitivity", [1.0, 0.3, 1000 / 3])
@pytest.mark.parametrize("step", [2.0**-20, 2.0**-3, 1.0])
def test_epsilon_is_never_exceeded_and_not_wasted(epsilon, sensitivity, step):
    """n a <= epsilon in exact fractions, with the n that holds the sensitivity."""
    mechanism = Laplace.calibrate(epsilon, sensitivity, step)
    steps = math.ceil(Fraction(sensitivity) / Fraction(step))
    spent = Fraction(mechanism.noise.parameter) * steps

    assert epsilon * (1 - 1e-15) < spent <= epsilon


def test_a_count_gets_the_two_sided_geometric_mechanism():
    """Step and sensitivity 1: the law fits, and not with two thirds of the noise."""
    noise = release(Laplace.calibrate(1.0, 1.0, 1.0), 0, 1.0)

    assert fits(noise, 1.0) > NEVER
    assert fits(noise, 1.5) < NEVER


@pytest.mark.parametrize("total", [-5, 0, 2**30 + 3, 2**44])
def test_noise_is_added_exactly(total):
    """The same key gives the same noise around any sum."""
    mechanism = Laplace.calibrate(0.01, 1.0, 2.0**-20)
    around_zero = release(mechanism, 0, 2.0**-20, draws=100)

    assert np.array_equal(release(mechanism, total, 2.0**-20, draws=100), around_zero + total)


@pytest.mark.parametrize("scale, step", [(0.4, 1.0), (3.0, 0.25), (50.0, 2.0**-20)])
def test_the_error_is_the_variance(scale, step):
    """The mean square is within five standard errors of `variance`, in the sum's units."""
    mechanism = Laplace.calibrate(1.0, scale, step)
    squares = (step * release(mechanism, 0, step)) ** 2
    error = squares.std() / math.sqrt(DRAWS)

    assert abs(squares.mean() - mechanism.variance) < 5 * error
    assert abs(squares.mean() - mechanism.variance * 4 / 9) > 5 * error
    assert mechanism.error(7) == 7 * mechanism.variance
    assert mechanism.tv_distance(10**6) < 2.0**-40


def test_the_distance_is_every_numbers():
    """Seven numbers are unlike their law with seven times the chance of one."""
    mechanism = Laplace.calibrate(1.0, 1.0, 2.0**-20)

    assert (
        0
        < 7 * mechanism.noise.tv_distance
        <= mechanism.tv_distance(7)
        <= 7.001 * mechanism.tv_distance(1)
    )


def test_a_sum_on_another_grid_is_not_released():
    """It counts as zero: the noise was made for sums that are moved by fewer steps."""
    mechanism = Laplace.calibrate(1.0, 1.0, 2.0**-10)

    assert np.array_equal(
        release(mechanism, 10**9, 2.0**-20, draws=50), release(mechanism, 0, 2.0**-20, draws=50)
    )


def worst(one: np.ndarray, other: np.ndarray) -> float:
    """The largest log ratio of two laws on the same outcomes."""
    return float(abs(np.log(one / other)).max())


def clamped(law: np.ndarray) -> np.ndarray:
    return np.array([law[:101].sum(), *law[101:104], law[104:].sum()])


def test_clamping_keeps_epsilon_and_drawing_again_does_not():
    """On 0 .. 4, with counts 0 and 1: exact laws, of clamped answers and of those drawn again."""
    reach = np.arange(-100, 101)
    laws = [geometric(1.0, reach - count) for count in (0, 1)]
    again = [law[100:105] / law[100:105].sum() for law in laws]

    assert worst(*(clamped(law) for law in laws)) <= 1.0 + 1e-12
    assert worst(*again) > 1.2


def test_the_event_is_pure():
    """Of the very epsilon."""
    assert Laplace.calibrate(0.7, 2.0, 1.0).event == events.k_norm(0.7)


def test_numbers_are_recorded_and_tables_are_not():
    """What a receipt keeps says how the tables are made."""
    fields = dataclasses.fields(Laplace)
    kept = [f.name for f in fields if f.metadata.get("recorded", True)]

    assert kept == ["epsilon", "sensitivity", "step"]


def test_compiled_and_plain_agree_and_epsilons_do_not_recompile():
    """One program serves every epsilon with as many digits."""
    traces = []

    @jax.jit
    def once(mechanism, key, total):
        traces.append(mechanism)
        return mechanism.sample(key, total)

    total = FixedPoint.zero((3, 4), jnp.float32(1.0))
    for epsilon in (0.1, 0.05):
        mechanism = Laplace.calibrate(epsilon, 1.0, 1.0)
        plain = whole(mechanism.sample(KEY, total))
        assert np.array_equal(plain, whole(once(mechanism, KEY, total)))
    assert len(traces) == 1


@pytest.mark.parametrize(
    "epsilon, sensitivity, step, message",
    [
        (0.0, 1.0, 1.0, "epsilon must be positive"),
        (math.nan, 1.0, 1.0, "epsilon must be positive"),
        (math.inf, 1.0, 1.0, "epsilon must be positive"),
        (1.0, -1.0, 1.0, "sensitivity must be positive"),
        (1.0, math.nan, 1.0, "sensitivity must be positive"),
        (1.0, 1.0, 0.0, "step must be from"),
        (1.0, 1.0, math.nan, "step must be from"),
        (1.0, 1.0, 2.0**-41, "step must be at least"),
    ],
)
def test_refused_parameters(epsilon, sensitivity, step, message):
    """The answer says what is allowed."""
    with pytest.raises(ValueError, match=message):
        Laplace.calibrate(epsilon, sensitivity, step)
