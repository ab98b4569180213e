"""Balls that narrow: where they are, and what a round asks and is told."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.population.owners import Group
from tacit.statistics.narrowing import CLIPPED, SHORT, Narrowing, NarrowingMean
from tacit.statistics.response import longest_normal

WIDE = Narrowing(10, 1000, 100.0, (1e-3, 1e-3, 1e-3))


def test_balls_narrow_to_what_noise_and_people_leave():
    """The first is the declared one, and holds a person's vector but for a small chance."""
    (first, bound), (second, _), (third, tight) = WIDE.balls

    assert (100.0, True) == (first, first < bound <= first + longest_normal(10, 0.01))
    expected = longest_normal(10, 0.01) * np.hypot(1000**-0.5, 1e-3 * bound)
    assert second == pytest.approx(expected) and third < second < first
    rounds, known, noisy = WIDE.wide
    both = [(1e-3 * each.bound) ** 2 for each in rounds]
    assert noisy == pytest.approx(1 / (1 / both[0] + 1 / both[1]))
    assert known == pytest.approx(longest_normal(10, 0.01) * np.hypot(1000**-0.5, noisy**0.5))
    assert tight == pytest.approx(0.9 * np.sqrt(10 + (third / 1.3) ** 2))


def test_without_noise_the_error_is_that_of_people():
    """But for what clipping at the middle costs."""
    quiet = Narrowing(10, 1000, 100.0, (0.0, 0.0))

    alone = Narrowing(10, 1000, 1.0, (0.0,))

    assert quiet.rmse == pytest.approx(np.sqrt(10 / 1000), rel=1e-2)
    assert alone.rmse == pytest.approx(np.sqrt(CLIPPED * 10 / 1000), rel=2e-2)


def test_every_answer_weighs_what_it_is_worth():
    """So the variances that noise leaves are as of a mean weighted by their inverses."""
    noise = Narrowing(10, 10**9, 10.0, (0.05, 0.02, 0.01))
    learner, host = NarrowingMean.of(np.zeros(10, np.float32), noise), np.random.default_rng(0)
    mean = 10 * np.eye(10)[0]
    told = jax.jit(jax.vmap(learner.tell))
    state = jax.vmap(lambda _: learner.init())(jnp.arange(4_000))
    for own, bound, *_ in zip(noise.noise, learner.bounds, noise.parts, strict=True):
        seen = mean - np.asarray(state.centre) + bound * own * host.normal(size=(4_000, 10))
        if bound == learner.bounds[-1]:
            lengths = np.linalg.norm(mean - np.asarray(state.centre), axis=1, keepdims=True)
            clipped = np.interp(lengths, learner.means, learner.clipped) / lengths
            seen = clipped * (mean - np.asarray(state.centre))
            seen = seen + bound * own * host.normal(size=(4_000, 10))
        state = told(state, jnp.asarray(seen / bound, jnp.float32))
    off = np.linalg.norm(np.asarray(state.centre) - mean, axis=1)

    assert noise.parts[0] == 1 > max(noise.parts[1:])
    assert np.sqrt(np.mean(off**2)) == pytest.approx(noise.rmse, rel=0.02)


def test_directions_are_asked_for_where_their_noise_is_less():
    """Of 400 people about means as far away as the first round leaves them, the answer is off by
    what is foreseen; of people who are near in few dimensions places are asked for."""
    plan, host = Narrowing(50, 400, 10.0, (0.05, 0.02, 0.01)), np.random.default_rng(0)
    (first, found), _, noisy = plan.wide
    own = 1 / (1 / noisy - 1 / (0.05 * first.bound) ** 2)
    gain = found.part * own / noisy * SHORT
    off = []
    for _ in range(300):
        mean = 0.05 * first.bound * host.normal(size=50)
        rows = mean + host.normal(size=(400, 50))
        ways = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        answer = gain * (ways.mean(axis=0) + 0.02 * host.normal(size=50))
        off.append(np.mean((answer - mean) ** 2) - 1 / 400)

    assert found.bound == SHORT < Narrowing(2, 400, 10.0, (0.05, 0.02, 0.01)).wide[0][1].bound
    # The length's part is counted nine times.
    assert 0.1 * own < np.mean(off) < own


def test_the_error_grows_with_the_last_rounds_noise():
    """In proportion, where noise is all there is."""
    loud, louder = (Narrowing(10, 10**9, 1.0, (noise,)).rmse for noise in (0.1, 0.2))

    assert louder / loud == pytest.approx(2, rel=1e-3)


def test_an_answer_that_tells_of_no_distance_has_an_infinite_error():
    """So far out that every mean comes out of clipping at the same length."""
    lost = Narrowing(2_000, 10_000, 100.0, (1e6, 1e6, 1e6, 1e6, 5e-3))

    assert np.inf == lost.rmse


def test_a_round_asks_for_the_place_about_the_centre_in_its_ball():
    """Over the bound of the round, so that the unit ball clips it."""
    learner = NarrowingMean.of(np.zeros(10, np.float32), WIDE)
    state = learner.init()._replace(centre=jnp.ones(10), rounds=jnp.asarray(1))
    asked = learner.ask(state, jnp.full(10, 3.0))

    np.testing.assert_allclose(asked, 2.0 / WIDE.balls[1][1], rtol=1e-6)


def test_wide_rounds_move_the_centre_and_the_last_undoes_its_clipping():
    """Along the answer's direction; a length beyond the table is the longest in it."""
    learner = NarrowingMean.of(np.zeros(10, np.float32), WIDE)
    way = jnp.eye(10)[0]
    moved = learner.tell(learner.init(), 0.5 * way)
    np.testing.assert_allclose(moved.centre[0], 0.5 * WIDE.balls[0][1], rtol=1e-6)
    assert 1 == moved.rounds

    response, last = WIDE.response, learner.init()._replace(rounds=jnp.asarray(2))
    part = WIDE.parts[-1]
    for length, expected in [
        (response.clipped[60], response.means[60]),
        (response.bound, 3 * WIDE.balls[-1][0]),
        (0.0, 0.0),
    ]:
        told = learner.tell(last, length / response.bound * way)
        np.testing.assert_allclose(told.centre[0], part * expected, rtol=1e-3)
        assert 0 == float(jnp.abs(told.centre[1:]).max())


def test_several_records_of_one_person_are_refused():
    """A person has one vector."""
    learner = NarrowingMean.of(np.zeros(10, np.float32), WIDE)
    with pytest.raises(ValueError, match="record"):
        learner.ask(learner.init(), Group(jnp.zeros((2, 10)), jnp.ones(2, bool)))
