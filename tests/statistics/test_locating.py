"""Where people are and how they vary, found together: what one says, and what comes of it."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.population.owners import Group
from tacit.statistics.locating import COUNTED, LocatingSquares
from tacit.statistics.log_lengths import LogLengths
from tacit.statistics.response import Response
from tacit.statistics.whitening import Rung
from tacit.statistics.wide_rounds import Wide

DIM, MOST, WIDE = 3, 4.0, (Wide(9.0, 6.0, 1.0), Wide(2.0, 5.0, 0.75))
BOUNDS = (2.0, 1.5)


def learner() -> LocatingSquares:
    """Two wide rounds, and two that take all of the squares."""
    rungs = tuple(Rung.of(DIM, bound, 0.0) for bound in BOUNDS)
    slopes = tuple(Response(DIM, math.sqrt(bound * DIM), 1.0).slope for bound in BOUNDS)
    return LocatingSquares.of(WIDE, rungs, slopes, DIM, MOST)


def played(asks: LocatingSquares, people: np.ndarray, rounds: int):
    """The state after so many rounds without noise."""
    state = asks.init()
    for _ in range(rounds):
        state = told(asks, state, people)
    return state


@eqx.filter_jit
def told(asks: LocatingSquares, state, people):
    """After one round more."""
    said = jax.vmap(asks.ask, (None, 0))(state, people)
    return asks.tell(state, said.T @ said / len(people))


PEOPLE = (
    np.random.default_rng(0).normal(size=(20_000, DIM)) * [4.0, 1.0, 2.0] + [5.0, -6.0, 2.0]
).astype(np.float32)


def test_a_person_is_in_the_unit_ball_and_counts_for_what_everybody_does():
    """In every round, however far they are; one who is nowhere counts as the centre."""
    asks, says = learner(), eqx.filter_jit(jax.vmap(LocatingSquares.ask, (None, None, 0)))
    state = asks.init()
    far = np.array([[500, 1e6, 0], [1e15, -1e15, 3], [np.nan, 0, 0], [0, np.inf, 0]], np.float32)
    for _ in range(4):
        said = says(asks, state, far)
        state = told(asks, state, PEOPLE)
        assert np.linalg.norm(said[:2], axis=1) == pytest.approx([1, 1], abs=1e-5)
        assert not np.any(said[2:, 1:])
        assert said[:, 0] == pytest.approx(math.sqrt(COUNTED / (1 + COUNTED)), abs=1e-6)


def test_wide_rounds_find_where_people_are_and_nothing_of_how_they_vary():
    """Beside what little is clipped: no vector is short enough to tell that from."""
    asks = learner()
    state = played(asks, PEOPLE, 2)

    assert np.asarray(state.centre) == pytest.approx(PEOPLE.mean(axis=0), abs=0.05)
    np.testing.assert_array_equal(state.spread.root, asks.init().spread.root)


def test_mean_and_covariance_are_found():
    """Both are the last round's, with the clipping undone; the mean is in no square."""
    state = played(learner(), PEOPLE, 4)
    scales = 1 / np.array([4.0, 1.0, 2.0])

    assert (np.asarray(state.centre) - [5.0, -6.0, 2.0]) * scales == pytest.approx(0, abs=0.03)
    white = scales[:, None] * np.asarray(state.spread.covariance) * scales
    assert white == pytest.approx(np.eye(DIM), abs=0.1)
    assert state.rounds == 4


def test_wide_rounds_move_the_centre_by_their_part():
    """Of what they say, the first by all of it."""
    asks = learner()
    table = jnp.zeros((DIM + 1, DIM + 1)).at[0, 1:].set(jnp.asarray([0.1, 0.0, 0.0]))
    states = [asks.init()]
    for _ in range(2):
        states.append(asks.tell(states[-1], table))
    first, second = np.diff([float(each.centre[0]) for each in states])

    assert second / first == pytest.approx(0.75 * 5 / 6)


def test_a_level_round_leaves_the_centre_and_scales_the_rest():
    """People of a tenth of their bounds, about a centre that is not theirs."""
    rungs = Rung.of(DIM, 1.5, 0.0, LogLengths.between(DIM, 1e-4, 1.0)), Rung.of(DIM, 1.5, 0.0)
    asks = LocatingSquares.of((), rungs, (1.0, 1.0), DIM, 10.0)
    people = np.random.default_rng(0).normal(size=(20_000, DIM)).astype(np.float32)
    state = played(asks, people, 1)

    np.testing.assert_array_equal(state.centre, np.zeros(DIM))
    assert np.asarray(state.spread.root) == pytest.approx(np.eye(DIM), abs=0.03)
    said = jax.vmap(asks.ask, (None, 0))(asks.init(), people)
    assert np.linalg.norm(said, axis=1).max() <= 1 + 1e-5


def test_a_small_mean_that_clipping_shortens_is_found_whole():
    """One answer of a round that is not wide, from people whose mean is a little off the centre."""
    rungs, slopes = (Rung.of(DIM, 1.0, 0.0),), (Response(DIM, math.sqrt(DIM), 1.0).slope,)
    asks = LocatingSquares.of((), rungs, slopes, DIM, 1.0)
    people = np.random.default_rng(0).normal([0.2, 0.0, 0.0], size=(100_000, DIM))
    state = played(asks, people.astype(np.float32), 1)

    assert slopes[0] < 0.85
    assert np.asarray(state.centre) == pytest.approx([0.2, 0.0, 0.0], abs=0.012)
    assert np.asarray(state.spread.covariance) == pytest.approx(np.eye(DIM), abs=0.03)


def test_a_person_of_several_records_is_refused():
    """Their records are nobody's one vector."""
    with pytest.raises(ValueError, match="record"):
        learner().ask(learner().init(), Group(jnp.ones((2, DIM)), jnp.ones(2, bool)))
