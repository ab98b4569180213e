"""A vote by boosting: within its theorem's rounds, everywhere."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from sq.queried import TRUSTS, bits_of, named, state_of
from tacit.sq.smooth_boosting import SmoothBoosting
from tacit.sq.within import WorstWithin, down, further, nearer, up

DIM, EDGE = 5, 1 / 3
# Reports of a cube are drawn by samplers whose distance bounds what may be told in all rounds.
QUIETER = [*TRUSTS[:-1], tacit.Federated(6.5, tacit.Central(4.0, 1e-6))]


def people_of(many: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the majority of the first, the second and not the fourth."""
    bits = bits_of(many, DIM)
    return bits, (bits[:, 0] + bits[:, 1] + 1 - bits[:, 3] >= 2).astype(np.float32)


@pytest.mark.parametrize("trust", QUIETER, ids=named)
def test_a_vote_is_found_under_every_trust(trust, tmp_path):
    """Wrong about few of 30,000 people, after six rounds."""
    data, learner = people_of(30_000), SmoothBoosting(DIM, 6, slope=1.0)
    state = state_of(learner, trust, data, tmp_path)

    assert np.mean(learner.labels(state, data[0]) != data[1]) < 0.1


def against(answers):
    """The bits that tell are told less of, and the others more."""
    return jnp.where(jnp.abs(answers) > 0.1, nearer(answers), further(answers))


@pytest.mark.parametrize("worse", [up, down, nearer, further, against])
def test_one_of_the_theorems_votes_is_as_good_as_it_says(worse, tmp_path):
    """With answers off by a g/4 on any side; the one kept is wrong about a + 2t at most."""
    error, data = 0.25, people_of(512)
    tolerance = error * EDGE / 4
    learner = SmoothBoosting(DIM, math.ceil(12 / (error * EDGE**2)), EDGE / 3)
    state = state_of(learner, WorstWithin(tolerance, worse), data, tmp_path)

    assert np.mean(learner.labels(state, data[0]) != data[1]) <= error + 2 * tolerance


def test_answers_that_are_too_wrong_lose_the_vote(tmp_path):
    """So the theorem's test can fail: every answer is drawn below the noise of its opposite."""
    data, learner = people_of(2_000), SmoothBoosting(DIM, 50, EDGE / 3)
    state = state_of(learner, WorstWithin(1.0, nearer), data, tmp_path)

    assert np.mean(learner.labels(state, data[0]) != data[1]) > 0.3


def test_a_margin_lowers_a_weight_and_a_mistake_does_not_raise_it():
    """One for who is wrong or even, e^(-c N) for who is right by N."""
    learner = SmoothBoosting(2, 3, 0.5)
    state = learner.init()._replace(votes=jnp.array([2.0, -1.0, 1.0]))
    bits, right, wrong = jnp.array([1.0, 0.0]), jnp.float32(1), jnp.float32(0)

    np.testing.assert_allclose(
        learner.ask(state, (bits, right)), np.exp(-2.0) * np.array([1, -1, 1, 1]), rtol=1e-6
    )
    np.testing.assert_array_equal(learner.ask(state, (bits, wrong)), [-1, 1, -1, 1])
    np.testing.assert_array_equal(learner.ask(learner.init(), (bits, right)), [1, -1, 1, 1])


@pytest.mark.parametrize("slope", [0.01, 0.5, 1.0])
def test_one_vote_costs_no_more_than_the_proof_says(slope):
    """P(N + x) <= P(N) - x M(N) + 0.72 c M(N), for every margin."""
    margins = np.linspace(-5, 50, 1_101)

    def potential(own):
        return np.where(own < 0, 1 / slope - own, np.exp(-slope * np.maximum(own, 0)) / slope)

    weights = np.exp(-slope * np.maximum(margins, 0))
    for moved in (-1, 1):
        most = potential(margins) + (0.72 * slope - moved) * weights
        assert np.all(potential(margins + moved) <= most + 1e-12)


def test_the_vote_of_the_least_weight_is_kept():
    """And never the first, of nothing; an even vote says 0."""
    learner, state = SmoothBoosting(1, 4), SmoothBoosting(1, 4).init()
    for each, left in ((-0.5, 0.1), (-0.5, 0.3), (0.5, 0.2), (0.5, 0.4)):
        state = jax.jit(learner.tell)(state, jnp.array([each, 0.1, left]))

    assert [-2, 0] == learner.vote(state).tolist() and 0.2 == pytest.approx(float(state.left))
    once = learner.tell(learner.init(), jnp.array([0.3, -0.6, 1.0]))
    assert [0, -1] == learner.vote(once).tolist()
    even = state._replace(best=jnp.array([1.0, 1.0]))
    assert [0, 1] == learner.labels(even, np.array([[0], [1]])).tolist()


@pytest.mark.parametrize(
    ("dim", "rounds", "slope"), [(0, 1, 0.1), (2, 0, 0.1), (2, 1, 0.0), (2, 1, math.nan)]
)
def test_what_is_not_of_its_kind_is_refused(dim, rounds, slope):
    """In one sentence."""
    with pytest.raises(ValueError, match=r"must be a whole number from 1|slope must be above 0"):
        SmoothBoosting(dim, rounds, slope)
