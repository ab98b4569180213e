"""The bound on reconstruction under Gaussian noise holds, and two points attain it."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from tacit.accounting.theorems.mean_breach import after_gaussian
from tacit.accounting.theorems.reconstruction import Directions

# A correct rate leaves these limits once in a million runs, and the seed is fixed.
RARE = 0.5e-6
DRAWS = 100_000


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_two_points_attain_it(sigma):
    """The side of a number that is +3 or -3 is guessed by its sign, right with chance Phi(mu)."""
    generator = np.random.default_rng(3)
    sides = generator.choice([-3.0, 3.0], DRAWS)
    right = np.count_nonzero(np.sign(sides + 3 * sigma * generator.normal(size=DRAWS)) == sides / 3)
    low, high = binom.ppf([RARE, 1 - RARE], DRAWS, after_gaussian(math.log(0.5), 3.0, 3 * sigma))

    assert low <= right <= high
    assert right > binom.isf(RARE, DRAWS, after_gaussian(math.log(0.5), 3.0, 6 * sigma))


@pytest.mark.parametrize("noise", [0.1, 0.3, 1.0])
def test_no_guess_of_a_direction_beats_it(noise):
    """The best guess of a uniform direction is what was seen; it is right no more often."""
    generator = np.random.default_rng(4)
    targets = generator.normal(size=(20_000, 5))
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    seen = targets + noise * generator.normal(size=targets.shape)
    cosines = np.sum(targets * seen, axis=1) / np.linalg.norm(seen, axis=1)
    right = np.count_nonzero(np.sqrt(2 - 2 * cosines) <= 0.5)
    bound = after_gaussian(Directions(5).log_breach(0.5), 1.0, noise)

    assert right <= binom.isf(RARE, 20_000, bound)
    assert right >= 0.1 * 20_000 * bound


@pytest.mark.parametrize("log_prior", [-1e-9, -0.1, -3.0, -300.0])
def test_it_is_the_trade_off_of_two_gaussians(log_prior):
    """Phi(Phi^-1(p) + mu), in more digits than that formula has."""
    found = after_gaussian(log_prior, 2.0, 4.0)

    assert found == pytest.approx(norm.cdf(norm.ppf(math.exp(log_prior)) + 0.5), 1e-6)
    assert found >= math.exp(log_prior)


def test_the_impossible_stays_impossible_and_the_certain_certain():
    """A prior chance of zero or one is no other after any noise."""
    assert after_gaussian(-math.inf, 1.0, 1e-3) == after_gaussian(-math.inf, 1e308, 1e-10) == 0
    assert after_gaussian(0.0, 1.0, 1e3) == 1


def test_a_chance_smaller_than_any_number_is_not_called_impossible():
    """It is bounded by the smallest number there is."""
    assert after_gaussian(-800.0, 1.0, 1.0) > 0


@pytest.mark.parametrize(
    "numbers, sentence",
    [
        ((math.nan, 1.0, 1.0), "log_prior must be at most zero, got nan"),
        ((0.1, 1.0, 1.0), "log_prior must be at most zero, got 0.1"),
        ((-1.0, math.nan, 1.0), "radius must be positive and finite, got nan"),
        ((-1.0, 1.0, 0.0), "sigma must be positive and finite, got 0"),
    ],
)
def test_what_is_no_number_of_it_is_refused(numbers, sentence):
    """With what is allowed; NaN is nowhere."""
    with pytest.raises(ValueError, match=sentence):
        after_gaussian(*numbers)
