"""Blocks of a prime field behave as uniform subsets, privately, and are counted without a scan."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import audit
import quick_keys
from tacit.mechanisms.frequency.randomised_response import RandomisedResponse, Support
from tacit.mechanisms.frequency.subset_selection import (
    LARGEST_PRIME,
    MOST_LISTED,
    AllSubsets,
    SubsetSelection,
    choose,
    choose_listed,
)
from tacit.noise import words


def residue_counts(modulus):
    """How many 64-bit words have each residue."""
    least, extra = divmod(words.SIZE, modulus)
    return [least + (j < extra) for j in range(modulus)]


def law(mechanism, truth, misses=None):
    """How many of the 2^192 triples of words give each block, by enumeration."""
    p, w = mechanism.prime, mechanism.size
    misses = mechanism.misses if misses is None else misses
    images = [(words.SIZE - misses) * c for c in residue_counts(w)]
    images += [misses * c for c in residue_counts(p - w)]
    counts = [0] * (p * (p - 1))
    for (a, slopes), (y, ways) in itertools.product(
        enumerate(residue_counts(p - 1), 1), enumerate(images)
    ):
        counts[(a - 1) * p + (y - a * truth) % p] += slopes * ways
    return counts


def members(mechanism, report, categories=None):
    """The categories of a block, by its definition."""
    a, b = divmod(report, mechanism.prime)
    places = np.arange(categories or mechanism.categories)
    return ((a + 1) * places + b) % mechanism.prime < mechanism.size


def subset_error(epsilon, categories, size):
    """The error of Ye and Barg's mechanism on all subsets of one size, from its definition."""
    odds = size * math.exp(epsilon)
    own = odds / (odds + categories - size)
    other = (own * (size - 1) + (1 - own) * size) / (categories - 1)
    return Support(Fraction(own), Fraction(other)).error(1, categories)


@pytest.mark.parametrize("epsilon, categories", [(0.3, 4), (1.0, 7), (0.1, 13), (4.0, 11)])
def test_blocks_are_a_design(epsilon, categories):
    """Every pair of places lies in equally many blocks, and each place in w (p - 1)."""
    mechanism = SubsetSelection(epsilon, categories)
    p, w = mechanism.prime, mechanism.size
    blocks = np.array([members(mechanism, r, p) for r in range(p * (p - 1))]).astype(int)
    together = blocks.T @ blocks

    assert (together == w * (w - 1) + np.diag([w * (p - w)] * p)).all()
    assert (blocks.sum(1) == w).all()


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 3, 10])
def test_the_likelihood_ratios_in_integers(epsilon, categories):
    """No block is more than e^epsilon times as likely for one category as for another."""
    mechanism = SubsetSelection(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    worst = max(Fraction(max(col), min(col)) for col in zip(*laws, strict=True))

    assert all(sum(one) == words.SIZE**3 for one in laws)
    assert worst <= Fraction(Decimal(epsilon).exp())
    assert 1 == mechanism.misses or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-6)


