"""Propose, test, release: exact distances, a test that rarely says yes when it must not."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, gamma

import host_keys
import quick_keys
from tacit.mechanisms.rows.propose_test_release import (
    ProposeTestReleaseQuantile,
    StabilityTest,
    StableMode,
    distance,
)
from tacit.mechanisms.rows.smooth_quantile import CELLS, rank_of
from tacit.noise.exact import stream

DRAWS = 40_000


def neighbours(data, domain):
    """All sorted data sets with one value replaced."""
    return {
        tuple(sorted((*data[:at], value, *data[at + 1 :])))
        for at in range(len(data))
        for value in domain
    }


def walked(data, domain, unstable):
    """How many replacements until `unstable`, by walking; one more than there are if never."""
    shell, seen = {data}, {data}
    for steps in range(len(data) + 1):
        if any(unstable(at) for at in shell):
            return steps
        shell = set().union(*(neighbours(at, domain) for at in shell)) - seen
        seen |= shell
    return len(data) + 1


@pytest.mark.parametrize("share", [0.0, 0.5, 0.8])
def test_the_distance_of_a_quantile_is_the_definition(share):
    """Brute force over all data sets on 0, ..., 4, for all bounds."""
    cell, rank = CELLS // 4, rank_of(share, 5)
    for data in list(itertools.combinations_with_replacement(range(5), 5))[::7]:
        for bound in range(5):

            def unstable(at, bound=bound):
                moved = (abs(at[rank - 1] - o[rank - 1]) for o in neighbours(at, range(5)))
                return max(moved) > bound

            found = distance(np.array(data, np.int64) * cell, share, bound * cell)
            assert found == walked(data, range(5), unstable)


def test_the_distance_of_a_mode_is_one_sensitive_and_safe():
    """It moves by at most one, and is zero wherever a neighbour has another mode."""
    mechanism = StableMode(1.0, 1e-3, 3)
    for data in itertools.combinations_with_replacement(range(3), 6):
        here, mode = mechanism.distance(data), int(np.argmax(np.bincount(data, minlength=3)))
        for other in neighbours(data, (*range(3), 3)):
            assert abs(mechanism.distance(other) - here) <= 1
            held = [value for value in other if value < 3]
            same = int(np.argmax(np.bincount(held, minlength=3))) == mode
            assert same or here == 0


@pytest.mark.parametrize("epsilon, delta", [(0.5, 0.01), (1.0, 0.1), (3.0, 1e-3)])
def test_the_test_says_yes_as_often_as_it_may(epsilon, delta):
    """At distance zero with probability at most delta, and not much less; `miss` is exact."""
    test = StabilityTest(epsilon, delta)
    words = stream(quick_keys.key(1))
    yes = sum(test.passes(words, 0) for _ in range(DRAWS))
    far = sum(test.passes(words, test.threshold + 1) for _ in range(DRAWS))

    assert delta * math.exp(-epsilon) < 1 - test.miss(0) <= delta
    assert 1e-5 < binom.cdf(yes, DRAWS, 1 - test.miss(0)) < 1 - 1e-5
    assert 1e-5 < binom.cdf(far, DRAWS, 1 - test.miss(test.threshold + 1)) < 1 - 1e-5
    # One step less would say yes too often.
    assert math.exp(-epsilon * (test.threshold - 1)) / 2 > delta


@pytest.mark.parametrize("distance_", [0, 3, 50])
def test_the_test_is_private(distance_):
    """Between d and d + 1 yes and no change by a factor of e^epsilon at most."""
    test = StabilityTest(0.7, 1e-6)
    near, far = test.miss(distance_), test.miss(distance_ + 1)

    assert math.log(near / far) <= 0.7 + 1e-12
    assert math.log((1 - far) / (1 - near)) <= 0.7 + 1e-9


def test_crowded_data_are_released_and_split_data_are_not():
    """With the bound of a tenth, a crowd in the middle passes and zeros and ones never do."""
    mechanism = ProposeTestReleaseQuantile(2.0, 1e-6, 0.1, 0.0, 1.0)
    keys = host_keys.several(2, 50)
    crowd = np.random.default_rng(0).uniform(0.45, 0.55, 1001)
    split = np.repeat([0.0, 1.0], [501, 500])
    found = [mechanism.sample(key, crowd) for key in keys]

    assert mechanism.distance(split) == 0 and mechanism.distance(crowd) > 100
    assert all(mechanism.sample(key, split) is None for key in keys)
    assert all(value is not None and 0 <= value <= 1 for value in found)


def test_the_noise_of_a_release_has_its_variance():
    """Errors are of the stated scale: sums of their sizes have Gamma's law; two thirds of the noise
    would not."""
    mechanism = ProposeTestReleaseQuantile(2.0, 1e-6, 1e-3, 0.0, 1.0)
    drawn = [mechanism.sample(key, np.full(101, 0.5)) for key in host_keys.several(3, 400)]
    found = np.array([value for value in drawn if value is not None])
    law, sizes = gamma(len(found)), np.abs(found - 0.5).sum() / math.sqrt(mechanism.error / 2)

    assert mechanism.error == pytest.approx(2e-6, rel=1e-4) and len(found) > 390
    assert 1e-6 < law.cdf(sizes) < 1 - 1e-6
    assert law.cdf(2 / 3 * sizes) < 1e-9


def test_modes():
    """A clear mode is released, a near tie and few people are not; strangers do not count."""
    mechanism = StableMode(1.0, 1e-6, 4)
    clear = np.repeat([2, 1, 9, -1], [200, 100, 300, 300])

    assert mechanism.distance(clear) == 49
    assert mechanism.sample(quick_keys.key(0), clear) == 2
    assert mechanism.sample(quick_keys.key(0), np.repeat([2, 1], [101, 100])) is None
    assert mechanism.sample(quick_keys.key(0), [3]) is None
    assert mechanism.distance([1.0, math.nan, 1.0, 1.0, 1.0]) == 1
    assert (mechanism.epsilon, mechanism.delta) == (1.0, 1e-6)


def test_edges_of_the_quantile():
    """The rows of the table: NaN is the lower end; a bound of the width is never unstable."""
    mechanism, key = ProposeTestReleaseQuantile(1.0, 0.1, 5.0, 0.0, 1.0), quick_keys.key(4)
    bad, good = [math.nan, math.inf, -7.0], [0.0, 1.0, 0.0]

    assert mechanism.distance([0.0, 1.0]) == 3
    assert mechanism.sample(key, bad) == mechanism.sample(key, good)
    assert ProposeTestReleaseQuantile(1.0, 0.1, 1e-300, 0.0, 1.0).cells == 1


@pytest.mark.parametrize(
    "change, words",
    [
        ({"epsilon": math.nan}, "epsilon must be between 0.001 and 100, got nan"),
        ({"delta": 0.5}, "delta must be at least 1e-300 and below 1/2, got 0.5"),
        ({"bound": 0.0}, "bound must be positive and finite, got 0.0"),
        ({"share": math.nan}, "share must be between 0 and 1, got nan"),
        ({"upper": 0.0}, "lower must be below upper"),
    ],
)
def test_refusals(change, words):
    """Each says what is allowed and what was given."""
    sound = {"epsilon": 1.0, "delta": 1e-6, "bound": 0.1, "lower": 0.0, "upper": 1.0}
    with pytest.raises(ValueError, match=words):
        ProposeTestReleaseQuantile(**sound | change)


def test_refused_categories():
    """One category has nothing to tell."""
    with pytest.raises(ValueError, match="categories must be at least 2, got 1"):
        StableMode(1.0, 1e-6, 1)
