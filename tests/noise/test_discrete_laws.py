"""The law of discrete noise, from all words its tables can be asked with, is the one promised."""

import math
from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import jax
import numpy as np
import pytest

from tacit.noise import discrete
from tacit.noise.discrete import HALF, JOINT, SMOOTH, DiscreteGaussianLaw, DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB
from tacit.noise.tables import UNITS

PROMISED = 2.0**-60


def laplace(scale: float) -> DiscreteLaplaceLaw:
    return DiscreteLaplaceLaw.of(1 / scale)


def masses(columns: jax.Array) -> list[int]:
    """How many of the 2^96 words stand for each outcome."""
    high, middle, low, other = np.asarray(columns).astype(object)
    found = ((high << 64) + (middle << 32) + low).tolist()
    for column, threshold in enumerate(list(found)):
        found[other[column]] += UNITS // len(found) - threshold
    return found


def outcomes(columns: jax.Array, least: int) -> dict[int, int]:
    return {least + j: mass for j, mass in enumerate(masses(columns)) if mass}


def law_of_draws(law: DiscreteLaplaceLaw | DiscreteGaussianLaw) -> dict[int, Decimal]:
    """The probabilities of all values of a draw, from the tables' integers."""
    if isinstance(law, DiscreteGaussianLaw):
        digits = [outcomes(law.columns, -HALF)] * law.digits
    else:
        digits = [outcomes(table, -HALF if i == 0 else 0) for i, table in enumerate(law.tables)]
    values, base = digits[0], int(law.base)
    for digit in digits[1:]:
        longer = defaultdict(int)
        for value, mass in values.items():
            turn = isinstance(law, DiscreteLaplaceLaw) and value < 0
            for d, share in digit.items():
                longer[base * value + (base - 1 - d if turn else d)] += mass * share
        values = longer
    return {k: Decimal(mass) / UNITS ** len(digits) for k, mass in values.items()}


def exact(weight, reach: int) -> dict[int, Decimal]:
    half = [weight(Decimal(k)) for k in range(reach)]
    total = 2 * sum(half) - half[0]
    return {k: half[abs(k)] / total for k in range(1 - reach, reach)}


def exact_laplace(parameter: float) -> dict[int, Decimal]:
    rate = Decimal(parameter)
    return exact(lambda k: (-rate * k).exp(), math.ceil(80 / parameter) + 2)


def exact_gaussian(sigma: float) -> dict[int, Decimal]:
    twice = 2 * Decimal(sigma) ** 2
    return exact(lambda k: (-k * k / twice).exp(), math.ceil(13 * sigma) + 2)


def distance(left: dict[int, Decimal], right: dict[int, Decimal]) -> Decimal:
    zero = Decimal(0)
    support = left.keys() | right.keys()
    return sum((abs(left.get(k, zero) - right.get(k, zero)) for k in support), zero) / 2


@pytest.mark.parametrize(
    "parameter, widest", [(10.0, 80), (1.3, 80), (0.02, 80), (1 / 80, 80), (1 / 81, 80), (0.02, 2)]
)
def test_laplace_is_within_its_distance(parameter, widest, monkeypatch):
    """All 2^96 words (2^192 for two digits), summed against the exact law."""
    monkeypatch.setattr(discrete, "WIDEST_LAPLACE", widest)
    law = DiscreteLaplaceLaw.of(parameter)
    assert (parameter * widest < 1) == (2 == len(law.tables))
    with localcontext(prec=60):
        found = law_of_draws(law)
        assert distance(found, exact_laplace(parameter)) <= law.tv_distance <= PROMISED
        assert distance(found, exact_laplace(math.nextafter(parameter, 0))) > law.tv_distance


@pytest.mark.parametrize(
    "sigma, widest, digits",
    [(0.1, 400, 1), (0.7, 400, 1), (50.0, 400, 1), (401.0, 400, 2), (300.0, 12, 3)],
)
def test_gaussian_is_within_its_distance(sigma, widest, digits, monkeypatch):
    """All 2^96 words (2^192, 2^288 for more digits), summed against the exact law."""
    monkeypatch.setattr(discrete, "WIDEST_GAUSSIAN", widest)
    law = DiscreteGaussianLaw.of(sigma)
    assert digits == law.digits
    with localcontext(prec=100):
        found = law_of_draws(law)
        assert distance(found, exact_gaussian(sigma)) <= law.tv_distance <= PROMISED
        if sigma > 0.1:
            assert distance(found, exact_gaussian(math.nextafter(sigma, 9e9))) > law.tv_distance


