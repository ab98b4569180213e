"""The mean of people's numbers, over one round or several."""

import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.statistics.average import Average


def test_the_state_is_the_mean_of_the_answers_so_far():
    """After each answer, and for vectors coordinate by coordinate."""
    learner, answers = Average((2,)), np.random.default_rng(0).normal(size=(5, 2))
    state = learner.init()
    for count, answer in enumerate(answers, start=1):
        state = learner.tell(state, jnp.asarray(answer, jnp.float32))
        np.testing.assert_allclose(answers[:count].mean(axis=0), state[0], rtol=1e-5)

    assert 5 == int(state[1])


@pytest.mark.parametrize("rounds", [1, 4, 7])
def test_each_person_once_makes_the_mean_of_everybody(tmp_path, rounds):
    """Also where the rounds are of unequal size: thirty people in seven rounds."""
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), rounds, small.PEOPLE)
    plan, people = tacit.NonPrivate().plan(question), small.people()
    state = people.grant(plan, Average(), tacit.Ledger(tmp_path / "book"), seed=1).run().state

    assert pytest.approx(float(np.mean(people.data)), rel=1e-5) == float(state[0])


def test_everybody_is_asked_for_their_own_number():
    """The term does not depend on what was learned before."""
    for state in ((jnp.zeros(()), jnp.zeros(())), (jnp.ones(()), jnp.ones(()))):
        assert 0.25 == Average().ask(state, jnp.float32(0.25))


@pytest.mark.parametrize("learner", [Average(), tacit.statistics.Answers(1)])
def test_people_with_several_records_are_refused(learner, tmp_path):
    """In one sentence, before anything is charged: what one of them would be is not said."""
    asked = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 500)
    plan, book = tacit.Central(1.0, 1e-6).plan(asked), tacit.Ledger(tmp_path / "l.db")
    book.limit_for("trips", plan)
    grouped = tacit.Arrays.from_owners([1.0, 2.0, 3.0], ["a", "a", "b"], 2, "trips")
    with pytest.raises(ValueError, match="several records: ask for one value of each, such as"):
        grouped.grant(plan, learner, book)

    assert not book.history("trips")


@pytest.mark.parametrize("shape", [(), (2,), (3, 1)])
def test_another_shape_than_the_questions_is_refused_as_it_is_granted(tmp_path, shape):
    """The sentence says which shape the question answers in; nothing is charged."""
    question = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, 20)
    plan, book = tacit.Central(1.0, 1e-6).plan(question), tacit.Ledger(tmp_path / "book")
    book.limit_for("twenty", plan)
    people = tacit.Arrays(np.zeros((20, 3), np.float32), "twenty")

    with pytest.raises(ValueError, match=r"answers in shape \(3,\), .*: write Average\(\(3,\)\)"):
        people.grant(plan, Average(shape), book)
    assert [] == book.history("twenty")
    assert people.grant(plan, Average((3,)), book, seed=1).run().answer.shape == (3,)


@pytest.mark.parametrize("shape, said", [("x", "'x'"), (-1, "-1"), ((2, "a"), r"\(2, 'a'\)")])
def test_what_is_no_shape_is_refused_when_it_is_made(shape, said):
    """Before there is a plan or a ledger."""
    with pytest.raises(ValueError, match=f"shape must be of whole numbers .*, got {said}$"):
        Average(shape)


def test_who_has_no_number_counts_as_the_nearest_to_zero(tmp_path):
    """Of heights in [100, 220] as 100: one in ten missing takes people of 170 to 163."""
    heights = np.where(np.arange(1_000) % 10 == 0, np.nan, 170.0)
    question = tacit.Mean(tacit.Interval(100.0, 220.0), tacit.Everyone(), 1, 1_000)
    plan = tacit.NonPrivate().plan(question)
    release = tacit.Arrays(heights, "p").grant(plan, Average(), tmp_path / "l.db").run()

    assert float(release.answer) == pytest.approx(163.0, abs=1e-3)
    left = {"bounds": (100, 220), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l.db"}
    assert tacit.statistics.mean(heights, **left, name="p").estimate == pytest.approx(170, abs=0.01)
