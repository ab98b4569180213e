"""What clipping leaves of a normal vector's mean, against exact integrals and draws."""

import numpy as np
import pytest
from scipy import integrate, stats

from tacit.statistics.response import Response, longest_normal


@pytest.mark.parametrize("bound", [0.3, 1.0, 2.5])
def test_in_one_dimension_it_is_the_integral(bound):
    """Of a clipped normal number."""
    made = Response(1, bound, 4.0)

    def exact(mean: float) -> float:
        inside = stats.norm(mean).cdf(bound) - stats.norm(mean).cdf(-bound)
        middle = mean * inside - (stats.norm(mean).pdf(bound) - stats.norm(mean).pdf(-bound))
        return middle + bound * (stats.norm(mean).sf(bound) - stats.norm(mean).cdf(-bound))

    for at in (0, 16, 64, 128):
        assert abs(made.clipped[at] - exact(made.means[at])) <= 2e-3 * bound


def test_in_many_dimensions_it_is_what_draws_give():
    """200,000 vectors of 20 numbers; five standard errors. Half of the bound is rejected."""
    made, draws = Response(20, 4.0, 3.0), np.random.default_rng(0).normal(size=(200_000, 20))
    for at in (32, 96):
        moved = draws + np.eye(20)[0] * made.means[at]
        clipped = moved[:, 0] * np.minimum(1, 4.0 / np.linalg.norm(moved, axis=1))
        five = 5 * clipped.std() / np.sqrt(len(clipped)) + 2e-3 * 4.0

        assert abs(made.clipped[at] - clipped.mean()) <= five
        assert abs(Response(20, 2.0, 3.0).clipped[at] - clipped.mean()) > five


@pytest.mark.parametrize("dim, bound", [(1, 1.0), (2, 0.5), (3, 2.0), (50, 6.4)])
def test_the_slope_is_that_of_the_table_at_zero(dim, bound):
    """By its own formula, from the norm's law."""
    made = Response(dim, bound, 1e-2)

    assert made.slope == pytest.approx(made.clipped[-1] / made.means[-1], rel=1e-2)


def test_the_slope_of_directions_is_that_of_the_reference():
    """As the bound goes to zero, (1 - 1/d) E 1/|z| a unit of it."""
    inverse, _ = integrate.quad(lambda x: stats.chi(10).pdf(x) / x, 0, 20)

    assert Response(10, 1e-6, 1.0).slope / 1e-6 == pytest.approx(0.9 * inverse, rel=1e-3)


@pytest.mark.parametrize("dim, chance", [(1, 0.01), (5, 0.1), (200, 1e-6)])
def test_a_normal_vector_is_hardly_ever_longer(dim, chance):
    """By the chi law itself, and shorter than by Laurent and Massart's bound."""
    found, log = longest_normal(dim, chance), np.log(1 / chance)

    assert stats.chi(dim).sf(found) == pytest.approx(chance, rel=1e-6)
    assert found < np.sqrt(dim + 2 * np.sqrt(dim * log) + 2 * log)
