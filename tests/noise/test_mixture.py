"""Each deviation of a mixture has the law of a discrete Gaussian, from a small table of its own."""

import math
from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import jax
import numpy as np
import pytest
from scipy.stats import kstest

import quick_keys
from tacit.noise import mixture
from tacit.noise.discrete import JOINT, gaussian_table
from tacit.noise.fixed import LIMB
from tacit.noise.mixture import KINDS, LEADING_ROWS, LEAST, DiscreteGaussianMixture, chain
from tacit.noise.tables import ROWS, UNITS, table

KEY = quick_keys.key(23)
NEVER = 1e-6
# Around where a digit is added, where the kind changes, and up to the largest.
SIGMAS = [0.1, 3.5, 22.5, 22.6, 40.0, 41.0, 320.1, 320.2, 639.0, 641.0, 1e4, 1e5, 1e7, 2.0**40]


def whole(limbs) -> np.ndarray:
    high, low = limbs
    return np.asarray(high, np.int64) * LIMB + np.asarray(low)


@jax.jit
def many(made: DiscreteGaussianMixture):
    """One vector of a hundred thousand numbers."""
    return made.limbs(KEY, (100_000,))


def only(sigma: float, of: list[float]) -> DiscreteGaussianMixture:
    """A mixture that always draws this one of its deviations."""
    return DiscreteGaussianMixture.of(table([int(each == sigma) for each in of], 0, 16).columns, of)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_a_chain_adds_up_and_every_joint_is_smooth(sigma):
    """In fractions: the variance is the one asked for, and step 1's conditions hold."""
    found = chain(Fraction(sigma) ** 2)
    variance = found.leading
    for kind, base in zip(found.kinds, found.bases, strict=True):
        deviation = KINDS[kind - 1]
        assert variance >= LEAST and deviation >= 2 * base > 0
        assert 3 * (1 / variance + Fraction(base, deviation) ** 2) <= 1
        variance = base**2 * variance + deviation**2

    assert Fraction(sigma) ** 2 == variance
    assert found.leading < 508


def masses(columns) -> dict[int, int]:
    """How many of the 2^96 words stand for each outcome, zero in the middle."""
    high, middle, low, other = np.asarray(columns).astype(object)
    found = ((high << 64) + (middle << 32) + low).tolist()
    rows = len(found)
    for column, threshold in enumerate(list(found)):
        found[other[column]] += UNITS // rows - threshold
    return {j - rows // 2: mass for j, mass in enumerate(found) if mass}


def law_of_draws(made: DiscreteGaussianMixture, sigma: int) -> dict[int, Decimal]:
    """The probabilities of all values of one deviation's draw, from the tables' integers."""
    values, power = masses(made.leading[sigma]), 1
    for kind, base in zip(made.kinds[sigma].tolist(), made.bases[sigma].tolist(), strict=True):
        longer, power = defaultdict(int), power + 1
        digits = masses(made.shared[kind])
        for value, mass in values.items():
            for digit, share in digits.items():
                longer[base * value + digit] += mass * share
        values = longer
    return {k: Decimal(mass) / UNITS**power for k, mass in values.items()}


def exact(sigma: float) -> dict[int, Decimal]:
    twice = 2 * Decimal(sigma) ** 2
    half = [(-Decimal(k * k) / twice).exp() for k in range(math.ceil(13 * sigma) + 2)]
    total = 2 * sum(half) - half[0]
    return {k: half[abs(k)] / total for k in range(1 - len(half), len(half))}


def distance(left: dict[int, Decimal], right: dict[int, Decimal]) -> Decimal:
    zero = Decimal(0)
    support = left.keys() | right.keys()
    return sum((abs(left.get(k, zero) - right.get(k, zero)) for k in support), zero) / 2


def test_each_deviations_law_is_within_the_distance():
    """All words of all digits, summed: alone, with a digit, and filled up with one that is zero."""
    sigmas = [5.0, 22.0, 31.0]
    made = DiscreteGaussianMixture.of(table([1, 1, 1], 0, 16).columns, sigmas)

    assert [[0], [0], [1]] == made.kinds.tolist()
    assert made.tv_distance < 2.0**-80
    with localcontext(prec=80):
        for index, sigma in enumerate(sigmas):
            found = law_of_draws(made, index)
            assert distance(found, exact(sigma)) <= made.tv_distance
            assert distance(found, exact(math.nextafter(sigma, 99.0))) > made.tv_distance


@pytest.mark.parametrize("sigma", [5.0, 100.0, 1000.0, 1e7])
def test_each_deviation_is_drawn_with_its_own_digits(sigma):
    """Of a mixture with chains of none to three further digits: its law, not two thirds of it."""
    made = only(sigma, [5.0, 100.0, 1000.0, 1e7])
    inside = np.random.default_rng(0).uniform(-0.5, 0.5, 100_000)
    drawn = whole(many(made))
    normal = (drawn + inside) / math.hypot(sigma, math.sqrt(1 / 12))

    assert (4, 3) == made.bases.shape
    assert kstest(normal, "norm").pvalue > NEVER
    assert kstest(normal * 2 / 3, "norm").pvalue < NEVER


def test_no_limb_overflows():
    """At the largest scale the largest draw fits its two integers."""
    made = DiscreteGaussianMixture.of(table([1], 0, 16).columns, [2.0**40])
    reach = LEADING_ROWS // 2
    for base in made.bases[0].tolist():
        reach = base * reach + ROWS // 2

    assert 2.0**40 < reach < 2**31 * LIMB
    assert made.tv_distance < 2.0**-78


def test_every_digit_and_every_joint_is_in_the_distance():
    """Of the longest chain, and rounded up: in fractions."""
    made = DiscreteGaussianMixture.of(table([1, 1], 0, 16).columns, [40.0, 1e7])
    tables = [gaussian_table(chain(Fraction(x) ** 2).leading, LEADING_ROWS) for x in (40, 1e7)]
    wide = max(gaussian_table(Fraction(x) ** 2, ROWS).tv_distance for x in KINDS)
    least = max(each.tv_distance for each in tables) + 3 * (wide + JOINT)

    assert (2, 3) == made.bases.shape
    assert least <= Fraction(made.tv_distance) <= least * (1 + Fraction(1, 2**40))


def test_wide_tables_are_made_once(monkeypatch):
    """Every other mixture makes small tables only, whatever its deviations."""
    only(1e7, [1e7])
    rows = []

    def counted(variance, size):
        rows.append(size)
        return mixture_table(variance, size)

    mixture_table = mixture.gaussian_table
    monkeypatch.setattr(mixture, "gaussian_table", counted)
    only(3e5, [3e5, 2e7, 3e9])

    assert 3 * [LEADING_ROWS] == rows
