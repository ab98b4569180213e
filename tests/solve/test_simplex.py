"""The projection is exact arithmetic's, and its certificate tells how near it is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.solve.simplex import project


def exact(values):
    """The projection in rational numbers."""
    ordered = sorted(map(Fraction, values), reverse=True)
    shifts = [(sum(ordered[: m + 1]) - 1) / (m + 1) for m in range(len(ordered))]
    shift = [s for v, s in zip(ordered, shifts, strict=True) if v > s][-1]
    return [max(Fraction(v) - shift, Fraction(0)) for v in values]


def distance(point, truth):
    """The L2 distance from a point in rational numbers, rounded once."""
    return math.sqrt(sum((Fraction(p) - t) ** 2 for p, t in zip(point, truth, strict=True)))


@given(
    arrays(
        np.float64,
        st.integers(1, 12),
        elements=st.floats(-3, 3) | st.floats(-1e300, 1e300) | st.sampled_from([0.0, 0.5, 1e-9]),
    )
)
def test_the_certificate_holds(values):
    """The exact projection is within the certified distance, and that is tiny."""
    found = project(values)

    assert (found.point >= 0).all()
    assert distance(found.point, exact(values)) <= found.distance < 1e-14


def test_a_thousand_frequencies():
    """Noisy frequencies are projected within 1e-13, and come nearer to the true ones."""
    numbers = np.random.default_rng(0)
    truth = numbers.dirichlet(np.full(1000, 0.1))
    noisy = truth + numbers.normal(0, 0.003, 1000)
    found = project(noisy)

    assert distance(found.point, exact(noisy)) <= found.distance < 1e-13
    assert np.sum((found.point - truth) ** 2) < np.sum((noisy - truth) ** 2) / 2
    assert math.fsum(found.point) == pytest.approx(1, abs=1e-13)


def test_a_wrong_shift_is_seen(monkeypatch):
    """If the shift is wrong, the certificate says so: it is computed from the answer alone."""
    values = np.array([0.4, 0.3, 0.1, -0.2])
    truth = exact(values)
    monkeypatch.setattr(np, "cumsum", lambda x: np.arange(1, len(x) + 1) * -10.0)
    found = project(values)

    assert 1e-3 < distance(found.point, truth) <= found.distance


@pytest.mark.parametrize(
    "values, expected",
    [
        ([7.0], [1.0]),
        ([0.25, 0.75], [0.25, 0.75]),
        ([5.0, 5.0, 5.0, 5.0], [0.25] * 4),
        ([1e300, 1e300, -1e300], [0.5, 0.5, 0.0]),
        ([-9.0, -9.5], [0.75, 0.25]),
        ([1.7e308, -1.7e308], [1.0, 0.0]),
    ],
)
def test_known_answers(values, expected):
    """Points of the simplex stay, and only differences count."""
    assert project(np.array(values)).point.tolist() == expected


@pytest.mark.parametrize("values", [[], [math.nan, 1.0], [math.inf], [[0.5, 0.5]]])
def test_refuses_what_has_no_projection(values):
    """No numbers, or numbers that are none, are refused."""
    with pytest.raises(ValueError, match="one or more finite numbers"):
        project(np.array(values))
