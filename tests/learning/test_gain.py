"""Steps that follow from the noise end where they say, and no plausible others do."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.stats import chi2

import quick_keys
from tacit.learning.averaging import averaged
from tacit.learning.gain import KalmanGain

DIM, RUNS, ROUNDS = 10, 500, 200
# As much is known at the start as 200 answers say.
GAIN = KalmanGain(curvature=0.5, radius=2.0, noise=200.0)


def ends(
    optimizer,
    curvatures: float | jax.Array = GAIN.curvature,
    noise: float = GAIN.noise,
    radius: float = GAIN.radius,
):
    """How far many runs end, squared: the last point, and an average if there is one.

    The minimiser is a Gaussian's, `radius` from the start on average.
    """

    def run(key):
        for_minimiser, for_noise = jax.random.split(key)
        minimiser = radius / math.sqrt(DIM) * jax.random.normal(for_minimiser, (DIM,))
        noises = math.sqrt(noise / DIM) * jax.random.normal(for_noise, (ROUNDS, DIM))

        def step(carry, own):
            weights, state = carry
            updates, state = optimizer.update(
                curvatures * (weights - minimiser) + own, state, weights
            )
            return (weights + updates, state), None

        start = jnp.zeros(DIM)
        (weights, state), _ = jax.lax.scan(step, (start, optimizer.init(start)), noises)
        points = jnp.stack([weights, getattr(state, "average", weights)])
        return jnp.sum((points - minimiser) ** 2, axis=1)

    return np.asarray(jax.jit(jax.vmap(run))(jax.random.split(quick_keys.key(3), RUNS)), float).T


def exact(mean: float) -> tuple[float, float]:
    """Between which numbers the sum of all runs' squares lies, but for a chance of 2e-6.

    On a quadratic every distance is a Gaussian, so the sum is a chi-square of all coordinates.
    """
    return tuple(mean / DIM * chi2(DIM * RUNS).ppf([1e-6, 1 - 1e-6]))


def test_a_quadratic_ends_exactly_where_it_is_predicted():
    """In the mean over starts and noises, within exact bounds of about a tenth on either side."""
    last, _ = ends(optax.sgd(GAIN.rate))
    low, high = exact(GAIN.squared_distance(ROUNDS))

    assert low < last.sum() < high
    assert (low / RUNS, high / RUNS) == pytest.approx((2.0, 2.0), rel=0.11)


def test_the_same_bounds_see_another_noise():
    """Three tenths more of it, or a start that is two fifths further."""
    _, high = exact(GAIN.squared_distance(ROUNDS))

    assert ends(optax.sgd(GAIN.rate), noise=1.3 * GAIN.noise)[0].sum() > high
    assert ends(optax.sgd(GAIN.rate), radius=1.4 * GAIN.radius)[0].sum() > high


def test_plausible_other_steps_end_further_away():
    """Without k0 by the factor that theory says; averages of 1/sqrt k steps by more than half."""
    _, high = exact(GAIN.squared_distance(ROUNDS))
    forgetful, _ = ends(optax.sgd(lambda done: 1 / (GAIN.curvature * (done + 1.0))))
    low_without, high_without = exact(GAIN.noise / (GAIN.curvature**2 * ROUNDS))
    first = GAIN.radius / math.sqrt(GAIN.noise)
    _, average = ends(averaged(optax.sgd(lambda done: first / jnp.sqrt(done + 1.0)), 0))

    assert high < low_without < forgetful.sum() < high_without
    assert average.sum() > 1.2 * high


@pytest.mark.parametrize("most", [1.0, 1.4])
def test_several_curvatures_end_within_the_bound(most):
    """From h to as steep as is allowed; the bound is met where one curvature is all there is."""
    gain = KalmanGain(0.5, 2.0, 0.8)
    steep = gain.smoothness if most > 1 else gain.curvature
    assert gain.smoothness == pytest.approx(0.5 * 2.6)
    last, _ = ends(optax.sgd(gain.rate), jnp.linspace(gain.curvature, steep, DIM), gain.noise)

    assert last.sum() < exact(gain.squared_distance(ROUNDS))[1]


def test_the_numbers_are_the_recursion_s():
    """The variance, round by round from the start; each step is the best for it."""
    left, h, v = GAIN.radius**2, GAIN.curvature, GAIN.noise
    for done in range(50):
        step = float(GAIN.rate(done))
        assert step == pytest.approx(h * left / (h * h * left + v), rel=1e-6)
        left = (1 - step * h) ** 2 * left + step * step * v
        assert GAIN.squared_distance(done + 1) == pytest.approx(left, rel=1e-6)
    assert GAIN.squared_distance(0) == GAIN.radius**2
    assert GAIN.offset == 200.0 and GAIN.smoothness == 0.5 * 401


@pytest.mark.parametrize("name", ["curvature", "radius", "noise"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "1", None])
def test_refuses(name, value):
    """What is out of range, by name."""
    numbers = {"curvature": 1.0, "radius": 1.0, "noise": 1.0, name: value}
    with pytest.raises(ValueError, match=f"{name} must be positive and finite, got"):
        KalmanGain(**numbers)
