"""Hadamard response is exactly uniform on the half it picks, and its transform counts halves."""

import math
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import audit
import quick_keys
from tacit.mechanisms.frequency.hadamard_response import HadamardResponse, answer
from tacit.mechanisms.frequency.subset_selection import SubsetSelection
from tacit.noise import words


def supports(size, category):
    """Which reports support a category, by the definition."""
    return [(report & (category + 1)).bit_count() % 2 == 0 for report in range(size)]


def law(mechanism, truth):
    """The exact probability of each report."""
    size, miss = 2**mechanism.report_bits, Fraction(mechanism.misses, words.SIZE)
    return [(1 - miss if s else miss) * Fraction(2, size) for s in supports(size, truth)]


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0, 5000.0])
@pytest.mark.parametrize("categories", [2, 3, 4, 10])
def test_the_likelihood_ratios_are_exact(epsilon, categories):
    """Enumerating all reports, no ratio exceeds e^epsilon, and one is close to it."""
    laws = [law(HadamardResponse(epsilon, categories), truth) for truth in range(categories)]
    worst = max(max(col) / min(col) for col in zip(*laws, strict=True))

    assert {Fraction(1)} == {sum(one) for one in laws}
    assert worst <= Fraction(Decimal(min(epsilon, 1000)).exp())
    assert epsilon > 40 or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-6)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0])
@pytest.mark.parametrize("categories", [2, 3, 4, 7])
def test_the_blanket_is_exact(epsilon, categories):
    """It is the sum over all reports of the least likelihood, to the last bit of a float."""
    mechanism = HadamardResponse(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    shared = sum(min(col) for col in zip(*laws, strict=True))

    assert mechanism.blanket <= shared < math.nextafter(mechanism.blanket, 2)


@pytest.mark.parametrize("categories", [2, 3, 4, 10, 31])
def test_the_two_probabilities_are_those_of_the_law(categories):
    """Summing the law over the reports that support a category gives `own` and `other`."""
    mechanism = HadamardResponse(1.0, categories)
    for truth in range(categories):
        for category in range(categories):
            likely = sum(
                p
                for p, s in zip(
                    law(mechanism, truth), supports(2**mechanism.report_bits, category), strict=True
                )
                if s
            )
            own, other = mechanism.support.own, mechanism.support.other
            assert likely == (own if category == truth else other)


def p_value(mechanism, truth, share, count=120_000):
    """Of a chi-square test that reports with this share of misses follow the law."""
    size = 2**mechanism.report_bits
    misses = words.word(int(mechanism.misses * share))
    reports = answer(
        quick_keys.key(7),
        jnp.full(count, truth, jnp.int32),
        mechanism.categories,
        np.uint32(size - 1),
        misses,
    )
    expected = np.array([float(p) for p in law(mechanism, truth)])
    return chisquare(np.bincount(np.asarray(reports), minlength=size), count * expected).pvalue


@pytest.mark.parametrize("epsilon, categories", [(0.5, 2), (1.0, 7), (2.0, 8)])
def test_reports_follow_the_enumerated_law(epsilon, categories):
    """A chi-square test accepts the sampler, and refuses two thirds of the misses."""
    mechanism = HadamardResponse(epsilon, categories)

    for truth in range(categories):
        assert p_value(mechanism, truth, Fraction(1)) > 1e-6
        assert p_value(mechanism, truth, Fraction(2, 3)) < 1e-12


@pytest.mark.parametrize("share, refuted", [(Fraction(1), False), (Fraction(2, 3), True)])
def test_the_audit(share, refuted):
    """Reports for category 0 and against 1 show nearly epsilon, and more with too few misses."""
    mechanism, count = HadamardResponse(1.0, 31), 120_000
    misses = words.word(int(mechanism.misses * share))
    event = np.array(supports(32, 0)) & ~np.array(supports(32, 1))
    hits = []
    for truth in (0, 1):
        reports = answer(
            quick_keys.key(truth), jnp.full(count, truth, jnp.int32), 31, np.uint32(31), misses
        )
        hits.append((int(event[np.asarray(reports)].sum()), count))
    proved = audit.epsilon_lower_bound(hits[0], hits[1])

    assert (proved > 1.0) == refuted
    assert proved > 0.9


@pytest.mark.parametrize("categories", [2, 3, 4, 100, 1024])
def test_the_transform_counts_supporters(categories):
    """The counts are those of the definition."""
    mechanism = HadamardResponse(1.0, categories)
    size = 2**mechanism.report_bits
    reports = np.random.default_rng(0).integers(0, size, 300).astype(np.uint32)
    some = sorted({0, 1, categories // 2, categories - 1})
    expected = [int(np.array(supports(size, x))[reports].sum()) for x in some]

    assert mechanism.counts(reports)[some].tolist() == expected


def test_the_error_in_closed_form():
    """The variance of a rare category is (E + 1)²/(E - 1)², near the best only at small epsilon."""
    for epsilon in (0.1, 1.0, 4.0):
        e = math.exp(epsilon)
        variance = HadamardResponse(epsilon, 100).variance(1, 0.0)
        assert variance == pytest.approx((e + 1) ** 2 / (e - 1) ** 2, 1e-9)

    best = [SubsetSelection(epsilon, 1024).error(1) for epsilon in (0.1, 4.0)]
    here = [HadamardResponse(epsilon, 1024).error(1) for epsilon in (0.1, 4.0)]
    assert here[0] / best[0] < 1.01
    assert here[1] / best[1] > 10
