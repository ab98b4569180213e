"""The smooth sensitivity of a quantile is its definition's, and its release hides one person."""

import functools
import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
from tacit.mechanisms.rows import smooth_quantile
from tacit.mechanisms.rows.smooth_quantile import (
    CELLS,
    IntervalGrid,
    SmoothSensitivityQuantile,
    rank_of,
    smooth_gap,
)
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace

BETAS = (1e-6, 0.01, 0.1, 0.5, 2.0)


def neighbours(data, domain):
    """All sorted data sets with one value replaced."""
    return {
        tuple(sorted((*data[:at], value, *data[at + 1 :])))
        for at in range(len(data))
        for value in domain
    }


def definition(function, data, beta, domain):
    """max over all data sets of their local sensitivity times e^(-beta distance): by walking."""

    @functools.cache
    def local(at):
        return max(abs(function(at) - function(other)) for other in neighbours(at, domain))

    shell, seen, found = {data}, {data}, 0.0
    for distance in range(len(data) + 1):
        found = max(found, max((local(at) for at in shell), default=0) * math.exp(-beta * distance))
        shell = set().union(*(neighbours(at, domain) for at in shell)) - seen
        seen |= shell
    return found


def formula(ordered, first, last, beta):
    """The proof's maximum over pairs, one by one."""
    people, kept = len(ordered), last - first + 1
    places = [0, *map(int, ordered), CELLS]
    return max(
        math.exp(-beta * (j - i - kept)) * (places[j] - places[i])
        for i in range(first + 1)
        for j in range(last, people + 2)
        if j - i >= kept
    )


@pytest.mark.parametrize("beta", [0.05, 0.4, 1.5])
@pytest.mark.parametrize("people, first, last", [(1, 1, 1), (4, 2, 2), (5, 3, 3), (5, 2, 4)])
def test_the_smooth_sensitivity_is_the_definition(people, first, last, beta):
    """Brute force over all data sets on 0, ..., 4: also for the sum of the middle ones."""
    cell = CELLS // 4
    sample = list(itertools.combinations_with_replacement(range(5), people))[::5]

    for data in sample:
        exact = definition(lambda at: sum(at[first - 1 : last]), data, beta, range(5)) * cell
        found = smooth_gap(np.array(data, np.int64) * cell, first, last, beta)
        assert found == pytest.approx(exact, rel=1e-12)
        assert smooth_gap(np.array(data, np.int64) * cell, first, last, 1.1 * beta) <= found


@pytest.mark.parametrize("seed", range(40))
def test_the_fast_maximum_is_the_slow_one(seed):
    """Divide and conquer against all pairs, for crowded and spread data and all ranks."""
    rng = np.random.default_rng(seed)
    people = int(rng.integers(1, 60))
    ordered = np.sort((rng.random(people) ** rng.integers(1, 40) * CELLS).astype(np.int64))
    first = int(rng.integers(1, people + 1))
    last = int(rng.integers(first, people + 1))

    for beta in BETAS:
        slow, fast = (f(ordered, first, last, beta) for f in (formula, smooth_gap))
        assert fast == pytest.approx(slow, rel=1e-13) or max(slow, fast) <= 1


def test_a_window_that_ends_before_the_data_does_is_enough():
    """With thousands of people, pairs further apart than (ln M)/beta are not needed."""
    rng = np.random.default_rng(0)
    ordered = np.sort(rng.integers(0, CELLS, 400))

    for beta in (0.3, 1.0):
        assert math.log(CELLS) / beta < 200
        assert smooth_gap(ordered, 200, 200, beta) == pytest.approx(
            formula(ordered, 200, 200, beta), rel=1e-13
        )


@pytest.mark.parametrize("beta", [0.01, 0.5])
def test_neighbours_see_it_within_a_factor(beta):
    """|f - f'| <= S <= e^beta S' on random neighbours; the local sensitivity is not so smooth."""
    rng = np.random.default_rng(1)
    roughest = 0.0
    for _ in range(300):
        people = int(rng.integers(1, 30))
        one = np.sort((rng.random(people) ** 8 * CELLS).astype(np.int64))
        other = one.copy()
        other[rng.integers(people)] = rng.choice([0, CELLS, rng.integers(CELLS)])
        other.sort()
        rank = int(rng.integers(1, people + 1))
        ratio = smooth_gap(one, rank, rank, beta) / smooth_gap(other, rank, rank, beta)
        local = [max(smooth_gap(data, rank, rank, 50.0), 1.0) for data in (one, other)]
        roughest = max(roughest, abs(math.log(local[0] / local[1])))

        assert abs(math.log(ratio)) <= beta * (1 + 1e-9)
        assert abs(int(one[rank - 1]) - int(other[rank - 1])) <= smooth_gap(one, rank, rank, beta)

    assert roughest > 1


def loss(one, other, noise, beta):
    """The exact loss of two medians with Cauchy noise: the hyperbolic distance (Harnack)."""
    rank = rank_of(0.5, len(one))
    scales = [noise.scale(smooth_gap(data, rank, rank, beta)) for data in (one, other)]
    moved = float(one[rank - 1] - other[rank - 1])
    product = 2 * scales[0] * scales[1]
    return math.acosh(1 + (moved**2 + (scales[0] - scales[1]) ** 2) / product)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_whole_release_spends_at_most_epsilon(epsilon):
    """Exact losses of random neighbours, as computed; with local sensitivity they are above."""
    noise, rng = SmoothCauchy(epsilon), np.random.default_rng(5)
    sound, local = [], []
    for _ in range(300):
        people = int(rng.integers(1, 30))
        one = np.sort((rng.random(people) ** 12 * CELLS).astype(np.int64))
        other = one.copy()
        other[rng.integers(people)] = rng.choice([0, CELLS])
        other.sort()
        sound.append(loss(one, other, noise, noise.beta))
        local.append(loss(one, other, noise, 50.0))

    assert 0.6 * epsilon < max(sound) <= epsilon
    assert max(local) > epsilon


