"""Rounds of squares: what each makes of an answer, exact or noise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.statistics.clipped_squares import SCALES, ClippedSquares
from tacit.statistics.log_lengths import LogLengths
from tacit.statistics.whitening import FLOOR, Rung, WhiteningCovariance, first, told

DIM = 4
LAW = ClippedSquares(DIM, 1.5 * DIM)
TOLD = jax.jit(told)
RUNG_OF_8 = Rung.of(8, 1.5, 0.02)


def answer(scale: float, apart: np.ndarray) -> jnp.ndarray:
    """Of people whose w has the covariance scale I + apart, to first order, in units of B²."""
    level, slope = (np.interp(scale, SCALES, each) for each in (LAW.levels, LAW.slopes))
    return jnp.asarray((level * np.eye(DIM) + slope * apart) / LAW.bound, jnp.float32)


def test_an_exact_answer_is_undone():
    """In the units of people: A^-1 times what w has, times A^-1; and then they are white."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(DIM, DIM)))[0]
    apart = turn @ np.diag([0.2, 0.1, -0.1, -0.2]) @ turn.T
    true = 0.5 * np.eye(DIM) + apart
    state = TOLD(first(DIM, 3.0), answer(0.5, apart), Rung.of(DIM, 1.5, 1e-6))

    assert np.asarray(state.covariance) == pytest.approx(9 * true, rel=1e-3, abs=1e-3)
    white = np.asarray(state.inverse) @ (9 * true) @ np.asarray(state.inverse).T
    assert white == pytest.approx(np.eye(DIM), abs=2e-3)
    assert np.asarray(state.inverse @ state.root) == pytest.approx(np.eye(DIM), abs=1e-5)


def test_of_every_round_the_inverse_is_that_of_the_root():
    """Of a second one as well, whose directions are others."""
    turns = np.linalg.qr(np.random.default_rng(2).normal(size=(2, DIM, DIM)))[0]
    state = first(DIM, 3.0)
    for turn in turns:
        apart = turn @ np.diag([0.2, 0.1, -0.1, -0.2]) @ turn.T
        state = TOLD(state, answer(0.5, apart), Rung.of(DIM, 1.5, 1e-3))

    assert np.asarray(state.inverse @ state.root) == pytest.approx(np.eye(DIM), abs=1e-5)


def test_what_rounds_tell_is_weighed_by_the_inverse_of_its_variance():
    """Of two, the one after the other's whitening: neither alone comes out as near."""
    rungs = Rung.of(DIM, 1.5, 0.0001), Rung.of(DIM, 1.5, 0.0002)
    draws, host = 3_000, np.random.default_rng(0)
    true = np.diag([0.55, 0.5, 0.5, 0.45])
    state = jax.tree.map(lambda each: np.tile(each, (draws, *[1] * each.ndim)), first(DIM, 1.0))
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


def test_a_level_round_finds_how_long_people_are_and_nothing_else():
    """From one number of the answer; a person says the logarithm of their length in it."""
    lengths = LogLengths.between(DIM, 1e-4, 1.0)
    rung = Rung.of(DIM, 1.5, 0.075, lengths)
    learner = WhiteningCovariance.of((rung,), DIM, 2.0)
    people = np.random.default_rng(0).normal(0, 0.06, size=(20_000, DIM)).astype(np.float32)
    given = jax.vmap(learner.ask, (None, 0))(learner.init(), people)
    noise = jnp.full((DIM, DIM), 9.0).at[0, 0].set(0.0)
    state = learner.tell(learner.init(), given.T @ given / len(given) + noise)

    assert not np.any(given[:, 1:]) and np.all(given[:, 0] <= 1.0)
    assert np.asarray(state.root) == pytest.approx(0.06 * np.eye(DIM), rel=0.02)
    assert np.asarray(state.inverse @ state.root) == pytest.approx(np.eye(DIM), abs=1e-6)
    assert np.asarray(state.covariance) == pytest.approx(0.06**2 * np.eye(DIM), rel=0.04)
    np.testing.assert_array_equal(state.noise, first(DIM, 2.0).noise)
    assert state.rounds == 1


