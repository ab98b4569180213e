"""The integral of a cap: elementary where it is, and the incomplete beta function elsewhere."""

import math

import pytest
from scipy.special import beta, betainc

from tacit.accounting.theorems.sphere_caps import cap_integral

TANGENTS = [0.0, 0.1, 1.0, 30.0]


@pytest.mark.parametrize("tangent", TANGENTS)
def test_of_few_dimensions_it_is_elementary(tangent):
    """Of the circle the arc; of the sphere, where all heights are as likely, the cap's over its
    radius."""
    arc = math.atan2(1.0, tangent)
    height = tangent / math.hypot(1.0, tangent)
    assert cap_integral(2, tangent) == pytest.approx(arc, rel=1e-14)
    assert cap_integral(3, tangent) == pytest.approx(
        (1 - height) * math.hypot(1.0, tangent), rel=2e-13
    )


@pytest.mark.parametrize("dim", [2, 3, 4, 10])
def test_half_the_sphere_is_the_beta_function(dim):
    """To more digits than a hundred and twenty nodes give."""
    assert cap_integral(dim, 0.0) == pytest.approx(beta((dim - 1) / 2, 0.5) / 2, rel=4e-15)


@pytest.mark.parametrize("dim", [3, 7, 50])
@pytest.mark.parametrize("tangent", TANGENTS)
def test_a_cap_is_the_incomplete_beta_function(dim, tangent):
    """As the mass that is made of it."""
    outside = 1 / math.hypot(1.0, tangent)
    mass = outside ** (dim - 2) * cap_integral(dim, tangent) / cap_integral(dim, 0.0) / 2
    assert mass == pytest.approx(betainc((dim - 1) / 2, 0.5, outside**2) / 2, rel=1e-11)
