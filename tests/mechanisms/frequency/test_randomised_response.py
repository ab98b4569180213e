"""Every frequency oracle is unbiased with its exact error; randomised response lies as it must."""

import importlib
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

import audit
import quick_keys
from tacit.accounting import events
from tacit.mechanisms.frequency.hadamard_response import HadamardResponse
from tacit.mechanisms.frequency.local_hashing import LocalHashing
from tacit.mechanisms.frequency.projective_geometry import ProjectiveGeometry
from tacit.mechanisms.frequency.randomised_response import (
    MOST_CATEGORIES,
    FrequencyOracle,
    RandomisedResponse,
    outside_words,
    respond,
)
from tacit.mechanisms.frequency.rappor import SymmetricUnary
from tacit.mechanisms.frequency.subset_selection import AllSubsets, SubsetSelection
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding
from tacit.noise import words

ORACLES = [
    RandomisedResponse,
    AllSubsets,
    SubsetSelection,
    LocalHashing,
    ProjectiveGeometry,
    HadamardResponse,
    UnaryEncoding,
    SymmetricUnary,
]
# One shape for every test, so that each program is compiled once.
COUNT = 120_000
every_oracle = pytest.mark.parametrize("oracle", ORACLES)


def exponential(epsilon):
    """e^epsilon to fifty digits."""
    return Fraction(Decimal(epsilon).exp())


def residue_counts(modulus):
    """How many 64-bit words have each residue."""
    least, extra = divmod(words.SIZE, modulus)
    return [least + (j < extra) for j in range(modulus)]


def law(categories, lies, truth):
    """How many of the 2^128 pairs of words give each report, by enumeration."""
    lie = iter(residue_counts(categories - 1))
    return [
        (words.SIZE - lies) * words.SIZE if report == truth else lies * next(lie)
        for report in range(categories)
    ]


def counted(oracle, reports):
    """How many reports support each category, recovered from the estimates."""
    own, other = float(oracle.support.own), float(oracle.support.other)
    return (oracle.estimate(reports) * (own - other) + other) * len(reports)


def least_p_value(oracle, reports, truth):
    """The least exact binomial p-value of the counts, if all people hold the category `truth`."""
    counts = np.rint(counted(oracle, reports)).astype(int)
    chances = [
        oracle.support.own if j == truth else oracle.support.other for j in range(len(counts))
    ]
    return min(
        binomtest(int(c), len(reports), float(p)).pvalue
        for c, p in zip(counts, chances, strict=True)
    )


@every_oracle
@pytest.mark.parametrize("epsilon, categories", [(1.0, 5)])
def test_counts_are_binomial_with_the_stated_probabilities(oracle, epsilon, categories):
    """With everybody in one category each count passes an exact test; one category off fails."""
    mechanism: FrequencyOracle = oracle(epsilon, categories)
    truth = categories // 2
    reports = mechanism.sample(quick_keys.key(1), jnp.full(COUNT, truth, jnp.int32))

    assert least_p_value(mechanism, reports, truth) > 1e-6
    assert least_p_value(mechanism, reports, truth - 1) < 1e-12


@every_oracle
@pytest.mark.parametrize("epsilon, categories", [(1.0, 5), (3.0, 7)])
def test_estimates_are_unbiased_with_the_stated_errors(oracle, epsilon, categories):
    """Over 400 repetitions means and squared errors lie within 4.5 standard errors."""
    mechanism: FrequencyOracle = oracle(epsilon, categories)
    people, repetitions = 300, COUNT // 300
    values = np.minimum(np.arange(people) // 23, categories - 1)
    truth = np.bincount(values, minlength=categories) / people
    reports = mechanism.sample(quick_keys.key(2), jnp.tile(values, repetitions))
    batches = np.split(np.asarray(reports), repetitions)
    errors = np.stack([mechanism.estimate(batch) for batch in batches]) - truth
    variances = np.array([mechanism.variance(people, f) for f in truth])
    squared = (errors**2).sum(1)

    assert np.abs(errors.mean(0) / np.sqrt(variances / repetitions)).max() < 4.5
    assert abs(squared.mean() - mechanism.error(people)) < 4.5 * squared.std() / repetitions**0.5
    assert mechanism.error(people) == pytest.approx(variances.sum())


@every_oracle
@pytest.mark.parametrize("epsilon, categories", [(1.0, 5), (0.7, 17)])
def test_supporters_are_those_of_the_people_present(oracle, epsilon, categories):
    """Inside a compiled program too: the counts of the reports that are left, in whole numbers."""
    mechanism: FrequencyOracle = oracle(epsilon, categories)
    values = jnp.arange(400, dtype=jnp.int32) % categories
    present = np.random.default_rng(3).random(400) < 0.6
    program = jax.jit(lambda key, mask: mechanism.supporters(mechanism.sample(key, values), mask))
    reports = np.asarray(mechanism.sample(quick_keys.key(4), values))
    found = program(quick_keys.key(4), jnp.asarray(present))

    assert found.dtype == jnp.int32
    assert found.tolist() == pytest.approx(counted(mechanism, reports[present]), abs=1e-6)
    assert found.tolist() == mechanism.supporters(reports, jnp.asarray(present)).tolist()
    assert not mechanism.supporters(reports, jnp.zeros(400, bool)).any()


@every_oracle
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 5.0, 30.0])
def test_the_blanket_is_one_of_a_private_report(oracle, epsilon):
    """It lies between what any two categories share at least and one, as shuffling asks."""
    blanket = oracle(epsilon, 6).blanket

    assert blanket * math.exp(epsilon) >= 1
    assert events.blanket(epsilon, blanket, 100).blanket == blanket


