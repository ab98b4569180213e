"""`grant` is the only door: what it refuses costs nothing, what it grants is charged once."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.solve.losses import Logistic
from tacit.solve.regularisers import L2
from tacit.statistics.answers import Answers


def spent(book) -> float:
    return sum(a.epsilon for a in book.spent("thirty"))


def test_a_release_is_charged_before_it_runs(tmp_path):
    """The charge stands as soon as the grant exists, whether or not it is ever run."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.Average(), book)

    assert pytest.approx(1.0, abs=1e-3) == spent(book)


def test_over_budget_is_refused_and_nothing_is_charged(tmp_path):
    """The second release would exceed the limit; the account stays where it was."""
    book = small.ledger(tmp_path, public=1.5)
    small.people().grant(small.plan(), tacit.Average(), book)
    before = spent(book)
    with pytest.raises(tacit.OverBudget):
        small.people().grant(small.plan(), tacit.Average(), book)

    assert before == spent(book)


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

    assert 0 == spent(book)


def test_a_plan_for_another_number_of_people_is_refused_where_it_is_public(tmp_path):
    """Under replace-one, n is part of the promise."""
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Once(), 2, small.PEOPLE + 1)
    plan = tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE).plan(question)
    with pytest.raises(ValueError, match="31 people"):
        small.people().grant(plan, tacit.Average(), small.ledger(tmp_path))


@pytest.mark.parametrize("data", [np.zeros(0), (np.zeros(3), np.zeros(4)), np.float32(1.0)])
def test_a_population_needs_people_and_agreeing_arrays(data):
    """An empty cohort and ragged arrays are refused."""
    with pytest.raises(ValueError, match="at least one person"):
        tacit.Arrays(data, "nobody")


def test_a_grant_resumes_only_with_the_same_data_learner_and_chunks(tmp_path):
    """The same noise under anything else would cancel out, so anything else is refused."""
    book, people, learner = small.ledger(tmp_path), small.people(), tacit.Average()
    people.grant(small.plan(), learner, book, grant_id="g")
    before = spent(book)

    people.grant(small.plan(), learner, book, grant_id="g")
    for changed in (
        lambda: small.people(seed=1).grant(small.plan(), learner, book, grant_id="g"),
        lambda: people.grant(small.plan(5), learner, book, grant_id="g"),
        lambda: people.grant(small.plan(), Doubled(), book, grant_id="g"),
        lambda: people.grant(small.plan(), learner, book, grant_id="g", at_once=7),
    ):
        with pytest.raises(tacit.LedgerError):
            changed()
    assert before == spent(book)


class Doubled(eqx.Module):
    """Average of twice the value: the same shapes, another program."""

    def init(self):
        return tacit.Average().init()

    def ask(self, state, person):
        return 2 * person

    def tell(self, state, answer):
        return tacit.Average().tell(state, answer)


def holding(factor: float, within) -> eqx.Module:
    """A learner whose inner program holds an array: not an argument, and nowhere in its text."""
    held = jnp.arange(3.0) * factor
    inner = within(lambda person: person * held.sum())

    class Holding(Doubled):
        def ask(self, state, person):
            return inner(person)

    return Holding()


WITHIN = {
    "itself": lambda ask: ask,
    "jit": jax.jit,
    "jit in jit": lambda ask: jax.jit(lambda person: jax.jit(ask)(person)),
    "loop": lambda ask: lambda person: jax.lax.fori_loop(0, 1, lambda _, x: ask(x), person),
    "branch": lambda ask: lambda person: jax.lax.cond(person > 0, jax.jit(ask), ask, person),
}


@pytest.mark.parametrize("within", WITHIN)
def test_a_grant_resumes_only_with_the_same_numbers_in_inner_programs(within, tmp_path):
    """However deep they lie, other ones ask another question."""
    book, people, wrap = small.ledger(tmp_path), small.people(), WITHIN[within]
    for factor in (1.0, 1.0):
        people.grant(small.plan(), holding(factor, wrap), book, grant_id="g")
    with pytest.raises(tacit.LedgerError, match="another fingerprint"):
        people.grant(small.plan(), holding(2.0, wrap), book, grant_id="g")


def calls_back(person):
    return jax.pure_callback(lambda x: x, person, person)


def reports(person):
    jax.debug.callback(lambda x: None, person)
    return person


@pytest.mark.parametrize("ask", [calls_back, reports, jax.jit(calls_back), jax.jit(reports)])
def test_a_learner_that_calls_back_to_the_host_is_refused_for_free(ask, tmp_path):
    """It could be anything at every call; that it is the same again cannot be told."""

    class CallsBack(Doubled):
        def ask(self, state, person):
            return ask(person)

    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="must not call back to the host"):
        small.people().grant(small.plan(), CallsBack(), book)

    assert 0 == spent(book)


@pytest.mark.parametrize("question", [tacit.Select, lambda sums: tacit.Above(sums, 0.5, 1)])
@pytest.mark.parametrize("declared", [14, 15])
def test_compared_sums_are_of_at_most_twice_the_declared_people(question, declared, tmp_path):
    """They must not wrap, as sums that get noise may: more people are refused for free."""
    select = question is tacit.Select
    shape = tacit.OneHot(3) if select else tacit.Interval(-1.0, 1.0)
    sums = tacit.Mean(shape, tacit.Everyone(), 1, declared)
    book, plan = small.ledger(tmp_path), tacit.Central(1.0, 0.0).plan(question(sums))
    learner = Answers(1, jnp.int32) if select else tacit.Average()
    if declared == 15:
        small.people().grant(plan, learner, book)
        return
    with pytest.raises(ValueError, match="is for at most twice as many here: 'thirty' has more"):
        small.people().grant(plan, learner, book)

    assert 0 == spent(book)


