"""Balls of a norm: what scales a term into one, and which shapes are none."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.contribution import Ball, Cube, Grid, Interval, L1Ball, OneHot, Product, Sphere
from tacit.contribution.norms import parts_of, radius_of, shrinking

TERMS = np.array([[3.0, -4.0], [0.1, 0.2], [0.0, 0.0]], np.float32)
NORMS = {
    Ball(2, 1.5): np.linalg.norm(TERMS, axis=1),
    L1Ball(2, 1.5): np.abs(TERMS).sum(axis=1),
    Cube(2, -1.5, 1.5): np.abs(TERMS).max(axis=1),
}


@pytest.mark.parametrize("shape", NORMS, ids=lambda shape: type(shape).__name__)
def test_scaled_terms_are_members_and_members_stay(shape):
    """In each shape's own norm; the longest that fits, so nothing shorter would do."""
    radius, norms = radius_of(shape), NORMS[shape]
    factors = shrinking(jnp.asarray(norms)[:, None], jnp.array([radius]), jnp.ones(3, bool))
    scaled = np.asarray(factors) * TERMS

    np.testing.assert_allclose(shape.project(scaled), scaled, rtol=1e-6)
    np.testing.assert_array_equal(scaled[1:], TERMS[1:])
    np.testing.assert_allclose(factors[0, 0], radius / norms[0], rtol=1e-6)


@pytest.mark.parametrize("norm", [np.nan, np.inf])
def test_what_has_no_length_or_is_not_there_counts_for_nothing(norm):
    """In that part only; someone who is absent in every part."""
    norms = jnp.array([[norm, 1.0], [1.0, 1.0]])
    factors = shrinking(norms, jnp.array([2.0, 0.5]), jnp.array([True, False]))
    np.testing.assert_array_equal(factors, [[0.0, 0.5], [0.0, 0.0]])


def test_a_shape_that_is_no_ball_about_zero_has_no_radius():
    """Categories, directions, whole numbers, and bounds that are not symmetric."""
    for shape in (OneHot(3), Sphere(2), Grid(-2, 2), Interval(-1.0, 2.0), Cube(2, 0.0, 1.0)):
        assert radius_of(shape) is None
    assert radius_of(Interval(-2.0, 2.0)) == 2.0


def test_a_product_has_its_parts():
    """And any other shape is one."""
    parts = Ball(2, 1.0), Interval(-1.0, 1.0)
    assert parts_of(Product(*parts)) == parts and parts_of(parts[0]) == (parts[0],)
