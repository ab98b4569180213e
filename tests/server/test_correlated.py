"""Correlated noise: a column of length one, noise that cancels, and people who keep apart."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from measured import everyone
from tacit.accounting.reserve import reserve_for
from tacit.noise.fixed import FixedPoint
from tacit.population.loop import Keys, Parts, run_round
from tacit.question.participation import Cyclic
from tacit.question.running import Running
from tacit.server.correlated import PARTS, inverse_bands, square_root_bands

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL = tacit.Central(1.0, 1e-6, REPLACE)
ROUNDS, PEOPLE = 12, 36


def question(bands=4, passes=2, shape=tacit.Ball(3, 1.0)) -> Running:
    return Running(tacit.Mean(shape, Cyclic(passes), ROUNDS, PEOPLE), bands)


def matrix(column, size: int) -> np.ndarray:
    """The lower triangular matrix of these diagonals."""
    padded = np.zeros(size)
    padded[: len(column)] = column
    return np.array([[padded[i - j] if i >= j else 0 for j in range(size)] for i in range(size)])


@pytest.mark.parametrize("bands", [1, 2, 5, 64, 1000])
def test_bands_are_those_of_the_square_root_and_no_longer_than_one(bands):
    """Squared as a matrix they are proportional to ones below the diagonal, up to rounding."""
    c = np.array(square_root_bands(bands)) / PARTS

    assert 0.98**2 * PARTS**2 <= sum(k**2 for k in square_root_bands(bands)) <= PARTS**2
    assert np.all(np.diff(c) <= 0) and np.all(c >= 0)
    np.testing.assert_allclose(np.convolve(c, c)[:bands], c[0] ** 2, rtol=0, atol=0.02)


@pytest.mark.parametrize("bands", [1, 3, 12])
def test_the_inverse_undoes_the_bands(bands):
    """C times the matrix of the inverse's column is the identity."""
    c = square_root_bands(bands)
    product = matrix(np.array(c) / PARTS, ROUNDS) @ matrix(inverse_bands(c, ROUNDS), ROUNDS)

    np.testing.assert_allclose(product, np.eye(ROUNDS), atol=1e-9)


def play(server, totals, seed) -> np.ndarray:
    """All answers to a stream of sums, times the cohort."""

    grid = jnp.asarray(server.grid, jnp.float32)

    def step(carry, given):
        total, own = given
        sums = FixedPoint.zero(total.shape, grid).terms(total)
        carry, answer, _ = server.step(carry, own, sums)
        return carry, answer * server.divisor

    def run(key):
        keys = jax.random.split(key, len(totals))
        return jax.lax.scan(step, server.init(), (totals, keys))[1]

    return np.asarray(jax.jit(jax.vmap(run))(jax.random.split(quick_keys.key(seed), 400)))


def test_noise_is_what_the_plan_says_and_cancels_in_running_sums():
    """Without bias, of the stated deviation, and its running sums are those of A C^-1.

    Bounds are five standard errors of 1,200 independent coordinates.
    """
    plan = CENTRAL.plan(question())
    totals = jnp.asarray(np.random.default_rng(0).normal(size=(ROUNDS, 3)), jnp.float32)
    noise = play(plan.server, totals, 0) - np.asarray(totals)
    last, whole = noise[:, -1].ravel(), noise.sum(axis=1).ravel()
    running = np.sqrt(plan.server.running_error / 3)
    slack = 5 / np.sqrt(2 * last.size)

    assert abs(last.mean()) <= 5 * plan.server.facts.noise / np.sqrt(last.size)
    assert abs(last.std() / plan.server.facts.noise - 1) <= slack
    assert abs(whole.std() / running - 1) <= slack
    assert np.isclose(plan.error, 3 * plan.server.facts.noise**2 / plan.question.sums.cohort**2)
    # The sum of twelve answers with fresh noise would be further out by more than the slack.
    assert running * (1 + slack) < np.sqrt(ROUNDS) * CENTRAL.plan(question(1)).server.facts.noise


def test_a_sum_moves_the_answer_of_its_own_round_and_no_other():
    """Under one noise: what is mixed with earlier sums is undone exactly, to float32."""
    server = CENTRAL.plan(question()).server
    before = jnp.zeros((ROUNDS, 3))
    apart = play(server, before.at[4].set(1.0), 0) - play(server, before, 0)

    np.testing.assert_allclose(apart.mean(axis=0), np.asarray(before.at[4].set(1.0)), atol=1e-3)


def test_one_band_is_independent_noise():
    """Then it is the mean with as much noise as `Mean` needs for as many reports."""
    apart = CENTRAL.plan(question(1)).server
    mean = CENTRAL.plan(question().sums).server

    assert square_root_bands(1) == (PARTS,)
    assert 1 <= apart.facts.noise / mean.facts.noise <= 1.0001


