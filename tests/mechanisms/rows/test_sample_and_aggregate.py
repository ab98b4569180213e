"""Sample and aggregate: one person is in one block, and a block that fails says nothing."""

import math

import jax
import numpy as np
import pytest
from scipy.stats import chisquare, gamma

import host_keys
import quick_keys
from tacit.mechanisms.rows.sample_and_aggregate import BlockMean, SampleAndAggregate
from tacit.mechanisms.rows.smooth_quantile import CELLS, SmoothSensitivityQuantile
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace

MEDIAN = SmoothSensitivityQuantile(SmoothCauchy(1.0), -10.0, 10.0)
MEAN = BlockMean(1.0, -10.0, 10.0)


def test_nobody_is_in_two_blocks():
    """Blocks are disjoint and of one size; fewer people than blocks are left out."""
    blocks = SampleAndAggregate(7, (MEDIAN,)).partition(quick_keys.key(0), 60)

    assert blocks.shape == (7, 8)
    assert len(np.unique(blocks)) == 56
    assert 0 <= blocks.min() and blocks.max() < 60


def test_everybody_is_as_likely_in_every_block():
    """Over keys, a person's place is uniform."""
    split = jax.jit(lambda key: jax.random.permutation(key, 12))
    asked = SampleAndAggregate(3, (MEDIAN,))
    places = []
    for seed in range(300):
        blocks = asked.partition(quick_keys.key(seed), 12)
        assert np.array_equal(blocks.ravel(), split(quick_keys.key(seed)))
        places.append(int(np.argwhere(blocks == 5)[0, 0]))

    assert chisquare(np.bincount(places, minlength=3)).pvalue > 1e-4


@pytest.mark.parametrize("aggregate", [MEDIAN, MEAN])
def test_a_mean_comes_near_the_mean(aggregate):
    """100 blocks of 100 people: near the mean of all."""
    rows = np.random.default_rng(1).normal(3.0, 1.0, 10_000)
    asked = SampleAndAggregate(100, (aggregate,))
    found = [asked.sample(quick_keys.key(seed), np.mean, rows)[0] for seed in range(30)]

    assert abs(np.median(found) - 3.0) < 0.2
    assert np.std(np.clip(found, 2, 4)) > 1e-3


def test_coordinates_have_noise_of_their_own():
    """Two equal coordinates are answered differently, or their difference would have no noise."""
    asked = SampleAndAggregate(10, (MEAN, MEAN))
    rows = np.linspace(-1.0, 1.0, 100)
    found = asked.sample(quick_keys.key(0), lambda block: np.repeat(np.mean(block), 2), rows)

    assert found[0] != found[1]


def test_a_vector_costs_the_sum_of_its_coordinates():
    """A regression on a tree of arrays; budgets add up."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(20_000, 2))
    rows = features, features @ [1.0, -2.0] + 0.1 * rng.normal(size=20_000)
    second = SmoothSensitivityQuantile(SmoothLaplace(4.0, 1e-2), -10.0, 10.0)
    asked = SampleAndAggregate(200, (MEDIAN, second))
    found = asked.sample(quick_keys.key(0), lambda block: np.linalg.lstsq(*block)[0], rows)

    assert np.abs(found - [1.0, -2.0]).max() < 0.1
    assert (asked.epsilon, asked.delta) == (5.0, 1e-2)
    assert 2e-2 == SampleAndAggregate(200, (second, second)).delta


def test_replacing_a_person_changes_one_block():
    """With one key, a person's row is in the answer of one block and no other."""
    rows = np.arange(40.0)
    seen: list[set[float]] = []
    asked = SampleAndAggregate(8, (MEDIAN,))
    asked.sample(quick_keys.key(4), lambda block: seen.append(set(block)) or 0.0, rows)

    assert len(seen) == 8
    assert all(sum(person in block for block in seen) == 1 for person in rows)


def test_a_block_that_fails_answers_the_lower_end():
    """An exception, a wrong shape and NaN are all -10, and never an error message."""
    rows = np.zeros(50)
    asked = SampleAndAggregate(50, (BlockMean(1000.0, -10.0, 10.0),))

    def fails(block):
        raise RuntimeError("somebody's row is odd")

    for broken in (fails, lambda block: [1.0, 2.0], lambda block: math.nan):
        assert asked.sample(quick_keys.key(5), broken, rows)[0] < -9.9


def test_the_block_means_noise_has_its_variance():
    """Errors are of the stated scale: sums of their sizes have Gamma's law; two thirds of the noise
    would not."""
    mean, answers, many = BlockMean(1.0, 0.0, 1000.0), np.full(1000, 500.0), 500
    found = [mean.sample(key, answers) for key in host_keys.several(6, many)]
    sizes = np.abs(np.array(found) - 500.0).sum() / math.sqrt(mean.error(1000) / 2)

    assert 2 * (1000 / 1000) ** 2 == pytest.approx(mean.error(1000), rel=1e-6)
    assert 1e-6 < gamma(many).cdf(sizes) < 1 - 1e-6
    assert gamma(many).cdf(2 / 3 * sizes) < 1e-9


def test_the_same_key_gives_the_same_release():
    """And another one another."""
    rows, asked = np.random.default_rng(7).normal(size=100), SampleAndAggregate(10, (MEAN, MEAN))
    both = lambda block: [block.mean(), block.mean()]  # noqa: E731
    first = asked.sample(quick_keys.key(8), both, rows)

    assert np.array_equal(first, asked.sample(quick_keys.key(8), both, rows))
    assert not np.array_equal(first, asked.sample(quick_keys.key(9), both, rows))
    assert first[0] != first[1]


def test_refusals():
    """Each says what is allowed and what was given."""
    with pytest.raises(ValueError, match="blocks must be at least 1, got 0"):
        SampleAndAggregate(0, (MEDIAN,))
    with pytest.raises(ValueError, match="aggregates must be one for each coordinate"):
        SampleAndAggregate(3, ())
    with pytest.raises(ValueError, match="people must be at least 3, got 2"):
        SampleAndAggregate(3, (MEDIAN,)).sample(quick_keys.key(0), np.mean, np.zeros(2))
    with pytest.raises(ValueError, match="the same number of people, got \\[2, 3\\]"):
        SampleAndAggregate(1, (MEDIAN,)).sample(
            quick_keys.key(0), np.mean, (np.zeros(2), np.zeros(3))
        )
    with pytest.raises(ValueError, match="epsilon must be between 0\\.001 and 1000, got nan"):
        BlockMean(math.nan, 0.0, 1.0)


def test_the_grid_is_the_quantiles():
    """A BlockMean of one block is that answer, to noise: 2^32 cells."""
    found = BlockMean(1000.0, 0.0, 1.0).sample(quick_keys.key(1), [0.5])
    assert abs(found - 0.5) < 30 / 1000 and (found * CELLS * 2) % 1 == 0
