"""The scale of data is released where no neighbour has another, and hides one person."""

import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
from tacit.mechanisms.rows.propose_test_release import StabilityTest
from tacit.mechanisms.rows.smooth_quantile import CELLS, rank_of
from tacit.mechanisms.rows.stable_scale import SHIFTS, StableScale, distance

DOMAIN, CELL = range(5), CELLS // 4
BINS = ((0, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 5), (4, 5))


def neighbours(data):
    """All sorted data sets with one value replaced."""
    return {
        tuple(sorted((*data[:at], value, *data[at + 1 :])))
        for at in range(len(data))
        for value in DOMAIN
    }


def spread(data):
    """The inter-quartile range, and its places."""
    first, last = (rank_of(share, len(data)) for share in (0.25, 0.75))
    return data[last - 1] - data[first - 1], first, last


def walked(data, least, most):
    """How many replacements lead out of the bin, less one: by walking."""
    shell, seen = {data}, {data}
    for steps in range(len(data) + 1):
        if any(not least <= spread(at)[0] < most for at in shell):
            return steps - 1
        shell = set().union(*(neighbours(at) for at in shell)) - seen
        seen |= shell
    return len(data)


def found(data, least, most):
    """The same by the mechanism's formula."""
    _, first, last = spread(data)
    return distance(np.array(data, np.int64) * CELL, first, last, least * CELL, most * CELL)


def test_two_tests_share_the_promise():
    """One on each grid, with half of epsilon and half of delta."""
    made = StableScale(1.0, 1e-6, 0.0, 1.0)

    assert 2 == len(SHIFTS)
    assert 2 * made.test.epsilon <= made.epsilon
    assert 2 * made.test.delta <= made.delta


@pytest.mark.parametrize("people", [2, 3, 4, 5])
def test_the_distance_is_the_definition(people):
    """Brute force over all data sets on 0, ..., 4, for all bins that a range is in."""
    compared = 0
    for data in itertools.combinations_with_replacement(DOMAIN, people):
        for least, most in BINS:
            if least <= spread(data)[0] < most:
                compared += 1
                assert found(data, least, most) == walked(data, least, most)

    assert compared > 20


def outcomes(data, grids, test, nearer=0):
    """The probabilities of all outcomes."""
    chances, left = {}, 1.0
    for grid, edges in enumerate(grids):
        least, most = next(
            (low, high) for low, high in itertools.pairwise(edges) if low <= spread(data)[0] < high
        )
        miss = test.miss(found(data, least, most) + nearer)
        chances[grid, least] = left * (1 - miss)
        left *= miss
    return {**chances, None: left}


@pytest.mark.parametrize("people", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon, delta", [(1.0, 0.3), (4.0, 0.1), (2.0, 1e-3)])
def test_all_neighbours_are_hidden(people, epsilon, delta):
    """Exact outcomes of all pairs on 0, ..., 4; with distances one too long they are not."""
    grids, test = ((0, 1, 2, 4, 8), (0, 3, 5)), StabilityTest(epsilon / 2, delta / 2)
    worst = [0.0, 0.0]
    for data in itertools.combinations_with_replacement(DOMAIN, people):
        for other in neighbours(data):
            for nearer in (0, 1):
                p, q = (outcomes(at, grids, test, nearer) for at in (data, other))
                lost = sum(
                    max(0.0, chance - math.exp(epsilon) * q.get(outcome, 0.0))
                    for outcome, chance in p.items()
                )
                worst[nearer] = max(worst[nearer], lost)

    assert worst[0] <= delta * (1 + 1e-9)
    assert people == 1 or worst[1] > worst[0] * 1.2


def test_crowds_are_released_within_the_factor():
    """Of normal numbers with any scale."""
    mechanism = StableScale(1.0, 1e-6, -1000.0, 1000.0)
    rng = np.random.default_rng(0)
    for scale in np.exp(rng.uniform(-5, 5, 20)):
        values = rng.normal(3.0, scale, 2000)
        released = mechanism.sample(quick_keys.key(0), values)
        exact = np.diff(np.sort(values)[[499, 1499]])[0]

        assert mechanism.miss(values) < 1e-9
        assert released is not None
        assert abs(math.log(released / exact)) <= math.log(2) / 2 + 1e-4


def test_refusals_are_as_frequent_as_stated():
    """Where 11 replacements make the range zero, both tests are tosses of a coin."""
    mechanism = StableScale(1.0, 1e-2, 0.0, 1.0)
    values = np.repeat([0.2, 0.5], [35, 65])
    keys = jax.random.split(quick_keys.key(0), 400)
    refused = sum(mechanism.sample(key, values) is None for key in keys)

    assert mechanism.distances(values) == [10, 10] == [mechanism.test.threshold] * 2
    assert mechanism.miss(values) == 0.25
    assert 1e-5 < binom.cdf(refused, 400, 0.25) < 1 - 1e-5
    assert not 1e-5 < binom.cdf(refused, 400, 0.5) < 1 - 1e-5


def test_edges_are_whole_and_cover_everything():
    """From zero to beyond the width, the second grid cut in the middle of the first."""
    for ratio in (1.01, 2.0, 1000.0):
        one, two = (StableScale(1.0, 0.1, 0.0, 1.0, ratio).edges(shift) for shift in SHIFTS)

        assert one[0] == two[0] == 0 and one[-1] > CELLS and two[-1] > CELLS
        assert np.all(np.diff(one) > 0) and np.all(np.diff(two) > 0)
        large = one[one > 1e5]
        nearest = np.abs(np.log(large[:, None] / two[two > 0])).min(axis=1)
        assert np.allclose(nearest, math.log(ratio) / 2, rtol=0.1)


def test_bad_values_and_few_people():
    """NaN is `lower`, infinite the nearer end; equal values have no range; one person has none."""
    mechanism = StableScale(2.0, 1e-3, 0.0, 1.0)
    wild = np.repeat([math.nan, -math.inf, math.inf, 1.0], 100)
    tame = np.repeat([0.0, 0.0, 1.0, 1.0], 100)
    key = quick_keys.key(2)

    assert mechanism.sample(key, wild) == mechanism.sample(key, tame)
    assert mechanism.sample(key, np.zeros(200)) == 0.0
    assert mechanism.distances(np.array([0.5])) == [0, 0]


@pytest.mark.parametrize(
    "numbers, sentence",
    [
        ((math.nan, 0.1, 0.0, 1.0), "epsilon must be between 0.001 and 200, got nan"),
        ((1.0, 0.0, 0.0, 1.0), "delta must be at least 2e-300 and below 1, got 0"),
        ((1.0, 0.1, 1.0, 0.0), "lower must be below upper"),
        ((1.0, 0.1, 0.0, 1.0, 1.0), "ratio must be between 1.01 and 1000, got 1"),
        ((1.0, 0.1, 0.0, 1.0, math.nan), "ratio must be between 1.01 and 1000, got nan"),
    ],
)
def test_refused_numbers(numbers, sentence):
    """Each says what is allowed and what was given."""
    with pytest.raises(ValueError, match=sentence):
        StableScale(*numbers)
