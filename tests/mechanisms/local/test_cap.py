"""Caps: mass and mean against the incomplete beta function, and draws against the exact law."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import betainc, betaln
from scipy.stats import kstest

import quick_keys
from tacit.mechanisms.local import cap

# (dim, gamma): the smallest dimensions, wide and narrow caps, and a million dimensions.
CAPS = [
    (3, 0.0),
    (3, 0.9),
    (4, 0.3),
    (20, 0.05),
    (20, 0.6),
    (1000, 0.01),
    (1000, 0.2),
    (10**6, 1e-4),
    (10**6, 0.009),
]


draw = jax.jit(cap.draw_heights, static_argnums=1)


def tail(dim, height):
    """P[<V, u> >= height] by the incomplete beta function."""
    upper = 0.5 * betainc((dim - 1) / 2, 0.5, 1 - np.square(height))
    return np.where(height >= 0, upper, 1 - upper)


def inside_cdf(dim, gamma):
    """The law of the height in the cap."""
    return lambda height: 1 - tail(dim, height) / tail(dim, gamma)


def outside_cdf(dim, gamma):
    """The law of the height off the cap."""
    return lambda height: (1 - tail(dim, height)) / (1 - tail(dim, gamma))


def heights(dim, gamma, inside, count=20_000):
    """Draws from one branch."""
    branch = jnp.full(count, inside)
    return np.asarray(draw(quick_keys.key(3), dim, gamma, branch), np.float64)


def fit(sample, cdf):
    """The p-value of Kolmogorov-Smirnov."""
    return kstest(sample, cdf, method="asymp").pvalue


@pytest.mark.parametrize("dim, gamma", CAPS)
def test_mass_is_the_incomplete_beta_function(dim, gamma):
    """The quadrature and SciPy agree to the digits that SciPy's 1 - gamma² leaves."""
    assert math.exp(cap.log_mass(dim, gamma)) == pytest.approx(float(tail(dim, gamma)), 1e-9)


@pytest.mark.parametrize("dim", [3, 5, 21, 101, 401])
@pytest.mark.parametrize("gamma", [0.01, 0.05, 0.1, 0.3, 0.5])
def test_the_log_of_a_mass_is_right_within_a_fifth_of_what_budgets_leave_for_it(dim, gamma):
    """Of odd dimensions masses are rational numbers."""
    gamma = cap.rounded(gamma)
    terms = [
        Fraction(math.comb((dim - 3) // 2, k) * (-1) ** k, 2 * k + 1) for k in range((dim - 1) // 2)
    ]
    above = sum(term * (1 - Fraction(gamma) ** (2 * k + 1)) for k, term in enumerate(terms))

    exact = math.log(above / sum(terms) / 2)

    assert abs(cap.log_mass(dim, gamma) - exact) <= 2e-15 * (1 - exact)


@pytest.mark.parametrize("dim, gamma", CAPS)
def test_mean_height_is_the_elementary_integral(dim, gamma):
    """The mean is (1-gamma²)^((d-1)/2) / ((d-1) B(1/2, (d-1)/2) rho)."""
    log_top = 0.5 * (dim - 1) * math.log1p(-gamma * gamma) - betaln(0.5, (dim - 1) / 2)
    expected = math.exp(log_top) / ((dim - 1) * tail(dim, gamma))

    assert cap.mean_height(dim, gamma) == pytest.approx(float(expected), 1e-9)


@pytest.mark.parametrize("dim, gamma", [(10**6, 0.06), (2 * 10**7, 0.014), (1000, 0.99)])
def test_mass_beyond_the_smallest_float(dim, gamma):
    """Where the mass underflows, its log lies between the two classical bounds on caps."""
    body = 0.5 * (dim - 1) * math.log1p(-gamma * gamma) - math.log(gamma * math.sqrt(dim))

    assert body < -745
    assert body - math.log(6) <= cap.log_mass(dim, gamma) <= body - math.log(2)


@pytest.mark.parametrize("dim, gamma", CAPS)
def test_heights_in_the_cap_follow_the_exact_law(dim, gamma):
    """Kolmogorov-Smirnov accepts the law of the cap, and every draw is in it."""
    drawn = heights(dim, gamma, True)

    assert np.all((drawn >= np.float32(gamma)) & (drawn <= 1))
    assert fit(drawn, inside_cdf(dim, float(np.float32(gamma)))) > 1e-3


@pytest.mark.parametrize("dim, gamma", CAPS)
def test_heights_off_the_cap_follow_the_exact_law(dim, gamma):
    """Kolmogorov-Smirnov accepts the law of the complement, and no draw is in the cap."""
    drawn = heights(dim, gamma, False)

    assert np.all((drawn < np.float32(gamma)) & (drawn >= -1))
    assert fit(drawn, outside_cdf(dim, gamma)) > 1e-3


@pytest.mark.parametrize("dim, gamma", [(20, 0.6), (1000, 0.2), (10**6, 0.009)])
def test_the_law_of_another_cap_is_rejected(dim, gamma):
    """The same test refuses a tenth more dimensions, and the complement of a smaller cap."""
    assert fit(heights(dim, gamma, True), inside_cdf(int(1.1 * dim), gamma)) < 1e-6
    far = heights(20, 0.1, False)
    assert fit(far, outside_cdf(20, 0.2)) < 1e-6
