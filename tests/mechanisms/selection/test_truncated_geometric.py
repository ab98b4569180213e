"""The truncated geometric rule: every neighbour's demand exactly, and no rule keeps more."""

import math
from decimal import Decimal
from fractions import Fraction

import jax
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
from tacit.accounting.decimals import exp_down
from tacit.mechanisms.selection.truncated_geometric import ONE, TruncatedGeometric, numerators

SETTINGS = [(1.0, 1e-5), (0.1, 1e-12), (7.5, 1e-3), (64.0, 2.0**-100), (0.01, 0.3)]


@pytest.mark.parametrize("epsilon, delta", SETTINGS)
def test_every_demand_between_neighbours_holds_exactly(epsilon, delta):
    """Of keeping a key and of dropping it, either way round, in fractions below the true e^x."""
    most, spent = Fraction(exp_down(Decimal(epsilon))), Fraction(delta) * ONE
    table = numerators(epsilon, delta)

    assert 0 == table[0] < table[1] <= spent and ONE - 1 == table[-1]
    for one, more in zip(table, (*table[1:], table[-1]), strict=True):
        kept = more <= most * one + spent and one <= most * more + spent
        dropped = ONE - one <= most * (ONE - more) + spent
        assert kept and dropped and ONE - more <= most * (ONE - one) + spent


@pytest.mark.parametrize("epsilon, delta", SETTINGS)
def test_no_rule_keeps_more(epsilon, delta):
    """Each chance is the largest that the one before allows, but for its last digits."""
    table = [q / ONE for q in numerators(epsilon, delta)]
    grown, factor = 0.0, math.exp(epsilon)
    for chance in table[1:]:
        grown = min(factor * grown + delta, 1 - (1 - grown - delta) / factor, 1.0)
        assert chance == pytest.approx(grown, rel=1e-9)


def test_edge_cases_of_the_docstring():
    """Nobody's key is never kept, that of one person with chance delta, that of many nearly ever;
    a least number of people shifts all of it."""
    rule, later = TruncatedGeometric(1.0, 2.0**-20), TruncatedGeometric(1.0, 2.0**-20, at_least=5)

    assert [0, ONE >> 20, ONE - 1] == [rule.numerator(n) for n in (0, 1, 10**9)]
    assert [0, ONE >> 20, rule.numerator(3)] == [later.numerator(n) for n in (4, 5, 7)]
    assert 4 == later.needed(0.5) - rule.needed(0.5)
    half = rule.needed(0.5)
    assert rule.chance(half - 1) < 0.5 <= rule.chance(half)


def test_keys_are_kept_as_often_as_they_should_be():
    """By exact binomial limits; the rule of one person more is rejected."""
    rule, keys = TruncatedGeometric(0.5, 1e-3), 6_000
    for people in (0, 1, 10, 14, 60):
        kept = rule.sample(quick_keys.key(people), np.full(keys, people, np.int64)).sum()
        chance, next_one = rule.chance(people), rule.chance(people + 1)
        assert binom.ppf(1e-6, keys, chance) <= kept <= binom.isf(1e-6, keys, chance)
        if people in (10, 14):
            assert kept < binom.ppf(1e-6, keys, next_one)


def test_each_key_has_a_draw_of_its_own_and_the_same_again():
    """Keys of as many people are kept independently; the same secret key repeats all draws."""
    rule, people = TruncatedGeometric(0.5, 1e-3), np.full(9_000, 12, np.int64)
    one, again, other = (rule.sample(jax.random.key(seed), people) for seed in (1, 1, 2))

    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert not np.array_equal(one[:4096], one[4096:8192])


@pytest.mark.parametrize(
    "own", [(0.0, 0.1), (1e-5, 0.1), (65.0, 0.1), (math.nan, 0.1), (1.0, 0.0), (1.0, 1.0)]
)
def test_numbers_out_of_range_are_refused(own):
    """In one sentence that says what is in range."""
    with pytest.raises(ValueError, match="must be from"):
        TruncatedGeometric(*own)
    with pytest.raises(ValueError, match="at_least"):
        TruncatedGeometric(1.0, 0.1, at_least=0)
