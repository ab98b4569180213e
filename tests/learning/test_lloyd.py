"""Lloyd's rounds: what one person says, what is made of the answers, and what is foreseen."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.contribution import Ball, L1Ball
from tacit.learning.lloyd import COUNTED, HEARD, LEAD, Lloyd, LloydRounds, beyond_noise
from tacit.learning.routed_terms import RoutedTerms
from tacit.population.owners import Group

SIDES = (0.6, 0.8)
PURE, DELTA = tacit.Central(2.0, 0.0), tacit.Central(2.0, 1e-6)
PEOPLE, CLUSTERS = 1000, 3


def rounds(trust=DELTA, moves: int = 2, people: int = PEOPLE) -> LloydRounds:
    return LloydRounds(trust, people, CLUSTERS, SIDES, moves)


def quiet() -> Lloyd:
    return rounds(tacit.NonPrivate()).learner()


def rows(many: int) -> np.ndarray:
    host = np.random.default_rng(0)
    return (host.uniform(-1, 1, (many, 2)) * SIDES).astype(np.float32)


def told(learner: Lloyd, state, table):
    """The state after an answer, of shares and sums over their bound, one row a cluster."""
    numbers = jnp.asarray(table, jnp.float32) * jnp.array([COUNTED, 1, 1]) / learner.longest
    return learner.tell(state, numbers.ravel())


def spread(learner: Lloyd):
    """The state once centres are apart."""
    return told(learner, learner.init(), [[1, 0, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("trust, ball, norm", [(DELTA, Ball, 2), (PURE, L1Ball, 1)])
def test_a_person_is_in_one_place_and_in_the_unit_ball(trust, ball, norm):
    """However many clusters there are and wherever they are, a NaN too: noise is scaled to that."""
    learner = rounds(trust).learner()
    state = spread(learner)
    far = np.array([[50.0, -3.0], [np.nan, 0.0], [np.inf, 1.0]], np.float32)
    for person in np.concatenate([rows(50), far]):
        table = np.asarray(learner.ask(state, person)).reshape(CLUSTERS, 3)
        assert 1 == np.count_nonzero(table.any(axis=1))
        assert np.linalg.norm(table.ravel(), norm) <= 1 + 1e-6
        assert table[:, 0].sum() == pytest.approx(COUNTED / rounds(trust).longest)
    longest = np.asarray(learner.ask(state, far[0]))
    assert np.linalg.norm(longest, norm) == pytest.approx(1, abs=1e-6)
    assert isinstance(rounds(trust).plan.sums.contribution, ball)


def test_a_person_says_how_far_they_are_from_the_nearest_centre():
    """Over the round's bound, in that centre's place."""
    learner = quiet()
    state, person = spread(learner), rows(1)[0]
    nearest = np.argmin(np.linalg.norm(state.centres - person, axis=1))
    table = np.asarray(learner.ask(state, person)).reshape(CLUSTERS, 3)[nearest]
    off = (person - state.centres[nearest]) / rounds().bounds[1]

    np.testing.assert_allclose(table[1:] * rounds().longest, off / max(1, np.hypot(*off)), 1e-4)


@pytest.mark.parametrize("trust", [DELTA, PURE])
def test_who_is_within_reach_is_heard_in_full(trust):
    """In the direction in which their numbers are the longest, and no direction is cut short."""
    asked = rounds(trust)
    learner = asked.learner()
    centres = jnp.array([[0.0, 0.0], [9.0, 9.0], [9.0, -9.0]])
    state = spread(learner)._replace(centres=centres)
    for share in (0.5, 0.99):
        off = share * asked.reach * np.array([1.0, 1.0]) / np.sqrt(2)
        table = np.asarray(learner.ask(state, jnp.asarray(off, jnp.float32)))
        np.testing.assert_allclose(table[1:3] * asked.longest * asked.bounds[1], off, rtol=1e-5)


@pytest.mark.parametrize("trust, norm", [(DELTA, 2), (PURE, 1)])
def test_terms_summed_at_once_are_what_each_person_says(trust, norm):
    """With the norms by which they are shortened: understated, one person would move sums more."""
    learner = rounds(trust).learner()
    state, people = spread(learner), jnp.asarray(3 * rows(40))
    each = np.stack([learner.ask(state, person) for person in people])
    terms, weights = learner.terms(state, people), np.linspace(0, 1, 40)[:, None]

    np.testing.assert_allclose(terms.norms[:, 0], np.linalg.norm(each, norm, axis=1), rtol=1e-5)
    summed = terms.weighted_sum(jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(summed, (weights * each).sum(axis=0), atol=1e-5)
    assert isinstance(terms, RoutedTerms) and terms.kinds == (type(rounds(trust).part),)


def test_without_noise_a_round_is_lloyds():
    """Everybody's mean first, seeds about it; then the means of those who are nearest."""
    learner, people = quiet(), jnp.asarray(0.3 * rows(60) + 0.1)
    state = learner.init()
    for _ in range(2):
        asked = jax.vmap(learner.ask, (None, 0))(state, people)
        before, state = state, learner.tell(state, asked.mean(axis=0))
    np.testing.assert_allclose(before.centres - learner.seeds, [people.mean(axis=0)] * 3, atol=1e-5)
    off = np.linalg.norm(np.asarray(before.centres) - people[:, None], axis=2)
    assert off.min(axis=1).max() < rounds().reach
    means = [people[off.argmin(axis=1) == own].mean(axis=0) for own in range(CLUSTERS)]
    np.testing.assert_allclose(state.centres, means, atol=1e-5)


