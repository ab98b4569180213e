"""Unary encoding's bits are independent, with exactly the probabilities that privacy asks."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

import audit
import quick_keys
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding, encode
from tacit.noise import words


def law(mechanism, truth):
    """The exact probability of each vector of bits."""
    own, other = mechanism.support.own, mechanism.support.other
    ones = [own if j == truth else other for j in range(mechanism.categories)]
    return [
        math.prod(one if bit else 1 - one for bit, one in zip(bits, ones, strict=True))
        for bits in itertools.product((0, 1), repeat=mechanism.categories)
    ]


def bits(reports, categories):
    """The bits of the reports, one column a category."""
    places = np.arange(categories)
    return (np.asarray(reports)[:, places // 32] >> (places % 32)) & 1


def encoded(mechanism, truth, count, share=Fraction(1)):
    """Reports whose rare bits have this share of their probability."""
    ones = int((mechanism.ones << (64 - mechanism.digits)) * share)
    values = jnp.full(count, truth, jnp.int32)
    return encode(quick_keys.key(4), values, mechanism.categories, words.word(ones), jnp.int32(64))


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.3, 1.0, 8.0, 30.0, 44.0, 60.0, 700.0, 5000.0])
def test_the_likelihood_ratios_are_exact(epsilon):
    """Enumerating all vectors of three bits, no ratio exceeds e^epsilon, and one is close to it."""
    mechanism = UnaryEncoding(epsilon, 3)
    laws = [law(mechanism, truth) for truth in range(3)]
    worst = max(Fraction(max(col), min(col)) for col in zip(*laws, strict=True))

    assert [1, 1, 1] == [sum(one) for one in laws]
    assert worst <= Fraction(Decimal(min(epsilon, 1000)).exp())
    assert epsilon > 35 or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-3)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0])
@pytest.mark.parametrize("categories", [2, 3, 4, 7])
def test_the_blanket_is_exact(epsilon, categories):
    """It is the sum over all reports of the least likelihood, to the last bit of a float."""
    mechanism = UnaryEncoding(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    shared = sum(min(col) for col in zip(*laws, strict=True))

    assert mechanism.blanket <= shared < math.nextafter(mechanism.blanket, 2)


@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 5.0, 20.0])
def test_rounding_costs_nothing(epsilon):
    """The error is within a thousandth of the formula's, 4E/(E - 1)² for a rare category."""
    e = math.exp(epsilon)

    variance = UnaryEncoding(epsilon, 9).variance(1, 0.0)
    assert variance == pytest.approx(4 * e / math.expm1(epsilon) ** 2, 1e-3)


def p_value(mechanism, truth, count=120_000, share=Fraction(1)):
    """Of a chi-square test of all vectors of bits against the enumerated law."""
    k = mechanism.categories
    seen = bits(encoded(mechanism, truth, count, share), k) @ (2 ** np.arange(k)[::-1])
    expected = np.array([float(p) for p in law(mechanism, truth)])
    return chisquare(np.bincount(seen, minlength=2**k), count * expected).pvalue


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
def test_reports_follow_the_enumerated_law(epsilon):
    """Vectors of five bits pass a chi-square test, and fail it with two thirds of the noise."""
    for truth in range(5):
        assert p_value(UnaryEncoding(epsilon, 5), truth) > 1e-6
        assert p_value(UnaryEncoding(epsilon, 5), truth, share=Fraction(2, 3)) < 1e-12


@pytest.mark.parametrize("digits", [1, 2, 31, 33, 64])
def test_every_digit_counts(digits):
    """Probabilities 5/8 cut to any number of digits are met, low halves included."""
    numerator = (5 << 61) >> (64 - digits) << (64 - digits)
    values, ones = jnp.zeros(2000, jnp.int32), words.word(numerator)
    reports = encode(quick_keys.key(digits), values, 32, ones, jnp.int32(digits))
    seen = int(bits(reports, 32)[:, 1:].sum())

    assert binomtest(seen, 2000 * 31, numerator / words.SIZE).pvalue > 1e-6


def test_the_low_half_is_read():
    """A probability of low digits alone gives no ones, and 1/8 less 2^-64 is not 1/8 less 1/16."""
    for numerator, chance in [(2**32 - 1, 2.0**-32), (2**61 - 1, 1 / 8), (2**61, 1 / 8)]:
        values = jnp.zeros(2000, jnp.int32)
        reports = encode(quick_keys.key(0), values, 32, words.word(numerator), jnp.int32(64))
        ones = int(bits(reports, 32)[:, 1:].sum())
        assert binomtest(ones, 2000 * 31, chance).pvalue > 1e-6


@pytest.mark.parametrize("share, refuted", [(Fraction(1), False), (Fraction(2, 3), True)])
def test_the_audit(share, refuted):
    """The bits of two categories show nearly epsilon, and more with too little noise."""
    mechanism, count = UnaryEncoding(1.0, 5), 120_000
    hits = []
    for truth in (4, 3):
        report = bits(encoded(mechanism, truth, count, share), 5)
        hits.append((int((report[:, 4] & ~report[:, 3] & 1).sum()), count))
    proved = audit.epsilon_lower_bound(hits[0], hits[1])

    assert (proved > 1.0) == refuted
    assert proved > 0.9


@pytest.mark.parametrize("categories, people", [(33, 700)])
def test_counts_are_the_sums_of_the_bits(categories, people):
    """Batches and padding change nothing, and bits beyond the last category are zero."""
    mechanism = UnaryEncoding(0.5, categories)
    reports = mechanism.sample(quick_keys.key(0), jnp.arange(people) % categories)
    unpacked = bits(reports, 32 * reports.shape[1])

    assert mechanism.counts(reports).tolist() == unpacked.sum(0)[:categories].tolist()
    assert 0 == unpacked[:, categories:].sum()


def test_refuses_reports_of_another_width():
    """A report with too few words is an error."""
    with pytest.raises(ValueError, match="reports must have shape"):
        UnaryEncoding(1.0, 33).estimate(np.zeros((5, 1), np.uint32))
