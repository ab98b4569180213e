"""Rounds of squares: what each makes of an answer, exact or noise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.statistics.clipped_squares import SCALES, ClippedSquares
from tacit.statistics.whitening import FLOOR, Rung, WhiteningCovariance, first, told

DIM = 4
LAW = ClippedSquares(DIM, 1.5 * DIM)
TOLD = jax.jit(told)


def answer(scale: float, apart: np.ndarray) -> jnp.ndarray:
    """Of people whose w has the covariance scale I + apart, to first order, in units of B²."""
    level, slope = (np.interp(scale, SCALES, each) for each in (LAW.levels, LAW.slopes))
    return jnp.asarray((level * np.eye(DIM) + slope * apart) / LAW.bound, jnp.float32)


def test_an_exact_answer_is_undone():
    """In the units of people: A^-1 times what w has, times A^-1; and then they are white."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(DIM, DIM)))[0]
    apart = turn @ np.diag([0.2, 0.1, -0.1, -0.2]) @ turn.T
    true = 0.5 * np.eye(DIM) + apart
    state = TOLD(first(DIM, 3.0), answer(0.5, apart), Rung.of(DIM, 1.5, 1e-6, True))

    assert np.asarray(state.covariance) == pytest.approx(9 * true, rel=1e-3, abs=1e-3)
    white = np.asarray(state.inverse) @ (9 * true) @ np.asarray(state.inverse).T
    assert white == pytest.approx(np.eye(DIM), abs=2e-3)
    assert np.asarray(state.inverse @ state.root) == pytest.approx(np.eye(DIM), abs=1e-5)


def test_what_rounds_tell_is_weighed_by_the_inverse_of_its_variance():
    """Of two, the one after the other's whitening: neither alone comes out as near."""
    rungs = Rung.of(DIM, 1.5, 0.005, True), Rung.of(DIM, 1.5, 0.01, True)
    draws, host = 3_000, np.random.default_rng(0)
    true = np.diag([0.55, 0.5, 0.5, 0.45])
    state = jax.tree.map(lambda each: jnp.stack([each] * draws), first(DIM, 1.0))
    tells, deviations = jax.jit(jax.vmap(told, (0, 0, None))), []
    for rung in rungs:
        inverse = np.asarray(state.inverse, np.float64)
        white = inverse @ true @ np.swapaxes(inverse, 1, 2)
        scales = np.trace(white, axis1=1, axis2=2) / DIM
        level, slope = (np.interp(scales, SCALES, each) for each in (LAW.levels, LAW.slopes))
        apart = white - scales[:, None, None] * np.eye(DIM)
        drawn = host.normal(size=white.shape)
        noise = float(rung.noise) * (drawn + np.swapaxes(drawn, 1, 2)) / 2
        exact = level[:, None, None] * np.eye(DIM) + slope[:, None, None] * apart
        state = tells(state, jnp.asarray(exact / LAW.bound + noise, jnp.float32), rung)
        deviations.append(float(rung.noise) * LAW.bound / slope.mean() / scales.mean())
    lengths = np.sqrt(np.diag(true))
    off = (np.asarray(state.covariance) - true) / np.outer(lengths, lengths)
    across = np.sqrt(np.mean(off[:, ~np.eye(DIM, dtype=bool)] ** 2))
    both = 1 / np.sqrt(sum(own**-2 for own in deviations)) / 2**0.5

    assert across == pytest.approx(both, rel=0.05)
    assert 1.2 * both < deviations[1] / 2**0.5


def test_a_level_round_takes_the_level_alone():
    """Whatever differs from it, noise or people; and no noise on eigenvalues raises it."""
    apart = np.diag([0.2, 0.1, -0.1, -0.2])
    state = TOLD(first(DIM, 1.0), answer(0.5, apart), Rung.of(DIM, 1.5, 0.075, False))

    assert np.asarray(state.inverse) == pytest.approx(np.eye(DIM) / np.sqrt(0.5), rel=1e-3)


def test_what_is_not_told_from_noise_is_not_made_longer_than_noise_lets_it():
    """Eigenvalues are raised to a part of the largest of noise; nothing is negative in the end."""
    apart, noise = np.diag([0.45, 0.45, -0.45, -0.45]), 0.05
    state = TOLD(first(DIM, 1.0), answer(0.5, apart), Rung.of(DIM, 1.5, noise, True))
    slope = np.interp(0.5, SCALES, LAW.slopes)
    least = FLOOR * np.sqrt(2 * DIM) * noise * LAW.bound / slope
    lengths = np.linalg.svd(np.asarray(state.root), compute_uv=False)[::-1] ** 2

    assert least > 0.051 and lengths[0] == pytest.approx(least, rel=1e-3)
    assert lengths[-1] == pytest.approx(0.95, rel=1e-2)
    broken = TOLD(first(DIM, 1.0), answer(0.5, 3 * apart), Rung.of(DIM, 1.5, noise, True))
    assert np.linalg.eigvalsh(np.asarray(broken.covariance))[0] >= -1e-6


def test_no_direction_is_made_longer_than_the_slope_is_good_for():
    """Without noise: one that comes out of a large difference with no length has a fiftieth."""
    apart = np.diag([1.5, -0.5, -0.5, -0.5])
    state = TOLD(first(DIM, 1.0), answer(0.5, apart), Rung.of(DIM, 1.5, 0.0, True))

    assert np.asarray(state.inverse).max() == pytest.approx((0.02 * 0.5) ** -0.5, rel=1e-3)


@pytest.mark.parametrize("level", [-1.0, 0.0, 1e-9])
def test_a_level_below_its_noise_is_taken_for_twice_that(level):
    """So that people are not made longer than is known, and no scale is zero."""
    whole = Rung.of(DIM, 1.5, 0.01, False)
    state = TOLD(first(DIM, 1.0), jnp.eye(DIM) * level, whole)
    least = np.interp(2 * 0.01 * LAW.bound / 2, LAW.levels, SCALES)

    assert np.asarray(state.root) == pytest.approx(np.eye(DIM) * np.sqrt(least), rel=1e-3)


def test_a_person_gives_their_place_in_the_rounds_ball():
    """A x over the square root of B²; several records of one person are refused."""
    learner = WhiteningCovariance.of((Rung.of(DIM, 1.5, 0.1, True),), DIM, 2.0)
    given = learner.ask(learner.init(), jnp.array([2.0, 0.0, 0.0, 0.0]))

    assert np.asarray(given) == pytest.approx([1 / np.sqrt(LAW.bound), 0, 0, 0])
