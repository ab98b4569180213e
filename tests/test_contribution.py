"""The shapes: membership after projection, and brute-force sensitivity."""

import itertools
import math

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Interval

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    "term, becomes",
    [(2.0, 2.0), (-5.0, 1.0), (9.0, 4.0), (NAN, 1.0), (INF, 1.0), (-INF, 1.0)],
)
def test_interval_edge_cases_of_the_docstring(term, becomes):
    """Every term ends in [1, 4]; what is not a number becomes the member nearest to zero."""
    assert becomes == Interval(1.0, 4.0).project(jnp.array([term]))[0]


@pytest.mark.parametrize(
    "term, becomes",
    [
        ([0.3, 0.4], [0.3, 0.4]),
        ([3.0, 4.0], [1.2, 1.6]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([NAN, 1.0], [0.0, 0.0]),
        ([INF, 1.0], [0.0, 0.0]),
        ([1e30, 1e30], [0.0, 0.0]),
    ],
)
def test_ball_edge_cases_of_the_docstring(term, becomes):
    """Every term ends in the ball of radius 2; a broken one becomes zero."""
    np.testing.assert_allclose(becomes, Ball(2, 2.0).project(jnp.array([term]))[0], rtol=1e-6)


def test_one_broken_person_changes_only_their_own_term():
    """A NaN in one row leaves every other row as it was."""
    terms = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    broken = terms.copy()
    broken[2] = NAN
    whole, hurt = (np.asarray(Ball(3, 1.0).project(jnp.asarray(x))) for x in (terms, broken))

    np.testing.assert_array_equal(np.delete(whole, 2, 0), np.delete(hurt, 2, 0))
    np.testing.assert_array_equal(np.zeros(3), hurt[2])


def test_projected_norm_is_at_most_the_radius():
    """At a million coordinates the norm exceeds the radius by rounding alone."""
    terms = jnp.asarray(np.random.default_rng(1).normal(size=(3, 10**6)), jnp.float32)
    norms = np.linalg.norm(np.asarray(Ball(10**6, 1.5).project(terms), np.float64), axis=1)

    assert np.all(norms <= 1.5 * (1 + 1e-6))


@pytest.mark.parametrize("lower, upper", [(-1.0, 3.0), (2.0, 5.0), (-4.0, -1.0)])
def test_interval_sensitivity_is_the_brute_force_one(lower, upper):
    """Over all neighbouring pairs of small data sets the sum moves as far as stated, no further."""
    members = np.linspace(lower, upper, 9)
    shape = Interval(lower, upper)
    replaced = max(abs(a - b) for a, b in itertools.product(members, members))

    assert replaced == pytest.approx(shape.sensitivity(Relation.REPLACE_ONE))
    assert np.abs(members).max() == pytest.approx(shape.sensitivity(Relation.ADD_REMOVE))
    assert np.abs(members).max() == pytest.approx(shape.sensitivity(Relation.ZERO_OUT))


def test_ball_sensitivity_doubles_under_replacement():
    """Antipodal members are the worst replacement: twice the radius."""
    ball = Ball(4, 1.5)

    assert 3.0 == ball.sensitivity(Relation.REPLACE_ONE)
    assert 1.5 == ball.sensitivity(Relation.ADD_REMOVE)
    assert 1.5 == ball.sensitivity(Relation.ZERO_OUT)


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (2.0, 1.0), (NAN, 1.0), (0.0, INF)])
def test_an_interval_without_finite_ordered_bounds_is_refused(bounds):
    """The sentence says what an interval needs."""
    with pytest.raises(ValueError, match="finite bounds with lower < upper"):
        Interval(*bounds)


@pytest.mark.parametrize("radius", [0.0, -1.0, NAN, INF])
def test_a_ball_without_a_positive_radius_is_refused(radius):
    """The sentence says what a radius must be."""
    with pytest.raises(ValueError, match="positive and finite"):
        Ball(3, radius)