@pytest.mark.parametrize("said, end", [(-3.0, 0.0), (7.0, 1.0)])
def test_a_level_is_within_its_interval_whatever_the_noise(said, end):
    """An answer beyond it counts as its end."""
    lengths = LogLengths.between(DIM, 1e-4, 1.0)
    state = TOLD(first(DIM, 1.0), jnp.full((DIM, DIM), said), Rung.of(DIM, 1.5, 0.1, lengths))
    scale = np.exp(lengths.low + end * lengths.span - lengths.white)

    assert np.asarray(state.root) == pytest.approx(np.sqrt(scale) * np.eye(DIM), rel=1e-4)


def test_what_noise_explains_is_taken_off():
    """An answer of white people and of noise comes out white but for little; what is beyond noise
    stays, less the part that noise has in it; and without noise all of it."""
    host, draws, dim = np.random.default_rng(1), 400, 8
    law, noise = ClippedSquares(dim, 1.5 * dim), 0.02
    level, slope = (np.interp(0.5, SCALES, each) for each in (law.levels, law.slopes))
    drawn = host.normal(size=(draws, dim, dim))
    drawn = (drawn + np.swapaxes(drawn, 1, 2)) / 2
    apart = np.diag([0.3, -0.3] * (dim // 2))
    squares = []
    for true in (0 * apart, apart):
        exact = (level * np.eye(dim) + slope * true) / law.bound
        tells = jax.jit(jax.vmap(lambda each: told(first(dim, 1.0), each, RUNG_OF_8)))
        found = np.asarray(tells(jnp.asarray(exact + noise * drawn, jnp.float32)).covariance)
        squares.append(np.square(found - 0.5 * np.eye(dim) - true).sum(axis=(1, 2)).mean())
    whole = (noise * law.bound / slope) ** 2 * dim * (dim + 1) / 2

    assert squares[0] < 0.25 * whole and squares[1] < whole


def test_what_is_not_told_from_noise_is_not_made_longer_than_noise_lets_it():
    """Eigenvalues are raised to a part of the largest of noise; nothing is negative in the end."""
    apart, noise = np.diag([0.49, 0.49, -0.49, -0.49]), 0.012
    state = TOLD(first(DIM, 1.0), answer(0.5, apart), Rung.of(DIM, 1.5, noise))
    slope = np.interp(0.5, SCALES, LAW.slopes)
    least = FLOOR * np.sqrt(2 * DIM) * noise * LAW.bound / slope
    lengths = np.linalg.svd(np.asarray(state.root), compute_uv=False)[::-1] ** 2

    assert least > 0.051 and lengths[0] == pytest.approx(least, rel=1e-3)
    left = 1 - 7 * (noise * LAW.bound / slope) ** 2 / np.sum(apart**2)
    assert lengths[-1] == pytest.approx(0.5 + 0.49 * left, rel=1e-3)
    broken = TOLD(first(DIM, 1.0), answer(0.5, 3 * apart), Rung.of(DIM, 1.5, noise))
    assert np.linalg.eigvalsh(np.asarray(broken.covariance))[0] >= -1e-6


def test_no_direction_is_made_longer_than_the_slope_is_good_for():
    """Without noise: one that comes out of a large difference with no length has a fiftieth."""
    apart = np.diag([1.5, -0.5, -0.5, -0.5])
    state = TOLD(first(DIM, 1.0), answer(0.5, apart), Rung.of(DIM, 1.5, 0.0))

    assert np.asarray(state.inverse).max() == pytest.approx((0.02 * 0.5) ** -0.5, rel=1e-3)


@pytest.mark.parametrize("level", [-1.0, 0.0, 1e-9])
def test_a_level_below_its_noise_is_taken_for_twice_that(level):
    """So that people are not made longer than is known, and no scale is zero."""
    whole = Rung.of(DIM, 1.5, 0.01)
    state = TOLD(first(DIM, 1.0), jnp.eye(DIM) * level, whole)
    least = np.interp(2 * 0.01 * LAW.bound / 2, LAW.levels, SCALES)

    assert np.asarray(state.covariance) == pytest.approx(np.eye(DIM) * least, rel=1e-3)


def test_a_person_gives_their_place_in_the_rounds_ball():
    """A x over the square root of B²; several records of one person are refused."""
    learner = WhiteningCovariance.of((Rung.of(DIM, 1.5, 0.1),), DIM, 2.0)
    given = learner.ask(learner.init(), jnp.array([2.0, 0.0, 0.0, 0.0]))

    assert np.asarray(given) == pytest.approx([1 / np.sqrt(LAW.bound), 0, 0, 0])
