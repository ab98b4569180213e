"""Limits cover with the stated confidence, exactly, where normal approximations do not."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

from tacit.statistics.frequencies import Frequencies

PARAMETERS = [(0.5, 0.269), (0.73, 0.27), (1.0, 0.0), (0.99, 0.0001), (0.6, 0.5), (0.3, 0.02)]


def law(people, held, own, other):
    """The exact law of the number of supporting reports: two binomials."""
    mine = binom.pmf(np.arange(held + 1), held, own)
    return np.convolve(mine, binom.pmf(np.arange(people - held + 1), people - held, other))


def estimates(people, own, other):
    """The estimate for each number of supporting reports."""
    return (np.arange(people + 1) / people - other) / (own - other)


def coverage(lower, upper, people, own, other):
    """How probably limits for each count contain the frequency, for every frequency."""
    fractions = np.arange(people + 1) / people
    return np.array(
        [
            law(people, held, own, other) @ ((lower <= f) & (f <= upper))
            for held, f in enumerate(fractions)
        ]
    )


@pytest.mark.parametrize("own, other", PARAMETERS)
@pytest.mark.parametrize("people", [1, 2, 7, 60])
@pytest.mark.parametrize("confidence", [0.3, 0.95, 0.999])
def test_coverage_is_certified(own, other, people, confidence):
    """By enumeration, every frequency is within the limits at least as often as stated."""
    found = Frequencies(estimates(people, own, other), people, own, other, confidence)
    covered = coverage(found.each.lower, found.each.upper, people, own, other)

    assert covered.min() >= confidence - 1e-9


def test_the_normal_approximation_does_not_cover():
    """The same enumeration catches limits from the exact variance, and ours are not much wider."""
    people, own, other = 60, 0.3, 0.02
    found = estimates(people, own, other)
    spread = norm.ppf(0.975) * math.sqrt(other * (1 - other) / people) / (own - other)

    assert coverage(found - spread, found + spread, people, own, other).min() < 0.5

    people, own, other = 10**6, 0.5, 0.269
    spread = norm.ppf(0.975) * math.sqrt(other * (1 - other) / people) / (own - other)
    limits = Frequencies(np.array([0.001]), people, own, other).each
    assert (limits.upper - np.array([0.001]))[0] == pytest.approx(spread, 0.02)


@pytest.mark.parametrize("count", [1, 5, 17, 39])
def test_the_limits_are_those_of_the_exact_binomial(count):
    """In rational numbers, the lower limit is where so many reports become improbable enough."""
    found = Frequencies(np.array([count / 40]), 40, 1.0, 0.0, 0.9).each
    lower = min(Fraction(float(found.lower[0])) + Fraction(1, 2**39), Fraction(count - 1, 40))

    def tail(chance):
        return sum(
            math.comb(40, j) * chance**j * (1 - chance) ** (40 - j) for j in range(count, 41)
        )

    assert float(tail(lower)) == pytest.approx(0.05, 1e-6) or lower == Fraction(count - 1, 40)
    assert float(tail(lower)) <= 0.05 + 1e-6 or lower == Fraction(count - 1, 40)


def test_all_limits_at_once():
    """They are those of a k-th of the doubt, and hold together in repeated simulations."""
    people, own, other, k = 5000, 0.5, 0.27, 50
    numbers = np.random.default_rng(0)
    truth = numbers.multinomial(people, np.full(k, 1 / k))
    misses, strict = 0, 0
    for _ in range(100):
        counts = numbers.binomial(truth, own) + numbers.binomial(people - truth, other)
        found = Frequencies((counts / people - other) / (own - other), people, own, other, 0.9)
        inside = (found.together.lower <= truth / people) & (truth / people <= found.together.upper)
        each = (found.each.lower <= truth / people) & (truth / people <= found.each.upper)
        misses, strict = misses + (not inside.all()), strict + (not each.all())
    alone = Frequencies(found.estimates, people, own, other, 1 - 0.1 / k).each

    assert alone.lower == pytest.approx(found.together.lower, abs=1e-9)
    # At most 0.1 each: 28 or more of 100 has probability below 1e-6. Single limits fail together.
    assert misses < 28
    assert strict > 75


def test_consistent_frequencies():
    """The projection adds up to one, has nothing negative, and is certified."""
    found = Frequencies(np.array([700, 310, 100]) / 1000 * 2 - 0.5, 1000, 0.75, 0.25).consistent()

    assert found.point.min() == 0
    assert found.point.sum() == pytest.approx(1)
    assert found.distance < 1e-14


def test_float32_estimates_are_covered():
    """Limits from single precision contain those from double precision."""
    people, own, other = 10**9, 0.5, 0.269
    exact = (np.array([270_000_001, 300_000_017]) / people - other) / (own - other)
    double = Frequencies(exact, people, own, other).each
    single = Frequencies(exact.astype(np.float32), people, own, other).each

    assert (single.lower <= double.lower).all() and (double.upper <= single.upper).all()
    assert single.upper - single.lower == pytest.approx(double.upper - double.lower, 0.2)


@pytest.mark.parametrize(
    "found, people, own, other, confidence, sentence",
    [
        ([0.5], 0, 0.5, 0.1, 0.9, "people must be at least 1"),
        ([0.5], 10, 0.1, 0.5, 0.9, "other must be at least 0 and below own"),
        ([0.5], 10, math.nan, 0.5, 0.9, "other must be at least 0 and below own"),
        ([0.5], 10, 1.0, 0.0, 1.0, "confidence must be between 0 and 1"),
        ([0.55], 10, 1.0, 0.0, 0.9, "whole numbers of reports"),
        ([1.1], 10, 1.0, 0.0, 0.9, "whole numbers of reports"),
        ([-0.1], 10, 1.0, 0.0, 0.9, "whole numbers of reports"),
        ([math.nan], 10, 1.0, 0.0, 0.9, "whole numbers of reports"),
        ([], 10, 1.0, 0.0, 0.9, "whole numbers of reports"),
    ],
)
def test_refuses_what_no_reports_give(found, people, own, other, confidence, sentence):
    """Parameters outside their range, and estimates of no reports, are refused."""
    with pytest.raises(ValueError, match=sentence):
        Frequencies(np.array(found, np.float64), people, own, other, confidence)


def test_no_count_has_a_limit_that_is_far_off():
    """For every number of supporters: SciPy's inverse beta is .25 for 999 of 10,100, not .105."""
    people = 10_100
    found = Frequencies(estimates(people, 1.0, 0.0), people, 1.0, 0.0).each
    share = np.arange(people + 1) / people
    most = 3 * np.sqrt((share + 1 / people) * (1 - share + 1 / people) / people) + 6 / people

    assert np.all(share - found.lower <= most) and np.all(found.upper - share <= most)
    counts = np.arange(people)
    assert binom.cdf(counts, people, found.upper[:-1]).max() <= 0.025 + 1e-9
