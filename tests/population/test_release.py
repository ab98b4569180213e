"""A release: what a statistic answered, and what only a learner can release."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.ledger import receipt
from tacit.page import folded


def test_a_statistics_answer_is_what_its_learner_heard(tmp_path):
    """A mean of means, and the answers of all rounds in order."""
    book, plan = tacit.Ledger(tmp_path / "ledger.db"), small.plan(trust=tacit.NonPrivate())
    mean = small.people().grant(plan, tacit.statistics.Average(), book, seed=1).run()
    all_of_them = tacit.statistics.Answers(4)
    each = small.people().grant(plan, all_of_them, book, seed=1).run()

    assert each.answer.shape == (4,)
    np.testing.assert_allclose(mean.answer, np.mean(each.answer), rtol=1e-5)


@pytest.mark.parametrize("path", ["state.npz", None])
def test_a_path_is_no_checkpoint(tmp_path, path):
    """It is refused in the words of a grant."""
    asked = small.plan(), tacit.statistics.Average(), small.ledger(tmp_path)
    with pytest.raises(ValueError, match=r"checkpoint must be a Checkpoint\(path\), got"):
        tacit.Release.read("g", "thirty", *asked, path)


def test_a_model_has_no_answer(tmp_path):
    """The sentence says who releases it."""

    class Sum:
        def init(self):
            return jnp.zeros(())

        def ask(self, state, person):
            return person

        def tell(self, state, answer):
            return state + answer

    release = small.people().grant(small.plan(), Sum(), small.ledger(tmp_path), seed=1).run()
    with pytest.raises(AttributeError, match=r"`learner.released\(release.state\)`"):
        release.answer  # noqa: B018


def test_a_release_and_a_grant_are_printed_in_short(tmp_path):
    """What is asked, what is promised to whom, and what the state is; no table, number or key."""
    asked = small.people().grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path))
    question, promise = (
        "the mean of a number in [-1, 1], of 30 people, in 4 rounds of everybody",
        "public meets epsilon 1, delta 1e-05 per person under add/remove",
    )
    assert folded(f"grant {asked.name!r} of {question}\n{promise}") == str(asked) == repr(asked)
    release = asked.run()

    assert folded(f"release of {question}\n{promise}; state: MeanSoFar") == repr(release)
    assert str(release) == repr(release) and max(map(len, str(release).splitlines())) <= 80


def test_what_promises_nothing_is_printed_as_that(tmp_path):
    """A seeded release, and one without privacy."""
    own = tacit.statistics.Average(), small.ledger(tmp_path)
    seeded = small.people().grant(small.plan(), *own, seed=1)
    open_ = small.people().grant(
        tacit.NonPrivate().plan(small.plan().question), own[0], tmp_path / "other"
    )

    assert repr(seeded).endswith("\nseeded, so not private")
    assert repr(open_).endswith("\nnothing is promised")


def test_a_state_that_is_an_array_is_printed_by_its_shape(tmp_path):
    """Its numbers may be millions."""
    release = small.people().grant(
        small.plan(), tacit.statistics.Average(), small.ledger(tmp_path), seed=1
    )
    only = dataclasses.replace(release.run(), state=jnp.zeros((2, 3)))

    assert repr(only).endswith("; state: float32 of shape (2, 3)")


ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE


@pytest.mark.parametrize(
    "trust, declared",
    [
        (tacit.Central(1.0, 1e-5, ADD), True),
        (tacit.Central(1.0, 1e-5, REPLACE), False),
        (tacit.Local(1.0), False),
        (tacit.NonPrivate(), True),
    ],
)
def test_a_receipt_says_where_the_number_of_people_is_no_count(tmp_path, trust, declared):
    """It is in the plan under the same name either way; where it is public nothing is said."""
    book, plan = tacit.Ledger(tmp_path / "ledger.db"), small.plan(1, trust)
    book.limit_for("thirty", plan)
    made = small.people().grant(plan, tacit.statistics.Average(), book).run().receipt()

    assert made["plan"]["question"]["people"] == 30
    assert ("not counted" in made["plan"].get("people", "")) is declared
    receipt.write(tmp_path / "receipt.json", [made])
    assert receipt.verify(tmp_path / "receipt.json").sound
