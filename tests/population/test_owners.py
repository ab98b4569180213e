"""Records by person: whose they are, the first of each, whoever else there is."""

import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
import pytest

import quick_keys
import tacit
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.learning.holdings import Several
from tacit.models.layers import Dense
from tacit.population.owners import Group, first_of_each

LINE = Dense(2, 1, quick_keys.key(0))
NAMES = ["b", "a", "b", "b", "c", "a"]


def held(owner, at_most):
    """The records, by their number, that each person keeps."""
    rows, present = first_of_each(np.arange(len(owner)), owner, at_most)
    return [list(map(int, row[there])) for row, there in zip(rows, present, strict=True)]


@pytest.mark.parametrize(
    "owner",
    [
        NAMES,
        np.array(NAMES),
        pd.Series(NAMES),
        pd.Categorical(NAMES),
        np.array([2, 1, 2, 2, 3, 1]),
        [2.5, None, 2.5, 2.5, (1, "x"), None],
        [2.5, float("nan"), 2.5, 2.5, 7, np.float64("nan")],
        jnp.array([2, 1, 2, 2, 3, 1]),
    ],
)
def test_each_person_keeps_their_first_records(owner):
    """In the order given; people in that of their first record."""
    assert held(owner, 2) == [[0, 2], [1, 5], [4]]
    assert held(owner, 9) == [[0, 2, 3], [1, 5], [4]]
    assert held(owner, 1) == [[0], [1], [4]]


def test_what_one_person_keeps_depends_on_nobody_else():
    """Take somebody out, or let them hold other records: all others keep theirs."""
    rng = np.random.default_rng(0)
    owner = rng.integers(0, 12, 200)
    rows, present = first_of_each(np.arange(200), owner, 4)
    for gone in range(12):
        stay = np.flatnonzero(owner != gone)
        others, there = first_of_each(np.arange(len(stay)), owner[stay], 4)
        mine = owner[rows[:, 0]] == gone

        np.testing.assert_array_equal(present[~mine], there)
        np.testing.assert_array_equal(rows[~mine][present[~mine]], stay[others[there]])


def test_a_population_is_made_of_records_and_owners():
    """A table works; one person's data is a group."""
    people = tacit.Arrays.from_owners(pd.DataFrame({"x": [1, 2, 3]}), ["a", "b", "a"], 2, "p")
    records, present = people.data

    assert isinstance(people.data, Group) and people.people == 2
    np.testing.assert_array_equal([[[1], [3]], [[2], [1]]], records)
    np.testing.assert_array_equal([[True, True], [True, False]], present)


@pytest.mark.parametrize(
    "owner, at_most, said",
    [
        (["a"], 1, "owner must name one person for each record"),
        (["a", "b", "c"], 0, "at_most must be a whole number of at least 1, got 0"),
        (["a", "b", "c"], 1.5, "got 1.5"),
    ],
)
def test_what_does_not_fit_is_refused(owner, at_most, said):
    """In one sentence."""
    with pytest.raises(ValueError, match=said):
        tacit.Arrays.from_owners([1.0, 2.0, 3.0], owner, at_most, "p")


def test_a_learner_of_single_examples_refuses_groups(tmp_path):
    """It says which argument it lacks, before anything is charged; with it, it learns."""
    people = tacit.Arrays.from_owners((np.ones((4, 2)), np.ones(4)), [1, 1, 2, 3], 2, "p")
    book = tacit.Ledger(tmp_path / "p.db")

    def granted(**holding):
        learner = Descent(LINE, squared, Flat(1.0), optax.sgd(0.1), **holding)
        plan = tacit.Central(1.0, 1e-6).plan(learner.question(tacit.Everyone(), 1, 3))
        book.limit_for("p", plan)
        return people.grant(plan, learner, book)

    with pytest.raises(ValueError, match=r"holding=Several\(\)"):
        granted()
    assert not book.history("p") and granted(holding=Several()).plan.private


def squared(line, example):
    features, label = example
    return (line(features)[0] - label) ** 2
