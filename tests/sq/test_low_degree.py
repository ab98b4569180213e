"""Low-degree learning: a function of few bits, its theorem as a test, everywhere."""

import jax.numpy as jnp
import numpy as np
import pytest

from sq.queried import TRUSTS, bits_of, named, state_of
from tacit.sq.low_degree import LowDegree
from tacit.sq.within import WorstWithin, further, nearer

DIM = 5
# All of them, once: uniform bits, and no sampling.
CUBE = np.array([[row >> bit & 1 for bit in range(DIM)] for row in range(2**DIM)], np.float32)


RANDOM = np.random.default_rng(3).integers(0, 2, 2**DIM).astype(np.float32)


def majority(bits: np.ndarray) -> np.ndarray:
    return (bits[:, :3].sum(axis=1) >= 2).astype(np.float32)


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_a_majority_is_learnt_under_every_trust(trust, tmp_path):
    """Of three of five bits, by parities of at most one bit."""
    learner, bits = LowDegree(DIM, 1), bits_of(30_000, DIM)
    state = state_of(learner, trust, (bits, majority(bits)), tmp_path)

    np.testing.assert_array_equal(majority(CUBE), learner.labels(state, CUBE))


@pytest.mark.parametrize("worse", [nearer, further, lambda a: jnp.where(jnp.abs(a) > 0.4, -1, 1.0)])
@pytest.mark.parametrize("tolerance", [0.05, 0.1, 0.17])
@pytest.mark.parametrize(
    "labels", [majority(CUBE), CUBE[:, 0], RANDOM], ids=["majority", "bit", "any"]
)
def test_the_error_is_the_tail_and_the_answers_own(worse, tolerance, labels, tmp_path):
    """No more than the coefficients beyond the degree, squared, and m t²: a promise below one."""
    learner, everything = LowDegree(DIM, 3), LowDegree(DIM, DIM)
    state = state_of(learner, WorstWithin(tolerance, worse), (CUBE, labels), tmp_path)
    signs = 1 - 2 * (CUBE @ everything.parities.T % 2)
    tail = np.square((1 - 2 * labels) @ signs / 2**DIM)[learner.queries :].sum()

    wrong = np.mean(learner.labels(state, CUBE) != labels)
    assert wrong <= tail + learner.queries * tolerance**2 < 1


def test_answers_that_are_too_wrong_lose_the_function(tmp_path):
    """So the theorem's test can fail."""
    learner = LowDegree(DIM, 1)
    worse = WorstWithin(1.0, nearer)
    state = state_of(learner, worse, (CUBE, majority(CUBE)), tmp_path)

    assert np.mean(learner.labels(state, CUBE) != majority(CUBE)) > 0.25


def test_a_person_answers_with_signs():
    """Their label's times every parity's, of which that of no bit is one."""
    learner = LowDegree(3, 2)
    person = jnp.array([1.0, 0.0, 1.0])
    parities = np.array([1, -1, 1, -1, -1, 1, -1])

    for label, sign in ((0, 1), (1, -1)):
        own = learner.ask(learner.init(), (person, jnp.float32(label)))
        np.testing.assert_array_equal(sign * parities, own)


def test_parities_are_all_of_few_bits():
    """Each once, those of fewer bits first."""
    own = LowDegree(4, 2).parities

    assert [0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2] == own.sum(axis=1).tolist()
    assert 11 == len({tuple(row) for row in own}) == LowDegree(4, 2).queries


@pytest.mark.parametrize(("dim", "degree"), [(0, 0), (3, 4), (3, -1), (200, 3)])
def test_what_is_not_of_its_kind_is_refused(dim, degree):
    """Too many queries, too."""
    with pytest.raises(ValueError, match=r"must be a whole number|at most 65,536 queries"):
        LowDegree(dim, degree)
