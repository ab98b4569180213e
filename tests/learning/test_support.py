"""One person moves one ballot; features are named in the order of their votes or correlations."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from summed import summed
from tacit.learning.linear_risk import LinearRisk
from tacit.learning.support import (
    PENALTY,
    Correlations,
    Named,
    Votes,
    ballots,
    deal,
    lasso,
)
from tacit.solve.losses import Huber

PEOPLE, DIM, SIZE, BLOCKS = 90, 12, 3, 6
SUPPORT = [2, 5, 11]


def people(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.choice(np.array([-1, 1], np.float32), (PEOPLE, DIM))
    noise = 0.1 * rng.normal(size=PEOPLE)
    return features, (features[:, SUPPORT] @ [1, -1, 1] + noise).astype(np.float32)


def release(trust, learner, data, question, folder) -> tacit.Release:
    plan = trust.plan(question)
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("people", promise.observer, promise.relation, promise.epsilon, 1e-6)
    return tacit.Arrays(data, "people").grant(plan, learner, book, seed=5).run()


@pytest.mark.parametrize("blocks", [1, 7, PEOPLE])
def test_everybody_is_dealt_once(blocks):
    """Person i to block i modulo the blocks; what is left over are rows of zeros."""
    features, labels = people()
    rows, own = deal(np.arange(PEOPLE)[:, None] + 1, labels, blocks)

    for block in range(blocks):
        dealt = rows[block, :, 0][rows[block, :, 0] > 0] - 1
        np.testing.assert_array_equal(np.arange(block, PEOPLE, blocks), dealt)
        np.testing.assert_array_equal(labels[block::blocks], own[block][: len(dealt)])
    assert np.count_nonzero(rows) == PEOPLE
    assert deal(features, labels, blocks)[0].shape == (*own.shape, DIM)


@pytest.mark.parametrize("who", [0, 7, PEOPLE - 1])
@pytest.mark.parametrize("content", [np.nan, 1e30, 5.0])
def test_one_changed_person_changes_one_ballot(who, content):
    """Whatever they hold; and ballots are of features, or empty places."""
    features, labels = people()
    before = ballots(*deal(features, labels, BLOCKS), SIZE)
    features[who], labels[who] = content, -content
    after = ballots(*deal(features, labels, BLOCKS), SIZE)
    same = np.arange(BLOCKS) != who % BLOCKS

    np.testing.assert_array_equal(before[same], after[same])
    assert after.min() >= -1 and after.max() < DIM


def test_a_block_of_nothing_votes_for_nothing():
    """Zeros have no correlation, so no weight and no vote."""
    empty = ballots(np.zeros((2, 4, DIM), np.float32), np.zeros((2, 4), np.float32), SIZE)

    np.testing.assert_array_equal(np.full((2, SIZE), -1), empty)


def test_a_block_s_lasso_is_one():
    """Its subgradient has a zero: where weights are, the penalty holds the gradient."""
    features, labels = people()
    weights = np.asarray(lasso(jnp.asarray(features[:20]), jnp.asarray(labels[:20])))
    gradient = features[:20].T @ (features[:20] @ weights - labels[:20])
    penalty = PENALTY * np.abs(features[:20].T @ labels[:20]).max()
    inside = weights != 0

    assert SUPPORT == [j for j in range(DIM) if inside[j] and abs(weights[j]) > 0.2]
    np.testing.assert_allclose(gradient[inside], -penalty * np.sign(weights[inside]), rtol=1e-3)
    assert np.abs(gradient).max() <= penalty * 1.001


def test_a_vote_is_in_its_shape_and_passes_over_the_named():
    """One for each feature on the ballot; a ballot that is none moves nothing else."""
    learner = Votes(DIM, SIZE)
    shape = learner.question(BLOCKS).sums.contribution
    state = Named.none(SIZE).after(jnp.asarray(5, jnp.int32))
    asked = [[2, 5, 11], [-1, -1, 0], [7, 7, 99], [-5, 3, -1]]
    terms = jnp.stack([learner.ask(state, jnp.asarray(own, jnp.int32)) for own in asked])

    assert [[2, 11], [0], [7], [3]] == [np.flatnonzero(own).tolist() for own in terms]
    np.testing.assert_array_equal(shape.project(terms), terms)


def test_features_are_named_in_the_order_of_their_votes(tmp_path):
    """Without privacy, each once."""
    own = np.array([[4, 1, 8], [4, 1, 2], [4, 1, 8], [4, 3, 8], [4, 1, 8]], np.int32)
    learner = Votes(DIM, 3)
    made = release(tacit.NonPrivate(), learner, own, learner.question(5), tmp_path)

    assert [4, 1, 8] == made.state.answers.tolist()
    assert [1, 4, 8] == learner.released(made.state).tolist()


def test_votes_are_for_neighbours_who_replace_a_person_only():
    """A person who joins a block changes its ballot: they add none."""
    question = Votes(DIM, SIZE).question(BLOCKS)
    for relation in (tacit.Relation.ADD_REMOVE, tacit.Relation.ZERO_OUT):
        with pytest.raises(ValueError, match="proved for"):
            tacit.Central(1.0, 1e-6, relation).plan(question)

    plan = tacit.Central(1.0, 0.0, tacit.Relation.REPLACE_ONE).plan(question)
    # A replaced ballot moves one count up and another down: the choice is scaled to half of two.
    assert plan.server.mechanism.grid.sensitivity == 1.0


LOUD = tacit.Central(300.0, 0.0, tacit.Relation.REPLACE_ONE)


def test_a_support_is_found_under_privacy_by_votes(tmp_path):
    """With a budget for which the shortfall is below the gap between features."""
    features, labels = people()
    votes = Votes(DIM, SIZE)
    own = ballots(*deal(features, labels, BLOCKS), SIZE)
    made = release(LOUD, votes, own, votes.question(BLOCKS), tmp_path)
    assert SUPPORT == votes.released(made.state).tolist()


def test_a_support_is_found_under_privacy_by_correlations(tmp_path):
    """With the same budget."""
    features, labels = people()
    direct = Correlations(LinearRisk(Huber(2.0), DIM, 1.0), SIZE)
    made = release(LOUD, direct, (features, labels), direct.question(PEOPLE), tmp_path)
    assert SUPPORT == direct.released(made.state).tolist()


def test_correlations_are_in_their_shape_and_pass_over_the_named():
    """A chunk's sum is that of its terms; named features score zero with both signs."""
    learner = Correlations(LinearRisk(Huber(1.0), DIM, 1.0), SIZE)
    shape = learner.question(PEOPLE).sums.contribution
    state = learner.tell(learner.init(), jnp.asarray(DIM + 5, jnp.int32))
    features, labels = (own[:60] for own in people())
    features[3], labels[4], features[5, 0], labels[6] = np.nan, np.nan, 1e30, -1e30
    present = np.arange(60) % 7 != 0
    terms = jax.jit(jax.vmap(lambda *person: learner.ask(state, person)))(features, labels)
    data = (jnp.asarray(features), jnp.asarray(labels))
    total = eqx.filter_jit(summed)(learner, state, data, jnp.asarray(present), shape)

    np.testing.assert_array_equal(shape.project(terms), terms)
    assert not np.any(terms[:, [5, DIM + 5]]) and np.any(terms[:, 6])
    np.testing.assert_allclose(total, np.asarray(terms)[present].sum(axis=0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("features, risk", [("x", "x"), (None, None), (0, LinearRisk)])
def test_what_is_no_number_or_risk_is_refused(features, risk):
    """As what it is."""
    with pytest.raises(ValueError, match="features must be a whole number of at least 1, got"):
        Votes(features, 1)
    with pytest.raises(ValueError, match="risk must be a LinearRisk"):
        Correlations(risk, 1)


@pytest.mark.parametrize("size", [0, DIM + 1])
def test_refuses_sizes_and_blocks_out_of_range(size):
    """By number."""
    with pytest.raises(ValueError, match=f"size must be between 1 and the 12 features, got {size}"):
        Votes(DIM, size)
    with pytest.raises(ValueError, match=f"got {size}"):
        Correlations(LinearRisk(Huber(1.0), DIM, 1.0), size)
    with pytest.raises(ValueError, match=f"got {size}"):
        ballots(np.zeros((1, 2, DIM), np.float32), np.zeros((1, 2), np.float32), size)
    with pytest.raises(ValueError, match="blocks must be between 1 and the 90 people, got 0"):
        deal(*people(), 0)
