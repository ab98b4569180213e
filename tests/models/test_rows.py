"""Gradients of a table's rows: parts of one owner in one row are one, and others are apart."""

import jax.numpy as jnp
import numpy as np

from tacit.models.rows import rows_of

# Two examples of three positions, in a table of four rows; row 9 is beyond it.
ROWS = jnp.array([[2, 0, 2], [2, 9, 3]])
SLOPES = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(np.float32)


def tables() -> np.ndarray:
    """Each example's gradient of the whole table."""
    made = np.zeros((2, 10, 5))
    for example in range(2):
        for position in range(3):
            made[example, int(ROWS[example, position])] += SLOPES[example, position]
    return made


def test_parts_in_one_row_are_added_before_they_are_measured():
    """Twice the same word: its slopes are one gradient, whose length is not that of its parts."""
    found = rows_of(ROWS, jnp.asarray(SLOPES), 10)

    np.testing.assert_allclose(
        found.squared_norms(), np.square(tables()).sum(axis=(1, 2)), rtol=1e-5
    )


def test_a_weighted_sum_is_the_tables():
    """Rows beyond the table get none."""
    weights = np.array([0.5, 2.0], np.float32)
    found = rows_of(ROWS, jnp.asarray(SLOPES), 4).weighted_sum(jnp.asarray(weights))

    expected = np.einsum("e,erf->rf", weights, tables())[:4]
    assert found.shape == (4, 5)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_examples_of_one_person_are_one():
    """Row 2 is in both: their slopes in it are added, and then measured."""
    one = rows_of(ROWS, jnp.asarray(SLOPES), 10).by_person(jnp.array([0, 0]), 2)
    whole = tables().sum(axis=0)

    np.testing.assert_allclose(one.squared_norms(), [np.square(whole).sum(), 0.0], rtol=1e-5)
    np.testing.assert_allclose(one.weighted_sum(jnp.ones(2)), whole, atol=1e-6)


def test_huge_slopes_that_cancel_take_nothing_from_others():
    """Added to the table one by one they would wipe out what was there."""
    slopes = np.zeros((2, 3, 1), np.float32)
    slopes[0, 0], slopes[0, 2], slopes[1, 0] = 1e30, -1e30, 1.0
    found = rows_of(ROWS, jnp.asarray(slopes), 4).weighted_sum(jnp.ones(2))

    np.testing.assert_array_equal(found[:, 0], [0.0, 0.0, 1.0, 0.0])


def test_whoever_has_no_weight_adds_nothing():
    """Whatever their slopes are."""
    odd = np.copy(SLOPES)
    odd[0, 1] = np.nan
    weights = jnp.array([0.0, 1.0])
    found = rows_of(ROWS, jnp.asarray(odd), 4).weighted_sum(weights)

    np.testing.assert_allclose(found, tables()[1, :4], atol=1e-6)
