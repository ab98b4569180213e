"""The norm folded into a sign: unbiased, private with the whole budget, its error exact."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.folded import Folded
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.separated import Separated

COUNT = 40_000
sample = jax.jit(Folded.sample)


def rows(norm: float, dim: int) -> jax.Array:
    return jnp.zeros((COUNT, dim)).at[:, 1].set(norm)


@pytest.mark.parametrize("norm", [0.0, 0.4, 1.5])
def test_mean_and_error_are_exact(norm):
    """Within 4 standard errors at several norms, and not for two-thirds of the radius."""
    mechanism = Folded.best(5, 2.0, 1.5)
    reports = np.asarray(sample(mechanism, quick_keys.key(1), rows(norm, 5)), np.float64)
    truth = np.array([0, norm, 0, 0, 0])
    spread = reports.std(axis=0) / math.sqrt(COUNT)
    squares = np.sum((reports - truth) ** 2, axis=1)

    assert np.all(np.abs(reports.mean(axis=0) - truth) < 4 * spread + 1e-6)
    noise = 4 * squares.std() / math.sqrt(COUNT) + 1e-5 * mechanism.error(norm)
    assert abs(squares.mean() - mechanism.error(norm)) < noise
    assert abs(squares.mean() - Folded.best(5, 2.0, 1.0).error(norm)) > noise


def test_the_blanket_is_that_of_the_direction():
    """Turning the sign takes nothing from the part that depends on nobody."""
    mechanism = Folded.best(5, 2.0, 1.5)

    assert mechanism.blanket == PrivUnit2.optimal(5, 2.0).blanket


def test_reports_show_no_more_than_the_budget():
    """Opposite vectors, the event of the report's cap: below the claim, above two-thirds of it."""
    mechanism = Folded.best(3, 2.0, 1.0)
    hits = [
        int((sample(mechanism, quick_keys.key(i), rows(x, 3))[:, 1] > cap(mechanism)).sum())
        for i, x in enumerate((1.0, -1.0))
    ]
    proved = audit.epsilon_lower_bound((hits[0], COUNT), (hits[1], COUNT))

    assert 2.0 * 2 / 3 < proved <= 2.0


def cap(mechanism: Folded) -> float:
    """The height of the cap's edge in a report."""
    return mechanism.direction.gamma * mechanism.bound


def test_reports_have_one_norm():
    """Whatever the contribution: zero, inside, outside, broken."""
    mechanism = Folded.best(4, 3.0, 2.0)
    odd = jnp.array([[0.0] * 4, [0.1, 0, 0, 0], [9.0] * 4, [math.nan, 0, 0, 0], [math.inf] * 4])
    lengths = np.linalg.norm(np.asarray(sample(mechanism, quick_keys.key(3), odd)), axis=1)

    np.testing.assert_allclose(mechanism.bound, lengths, rtol=2e-6)


def test_folding_wins_at_small_budgets_and_loses_at_large_ones():
    """About half the worst error at epsilon 8; a floor of radius^2 that a huge budget shows."""
    small = Folded.best(650, 8.0, 1.0).worst_error / Separated.split(650, 8.0, 1.0).worst_error
    large = (
        Folded.best(650, 2000.0, 1.0).worst_error / Separated.split(650, 2000.0, 1.0).worst_error
    )

    assert small < 0.6
    assert large > 1.0
