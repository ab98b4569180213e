"""Seeking: what one person says, what is made of the answers, and what is foreseen."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.contribution import Ball, L1Ball
from tacit.learning.lloyd import COUNTED, HEARD
from tacit.learning.nearest import FINE
from tacit.learning.routed_terms import RoutedTerms
from tacit.learning.seeking import (
    LAST,
    LEAD,
    LOOK,
    LOOKS,
    REACHED,
    SQUARED,
    Seeking,
    SeekingRounds,
    Sought,
)
from tacit.population.owners import Group

SIDES = (0.6, 0.8)
PURE, DELTA = tacit.Central(2.0, 0.0), tacit.Central(2.0, 1e-6)
PEOPLE, CLUSTERS, TIMES = 1000, 3, 2
PLACES = CLUSTERS * TIMES
OTHERS = np.zeros((PLACES - 1, 4))


def rounds(trust=DELTA, people: int = PEOPLE, times: int = TIMES) -> SeekingRounds:
    return SeekingRounds(trust, people, CLUSTERS, SIDES, times)


def rows(many: int) -> np.ndarray:
    host = np.random.default_rng(0)
    return (host.uniform(-1, 1, (many, 2)) * SIDES).astype(np.float32)


def looking(learner: Seeking, round_: int = 1, bound: float = 0.5) -> Sought:
    """With places apart."""
    return Sought(jnp.asarray(rows(PLACES)), jnp.float32(bound), jnp.int32(round_))


TELL = eqx.filter_jit(Seeking.tell)


def told(learner: Seeking, state: Sought, table) -> Sought:
    """The state after an answer, of shares, sums and squares over the bound, a row a place."""
    parts = jnp.array([COUNTED, 1, 1, SQUARED])
    return TELL(learner, state, (jnp.asarray(table, jnp.float32) * parts / learner.longest).ravel())


@pytest.mark.parametrize("trust, ball, norm", [(DELTA, Ball, 2), (PURE, L1Ball, 1)])
def test_a_person_is_in_one_place_and_in_the_unit_ball(trust, ball, norm):
    """However many places there are, wherever they lie and whatever B is, a NaN too."""
    learner = rounds(trust).learner()
    ask = jax.jit(lambda state, person: learner.ask(state, person))
    far = np.array([[50.0, -3.0], [np.nan, 0.0], [np.inf, 1.0]], np.float32)
    for bound in (1.0, 0.01):
        for person in np.concatenate([rows(10), far]):
            table = np.asarray(ask(looking(learner, bound=bound), person)).reshape(PLACES, 4)
            assert 1 == np.count_nonzero(table.any(axis=1))
            assert np.linalg.norm(table.ravel(), norm) <= 1 + 1e-6
            assert table[:, 0].sum() == pytest.approx(COUNTED / rounds(trust).longest)
    diagonal = looking(learner).centres[0] + 9.0
    longest = np.linalg.norm(np.asarray(ask(looking(learner), diagonal)), norm)
    assert longest == pytest.approx(1, abs=1e-6)
    assert isinstance(rounds(trust).plan.sums.contribution, ball)


def test_a_person_says_how_far_they_are_from_the_nearest_place():
    """Over B, in that place, and the square of it: at most one."""
    learner = rounds().learner()
    state = looking(learner)
    for person in (rows(1)[0] + 0.01, np.float32([0.6, 0.8])):
        nearest = np.argmin(np.linalg.norm(state.centres - person, axis=1))
        off = (person - state.centres[nearest]) / 0.5
        far = max(1, np.hypot(*off))
        table = np.asarray(learner.ask(state, person)).reshape(PLACES, 4)[nearest]
        square = SQUARED * min(1, np.hypot(*off) ** 2)
        expected = [COUNTED, *(off / far), square]
        np.testing.assert_allclose(table * rounds().longest, expected, atol=1e-5)


@pytest.mark.parametrize("trust, norm", [(DELTA, 2), (PURE, 1)])
def test_terms_summed_at_once_are_what_each_person_says(trust, norm):
    """With the norms by which they are shortened: understated, one person would move sums more."""
    learner = rounds(trust).learner()
    state, people = looking(learner), jnp.asarray(3 * rows(40))
    each = np.asarray(jax.vmap(learner.ask, (None, 0))(state, people))
    terms, weights = learner.terms(state, people), np.linspace(0, 1, 40)[:, None]

    np.testing.assert_allclose(terms.norms[:, 0], np.linalg.norm(each, norm, axis=1), rtol=1e-5)
    summed = terms.weighted_sum(jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(summed, (weights * each).sum(axis=0), atol=1e-5)
    assert isinstance(terms, RoutedTerms) and terms.kinds == (type(rounds(trust).part),)


def test_the_first_answer_is_the_mean_and_how_scattered_people_are():
    """All places are laid about it then, and B follows."""
    learner, people = rounds(tacit.NonPrivate()).learner(), jnp.asarray(0.3 * rows(60) + 0.1)
    asked = jax.jit(jax.vmap(lambda own: learner.ask(learner.init(), own)))(people)
    state = jax.jit(lambda answer: learner.tell(learner.init(), answer))(asked.mean(axis=0))
    spread = float(np.sqrt(np.var(people, axis=0).sum()))

    assert float(state.bound) == pytest.approx(REACHED * spread, rel=1e-4)
    np.testing.assert_allclose(state.centres.mean(axis=0), people.mean(axis=0), atol=1e-4)
    assert PLACES == len(np.unique(np.asarray(state.centres).round(5), axis=0))


def test_looks_are_merged_into_as_many_centres_as_clusters():
    """Places that nobody uses then lie on the first, which is nearest before they are."""
    learner = rounds(tacit.NonPrivate()).learner()
    shares = np.array([0.3, 0.2, 0.0, 0.3, 0.2, 0.0])
    state = told(learner, looking(learner, LOOKS), np.outer(shares, [1, 0, 0, 0.1]))
    again = told(learner, state, np.full((PLACES, 4), 0.1))

    for found in (state, again):
        assert CLUSTERS == len(np.unique(np.asarray(found.centres), axis=0))
        np.testing.assert_array_equal(found.centres[CLUSTERS:], [found.centres[0]] * CLUSTERS)
    assert (state.centres[:CLUSTERS] != again.centres[:CLUSTERS]).all()


def test_a_place_that_noise_would_explain_stays():
    """Empty or not, by its noisy count alone; nothing is divided by zero."""
    learner, last = rounds().learner(), LOOKS + 1
    state = looking(learner, last)
    least = HEARD * float(learner.noise[last] * learner.longest) / COUNTED
    table = np.zeros((PLACES, 4))
    table[:3] = [[0, 0.9, 0, 0], [0.99 * least, 0.9, 0, 0], [1.01 * least, 0.9, 0, 0]]
    after = told(learner, state, table).centres

    np.testing.assert_array_equal(after[:2], state.centres[:2])
    assert after[2, 0] != state.centres[2, 0]
    exact = rounds(tacit.NonPrivate()).learner()
    for round_ in (0, 1, LOOKS, last):
        for value in (0.0, -1.0, 1e6):
            found = told(exact, looking(exact, round_), np.full((PLACES, 4), value))
            assert np.isfinite(found.centres).all() and 1 / FINE <= found.bound <= 1
            assert (np.abs(found.centres) <= np.array(SIDES) * (1 + 1e-6)).all()


def test_the_first_round_counts_nobody_where_nobody_was_asked():
    """Of its answer only the first place is used: the others are noise."""
    learner = rounds(tacit.NonPrivate()).learner()
    loud = np.vstack([[1.0, 0.1, 0.1, 0.5], OTHERS + 0.9])
    quiet = np.vstack([[1.0, 0.1, 0.1, 0.5], OTHERS])

    after, expected = (told(learner, learner.init(), table) for table in (loud, quiet))
    np.testing.assert_array_equal(after.centres, expected.centres)
    assert after.bound == expected.bound


def test_rounds_have_their_shares_of_one_promise():
    """Which are all of it; the learner knows the noise of each."""
    asked = rounds()
    first, look, *_, last = asked.noise

    assert 1 == pytest.approx(sum(asked.shares))
    assert len(asked.noise) == asked.plan.sums.rounds == LOOKS + 3
    assert first / look == pytest.approx((LOOK / LEAD) ** 0.5, rel=1e-6)
    assert first / last == pytest.approx((LAST / LEAD) ** 0.5, rel=1e-6)
    assert asked.noise == asked.plan.server.deviations
    np.testing.assert_allclose(asked.learner().noise, asked.noise, rtol=1e-6)


def test_noise_is_foreseen_and_more_places_have_more_of_it():
    """Fewer people have more too; without noise more places miss less."""
    assert rounds(people=100).error > rounds(people=10_000).error
    assert rounds(people=100, times=4).error > rounds(people=100).error
    exact = tacit.NonPrivate()
    assert rounds(exact, times=4).error < rounds(exact).error
    assert rounds(PURE, people=100).error > rounds(people=100).error


def test_a_person_with_several_records_has_no_nearest_place():
    """What helps is said."""
    learner = rounds(tacit.NonPrivate()).learner()
    with pytest.raises(ValueError, match="one value"):
        learner.ask(learner.init(), Group(jnp.ones((2, 2)), jnp.ones(2, bool)))
