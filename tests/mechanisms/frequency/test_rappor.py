"""Bits flipped alike are private one report at a time and, if kept, over a lifetime."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.frequency.rappor import Rappor, SymmetricUnary, flipped
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding
from tacit.noise import words


def exponential(epsilon):
    """e^epsilon to fifty digits."""
    return Fraction(Decimal(epsilon).exp())


def flips(bits, others, chance):
    """The probability that flips of this chance turn one vector of bits into another."""
    changed = sum(a != b for a, b in zip(bits, others, strict=True))
    return chance**changed * (1 - chance) ** (len(bits) - changed)


def law(flip, categories, truth):
    """The exact probability of each vector of bits."""
    unit = [int(j == truth) for j in range(categories)]
    return [flips(unit, bits, flip) for bits in itertools.product((0, 1), repeat=categories)]


def worst_ratio(laws):
    """The largest likelihood ratio of any outcome."""
    return max(max(col) / min(col) for col in zip(*laws, strict=True))


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0, 5000.0])
@pytest.mark.parametrize("categories", [2, 3, 5])
def test_ratios_and_blanket_are_exact(epsilon, categories):
    """Enumerating all vectors, no ratio exceeds e^epsilon, and the least likelihoods add up."""
    mechanism = SymmetricUnary(epsilon, categories)
    laws = [law(mechanism.flip, categories, truth) for truth in range(categories)]
    shared = sum(min(col) for col in zip(*laws, strict=True))

    assert worst_ratio(laws) <= exponential(min(epsilon, 1000))
    assert epsilon > 60 or float(worst_ratio(laws) - 1) == pytest.approx(math.expm1(epsilon), 1e-3)
    assert mechanism.blanket <= shared < math.nextafter(mechanism.blanket, 2)


def p_value(mechanism, truth, share=Fraction(1), count=120_000):
    """Of a chi-square test of all vectors of bits against the enumerated law."""
    k = mechanism.categories
    unit = jnp.full((count, 1), 1 << truth, jnp.uint32)
    chance = words.word(int(mechanism.flip * share * words.SIZE))
    reports = flipped(quick_keys.key(4), unit, k, chance, jnp.int32(64))
    seen = (np.asarray(reports) >> np.arange(k) & 1) @ (2 ** np.arange(k)[::-1])
    expected = np.array([float(p) for p in law(mechanism.flip, k, truth)])
    return chisquare(np.bincount(seen, minlength=2**k), count * expected).pvalue


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
def test_reports_follow_the_enumerated_law(epsilon):
    """Vectors of five bits pass a chi-square test, and fail it with two thirds of the flips."""
    for truth in (0, 4):
        assert p_value(SymmetricUnary(epsilon, 5), truth) > 1e-6
        assert p_value(SymmetricUnary(epsilon, 5), truth, Fraction(2, 3)) < 1e-12


def test_the_error_in_closed_form():
    """The variance is that of the literature, more than that of optimised unary encoding."""
    for epsilon in (0.5, 1.0, 3.0):
        root, mechanism = math.exp(epsilon / 2), SymmetricUnary(epsilon, 100)
        assert mechanism.variance(1, 0.0) == pytest.approx(root / (root - 1) ** 2, 1e-3)
        assert mechanism.error(1) > UnaryEncoding(epsilon, 100).error(1)


def two_reports(mechanism, truth, again):
    """The exact joint law of two reports of one person, from one permanent response."""
    vectors = list(itertools.product((0, 1), repeat=mechanism.categories))
    kept = law(mechanism.kept.flip, mechanism.categories, truth)
    return [
        sum(
            p * flips(v, one, again) * flips(v, two, again)
            for p, v in zip(kept, vectors, strict=True)
        )
        for one in vectors
        for two in vectors
    ]


@pytest.mark.parametrize("epsilon, lifetime", [(0.5, 1.0), (1.0, 1.2), (0.2, 4.0)])
@pytest.mark.parametrize("categories", [2, 3])
def test_both_promises_hold_exactly(epsilon, lifetime, categories):
    """One report stays below e^epsilon and two below e^lifetime; without the memory, not."""
    mechanism = Rappor(epsilon, categories, lifetime)
    truths = range(categories)
    single = worst_ratio([law(mechanism.flip, categories, x) for x in truths])
    double = worst_ratio([two_reports(mechanism, x, mechanism.again) for x in truths])

    assert single <= exponential(epsilon)
    assert float(single) == pytest.approx(math.exp(epsilon), 1e-3)
    assert single < double <= exponential(lifetime)
    assert single**2 > exponential(lifetime) or epsilon * 2 <= lifetime


def test_many_reports_approach_the_permanent_response():
    """The mean of a person's reports shows the kept bits, and those hide the category."""
    mechanism, values = Rappor(1.0, 8, 2.0), jnp.arange(500) % 8
    permanent = mechanism.permanent(quick_keys.key(0), values)
    reports = [mechanism.report(quick_keys.key(1 + i), permanent) for i in range(200)]
    bits = np.mean([(np.asarray(r) >> np.arange(8)) & 1 for r in reports], axis=0)
    kept = (np.asarray(permanent) >> np.arange(8)) & 1
    again = float(mechanism.again)

    deviation = np.abs(bits - np.where(kept, 1 - again, again))
    assert deviation.max() < 6 * math.sqrt(again * (1 - again) / 200)
    assert 0.1 < (kept[np.arange(500), np.asarray(values)] == 0).mean() < 0.45


@pytest.mark.parametrize("epsilon, lifetime", [(1.0, 1.0), (0.7, 2.0)])
def test_estimates_of_one_round(epsilon, lifetime):
    """One round has the stated error, whatever was kept, and is right on average."""
    mechanism = Rappor(epsilon, 6, lifetime)
    values = jnp.asarray(np.arange(120_000) % 300 // 60, jnp.int32)
    reports = mechanism.sample(quick_keys.key(5), values)
    truth = np.array([0.2] * 5 + [0.0])
    errors = np.stack([mechanism.estimate(r) for r in np.split(np.asarray(reports), 400)]) - truth
    deviations = np.sqrt([mechanism.variance(300, f) / 400 for f in truth])
    squared = (errors**2).sum(1)

    assert np.abs(errors.mean(0) / deviations).max() < 4.5
    assert abs(squared.mean() - mechanism.error(300)) < 4.5 * squared.std() / 20
    seen = mechanism.supporters(reports, values != 3)
    bits = np.asarray(reports)[np.asarray(values) != 3, 0]
    assert seen.tolist() == [int((bits >> j & 1).sum()) for j in range(6)]
    assert mechanism.error(300) > 0.99 * SymmetricUnary(epsilon, 6).error(300)


def test_no_lifetime_to_spare():
    """With both budgets equal nothing is flipped again."""
    mechanism = Rappor(1.0, 40, 1.0)
    permanent = mechanism.permanent(quick_keys.key(0), jnp.arange(40))

    assert mechanism.again == 0
    assert mechanism.flip == SymmetricUnary(1.0, 40).flip
    assert mechanism.report(quick_keys.key(1), permanent).tolist() == permanent.tolist()
    assert mechanism.blanket == SymmetricUnary(1.0, 40).blanket


@pytest.mark.parametrize("lifetime", [0.9, math.nan, math.inf])
def test_refuses_lifetimes(lifetime):
    """A lifetime below one report's budget, or without end, is refused."""
    with pytest.raises(ValueError, match="lifetime must be at least epsilon"):
        Rappor(1.0, 4, lifetime)
