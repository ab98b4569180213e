"""Answers as they came: in order, none changed, and none invented."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.contribution import OneHot
from tacit.question.sums import Above, Mean, Select
from tacit.statistics.answers import Answers


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.int32])
def test_answers_are_kept_in_order(dtype, shape):
    """To the bit, as their own type; those that never came stay zero."""
    learner = Answers(5, dtype, shape)
    answers = np.random.default_rng(0).integers(-(2**24), 2**24, (3, *shape)).astype(dtype)
    state = learner.init()
    for given, answer in enumerate(answers, start=1):
        state = learner.tell(state, jnp.asarray(answer))
        kept = np.asarray(state[0])

        assert kept.dtype == dtype and int(state[1]) == given
        assert np.array_equal(kept[:given], answers[:given]) and not kept[given:].any()


def test_special_answers_are_kept():
    """NaN, where a mechanism refuses, and infinity."""
    state = Answers(2).init()
    for answer in (jnp.nan, -jnp.inf):
        state = Answers(2).tell(state, jnp.float32(answer))

    assert np.array_equal(state[0], [np.nan, -np.inf], equal_nan=True)


@pytest.mark.parametrize("person", [0.5, [1.0, 2.0], [[1.0], [2.0]]])
def test_everybody_is_asked_for_their_own_data(person):
    """As it is, whatever was answered before."""
    learner, own = Answers(2), jnp.asarray(person)
    before = learner.init()
    after = learner.tell(before, jnp.float32(1))

    assert np.array_equal(learner.ask(before, own), own)
    assert np.array_equal(learner.ask(after, own), own)


def test_one_state_structure_for_all_rounds():
    """What `tell` returns is of the shapes and types that `init` made: a checkpoint needs that."""
    learner = Answers(4, jnp.int32, (2,))
    before = learner.init()
    after = jax.jit(learner.tell)(before, jnp.array([1, 2], jnp.int32))

    assert jax.tree.structure(before) == jax.tree.structure(after)
    assert [(x.shape, x.dtype) for x in jax.tree.leaves(before)] == [
        (x.shape, x.dtype) for x in jax.tree.leaves(after)
    ]


def test_the_number_of_a_candidate_is_exact(tmp_path):
    """A whole number in every round: beyond 2^24 a float would not hold it."""
    data = np.array([1, 1, 0, 2] * 8)[: small.PEOPLE]
    question = Select(Mean(OneHot(3), tacit.Everyone(), 3, small.PEOPLE))
    plan, book = tacit.NonPrivate().plan(question), tacit.Ledger(tmp_path / "book")
    grant = tacit.Arrays(data, "thirty").grant(plan, Answers(3, jnp.int32), book)
    answers, given = grant.run().state

    assert answers.dtype == jnp.int32 and answers.tolist() == [1, 1, 1] and int(given) == 3
    large = Answers(1, jnp.int32).tell(Answers(1, jnp.int32).init(), jnp.int32(2**24 + 1))
    assert int(large[0][0]) == 2**24 + 1


def test_answers_end_with_the_rounds(tmp_path):
    """A run that halts gives as many as it asked."""
    shape = tacit.Interval(-1.0, 1.0)
    question = Above(Mean(shape, tacit.Everyone(), 6, small.PEOPLE), -1.0, 2)
    plan, book = tacit.NonPrivate().plan(question), tacit.Ledger(tmp_path / "book")
    answers, given = small.people().grant(plan, Answers(6), book).run().state

    assert answers.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0] and int(given) == 2
