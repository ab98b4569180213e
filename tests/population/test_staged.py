"""A plan set up: what is refused before any key, and what the same noise may not meet twice."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.plan import Gather
from tacit.population import staged
from tacit.population.staged import Staged
from tacit.question import Quantile
from tacit.question.blocks import BlockMeans
from tacit.statistics.answers import Answers


def sums(*who) -> tacit.Plan:
    """A mean of numbers, without noise."""
    return tacit.NonPrivate().plan(tacit.Mean(tacit.Interval(-1.0, 1.0), *who))


def of_rows(statistic) -> tacit.Plan:
    """A plan that gathers the rows of all."""
    question = tacit.OfRows(tacit.Interval(-1.0, 1.0), small.PEOPLE, statistic)
    return tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE).plan(question)


AVERAGE = tacit.statistics.Average()


def test_a_cohort_is_no_larger_than_the_people_there_are():
    """As large is; with drop-outs too, who are asked of those who are there."""
    for who in (tacit.Fixed(31), tacit.question.DropOuts(tacit.Fixed(31), 0.1)):
        with pytest.raises(
            ValueError,
            match="a cohort of 31 needs at least as many people to be drawn from, got 30",
        ):
            Staged.of(sums(who, 1, 31), AVERAGE, small.people().data, None)

    assert Staged.of(sums(tacit.Fixed(30), 1, 30), AVERAGE, small.people().data, None)


@pytest.mark.parametrize("plan", [sums(tacit.Everyone(), 1, 30), of_rows(Quantile())])
def test_what_becomes_of_the_callers_arrays_is_nothing_to_it(plan):
    """They are copied before anything is fingerprinted: what is run is what was charged."""
    data = small.people().data.copy()
    learner = Answers(1, shape=(1,)) if isinstance(plan.collect, Gather) else AVERAGE
    made = Staged.of(plan, learner, data, None)
    before, held = made.bound["data"], np.array(made.data)
    data[:] = 7.0

    assert made.bound["data"] == before and np.array_equal(made.data, held)
    assert not (held == 7.0).any()


def test_causes_are_compared_before_their_effects():
    """So that a grant which is refused names what differs, and not what follows from it; what an
    engine was asked comes first of all, and only where there is one."""
    made = Staged.of(small.plan(), AVERAGE, small.people().data, None)
    asked = Staged(made.plan, made.rounds, made.cohorts, made.data, "a digest")
    entries = ["data", "learner", "at_once", "versions", "platform", "program"]

    assert list(made.bound) == entries and list(asked.bound) == ["question", *entries]
    assert asked.bound["question"] == "a digest"


def test_what_cannot_be_played_again_is_never_the_same():
    """A function of blocks may be another each time: its entry is one that nothing equals."""
    learner, data = Answers(1, shape=(1,)), small.people().data
    blocks = BlockMeans(lambda rows: rows.mean(), 6, (tacit.Interval(-1.0, 1.0),))
    made = Staged.of(of_rows(blocks), learner, data, None)
    first, second = made.bound, made.bound
    assert [name for name in first if first[name] != second[name]] == ["function of blocks"]

    again = Staged.of(of_rows(Quantile()), learner, data, None)
    assert again.bound == again.bound and "function of blocks" not in again.bound


class Steps(eqx.Module):
    """Towards the mean, at a rate of its own."""

    rate: jax.Array

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return person - state

    def tell(self, state, answer):
        return state + self.rate * answer


def test_other_numbers_are_another_learner_of_the_same_program():
    """A rate is told apart from another, though the compiled rounds are the same."""
    data = small.people().data
    one, other = (Staged.of(small.plan(), Steps(jnp.float32(r)), data, None) for r in (0.1, 0.2))
    differing = {name for name in one.bound if one.bound[name] != other.bound[name]}

    assert differing == {"learner"}


def test_numbers_alone_are_exchanged_without_lowering(monkeypatch):
    """The same rounds with another rate and another noise; another question is another run."""
    data, rate = small.people().data, jnp.float32(0.2)
    made = Staged.of(small.plan(), Steps(jnp.float32(0.1)), data, None)
    whole = Staged.of(of_rows(Quantile()), Answers(1, shape=(1,)), data, None)
    monkeypatch.setattr(staged, "rounds_of", lambda *given: pytest.fail("it was lowered"))
    louder = small.plan(trust=tacit.Central(0.5, 1e-5))
    again = made.renumbered(louder, Steps(rate))

    assert again is not None and again.plan is louder and again.cohorts.plan is louder
    assert again.rounds.digest == made.rounds.digest and again.data is made.data
    assert made.renumbered(small.plan(5), Steps(rate)) is None
    assert made.renumbered(small.plan(), AVERAGE) is None
    assert whole.renumbered(whole.plan, Answers(1, shape=(1,))) is None


@pytest.mark.parametrize(
    "numbers, people, at_once",
    [(1, 100, 2**21), (2**10, 100, 2**11), (2**22, 1, 1), (0, 9, 2**21), (8, 0, 2**21)],
)
def test_people_who_are_summed_together_fit_the_cache(numbers, people, at_once):
    """With the numbers of all their arrays, and one at least; where nobody is, there are none."""
    half = numbers // 2
    data = np.zeros((people, half), bool), np.zeros((people, numbers - half), bool)
    assert staged._summed(data, people) == at_once


CHANGES = {
    "other data": [
        lambda: (small.people(seed=1), small.plan(), tacit.statistics.Average(), {}),
        lambda: (small.people(seed=1), small.plan(), Doubled(), {"at_once": 7}),
        lambda: (fewer(), small.plan(), tacit.statistics.Average(), {}),
    ],
    "another plan": [lambda: (small.people(), small.plan(5), tacit.statistics.Average(), {})],
    "other learner": [
        lambda: (small.people(), small.plan(), Doubled(), {}),
        lambda: (small.people(), small.plan(), Doubled(), {"at_once": 7}),
    ],
    "other at_once": [
        lambda: (small.people(), small.plan(), tacit.statistics.Average(), {"at_once": 7})
    ],
}


def fewer() -> tacit.Arrays:
    """One person less: that it is the number that differs is not said."""
    return tacit.Arrays(small.people().data[1:], "thirty")


class Doubled(eqx.Module):
    """Average of twice the value: the same shapes, another program."""

    def init(self):
        return tacit.statistics.Average().init()

    def ask(self, state, person):
        return 2 * person

    def tell(self, state, answer):
        return tacit.statistics.Average().tell(state, answer)


@pytest.mark.parametrize("named", CHANGES)
def test_a_grant_resumes_only_with_what_it_was_opened_with(named, tmp_path):
    """The same noise under anything else would cancel out: refused, by the first that differs."""
    book = small.ledger(tmp_path)
    for _ in range(2):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")
    before = small.spent(book)
    for changed in CHANGES[named]:
        people, plan, learner, how = changed()
        with pytest.raises(tacit.ledger.LedgerError, match=f"was opened with {named};"):
            people.grant(plan, learner, book, grant_id="g", **how)

    assert before == small.spent(book)


@pytest.mark.parametrize(
    "place, other", [("versions", lambda: {"jax": "0"}), ("jax.default_backend", lambda: "tpu")]
)
def test_a_grant_resumes_only_on_the_same_software_and_platform(
    place, other, monkeypatch, tmp_path
):
    """Other rounding or another generator would be another answer under the same noise."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")
    monkeypatch.setattr(f"tacit.population.staged.{place}", other)
    named = "versions" if place == "versions" else "platform"
    with pytest.raises(tacit.ledger.LedgerError, match=f"was opened with other {named}"):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")


@pytest.mark.parametrize("at_once", [0, -1, 2.5, 2**17])
def test_an_unusable_chunk_is_refused_for_free(tmp_path, at_once):
    """The sentence names the range; nothing is charged."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="at_once must be a whole number from 1 to 65536"):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, at_once=at_once)

    assert 0 == small.spent(book)


@pytest.mark.parametrize("platform, dim, at_once", [
    ("cpu", 2**19, 32), ("cpu", 2**19 + 1, 1), ("cpu", 2**25, 1),
    ("gpu", 2**19 + 1, 31), ("gpu", 2**25, 1),
])  # fmt: skip
def test_people_of_large_models_are_asked_one_by_one_on_a_cpu(monkeypatch, platform, dim, at_once):
    """Where few would fit; elsewhere as many as do."""
    monkeypatch.setattr(jax, "default_backend", lambda: platform)
    question = tacit.Mean(tacit.Ball(dim, 1.0), tacit.Everyone(), rounds=1, people=100)

    assert staged._reported(tacit.NonPrivate().plan(question)) == at_once