@pytest.mark.parametrize("epsilon, categories", [(1e-6, 2), (0.3, 4), (1.0, 8), (9.0, 10)])
def test_the_blanket_in_integers(epsilon, categories):
    """It is the sum over blocks of the least likelihoods, rounded down by next to nothing."""
    mechanism = SubsetSelection(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    shared = Fraction(sum(min(col) for col in zip(*laws, strict=True)), words.SIZE**3)

    assert shared * (1 - Fraction(1, 2**45)) <= Fraction(mechanism.blanket) <= shared


@pytest.mark.parametrize("epsilon, categories", [(0.5, 4), (1.0, 10), (3.0, 31)])
def test_the_two_probabilities_are_those_of_the_law(epsilon, categories):
    """Summing the law over the blocks that contain a category gives `own` and `other`."""
    mechanism = SubsetSelection(epsilon, categories)
    counts = np.array([float(Fraction(c, words.SIZE**3)) for c in law(mechanism, 1)])
    inside = np.array([members(mechanism, r) for r in range(len(counts))])
    expected = np.full(categories, float(mechanism.support.other))
    expected[1] = mechanism.support.own

    assert counts @ inside == pytest.approx(expected, 1e-12)


def p_value(mechanism, sampled_misses, sampled_size, truth=2, count=120_000):
    """Of a chi-square test that what is sampled follows the law of the mechanism."""
    reports = choose(
        quick_keys.key(7),
        jnp.full(count, truth, jnp.int32),
        mechanism.categories,
        mechanism.prime,
        sampled_size,
        words.word(sampled_misses),
    )
    expected = np.array([float(Fraction(c, words.SIZE**3)) for c in law(mechanism, truth)])
    seen = np.bincount(np.asarray(reports), minlength=len(expected))
    return chisquare(seen, count * expected).pvalue


@pytest.mark.parametrize("epsilon, categories", [(0.5, 5), (1.0, 10)])
def test_reports_follow_the_enumerated_law(epsilon, categories):
    """A chi-square test accepts the sampler; two thirds of the misses or a wrong w fail it."""
    mechanism = SubsetSelection(epsilon, categories)

    assert p_value(mechanism, mechanism.misses, mechanism.size) > 1e-6
    assert p_value(mechanism, mechanism.misses * 2 // 3, mechanism.size) < 1e-12
    assert p_value(mechanism, mechanism.misses, mechanism.size + 1) < 1e-12


@pytest.mark.parametrize("share, refuted", [(Fraction(1), False), (Fraction(2, 3), True)])
def test_the_audit(share, refuted):
    """Blocks with category 0 and without 1 show nearly epsilon, and more with too few misses."""
    mechanism, count = SubsetSelection(1.0, 31), 120_000
    misses = words.word(int(mechanism.misses * share))
    only_zero = np.array(
        [members(mechanism, r, 2).tolist() == [True, False] for r in range(31 * 30)]
    )
    hits = []
    for truth in (0, 1):
        reports = choose(
            quick_keys.key(truth), jnp.full(count, truth, jnp.int32), 31, 31, mechanism.size, misses
        )
        hits.append((int(only_zero[np.asarray(reports)].sum()), count))
    proved = audit.epsilon_lower_bound(hits[0], hits[1])

    assert (proved > 1.0) == refuted
    assert proved > 0.9


@pytest.mark.parametrize("epsilon, categories", [(0.2, 2), (1.0, 10), (2.0, 97), (6.0, 1000)])
@pytest.mark.parametrize("cells", [1, 2**22])
def test_windows_count_as_the_definition_does(epsilon, categories, cells, monkeypatch):
    """The server's counts are the sums of the blocks, however many rows it takes at once."""
    monkeypatch.setattr("tacit.mechanisms.frequency.subset_selection._CELLS", cells)
    mechanism = SubsetSelection(epsilon, categories)
    end = mechanism.prime * (mechanism.prime - 1)
    reports = np.random.default_rng(0).integers(0, end, 500).astype(np.uint32)
    reports[:2] = 0, end - 1
    expected = np.sum([members(mechanism, int(r)) for r in reports], axis=0)

    assert mechanism.counts(reports).tolist() == expected.tolist()


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("categories", [2, 3, 5, 31, 101])
def test_the_error_is_that_of_all_subsets_of_the_best_size(epsilon, categories):
    """For a prime number of categories no mechanism on uniform subsets has less error."""
    best = min(subset_error(epsilon, categories, w) for w in range(1, categories))

    assert SubsetSelection(epsilon, categories).error(1) == pytest.approx(best, 1e-6)


def test_the_error_at_a_thousand_categories_is_the_optimal_one():
    """At 1024 categories it is within a thousandth of all subsets', though 1024 is no prime."""
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        best = min(subset_error(epsilon, 1024, w) for w in range(1, 1024))
        assert best < SubsetSelection(epsilon, 1024).error(1) < 1.001 * best


def test_a_number_that_is_no_prime_costs_what_the_table_says():
    """Against all subsets: up to 29 per cent more error, and up to 9 from 33 categories on."""
    worst = {0: 1.0, 33: 1.0}
    for epsilon in (0.01, 1.0, 2.1, 3.3, 4.0):
        for k in (4, 6, 8, 9, 10, 14, 20, 24, 33, 34, 48, 54, 90, 114):
            best = min(subset_error(epsilon, k, w) for w in range(1, k))
            floor = 33 if k >= 33 else 0
            worst[floor] = max(worst[floor], SubsetSelection(epsilon, k).error(1) / best)

    assert 1.28 < worst[0] < 1.295
    assert 1.08 < worst[33] < 1.09


def test_two_categories_are_randomised_response():
    """With two categories nothing is gained and nothing is lost."""
    one, other = SubsetSelection(1.0, 2), RandomisedResponse(1.0, 2)

    assert one.misses == other.lies
    assert one.error(9) == other.error(9)


def test_the_largest_prime():
    """The largest number of categories is a prime, and its reports fit 32 bits."""
    mechanism = SubsetSelection(5.0, LARGEST_PRIME)
    values = jnp.full(120_000, LARGEST_PRIME - 1, jnp.int32)
    reports = np.asarray(mechanism.sample(quick_keys.key(0), values))
    a, b = np.divmod(reports.astype(np.int64), LARGEST_PRIME)
    held = ((a + 1) * (LARGEST_PRIME - 1) + b) % LARGEST_PRIME < mechanism.size
    own = float(mechanism.support.own)

    assert (mechanism.prime, mechanism.report_bits) == (LARGEST_PRIME, 32)
    assert abs(held.mean() - own) < 5 * math.sqrt(own * (1 - own) / 120_000)


def listed_law(mechanism, truth):
    """How many of the 2^128 pairs of words give each listed subset, by enumeration."""
    has = mechanism.members[:, truth]
    inside, outside = (iter(residue_counts(int(n))) for n in (has.sum(), (~has).sum()))
    return [
        (words.SIZE - mechanism.misses) * next(inside) if h else mechanism.misses * next(outside)
        for h in has
    ]


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 4, 9])
def test_the_likelihood_ratios_of_listed_subsets_in_integers(epsilon, categories):
    """No subset is more than e^epsilon times as likely for one category as for another."""
    mechanism = AllSubsets(epsilon, categories)
    laws = [listed_law(mechanism, truth) for truth in range(categories)]
    worst = max(Fraction(max(col), min(col)) for col in zip(*laws, strict=True))

    assert all(sum(one) == words.SIZE**2 for one in laws)
    assert worst <= Fraction(Decimal(epsilon).exp())
    assert 1 == mechanism.misses or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-6)