@every_oracle
def test_values_that_are_no_category_are_category_zero(oracle):
    """Bit for bit, so they have the guarantee too."""
    mechanism: FrequencyOracle = oracle(1.0, 5)
    outside = jnp.tile(jnp.array([-1, 5, 2**31 - 1, -(2**31)], jnp.int32), COUNT // 4)
    reports = [mechanism.sample(quick_keys.key(5), v) for v in (outside, jnp.zeros_like(outside))]

    assert reports[0].tolist() == reports[1].tolist()


@pytest.mark.parametrize(
    "oracle, program",
    [
        (RandomisedResponse, "randomised_response.respond"),
        (AllSubsets, "subset_selection.choose_listed"),
        (SubsetSelection, "subset_selection.choose"),
        (HadamardResponse, "hadamard_response.answer"),
        (UnaryEncoding, "unary_encoding.encode"),
        (LocalHashing, "local_hashing.respond_hashed"),
        (ProjectiveGeometry, "projective_geometry.point"),
        (SymmetricUnary, "rappor.flipped"),
    ],
)
def test_compiled_and_plain_agree(oracle, program, monkeypatch):
    """The reports are the same without compilation, and can be part of another program."""
    mechanism: FrequencyOracle = oracle(1.0, 5)
    key, values = quick_keys.key(5), jnp.arange(COUNT) % 5
    compiled = mechanism.sample(key, values).tolist()
    inside = jax.eval_shape(mechanism.sample, key, values)
    module, name = program.split(".")
    owner = importlib.import_module(f"tacit.mechanisms.frequency.{module}")
    monkeypatch.setattr(owner, name, getattr(owner, name).__wrapped__)

    assert compiled == mechanism.sample(key, values).tolist()
    assert inside.shape[0] == COUNT


@every_oracle
def test_nobody(oracle):
    """No people give no reports, and no estimate."""
    mechanism: FrequencyOracle = oracle(1.0, 5)
    reports = mechanism.sample(quick_keys.key(0), jnp.zeros(0, jnp.int32))

    assert 0 == len(reports)
    for call in (
        lambda: mechanism.estimate(reports),
        lambda: mechanism.error(0),
        lambda: mechanism.variance(0, 0.5),
    ):
        with pytest.raises(ValueError, match="people must be at least 1"):
            call()


@every_oracle
@pytest.mark.parametrize("categories", [5])
def test_a_huge_epsilon_still_works(oracle, categories):
    """Nothing overflows, and the error stays that of the formula."""
    mechanism: FrequencyOracle = oracle(5000.0, categories)
    reports = mechanism.sample(quick_keys.key(0), jnp.ones(2000, jnp.int32))

    assert (
        abs(mechanism.estimate(reports)[1] - 1) <= 5 * mechanism.variance(2000, 1.0) ** 0.5 + 1e-9
    )


@every_oracle
@pytest.mark.parametrize(
    "epsilon, categories, sentence",
    [
        (math.nan, 5, "epsilon must be at least 1e-6"),
        (0.0, 5, "epsilon must be at least 1e-6"),
        (math.inf, 5, "epsilon must be at least 1e-6"),
        (1.0, 1, "categories must be between 2 and"),
        (1.0, MOST_CATEGORIES + 1, "categories must be between 2 and"),
    ],
)
def test_refuses_what_is_not_allowed(oracle, epsilon, categories, sentence):
    """Each refused parameter is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        oracle(epsilon, categories)


@every_oracle
def test_refuses_values_that_are_not_integers(oracle):
    """A fraction is no category."""
    with pytest.raises(TypeError, match="values must be integers"):
        oracle(1.0, 5).sample(quick_keys.key(0), jnp.ones(3))


@pytest.mark.parametrize("frequency", [-0.1, 1.1, math.nan])
def test_refuses_a_frequency_that_is_none(frequency):
    """Frequencies lie between 0 and 1."""
    with pytest.raises(ValueError, match="frequency must be between 0 and 1"):
        RandomisedResponse(1.0, 5).variance(10, frequency)


@pytest.mark.parametrize(
    "oracle", [RandomisedResponse, SubsetSelection, ProjectiveGeometry, HadamardResponse]
)
def test_refuses_reports_that_nobody_can_send(oracle):
    """A report outside the range is an error and not a count somewhere else."""
    with pytest.raises(ValueError, match="reports must be at least 0 and below"):
        oracle(1.0, 5).estimate(np.array([0, 4000], np.uint32))


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 10.0, 40.0, 44.3, 100.0, 5000.0])
@pytest.mark.parametrize(
    "inside, outside", [(1, 1), (1, 2), (277, 754), (1, 65535), (30000, 35521)]
)
def test_the_outside_probability_is_the_least_allowed(epsilon, inside, outside):
    """In integers: the likelihood ratio is at most e^epsilon, and is not with a little less."""

    def ratio(count):
        most = (words.SIZE - count) * max(residue_counts(inside))
        return Fraction(most, max(count, 1) * min(residue_counts(outside)))

    count = outside_words(epsilon, inside, outside)
    fewer = min(count - 1, int(count * (1 - 2.0**-49)))

    assert ratio(count) <= exponential(epsilon)
    assert epsilon > 700 or fewer == 0 or ratio(fewer) > exponential(epsilon) * (1 - 2.0**-40)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 3, 10])
def test_the_likelihood_ratios_in_integers(epsilon, categories):
    """No report of any category is more than e^epsilon times as likely as under another one."""
    lies = RandomisedResponse(epsilon, categories).lies
    laws = [law(categories, lies, truth) for truth in range(categories)]
    worst = max(max(col) * Fraction(1, min(col)) for col in zip(*laws, strict=True))

    assert all(sum(one) == words.SIZE**2 for one in laws)
    assert worst <= exponential(epsilon)
    assert 1 == lies or float(worst - 1) == pytest.approx(math.expm1(epsilon), 1e-6)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 3, 10])
def test_the_blanket_in_integers(epsilon, categories):
    """It is the sum of the least likelihoods, rounded down; that of one category more is not."""
    mechanism = RandomisedResponse(epsilon, categories)
    laws = [law(categories, mechanism.lies, truth) for truth in range(categories)]
    shared = Fraction(sum(min(col) for col in zip(*laws, strict=True)), words.SIZE**2)
    more = RandomisedResponse(epsilon, categories + 1).blanket

    assert shared * (1 - Fraction(1, 2**48)) <= Fraction(mechanism.blanket) <= shared
    assert more > shared or mechanism.lies == 1


def p_value(categories, lies, truth, sampled_lies):
    """Of a chi-square test that reports drawn with `sampled_lies` follow the law of `lies`."""
    reports = respond(
        quick_keys.key(7), jnp.full(COUNT, truth, jnp.int32), categories, words.word(sampled_lies)
    )
    expected = np.array([float(Fraction(c, words.SIZE**2)) for c in law(categories, lies, truth)])
    seen = Counter(np.asarray(reports).tolist())
    return chisquare([seen[j] for j in range(categories)], COUNT * expected).pvalue


@pytest.mark.parametrize("epsilon, categories", [(0.5, 2), (1.0, 7)])
def test_reports_follow_the_enumerated_law(epsilon, categories):
    """A chi-square test accepts the sampler, and refuses it with two thirds of the lies."""
    lies = RandomisedResponse(epsilon, categories).lies

    for truth in range(categories):
        assert p_value(categories, lies, truth, lies) > 1e-6
        assert p_value(categories, lies, truth, lies * 2 // 3) < 1e-12


@pytest.mark.parametrize("share, refuted", [(Fraction(1), False), (Fraction(2, 3), True)])
def test_the_audit(share, refuted):
    """Counting one report on two inputs shows nearly epsilon, and more with too few lies."""
    lies = words.word(int(RandomisedResponse(1.0, 4).lies * share))
    named = [
        int((respond(quick_keys.key(9 + x), jnp.full(COUNT, x, jnp.int32), 4, lies) == 0).sum())
        for x in (0, 1)
    ]
    proved = audit.epsilon_lower_bound((named[0], COUNT), (named[1], COUNT))

    assert (proved > 1.0) == refuted
    assert proved > 0.8


def test_the_error_in_closed_form():
    """For k categories the variance is that of the literature, (k - 2 + E)/(E - 1)² at zero."""
    for epsilon, k in [(0.5, 2), (1.0, 10), (3.0, 100)]:
        e = math.exp(epsilon)
        variance = (k - 2 + e) / (e - 1) ** 2
        assert RandomisedResponse(epsilon, k).variance(7, 0.0) == pytest.approx(variance / 7, 1e-9)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16])
def test_narrow_integers_hold_their_category(dtype):
    """300 categories do not fit a byte; category 77 does, and is reported."""
    reports = RandomisedResponse(12.0, 300).sample(quick_keys.key(0), np.full(500, 77, dtype))

    assert 490 <= np.sum(np.asarray(reports) == 77)
