"""Separated release: unbiased in the ball, its exact error, its budget the sum of two."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated

sample = jax.jit(Separated.sample)
COUNT, DIM, RADIUS = 40_000, 6, 1.5


def contributions(norm):
    """The same vector of this norm, once a row."""
    vector = jnp.arange(1.0, DIM + 1)
    return jnp.broadcast_to(norm * vector / jnp.linalg.norm(vector), (COUNT, DIM))


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return np.abs(values.mean(0) - expected) / (values.std(0) / math.sqrt(len(values)))


@pytest.mark.parametrize("norm", [0.0, 0.4, 1.5])
def test_reports_are_unbiased_with_the_stated_error(norm):
    """Every coordinate's mean and the squared error are right; no report exceeds the bound."""
    mechanism = Separated.split(DIM, 6.0, RADIUS)
    vectors = contributions(norm)
    reports = sample(mechanism, quick_keys.key(1), vectors)
    squares = jnp.sum((reports - vectors) ** 2, axis=1)

    assert standard_errors(reports, np.asarray(vectors[0])).max() < 4.5
    assert standard_errors(squares, mechanism.error(norm)) < 4
    assert jnp.linalg.norm(reports, axis=1).max() <= mechanism.bound * (1 + 1e-5)


def test_the_magnitude_is_not_forgotten():
    """The test of unbiasedness refuses a report of the direction alone."""
    mechanism = Separated.split(DIM, 6.0, RADIUS)
    vectors = contributions(0.4)
    directions = mechanism.direction.sample(quick_keys.key(1), vectors)

    assert standard_errors(directions, np.asarray(vectors[0])).max() > 8


@pytest.mark.parametrize("dim, epsilon", [(3, 0.01), (100, 1.0), (1000, 8.0), (10**6, 64.0)])
def test_the_split_keeps_the_budget_and_beats_its_neighbours(dim, epsilon):
    """The parts sum to epsilon, and moving a tenth of the smaller part does not help."""
    mechanism = Separated.split(dim, epsilon, RADIUS)
    first, second = mechanism.direction.epsilon, mechanism.magnitude.epsilon

    assert mechanism.epsilon == pytest.approx(epsilon, 1e-12)
    for move in [0.1 * min(first, second), -0.1 * min(first, second)]:
        direction = PrivUnit2.optimal(dim, first - move)
        weight = 1 - direction.scale**-2
        moved = Separated(direction, ScalarDP.best(second + move, RADIUS, weight))
        assert mechanism.worst_error <= moved.worst_error * (1 + 1e-9)


@pytest.mark.parametrize("dim, epsilon", [(3, 1.0), (1000, 8.0), (1000, 40.0)])
def test_the_worst_norm_is_found(dim, epsilon):
    """The closed form is the maximum of the error over the ball."""
    mechanism = Separated.split(dim, epsilon, RADIUS)
    curve = [mechanism.error(norm) for norm in np.linspace(0, RADIUS, 4001)]

    assert max(curve) == pytest.approx(mechanism.worst_error, 1e-6)
    assert max(curve) <= mechanism.worst_error * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_blanket_is_the_product_of_the_parts(epsilon):
    """At least what each part alone must have, multiplied; less than either part's."""
    mechanism = Separated.split(DIM, epsilon, RADIUS)
    parts = mechanism.direction, mechanism.magnitude
    least = [2 / (math.exp(part.epsilon) + 1) * (1 - 1e-9) for part in parts]

    assert mechanism.blanket == pytest.approx(parts[0].blanket * parts[1].blanket)
    assert math.prod(least) <= mechanism.blanket < min(part.blanket for part in parts)


def audited(mechanism):
    """The epsilon proved by "towards u, in the cap, at the top magnitude" on R u and zero."""
    vectors = contributions(RADIUS)
    unit = vectors[0] / RADIUS
    height = mechanism.direction.gamma * 0.999 * mechanism.direction.scale
    top = 0.999 * mechanism.magnitude.bound

    def count(key, inputs):
        reports = sample(mechanism, key, inputs)
        along = reports @ unit / (jnp.linalg.norm(reports, axis=1) / mechanism.direction.scale)
        large = jnp.linalg.norm(reports, axis=1) >= top * mechanism.direction.scale
        return int(jnp.sum((along >= height) & large & (along > 0)))

    # A zero vector's direction is e1; turning it away from u makes the caps disjoint.
    away = jnp.zeros((COUNT, DIM)).at[:, 0].set(-1e-6)
    one = count(quick_keys.key(2), vectors), COUNT
    return audit.epsilon_lower_bound(one, (count(quick_keys.key(3), away), COUNT))


def test_the_audit_sees_both_parts_and_not_more():
    """Two far inputs show more than either part's budget, and no more than the sum."""
    parts = PrivUnit2.optimal(DIM, 1.0), ScalarDP.on_grid(1.0, 1, RADIUS)

    assert 1.2 < audited(Separated(*parts)) <= 2.0


def test_the_audit_refutes_a_budget_counted_once():
    """Two parts of 2 claimed as 2 in all are caught."""
    parts = PrivUnit2.optimal(DIM, 2.0), ScalarDP.on_grid(2.0, 1, RADIUS)

    assert audited(Separated(*parts)) > 2.0


@pytest.mark.parametrize("row", [[0.0] * DIM, [math.nan] * DIM, [math.inf] + [0.0] * (DIM - 1)])
def test_rows_without_a_direction_count_as_zero(row):
    """Zero, NaN and infinite rows give the report of the zero vector, bit for bit."""
    mechanism = Separated.split(DIM, 6.0, RADIUS)
    rows = jnp.broadcast_to(jnp.asarray(row), (COUNT, DIM))
    expected = sample(mechanism, quick_keys.key(4), jnp.zeros((COUNT, DIM)))

    assert np.array_equal(expected, sample(mechanism, quick_keys.key(4), rows))


def test_long_rows_are_clipped():
    """A row outside the ball is reported as its projection, up to rounding."""
    mechanism = Separated.split(DIM, 6.0, RADIUS)
    expected = sample(mechanism, quick_keys.key(4), contributions(RADIUS))
    longer = sample(mechanism, quick_keys.key(4), contributions(3 * RADIUS))

    assert np.allclose(expected, longer, atol=1e-4)


def test_refuses_a_budget_too_small_to_split():
    """Below 1e-4, and for NaN, the answer says what is allowed."""
    for epsilon in [1e-5, math.nan]:
        with pytest.raises(ValueError, match="epsilon must be at least 1e-4"):
            Separated.split(DIM, epsilon, RADIUS)


@pytest.mark.parametrize("epsilon", [1.0, 6.0, 40.0])
def test_the_largest_second_moment_is_that_over_all_norms(epsilon):
    """No norm has a larger one, and one has it."""
    mechanism = Separated.split(10, epsilon, 2.0)
    moments = [mechanism.error(norm) + norm**2 for norm in np.linspace(0, 2, 2_001)]

    assert max(moments) <= mechanism.largest_second_moment * (1 + 1e-9)
    assert max(moments) > mechanism.largest_second_moment * (1 - 1e-4)
