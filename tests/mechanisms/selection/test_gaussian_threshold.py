"""A noisy number of people against a threshold: which keys of one person, and of many, are kept."""

import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import binom

from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.mechanisms.selection.gaussian_threshold import CHUNK, GaussianThreshold
from tacit.noise.chacha import IMPL


def own_key(seed: int):
    """Of the library's own generator: with others each call would be compiled anew."""
    return jax.random.key(seed, impl=IMPL)


def test_keys_are_kept_as_often_as_they_should_be():
    """By exact binomial limits; a threshold lower by a third of the noise is rejected. Nobody's
    key is never kept, nor one of fewer people than there have to be."""
    rule, lower, keys = GaussianThreshold(3.0, 9, 2), GaussianThreshold(3.0, 8, 2), 9_000
    for people in (0, 1, 2, 8, 10, 13, 10**9):
        kept = rule.sample(own_key(people % 97), np.full(keys, people, np.int64)).sum()
        chance = rule.chance(people)
        assert binom.ppf(1e-6, keys, chance) <= kept <= binom.isf(1e-6, keys, chance)
        assert people > 1 or 0 == kept
        if people in (8, 10, 13):
            assert kept < binom.ppf(1e-6, keys, lower.chance(people))


def test_every_number_of_people_counts():
    """However loud the noise: where a key is kept from turns up at odd numbers too, so that one
    person moves what the noise is added to by one."""
    rule, key = GaussianThreshold(2.0**18, 2**19), own_key(1)
    low, high = np.full(CHUNK, 2**19 - 512), np.full(CHUNK, 2**19 + 512)
    within = rule.sample(key, high) & ~rule.sample(key, low)
    while (high - low > 1).any():
        middle = (low + high) // 2
        kept = rule.sample(key, middle)
        low, high = np.where(kept, low, middle), np.where(kept, middle, high)

    assert within.sum() > 9 and {0, 1} == set(high[within] % 2)


def test_more_keys_than_are_drawn_for_at_once_have_noise_of_their_own():
    """Of a key that is kept with an even chance, no two chunks keep the same."""
    rule = GaussianThreshold(3.0, 9)
    kept = rule.sample(own_key(1), np.full(2 * CHUNK + 5, 9))

    assert not np.array_equal(kept[:CHUNK], kept[CHUNK : 2 * CHUNK])
    assert 0.45 < kept.mean() < 0.58


@pytest.mark.parametrize("sigma, threshold", [(1.0, 3), (2.5, 6)])
def test_no_neighbours_tell_more_than_a_gaussian_release_and_what_is_reserved(sigma, threshold):
    """Of one and two keys that others have or nobody does, at several epsilons: everything that
    the set of kept keys tells, from exact normal tails. Without the reserve it would be more."""
    rule, told = GaussianThreshold(sigma, threshold), []
    for keys in (1, 2):
        for people in itertools.product(range(4), repeat=keys):
            one, other = (_law(rule, [n + more for n in people]) for more in (0, 1))
            for epsilon in (0.1, 1.0, 3.0):
                paid = gaussian_delta(sigma / math.sqrt(keys), epsilon)
                reserved = (1 + math.exp(epsilon)) * keys * rule.alone
                for p, q in ((one, other), (other, one)):
                    spent = np.maximum(p - math.exp(epsilon) * q, 0).sum()
                    assert spent <= paid + reserved
                    told.append(spent - paid)
    assert max(told) > 0


def test_the_least_threshold_reserves_no_more_than_asked():
    """One lower reserves more; a key needs half of its chance from the threshold on."""
    rule = GaussianThreshold.reserving(20.0, 1e-9, at_least=4)

    assert rule.alone <= 1e-9 < GaussianThreshold(20.0, rule.threshold - 1, 4).alone
    assert rule.threshold + 3 == rule.needed(0.5) and 0 == rule.chance(3)
    assert rule.chance(rule.needed(0.01) - 1) < 0.01 <= rule.chance(rule.needed(0.01))


@pytest.mark.parametrize("own", [(0.5, 9, 1), (math.nan, 9, 1), (2.0, 1, 1), (2.0, 9, 0)])
def test_numbers_out_of_range_are_refused(own):
    """In one sentence that says what is in range."""
    with pytest.raises(ValueError, match="must be"):
        GaussianThreshold(*own)


def _law(rule, people):
    """Of each set of kept keys."""
    chances = [rule.chance(n) for n in people]
    every = itertools.product((0, 1), repeat=len(people))
    return np.array(
        [math.prod(p if k else 1 - p for p, k in zip(chances, kept, strict=True)) for kept in every]
    )


@pytest.mark.parametrize("alone", [math.nan, 0.0, 1.0])
def test_a_chance_that_is_no_number_is_refused(alone):
    """Of NaN the least threshold would come, which keeps many keys of one person."""
    with pytest.raises(ValueError, match="alone must be between 0 and 1, got"):
        GaussianThreshold.reserving(4.0, alone)