def test_a_sum_of_narrow_gaussians_is_not_gaussian():
    """With t² = 1/2 in place of 3 a joint is a millionth part and more off, as proved."""
    law = DiscreteGaussianLaw.of(5.0)
    table, base = outcomes(law.columns, -HALF), 7
    joined = defaultdict(int)
    for x, mass in table.items():
        for y, share in table.items():
            joined[base * x + y] += mass * share
    with localcontext(prec=60):
        found = {k: Decimal(mass) / UNITS**2 for k, mass in joined.items()}
        apart = distance(found, exact_gaussian(5.0 * math.sqrt(50)))
        assert 0.4 * math.exp(-(math.pi**2)) < apart < 2.1 * math.exp(-(math.pi**2))


def test_joints_cost_what_is_stated():
    """r/(1-r) with r = 2 (e^-(6 pi²) + e^-(24 pi²) + ...) is below 2^-84, and not far below."""
    ripple = 2.01 * math.exp(-2 * math.pi**2 * SMOOTH)

    assert ripple / (1 - ripple) < JOINT < 2 * ripple


@pytest.mark.parametrize("sigma", [3.0, 30.0, 300.0])
def test_tails_are_exact(sigma):
    """At ten deviations, e^-50, each mass is the probability rounded down to units of 2^-96."""
    table = outcomes(DiscreteGaussianLaw.of(sigma).columns, -HALF)
    with localcontext(prec=60):
        law = exact_gaussian(sigma)
        for k in (1, int(5 * sigma), int(10 * sigma)):
            assert table[k] == table[-k]
            assert -1e-6 < law[k] * UNITS - table[k] < 1 + 1e-6


def test_tables_are_symmetric():
    """Both sides have the same masses, to the unit, in both laws."""
    for law in (
        laplace(0.7).tables[0],
        laplace(50.0).tables[0],
        DiscreteGaussianLaw.of(50.0).columns,
    ):
        table = outcomes(law, -HALF)
        assert all(mass == table[-k] for k, mass in table.items() if 0 < abs(k) < HALF)


def reach(law: DiscreteLaplaceLaw | DiscreteGaussianLaw) -> int:
    """The largest size of a draw, whatever its probability."""
    base = int(law.base)
    if isinstance(law, DiscreteLaplaceLaw):
        return HALF * base ** (len(law.tables) - 1)
    return HALF * sum(base**place for place in range(law.digits))


@pytest.mark.parametrize("power", [0, 5, 6.4, 8, 9, 16, 17, 19.4, 24, 25, 32.5, 33, 39, 40])
def test_no_limb_overflows(power):
    """At every scale the largest draw fits its integers, and the promise is kept."""
    for law in (laplace(2.0**power), DiscreteGaussianLaw.of(2.0**power)):
        assert law.tv_distance <= 2.0**-79
        assert reach(law) < (2**31 if law.narrow else 2**31 * LIMB)


@pytest.mark.parametrize("power", np.linspace(8, 40, 65).tolist())
def test_gaussian_digits_add_up_and_are_smooth(power):
    """The table's variance times the spread is sigma²; every t² is 3 or more."""
    variance = Fraction(2.0**power) ** 2
    digits, base, narrow = discrete._gaussian_digits(variance)
    assert variance == narrow * sum(base ** (2 * place) for place in range(digits))
    assert narrow <= discrete.WIDEST_GAUSSIAN**2
    assert digits == 1 or narrow >= SMOOTH * (1 + base**2)


@pytest.mark.parametrize("scale", [0.1, 0.7, 3.0, 3.1, 50.0])
def test_variances_are_the_laws(scale):
    """Both, by decimal sums."""
    with localcontext(prec=60):
        for law, table in (
            (laplace(scale), exact_laplace(laplace(scale).parameter)),
            (DiscreteGaussianLaw.of(scale), exact_gaussian(scale)),
        ):
            found = float(sum(k * k * mass for k, mass in table.items()))
            assert found == pytest.approx(law.variance, rel=1e-12)