@pytest.mark.parametrize("passes, bands", [(2, 6), (3, 4), (1, 12)])
def test_a_person_moves_the_stream_by_no_more_than_the_releases_they_are_charged(passes, bands):
    """Wherever they are, the columns of one person add up to the square root of their passes."""
    c = matrix(np.array(square_root_bands(bands)) / PARTS, ROUNDS)
    apart = ROUNDS // passes
    moves = [np.linalg.norm(c[:, first::apart].sum(axis=1)) for first in range(apart)]
    # Returning sooner than the bands would move it further: this is what the refusal is for.
    sooner = np.linalg.norm(c[:, : 2 * passes : 2].sum(axis=1)) if bands > 2 else np.inf

    assert max(moves) <= np.sqrt(passes)
    assert passes == 1 or sooner > np.sqrt(passes)
    assert CENTRAL.plan(question(bands, passes)).guarantees[0].event.count == passes


@pytest.mark.parametrize(
    "sums, bands",
    [
        (tacit.Mean(tacit.Ball(3, 1.0), Cyclic(2), 12, 36), 7),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.AtMost(2), 12, 36), 2),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Poisson(0.1), 12, 36), 2),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 12, 36), 2),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Once(), 12, 36), 13),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Once(), 12, 36), 0),
    ],
)
def test_people_who_may_return_too_soon_are_refused(sums, bands):
    """The message names how many bands there may be."""
    with pytest.raises(ValueError, match="bands must be from 1 to"):
        Running(sums, bands)


def test_other_refusals_name_what_is_allowed():
    """No delta, a relation that is not proved, several shapes at once."""
    with pytest.raises(ValueError, match="needs a delta above 0"):
        tacit.Central(1.0, 0.0, REPLACE).plan(question())
    with pytest.raises(ValueError, match="is proved for replace-one"):
        tacit.Central(1.0, 1e-6).plan(question())
    both = tacit.Product(tacit.Ball(3, 1.0), tacit.Interval(0.0, 1.0))
    with pytest.raises(ValueError, match="one shape, got a Product"):
        question(shape=both)


def test_a_grid_of_any_step_moves_by_no_more_than_the_noise_is_for():
    """Units are divided into powers of two, so neighbours' exact sums are whole units apart."""
    least = 3_813_006
    shape = tacit.Grid(least, least + 1, 1.1)
    plan = CENTRAL.plan(Running(tacit.Mean(shape, Cyclic(1), 1, 2), 1))
    grid = jnp.asarray(plan.server.grid, jnp.float32)
    ends = jnp.asarray([least * 1.1, (least + 1) * 1.1], jnp.float32)
    low, high = (
        shape.add(shape.empty(grid), shape.project(ends[i : i + 1]), jnp.ones(1, bool))
        for i in range(2)
    )
    steps = (int(high.high) - int(low.high)) * 2**15 + int(high.low) - int(low.low)

    assert steps * plan.server.grid <= plan.server.mechanism.sensitivity


def test_the_samplers_of_all_rounds_are_paid_for():
    """Twelve rounds take what the sampler of one does, twelve times."""
    plan = CENTRAL.plan(question())
    reserve = reserve_for(1.0, ROUNDS * plan.server.mechanism.tv_distance(3))

    assert pytest.approx(reserve, rel=1e-9, abs=0) == plan.guarantees[0].delta_reserved


def test_a_person_moves_the_cut_sums_of_many_by_no_more_than_the_noise_is_for():
    """So many sums fit on a coarse grid only, and to it each coordinate is cut on its own."""
    people = 2**24
    asked = Running(tacit.Mean(tacit.Ball(3, 1.0), Cyclic(2), ROUNDS, people), 4)
    mechanism = CENTRAL.plan(asked).server.mechanism
    step = mechanism.step * PARTS

    assert step > 1e-5
    assert mechanism.sensitivity >= 2.0 + np.sqrt(3) * step


def test_rounds_run_and_add_up_through_the_loop():
    """A thousand people in twelve rounds: the mean of the answers is near the mean of all."""
    people = 1200
    shape = tacit.Interval(-1.0, 1.0)
    asked = Running(tacit.Mean(shape, tacit.Once(), ROUNDS, people), ROUNDS)
    plan = tacit.Central(1.0, 1e-6, REPLACE).plan(asked)
    data = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, people), jnp.float32)
    learner, parts = tacit.statistics.Average(), Parts.of(plan)

    def step(carries, given):
        rows, first, second = given
        keys = Keys(first, second, first)
        return run_round(learner, parts, *carries, rows, everyone(100), keys)[:2], None

    own = jax.random.split(quick_keys.key(0), (2, ROUNDS))
    start = learner.init(), plan.server.init()
    (state, _), _ = jax.lax.scan(step, start, (data.reshape(ROUNDS, 100), *own))
    spread = np.sqrt(plan.server.running_error) / people

    assert abs(float(state[0]) - float(data.mean())) <= 5 * spread
    assert spread < 0.02
