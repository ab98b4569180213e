"""Projections are exact arithmetic's, and their certificates tell how near they are."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.solve.balls import BoxConstraint, L1Constraint, L2Constraint

VALUES = arrays(
    np.float64,
    st.integers(1, 10),
    elements=st.floats(-3, 3) | st.floats(-1e200, 1e200) | st.sampled_from([0.0, 0.5, 1e-9, -0.5]),
)
RADII = st.sampled_from([0.25, 1.0, 3.7, 1e-8, 1e8])
SMALLEST, LEAST_NORMAL, LARGEST = 5e-324, 2.0**-1022, 1.7976931348623157e308
EXTREME = [
    [2.2e-309],
    [SMALLEST],
    [-SMALLEST, SMALLEST, SMALLEST],
    [LEAST_NORMAL, -SMALLEST],
    [0.0, -0.0],
    [LARGEST],
    [-LARGEST, LARGEST, LARGEST],
    [LARGEST, SMALLEST, 0.0, -1.0],
    [2.0**-500, 2.0**-500],
    [2.0**-538, -(2.0**-538), 2.0**-537],
    [2.0**500, -SMALLEST, 2.0**500],
    [1e8, 1e8, -1e-300],
]
EXTREME_RADII = [2.0**-500, 1e-8, 1.0, 1e8, 2.0**500]


def exact_l1(values, radius):
    """The projection on the L1 ball in rational numbers."""
    numbers, r = [Fraction(float(v)) for v in values], Fraction(radius)
    sizes = sorted((abs(v) for v in numbers), reverse=True)
    if sum(sizes) <= r:
        return numbers
    shifts = [(sum(sizes[: m + 1]) - r) / (m + 1) for m in range(len(sizes))]
    shift = [s for v, s in zip(sizes, shifts, strict=True) if v > s][-1]
    return [(1 if v > 0 else -1) * max(abs(v) - shift, Fraction(0)) for v in numbers]


def root(square):
    """The square root of a fraction, to 60 digits and more."""
    # The least float is above 10^-324.
    scale = 10**800
    return Fraction(math.isqrt(square.numerator * scale // square.denominator), 10**400)


def exact_l2(values, radius):
    """The projection on the L2 ball, to many digits."""
    numbers, r = [Fraction(float(v)) for v in values], Fraction(radius)
    norm = root(sum((v * v for v in numbers), Fraction(0)))
    return numbers if norm <= r else [v * r / norm for v in numbers]


def apart(point, truth):
    """The L2 distance, rounded once."""
    gaps = (Fraction(float(p)) - t for p, t in zip(point, truth, strict=True))
    return float(root(sum((gap**2 for gap in gaps), Fraction(0))))


@given(VALUES, RADII)
def test_l1_certificate_holds(values, radius):
    """The exact projection is within the certified distance, and that is tiny."""
    found = L1Constraint(radius).project(values)

    assert apart(found.point, exact_l1(values, radius)) <= found.distance < 1e-14 * radius


@given(VALUES, RADII)
def test_l2_certificate_holds(values, radius):
    """The exact projection is within the certified distance, and that is tiny."""
    found = L2Constraint(radius).project(values)

    assert apart(found.point, exact_l2(values, radius)) <= found.distance < 1e-14 * radius


@pytest.mark.parametrize("radius", EXTREME_RADII)
@pytest.mark.parametrize("values", EXTREME, ids=str)
@pytest.mark.parametrize("make, exact", [(L1Constraint, exact_l1), (L2Constraint, exact_l2)])
def test_the_ends_of_the_floats(make, exact, values, radius):
    """Subnormal, zero and largest numbers have their certificates too, at any radius."""
    found = make(radius).project(np.array(values))

    assert apart(found.point, exact(values, radius)) <= found.distance < 1e-14 * radius


@pytest.mark.parametrize("make, exact", [(L1Constraint, exact_l1), (L2Constraint, exact_l2)])
def test_a_thousand_coordinates(make, exact):
    """A long vector comes as near as it says, below 1e-13."""
    values = np.random.default_rng(0).normal(size=1000)
    found = make(2.0).project(values)

    assert apart(found.point, exact(values, 2.0)) <= found.distance < 1e-13


def test_box():
    """Coordinates are clipped."""
    found = BoxConstraint(-1.0, 0.5).project(np.array([-2.0, 0.25, 7.0]))
    assert (found.point.tolist(), found.distance) == ([-1.0, 0.25, 0.5], 0.0)


@pytest.mark.parametrize("make", [L1Constraint, L2Constraint])
def test_inside_nothing_moves(make):
    """A point of the ball is its own projection, zero too."""
    assert make(1.0).project(np.array([0.25, -0.5])).point.tolist() == [0.25, -0.5]
    assert make(1.0).project(np.zeros(3)).point.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("make", [L1Constraint, L2Constraint])
def test_largest_floats(make):
    """The largest floats are projected like any other."""
    found = make(2.0).project(np.array([1.7e308, -1e300]))
    assert found.point.tolist() == pytest.approx([2.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("ball", [L1Constraint(1.0), L2Constraint(1.0), BoxConstraint(0.0, 1.0)])
@pytest.mark.parametrize("values", [[], [math.nan, 1.0], [math.inf], [[0.5, 0.5]]])
def test_refuses_what_has_no_projection(ball, values):
    """No numbers, or numbers that are none, are refused."""
    with pytest.raises(ValueError, match="one or more finite numbers"):
        ball.project(np.array(values))


@pytest.mark.parametrize("make", [L1Constraint, L2Constraint])
@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf])
def test_refused_radii(make, radius):
    """Only radii in range are."""
    with pytest.raises(ValueError, match="radius must be between"):
        make(radius)


def test_refused_box():
    """Its ends are in order."""
    with pytest.raises(ValueError, match="low and high must be finite"):
        BoxConstraint(1.0, math.nan)