def test_a_cluster_that_noise_would_explain_stays():
    """Empty or not, by its noisy count alone; nothing is divided by zero."""
    learner = rounds().learner()
    state = spread(learner)
    least = HEARD * float(learner.noise[1] * learner.longest) / COUNTED
    table = [[0.0, 0.9, 0.0], [0.99 * least, 0.9, 0.0], [1.01 * least, 0.5 * least, 0.0]]
    after = told(learner, state, table).centres

    np.testing.assert_array_equal(after[:2], state.centres[:2])
    assert after[2, 0] != state.centres[2, 0]
    assert np.isfinite(told(quiet(), spread(quiet()), np.zeros((3, 3))).centres).all()
    assert np.isfinite(told(quiet(), spread(quiet()), -np.ones((3, 3))).centres).all()


def test_centres_do_not_leave_the_box():
    """Whatever noise says."""
    state = told(quiet(), spread(quiet()), [[1e-6, 1e6, -1e6]] * 3)

    np.testing.assert_allclose(np.abs(state.centres), [SIDES] * 3, rtol=1e-6)


def test_what_noise_explains_is_taken_off():
    """All of a sum as long as noise is; of a longer one the part that leaves the rest's square."""
    sums = jnp.array([[3.0, 4.0], [1.0, 0.5], [0.0, 0.0]])
    expected = np.array([[3.0, 4.0], [0, 0], [0, 0]]) * (1 - 2 * 1.0 / 25)

    np.testing.assert_allclose(beyond_noise(sums, jnp.float32(1.0)), expected, rtol=1e-6)
    np.testing.assert_array_equal(beyond_noise(sums, jnp.float32(0.0)), sums)


def test_the_first_round_has_a_small_share_of_a_curators_promise():
    """So the learner knows a larger noise of it; its numbers are the plan's."""
    first, *others = rounds().noise
    ratio = ((1 - LEAD) / 2 / LEAD) ** 0.5

    assert 3 == len(rounds().noise) == rounds().plan.sums.rounds
    assert first / others[0] == pytest.approx(ratio, rel=1e-6) and others[0] == others[1]
    assert rounds().noise == rounds().plan.server.deviations
    np.testing.assert_allclose(rounds().learner().noise, rounds().noise, rtol=1e-6)


def test_people_who_report_by_themselves_are_in_one_round_each():
    """With noise as the plan predicts it."""
    local = rounds(tacit.Local(4.0))
    size = CLUSTERS * 3

    assert local.plan.sums.participation == tacit.Once()
    assert local.noise == ((local.plan.error / size) ** 0.5,) * 3


def test_noise_that_is_not_known_is_refused():
    """A projection of reports leaves a bias that depends on people."""
    central = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    with pytest.raises(ValueError, match="noise of these reports is not known"):
        _ = rounds(tacit.Federated(4.0, central, radius=0.5)).noise


def test_a_centre_moves_by_the_noise_that_is_foreseen():
    """Of a third of the people: 20,000 answers, whose mean square is within 3% (8 deviations)."""
    asked = rounds(people=100_000)
    noise, longest, bound = asked.noise[-1], asked.longest, asked.bounds[-1]
    draws = np.random.default_rng(0).normal(size=(20_000, 2)) * noise * longest
    moved = bound * draws / (1 / CLUSTERS)
    quietest = LloydRounds(tacit.NonPrivate(), 100_000, CLUSTERS, SIDES, 2).error
    first = 2 * (asked.noise[0] * longest * asked.bounds[0]) ** 2 * (2 / 3) ** 4

    foreseen = asked.error - quietest - first
    assert np.square(moved).sum(axis=1).mean() == pytest.approx(foreseen, rel=0.03)


def test_seeds_are_the_same_for_everybody():
    """In the box, and apart."""
    seeds = rounds().seeds
    np.testing.assert_array_equal(seeds, rounds(PURE, 5, 7).seeds)
    assert (np.abs(seeds) <= SIDES).all()
    assert np.linalg.norm(seeds[:, None] - seeds, axis=2)[np.triu_indices(3, 1)].min() > 0.3


def test_a_person_with_several_records_has_no_nearest_centre():
    """What helps is said."""
    with pytest.raises(ValueError, match="one value"):
        quiet().ask(quiet().init(), Group(jnp.ones((2, 2)), jnp.ones(2, bool)))
