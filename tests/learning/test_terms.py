"""Terms in factors: as long as what they stand for, and any weighted sum of it."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.contribution import Ball, Cube, Interval
from tacit.learning import terms as kept
from tacit.learning.terms import (
    BothSigns,
    Bounded,
    Joined,
    Numbers,
    RowsBySlopes,
    Squares,
    Vectors,
)

DRAWN = np.random.default_rng(0)
ROWS = DRAWN.uniform(-1, 1, (5, 3)).astype(np.float32)
SLOPES, OUTPUTS = (DRAWN.normal(size=size).astype(np.float32) for size in (5, (5, 2)))
WEIGHTS = np.array([[0.5], [1.0], [0.0], [0.25], [1.0]], np.float32)
# The diagonal, and of what stands off it twice the square: norms are kept.
UPPER = np.triu_indices(3)
SQUARES = np.stack([np.outer(row, row)[UPPER] for row in ROWS]) * np.where(
    UPPER[0] == UPPER[1], 1, 2**0.5
)
# How each is kept, its terms written out, and their lengths.
KINDS = {
    "vectors": (Vectors, (ROWS, SLOPES), SLOPES[:, None] * ROWS, 2, Ball),
    "bounded": (Bounded, (ROWS, SLOPES, 1.0), SLOPES[:, None] * ROWS, np.inf, Cube),
    "rows": (
        RowsBySlopes,
        (ROWS, OUTPUTS),
        (ROWS[:, :, None] * OUTPUTS[:, None]).reshape(5, 6),
        2,
        Ball,
    ),
    "squares": (Squares, (ROWS, SLOPES), SLOPES[:, None] * SQUARES, 2, Ball),
    "numbers": (Numbers, (SLOPES,), SLOPES[:, None], 2, Interval),
}


@pytest.mark.parametrize("name", KINDS)
def test_factors_stand_for_their_terms(name):
    """A weighted sum is that of the terms, and no term is longer than is said; in L2 it is that
    long."""
    kind, factors, terms, norm, shape = KINDS[name]
    made = kind(*factors)
    lengths = np.linalg.norm(terms, norm, axis=1)

    assert (shape,) == made.kinds
    np.testing.assert_allclose(
        np.ravel(made.weighted_sum(WEIGHTS)), (WEIGHTS * terms).sum(axis=0), atol=1e-6
    )
    assert np.all(lengths <= np.asarray(made.norms)[:, 0] * (1 + 1e-6))
    if norm == 2:
        np.testing.assert_allclose(made.norms[:, 0], lengths, rtol=1e-6)


@pytest.mark.parametrize("name", KINDS)
def test_whoever_has_no_weight_adds_nothing(name):
    """Whatever their slope is: zero times NaN would be everybody's NaN."""
    kind, factors, *_ = KINDS[name]
    place = 0 if name == "numbers" else 1
    odd = [np.copy(each) if isinstance(each, np.ndarray) else each for each in factors]
    odd[place][2] = np.nan

    np.testing.assert_array_equal(
        kind(*odd).weighted_sum(WEIGHTS), kind(*factors).weighted_sum(WEIGHTS)
    )


@pytest.mark.parametrize("size", [1e-30, 1e-3, 1e30])
def test_rows_of_any_size_have_their_length(size):
    """Their squares vanish or overflow in float32, and a length of zero would be cut to nothing."""
    rows = jnp.asarray(size * np.array([[3.0, 4.0], [0.0, 0.0]]), jnp.float32)

    np.testing.assert_allclose(kept._lengths(rows), [5 * size, 0.0], rtol=1e-6)


def test_a_term_with_both_signs_is_its_negative_and_itself():
    """But where it is not kept, with either sign."""
    own = Bounded(ROWS, SLOPES, 1.0)
    both = BothSigns(own, np.array([True, False, True]))
    whole = np.asarray(own.weighted_sum(WEIGHTS)) * [1, 0, 1]

    np.testing.assert_array_equal(both.weighted_sum(WEIGHTS), [*-whole, *whole])
    np.testing.assert_array_equal(both.norms, own.norms)


def test_joined_terms_have_a_weight_for_each_part():
    """One after the other; a part that is cut leaves the others as they are."""
    parts = Vectors(ROWS, SLOPES), Numbers(SLOPES)
    weights = np.column_stack([WEIGHTS, 1 - WEIGHTS])
    joined = Joined(parts)

    assert (Ball, Interval) == joined.kinds and (5, 2) == joined.norms.shape
    np.testing.assert_allclose(
        joined.weighted_sum(weights),
        [*parts[0].weighted_sum(WEIGHTS), float(parts[1].weighted_sum(1 - WEIGHTS))],
        rtol=1e-6,
    )
