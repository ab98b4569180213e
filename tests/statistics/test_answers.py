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


MEAN = Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 3, small.PEOPLE)
OF_ROUNDS = [MEAN, Above(MEAN, 0.0, 1), Select(Mean(OneHot(4), tacit.Everyone(), 3, small.PEOPLE))]


@pytest.mark.parametrize("question", OF_ROUNDS, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("kept", [2, 4])
def test_other_rounds_than_the_plans_are_refused_before_the_charge(tmp_path, question, kept):
    """More would be paid for and lost; of fewer, rows of zeros would look like answers."""
    plan, book = tacit.Central(1.0, 1e-6).plan(question), tacit.Ledger(tmp_path / "book")
    book.limit_for("thirty", plan)
    kind = jnp.int32 if isinstance(question, Select) else jnp.float32
    data = np.zeros(small.PEOPLE, kind)
    said = rf"has 3 rounds, and Answers keeps the answers of {kept}: write Answers\(rounds=3, ...\)"
    with pytest.raises(ValueError, match=said):
        tacit.Arrays(data, "thirty").grant(plan, Answers(kept, kind), book)

    assert not book.history("thirty")
    assert tacit.Arrays(data, "thirty").grant(plan, Answers(3, kind), book, seed=1)


@pytest.mark.parametrize(
    "made, why",
    [
        (lambda: Answers(-1), "rounds must be a whole number of at least 1, got -1"),
        (lambda: Answers("x"), "rounds must be a whole number of at least 1, got 'x'"),  # pyright: ignore
        (lambda: Answers(2, (3,)), "dtype must be jnp.float32, or jnp.int32 of .*, got tuple"),  # pyright: ignore
        (lambda: Answers(2, float), "dtype must be .*, got float"),
        (lambda: Answers(2, shape=(0,)), r"shape must be of whole numbers .*, got \(0\)"),
        (
            lambda: Answers(2, shape="x"),
            "shape must be of whole numbers of at least 1, .*, got 'x'",
        ),
    ],
)
def test_what_keeps_nothing_is_refused_when_it_is_made(made, why):
    """In one sentence."""
    with pytest.raises(ValueError, match=why) as refused:
        made()
    assert "\n" not in str(refused.value)


def test_numpys_numbers_and_types_are_kept_as_pythons():
    """Of equal numbers there is one learner."""
    own = Answers(np.int64(2), np.dtype("int32"), [np.int32(3)])
    assert (own.rounds, own.shape) == (2, (3,)) and type(own.rounds) is int
    assert own.init().answer.shape == (2, 3) and own.init().answer.dtype == jnp.int32


def test_answers_end_with_the_rounds(tmp_path):
    """A run that halts gives as many as it asked."""
    shape = tacit.Interval(-1.0, 1.0)
    question = Above(Mean(shape, tacit.Everyone(), 6, small.PEOPLE), -1.0, 2)
    plan, book = tacit.NonPrivate().plan(question), tacit.Ledger(tmp_path / "book")
    answers, given = small.people().grant(plan, Answers(6), book).run().state

    assert answers.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0] and int(given) == 2