@pytest.mark.parametrize("declared", [14, 15])
def test_descent_is_of_at_most_twice_the_declared_people(declared, tmp_path):
    """With more the step is no contraction, and hidden iterates are not what they are charged."""
    rows = tacit.Product(tacit.Ball(1, 1.0), tacit.Interval(-1.0, 1.0))
    steps = tacit.LastIterate(Logistic(), L2(0.1), radius=1.0, steps=3)
    plan = tacit.Central(1.0, 1e-5).plan(tacit.Fit(rows, declared, steps))
    book, data = small.ledger(tmp_path), np.ones((30, 2), np.float32)
    people, learner = tacit.Arrays(data, "thirty"), Answers(1, shape=(1,))
    if declared == 15:
        people.grant(plan, learner, book)
        return
    with pytest.raises(ValueError, match="is for at most twice as many here"):
        people.grant(plan, learner, book)

    assert 0 == spent(book)


def _unlimited(plan, folder) -> tacit.Ledger:
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("thirty", promise.observer, promise.relation, 100.0, 0.1)
    return book


class Places(eqx.Module):
    """Asks for zero, and remembers nothing; its own sum is of each person's place in the chunk."""

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return jnp.zeros(30)

    def clipped_sum(self, state, people, present, bound):
        return jnp.zeros(30).at[people].set(jnp.where(present, jnp.arange(len(people)), 0.0))

    def tell(self, state, answer):
        return state


@pytest.mark.parametrize("who", [tacit.Everyone(), tacit.Poisson(0.5), tacit.Available(0.5)])
@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, tacit.Relation.ZERO_OUT])
def test_who_sums_themselves_come_in_a_secret_order_if_people_come_or_go(who, relation, tmp_path):
    """Then nobody's chunk depends on who else is there; the same people are drawn as without."""
    data = np.arange(30, dtype=np.int32)
    sums = tacit.Mean(tacit.Ball(30, 1e3), who, 6, 30)
    plan = tacit.Central(1.0, 1e-5, relation).plan(sums)
    grant = tacit.Arrays(data, "thirty").grant(plan, Places(), _unlimited(plan, tmp_path))
    orders = [np.asarray(c.rows).ravel()[np.asarray(c.present).ravel()] for c in grant._cohorts(0)]
    drawn = sums.participation.cohorts(grant._stream, 30, 6, 0)

    for order, rows in zip(orders, drawn, strict=True):
        assert sorted(order) == sorted(rows)
        mixed = not np.array_equal(order, rows)
        assert mixed == (relation is tacit.Relation.ADD_REMOVE)
    again = [np.asarray(c.rows) for c in grant._cohorts(3)]
    for late, early in zip(again, list(grant._cohorts(0))[3:], strict=True):
        np.testing.assert_array_equal(late, early.rows)


def test_noisy_sums_are_of_any_number_of_people(tmp_path):
    """Under add/remove the number declared is a divisor, and no more."""
    plan = tacit.Central(1.0, 1e-5).plan(
        tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 3)
    )

    assert small.people().grant(plan, tacit.Average(), small.ledger(tmp_path)).run().private


def test_a_population_prints_no_data():
    """Only its name is public: not even how many people there are."""
    assert "Arrays(name='thirty')" == repr(small.people())


def test_records_are_gathered_by_person(tmp_path):
    """A person with several records is one row: their own records, and which are there."""
    rows, present = np.array([[2, 0], [1, 0]]), np.array([[True, True], [True, False]])
    people = tacit.Arrays.from_records(np.array([10.0, 20.0, 30.0]), rows, present, "two")
    own, there = people.data

    np.testing.assert_array_equal([[30.0, 10.0], [20.0, 10.0]], own)
    np.testing.assert_array_equal(present, there)


@pytest.mark.parametrize("at_once", [0, -1, 2.5, 2**17])
def test_an_unusable_chunk_is_refused_for_free(tmp_path, at_once):
    """The sentence names the range; nothing is charged."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="at_once must be between 1 and 65536"):
        small.people().grant(small.plan(), tacit.Average(), book, at_once=at_once)

    assert 0 == spent(book)


def test_a_seeded_grant_cannot_be_reopened_as_private(tmp_path):
    """Its key can be guessed for ever, whatever the second call says."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.Average(), book, grant_id="g", seed=7)
    with pytest.raises(tacit.LedgerError):
        small.people().grant(small.plan(), tacit.Average(), book, grant_id="g")


def test_no_privacy_is_refused_where_there_are_limits(tmp_path):
    """A release that promises nothing would make every limit of these people meaningless."""
    plan = small.plan(1, tacit.NonPrivate())
    with pytest.raises(tacit.OverBudget, match="promises nothing"):
        small.people().grant(plan, tacit.Average(), small.ledger(tmp_path))


def test_parts_of_a_population_are_charged_side_by_side(tmp_path):
    """Two grants on two parts cost as much as the dearer one; the whole costs both parts."""
    ledger = tacit.Ledger(tmp_path / "ledger.db")
    ledger.limit("clinic", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.divide("clinic", "town", ["north", "south"])
    people = tacit.Arrays(np.zeros(50, np.float32), "clinic")
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 50)
    plan = tacit.Central(0.6, 1e-6).plan(question)

    for part in ("north", "south"):
        people.grant(plan, tacit.Average(), ledger, part=part)
    (spent,) = ledger.spent("clinic")
    assert 0.59 < spent.epsilon <= 0.6
    with pytest.raises(tacit.OverBudget, match="part 'north'"):
        people.grant(plan, tacit.Average(), ledger)
