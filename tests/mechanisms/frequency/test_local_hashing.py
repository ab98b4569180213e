"""Hashing is private whatever the hash is, and unevenness of buckets is in the exact numbers."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.frequency.local_hashing import LocalHashing, respond_hashed
from tacit.mechanisms.frequency.subset_selection import LARGEST_PRIME, SubsetSelection
from tacit.noise import words


def residue_counts(modulus):
    """How many 64-bit words have each residue."""
    least, extra = divmod(words.SIZE, modulus)
    return [least + (j < extra) for j in range(modulus)]


def bucket(mechanism, a, b, category):
    """The bucket of a category, by the definition."""
    p, g = mechanism.prime, mechanism.buckets
    return g * ((a * category + b) % p) // p


def law(mechanism, truth):
    """How many of the 2^256 quadruples of words give each hash and bucket, by enumeration."""
    p, g, lies = mechanism.prime, mechanism.buckets, mechanism.lies
    counts = []
    for (a, slopes), (b, shifts) in itertools.product(
        enumerate(residue_counts(p - 1), 1), enumerate(residue_counts(p))
    ):
        own, lie = bucket(mechanism, a, b, truth), iter(residue_counts(g - 1))
        branch = [
            (words.SIZE - lies) * words.SIZE if j == own else lies * next(lie) for j in range(g)
        ]
        counts += [slopes * shifts * ways for ways in branch]
    return counts


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 1.7, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 3, 6])
def test_likelihood_ratios_and_blanket_in_integers(epsilon, categories):
    """No report is more than e^epsilon times as likely for another category; the least add up."""
    mechanism = LocalHashing(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    columns = list(zip(*laws, strict=True))
    worst = max(Fraction(max(col), min(col)) for col in columns)
    shared = Fraction(sum(map(min, columns)), words.SIZE**4)

    assert all(sum(one) == words.SIZE**4 for one in laws)
    assert worst <= Fraction(Decimal(epsilon).exp())
    assert 1 == mechanism.lies or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-6)
    assert shared * (1 - Fraction(1, 2**45)) <= Fraction(mechanism.blanket) <= shared


@pytest.mark.parametrize("epsilon, categories", [(0.5, 5), (1.0, 10), (1.7, 7), (9.0, 6)])
def test_the_two_probabilities_are_those_of_the_law(epsilon, categories):
    """Summing the law over the reports that support a category gives `own` and `other`."""
    mechanism = LocalHashing(epsilon, categories)
    p, g = mechanism.prime, mechanism.buckets
    likely = np.array([float(Fraction(c, words.SIZE**4)) for c in law(mechanism, 1)])
    hashes = itertools.product(range(1, p), range(p))
    supported = np.array(
        [
            [bucket(mechanism, a, b, x) == j for x in range(categories)]
            for a, b in hashes
            for j in range(g)
        ]
    )
    expected = np.full(categories, float(mechanism.support.other))
    expected[1] = mechanism.support.own

    assert likely @ supported == pytest.approx(expected, 1e-12)


def p_value(mechanism, lies, buckets, truth=2, count=120_000):
    """Of a chi-square test that what is sampled follows the law of the mechanism."""
    p, g = mechanism.prime, mechanism.buckets
    values = jnp.full(count, truth, jnp.int32)
    reports = np.asarray(
        respond_hashed(
            quick_keys.key(7), values, mechanism.categories, p, buckets, words.word(lies)
        )
    ).astype(int)
    expected = np.array([float(Fraction(c, words.SIZE**4)) for c in law(mechanism, truth)])
    seen = np.bincount(np.minimum(reports @ [g, 1], len(expected) - 1), minlength=len(expected))
    return chisquare(seen, count * expected).pvalue


@pytest.mark.parametrize("epsilon, categories", [(0.5, 5), (1.0, 10)])
def test_reports_follow_the_enumerated_law(epsilon, categories):
    """A chi-square test accepts the sampler; two thirds of the lies or a bucket less fail it."""
    mechanism = LocalHashing(epsilon, categories)

    assert p_value(mechanism, mechanism.lies, mechanism.buckets) > 1e-6
    assert p_value(mechanism, mechanism.lies * 2 // 3, mechanism.buckets) < 1e-12
    assert p_value(mechanism, mechanism.lies, mechanism.buckets - 1) < 1e-12


@pytest.mark.parametrize("epsilon, categories", [(0.2, 2), (1.0, 10), (2.0, 97), (8.0, 200)])
@pytest.mark.parametrize("chunk", [64, 2**16])
def test_counts_are_those_of_the_definition(epsilon, categories, chunk, monkeypatch):
    """However many reports the server takes at once."""
    monkeypatch.setattr("tacit.mechanisms.frequency.local_hashing._CHUNK", chunk)
    mechanism = LocalHashing(epsilon, categories)
    p, g = mechanism.prime, mechanism.buckets
    numbers = np.random.default_rng(0)
    reports = np.stack([numbers.integers(0, p * (p - 1), 150), numbers.integers(0, g, 150)], 1)
    reports[:2] = [0, 0], [p * (p - 1) - 1, g - 1]
    expected = [
        sum(bucket(mechanism, int(s) // p + 1, int(s) % p, x) == j for s, j in reports)
        for x in range(categories)
    ]

    assert mechanism.counts(reports.astype(np.uint32)).tolist() == expected


@pytest.mark.parametrize("epsilon", [1e-3, 0.35, 0.6, 1.0, 2.0, 5.0, 30.0])
@pytest.mark.parametrize("categories", [2, 5, 31, 101])
def test_the_number_of_buckets_is_the_best(epsilon, categories):
    """No other number has less error."""
    mechanism = LocalHashing(epsilon, categories)
    errors = [mechanism._with(g).error(1, categories) for g in range(2, mechanism.prime + 1)]

    assert mechanism.error(1) == min(errors)


def test_the_error_is_that_of_the_literature():
    """For g = E + 1 the variance of a rare category is 4E/(E - 1)²; hashing costs 3% at most."""
    for buckets in (4, 8, 20):
        e = buckets - 1
        variance = LocalHashing(math.log(e), 65_000).variance(1, 0.0)
        assert variance == pytest.approx(4 * e / (e - 1) ** 2, 1e-3)

    for epsilon in (0.01, 0.3, 0.35, 0.9, 1.0, 3.0):
        best, ours = (oracle(epsilon, 1024).error(1) for oracle in (SubsetSelection, LocalHashing))
        assert best <= ours < 1.03 * best


def test_the_largest_prime():
    """Nothing overflows at the largest numbers of categories and of buckets."""
    mechanism = LocalHashing(9.0, LARGEST_PRIME)
    values = jnp.full(20_000, LARGEST_PRIME - 1, jnp.int32)
    reports = np.asarray(mechanism.sample(quick_keys.key(0), values)).astype(np.int64)
    a, b = np.divmod(reports[:, 0], LARGEST_PRIME)
    places = ((a + 1) * (LARGEST_PRIME - 1) + b) % LARGEST_PRIME
    held = mechanism.buckets * places // LARGEST_PRIME == reports[:, 1]
    own = float(mechanism.support.own)

    assert mechanism.buckets > 8000
    assert abs(held.mean() - own) < 5 * math.sqrt(own * (1 - own) / 20_000)


@pytest.mark.parametrize("report", [[[20, 0]], [[0, 5]], [0, 1], [[0, 0, 0]]])
def test_refuses_reports_that_nobody_can_send(report):
    """A hash or a bucket outside the range, or not two numbers, is an error."""
    with pytest.raises(ValueError, match="reports must be two numbers"):
        LocalHashing(1.0, 5).estimate(np.array(report, np.uint32))