@pytest.mark.parametrize("epsilon, categories", [(1e-6, 2), (0.3, 5), (1.0, 9)])
def test_the_blanket_of_listed_subsets_in_integers(epsilon, categories):
    """It is the sum over subsets of the least likelihoods, rounded down by next to nothing."""
    mechanism = AllSubsets(epsilon, categories)
    laws = [listed_law(mechanism, truth) for truth in range(categories)]
    shared = Fraction(sum(min(col) for col in zip(*laws, strict=True)), words.SIZE**2)

    assert shared * (1 - Fraction(1, 2**45)) <= Fraction(mechanism.blanket) <= shared


@pytest.mark.parametrize("epsilon, categories, truth", [(0.4, 4, 3), (1.0, 9, 5)])
def test_listed_subsets_follow_the_enumerated_law(epsilon, categories, truth):
    """A chi-square test accepts the sampler, and refuses two thirds of the misses."""
    mechanism, count = AllSubsets(epsilon, categories), 120_000
    expected = np.array([float(Fraction(c, words.SIZE**2)) for c in listed_law(mechanism, truth)])
    order = np.argsort(~mechanism.members, axis=0, kind="stable").T.astype(np.uint32)
    inside = int(mechanism.members[:, 0].sum())

    def p_value(misses):
        values = jnp.full(count, truth, jnp.int32)
        reports = choose_listed(quick_keys.key(6), values, order, inside, words.word(misses))
        seen = np.bincount(np.asarray(reports), minlength=len(expected))
        return chisquare(seen, count * expected).pvalue

    own = mechanism.sample(quick_keys.key(6), jnp.full(count, truth, jnp.int32))
    assert (
        chisquare(np.bincount(np.asarray(own), minlength=len(order[0])), count * expected)[1] > 1e-6
    )
    assert p_value(mechanism.misses) > 1e-6
    assert p_value(mechanism.misses * 2 // 3) < 1e-12


@pytest.mark.parametrize("categories", [2, 4, 8, 10, MOST_LISTED])
def test_no_subsets_have_less_error_than_listed_ones(categories):
    """The error is that of the definition at the best size."""
    for epsilon in (1e-3, 0.5, 1.0, 3.0):
        best = min(subset_error(epsilon, categories, w) for w in range(1, categories))
        assert AllSubsets(epsilon, categories).error(1) == pytest.approx(best, 1e-6)
