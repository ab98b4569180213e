"""Rounds of a plan: which learners fit, what tells them apart, and whose rows are gathered."""

import math
import re
from types import SimpleNamespace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.plan import Plan
from tacit.population import rounds
from tacit.population.cohorts import Cohorts
from tacit.population.kept import Replay
from tacit.population.loop import Cohort
from tacit.population.placement import seated
from tacit.population.rounds import Rounds, RowRounds, SumRounds, rounds_of
from tacit.question import Quantile
from tacit.question.blocks import BlockMeans
from tacit.statistics.answers import Answers


def lowered(plan: Plan, learner: Any) -> Rounds:
    """The rounds on the numbers of thirty people."""
    cohorts = Cohorts(plan, small.PEOPLE, 8, False)
    return rounds_of(plan, learner, seated(small.people().data), cohorts)


class Steps(eqx.Module):
    """Towards the mean from a start, at a rate of its own; what it is called is no number."""

    rate: float | jax.Array
    start: float = 0.0
    called: Any = eqx.field(static=True, default="steps")

    def init(self):
        return jnp.full((), self.start, jnp.float32)

    def ask(self, state, person):
        return person - state

    def tell(self, state, answer):
        return state + self.rate * answer


class Wide(eqx.Module):
    """A learner whose terms do not fit an interval."""

    def init(self):
        return jnp.zeros(3)

    def ask(self, state, person):
        return state * person

    def tell(self, state, answer):
        return answer


def test_a_term_of_the_wrong_shape_is_refused_for_free(tmp_path):
    """The sentence names both shapes; nothing is charged."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match=re.escape("terms of shape (), the learner asks for")):
        small.people().grant(small.plan(), Wide(), book)

    assert 0 == small.spent(book)


@pytest.mark.parametrize(
    ("ask", "tell", "said"),
    [
        (jax.grad(jnp.atleast_1d), jnp.zeros_like, "`ask` fails on one person's arrays"),
        (jnp.zeros_like, lambda sums: sums.reshape(3), "`tell` fails on the question's answer"),
    ],
    ids=["ask", "tell"],
)
def test_a_learner_that_cannot_be_computed_is_refused_for_free(ask, tell, said, tmp_path):
    """With what it was called on, and with what was wrong, in a sentence."""

    class Failing(eqx.Module):
        def init(self):
            return jnp.zeros(())

        def ask(self, state, person):
            return ask(person)

        def tell(self, state, answer):
            return tell(answer)

    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match=rf"the learner's {said}, of shapes \(\): \w+ ") as refused:
        small.people().grant(small.plan(), Failing(), book)

    assert isinstance(refused.value.__cause__, TypeError) and 0 == small.spent(book)


@pytest.mark.parametrize(
    "state",
    [lambda: jnp.zeros(2), lambda: jnp.zeros((), jnp.int32), lambda: (jnp.zeros(()),)],
    ids=["shape", "type", "structure"],
)
def test_a_state_that_changes_its_kind_is_refused_for_free(state, tmp_path):
    """It could be neither remembered nor played twice by one program."""

    class Changing(eqx.Module):
        def init(self):
            return state()

        def ask(self, state, person):
            return person

        def tell(self, state, answer):
            return answer

    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="a state of the same structure, shapes and types"):
        small.people().grant(small.plan(), Changing(), book)

    assert 0 == small.spent(book)


@pytest.mark.parametrize(
    "other",
    [Steps(jnp.float32(0.2)), Steps(0.1), Steps(jnp.float32(0.1), 0.5)],
    ids=["another number", "a constant", "another start"],
)
def test_a_learner_is_told_from_another(other):
    """By its numbers, by what it computes, and by where it starts though its programs are one."""
    own = lowered(small.plan(), Steps(jnp.float32(0.1)))
    assert own.learner == lowered(small.plan(), Steps(jnp.float32(0.1))).learner
    assert own.learner != lowered(small.plan(), other).learner


def test_what_a_plan_may_play_again():
    """Sums, and rows of a mechanism of its own; not those of a function that may be another."""
    blocks = BlockMeans(lambda rows: rows.mean(), 6, (tacit.Interval(-1.0, 1.0),))
    kinds = []
    for statistic in (Quantile(), blocks):
        question = tacit.OfRows(tacit.Interval(-1.0, 1.0), small.PEOPLE, statistic)
        plan = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE).plan(question)
        made = lowered(plan, Answers(1, shape=(1,)))
        assert isinstance(made, RowRounds)
        kinds.append(made.replay)

    assert kinds == [Replay.ANY, Replay.NONE]
    assert lowered(small.plan(), Steps(0.1)).replay is Replay.ANY


def test_only_numbers_are_exchanged():
    """Of one type and shape, with all else equal: then the program is the one there is."""
    made = lowered(small.plan(), Steps(jnp.float32(0.1)))
    assert isinstance(made, SumRounds)
    again = made.renumbered(small.plan(), Steps(jnp.float32(0.7), 0.25))
    assert again is None
    again = made.renumbered(small.plan(), Steps(jnp.float32(0.7)))
    assert again is not None and again.digest == made.digest and again.block is made.block
    assert [float(each) for each in jax.tree.leaves(again.numbers)[:1]] == [np.float32(0.7)]
    for other in (
        Steps(0.1),
        Steps(jnp.int32(1)),
        Steps(jnp.ones(1)),
        Steps(jnp.float32(0.1), called="others"),
        Steps(np.float32([0.1, 0.2])),  # pyright: ignore[reportArgumentType]
        tacit.statistics.Average(),
    ):
        assert made.renumbered(small.plan(), other) is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ((1, "a"), (1, "a"), True),
        ((1, "a"), (1, "b"), False),
        ((1,), (True,), False),
        ((1,), (1.0,), False),
        ((1,), [1], False),
        ((1,), (1, 1), False),
        ((math.nan,), (float("nan"),), False),
    ],
)
def test_what_is_no_number_of_a_program_is_equal_by_its_own_word(one, other, equal):
    """But never to what is of another type, which a program may treat otherwise."""
    assert rounds._equal(one, other) is equal
    assert rounds._equal(one, one)


@pytest.mark.parametrize("present", [[4, 4, 2], [4, 0, 0], [0, 0, 0], [1, 2, 3]])
def test_rows_of_those_who_are_present_come_in_order(present):
    """Chunk by chunk, each row once; a place where nobody stands brings nobody's."""
    places = np.array([[5, 3, 0, 1], [2, 9, 8, 7], [6, 4, 0, 0]])
    there = np.arange(4) < np.array(present)[:, None]
    cohort: Any = Cohort(places[None], there[None], np.array([3]))
    data = {"a": np.arange(10.0, dtype=np.float32), "b": np.arange(10, 20)}
    like = SimpleNamespace(shape=(4, 2), dtype=np.float32)

    def ask(people):
        return np.stack([people["a"], people["b"]], axis=1)

    found = rounds._gathered(ask, like, data, cohort)
    assert found.dtype == np.float32 and found.shape == (sum(present), 2)
    assert found.tolist() == [[each, 10 + each] for each in places[there].tolist()]
