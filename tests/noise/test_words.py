"""One random 64-bit word: rare events, deep tails and residues are exact."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest, kstest

import quick_keys
from tacit.noise import words

KEY = quick_keys.key(7)


@pytest.mark.parametrize("numerator", [0, 1, 2**32 - 1, 2**32, 3 * 2**40 + 5, 2**64 - 1])
def test_a_word_is_its_integer(numerator):
    """Splitting and joining a 64-bit integer gives it back."""
    assert numerator == words.integer(words.word(numerator))


@pytest.mark.parametrize("numerator", [-1, 2**64])
def test_a_word_has_64_bits(numerator):
    """An integer outside [0, 2^64) is refused."""
    with pytest.raises(ValueError, match="numerator must be at least 0 and below"):
        words.word(numerator)


@pytest.mark.parametrize("odds, numerator", [(1, 2**63), (3, 2**62), (2, -(-(2**64) // 3))])
def test_a_probability_is_rounded_up(odds, numerator):
    """1 / (1 + odds) of 2^64 words, up to float64 rounding of the odds."""
    assert numerator == pytest.approx(words.unlikely(math.log(odds)), 1e-15)


@pytest.mark.parametrize("log_odds, numerator", [(1e4, 1), (100.0, 1), (-1e4, 2**64)])
def test_an_unlikely_event_stays_possible(log_odds, numerator):
    """However large the odds, one word is left."""
    assert numerator == words.unlikely(log_odds)


@pytest.mark.parametrize("numerator", [1, 2**32 - 1, 2**32, 2**63 + 12345, 2**64 - 1])
def test_below_compares_all_64_bits(numerator):
    """The event is `word < numerator` for the integer made of both halves."""
    high, low = np.asarray(jax.random.bits(KEY, (2, 1000), jnp.uint32)).astype(object)
    expected = (high * 2**32 + low) < numerator

    assert expected.tolist() == words.below(KEY, words.word(numerator), (1000,)).tolist()


def test_below_has_its_probability():
    """A rare event has its own frequency, and not one a third higher."""
    trials, probability = 4_000_000, 3e-4
    count = int(words.below(KEY, words.word(int(probability * 2**64)), (trials,)).sum())

    assert binomtest(count, trials, probability).pvalue > 1e-3
    assert binomtest(count, trials, probability * 4 / 3).pvalue < 1e-9


def test_uniform_is_uniform():
    """Kolmogorov-Smirnov accepts the uniform law and rejects a slightly bent one."""
    values = np.asarray(words.uniform(KEY, (100_000,)), np.float64)

    assert kstest(values, "uniform").pvalue > 1e-3
    assert kstest(values**1.05, "uniform").pvalue < 1e-6


def test_uniform_has_a_deep_tail():
    """Small values do not collide, as they would on a grid of 2^-23."""
    fine = np.asarray(words.uniform(KEY, (4_000_000,)))
    coarse = np.asarray(jax.random.uniform(KEY, (4_000_000,)))

    def collisions(values):
        small = values[values < 2.0**-10]
        return len(small) - len(np.unique(small))

    assert 0 < fine.min()
    assert collisions(fine) < 10
    assert collisions(coarse) > 500


@pytest.mark.parametrize("modulus", [1, 2, 3, 7, 1000, 65535])
def test_residue_is_the_words_remainder(modulus):
    """The pair arithmetic gives the remainder of the 64-bit integer, up to the largest modulus."""
    high, low = np.asarray(jax.random.bits(KEY, (2, 2000), jnp.uint32)).astype(object)
    expected = (high * 2**32 + low) % modulus

    assert expected.tolist() == words.residue(KEY, modulus, (2000,)).tolist()