def test_zeros_and_the_rest_at_the_top():
    """The smooth median of 0, ..., 0, 1, ..., 1 has sensitivity e^(-beta k), k from the middle."""
    mechanism = SmoothSensitivityQuantile(SmoothCauchy(1.0), 0.0, 1.0)
    beta = mechanism.noise.beta

    for short in range(5):
        values = np.repeat([0.0, 1.0], [51 + short, 50 - short])
        assert mechanism.smooth_sensitivity(values) == pytest.approx(math.exp(-beta * short))


@pytest.mark.parametrize("noise", [SmoothCauchy(1.0), SmoothLaplace(1.0, 1e-6)])
def test_the_bound_holds_and_a_third_of_it_does_not(noise):
    """Releases are as near to the quantile as stated, as often as stated."""
    mechanism = SmoothSensitivityQuantile(noise, -5.0, 5.0, 0.25)
    values = np.random.default_rng(2).normal(size=1001)
    truth = np.sort(values)[rank_of(0.25, 1001) - 1]
    draws = np.array(
        [mechanism.sample(key, values) for key in jax.random.split(quick_keys.key(1), 500)]
    )
    stated = mechanism.error_bound(mechanism.smooth_sensitivity(values), 0.2)
    near = int((np.abs(draws - truth) <= stated).sum())
    nearer = int((np.abs(draws - truth) <= stated / 3).sum())

    assert 1e-5 < binom.cdf(near, 500, 0.8) < 1 - 1e-5
    assert binom.cdf(nearer, 500, 0.8) < 1e-9
    assert np.all(np.abs(draws) <= 5)


@pytest.mark.parametrize(
    "value, counts_as",
    [(math.nan, -1.0), (math.inf, 3.0), (-math.inf, -1.0), (1e300, 3.0), (-2.0, -1.0), (0.5, 0.5)],
)
def test_what_values_count_as(value, counts_as):
    """The rows of the table."""
    interval = IntervalGrid(-1.0, 3.0)
    assert interval.units([value])[0] == round((counts_as + 1) / interval.cell)


def test_the_key_and_the_data_decide():
    """The same key gives the same release, whatever the order of the rows; never NaN."""
    mechanism, key = SmoothSensitivityQuantile(SmoothCauchy(1.0), 0.0, 1.0), quick_keys.key(5)
    values = np.random.default_rng(3).random(100)

    assert mechanism.sample(key, values) == mechanism.sample(key, values[::-1])
    assert mechanism.sample(key, values) != mechanism.sample(quick_keys.key(6), values)
    assert 0 <= mechanism.sample(key, np.full(3, math.nan)) <= 1
    assert (mechanism.epsilon, mechanism.delta) == (1.0, 0.0)


@pytest.mark.parametrize(
    "share, people, rank", [(0.5, 5, 3), (0.5, 4, 2), (0.0, 9, 1), (1.0, 9, 9), (0.25, 1, 1)]
)
def test_ranks(share, people, rank):
    """The ceil(share n)-th smallest, and one of them always."""
    assert rank_of(share, people) == rank


def test_a_million_values_are_read_in_one_pass():
    """The window is small against the data, so the maximum costs next to nothing."""
    ordered = np.sort(np.random.default_rng(4).integers(0, CELLS, 10**6))
    wide = smooth_gap(ordered, 500_000, 500_000, 1e-4)

    assert 0 < smooth_gap(ordered, 500_000, 500_000, 0.1) < wide < CELLS


def test_refusals():
    """Each says what is allowed and what was given."""
    with pytest.raises(ValueError, match="lower must be below upper, both finite, got nan and 1"):
        SmoothSensitivityQuantile(SmoothCauchy(1.0), math.nan, 1)
    with pytest.raises(ValueError, match="upper - lower must be at least"):
        SmoothSensitivityQuantile(SmoothCauchy(1.0), -1e308, 1e308)
    with pytest.raises(ValueError, match="share must be between 0 and 1, got nan"):
        SmoothSensitivityQuantile(SmoothCauchy(1.0), 0, 1, math.nan)
    with pytest.raises(ValueError, match="values must be a vector of one or more, got shape"):
        SmoothSensitivityQuantile(SmoothCauchy(1.0), 0, 1).sample(quick_keys.key(0), [])


def test_best_columns_rise():
    """Rows between two others find their best between the others' best."""
    low = np.array([0.0, 5.0, 6.0, 6.0, 9.0])
    high = np.array([9.0, 9.0, 30.0, 31.0, 100.0])
    decay = np.exp(-0.3 * np.arange(10))
    table = [[decay[4 - i + j] * (high[j] - low[i]) for j in range(5)] for i in range(5)]

    assert np.all(np.diff(np.argmax(table, axis=1)) >= 0)
    assert smooth_quantile._highest(low, high, decay) == np.max(table)


def test_the_ends_are_never_passed():
    """Also where lower + (upper - lower) is rounded to above `upper`, as for a third of these."""
    ends = np.sort(np.random.default_rng(2).normal(size=(3000, 2)) * [1, 1e3], axis=1).tolist()
    above = sum(low + (high - low) > high for low, high in ends)

    assert above > 100
    for low, high in ends:
        assert low == IntervalGrid(low, high).value(-math.inf)
        assert low <= IntervalGrid(low, high).value(math.inf) <= high
