"""Trees grown level by level: the greedy tree, everywhere."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from sq.queried import TRUSTS, bits_of, named, state_of
from tacit.server.moved import Side
from tacit.sq.grown_tree import GrownTree
from tacit.sq.within import WorstWithin, down, further, up

BITS = bits_of(30_000, 5)
LABELS = np.where(BITS[:, 3] > 0, BITS[:, 1], 1 - BITS[:, 4])
NOISY = np.where(np.random.default_rng(1).random(30_000) < 0.1, 1 - LABELS, LABELS)


# Everybody in every round has reports of many numbers with a third of the budget: slow to plan.
@pytest.mark.parametrize("trust", TRUSTS[:-1], ids=named)
def test_a_tree_is_grown_under_every_trust(trust, tmp_path):
    """Of three tests; nothing but its labels' noise is lost."""
    learner = GrownTree(5, 3)
    state = state_of(learner, trust, (BITS, NOISY.astype(np.float32)), tmp_path)

    assert np.mean(learner.labels(state, BITS) != LABELS) < 0.02


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_tree_that_scikit_learn_grows(seed, tmp_path):
    """Of people whose best bits are all better than others'."""
    numbers = np.random.default_rng(seed)
    bits = (numbers.random((600, 6)) < 0.6).astype(np.float32)
    labels = (bits @ numbers.normal(size=6) + numbers.normal(size=600) / 4 > 0.5).astype(np.float32)
    learner = GrownTree(6, 3, 0.0)
    peer = DecisionTreeClassifier(max_depth=3, random_state=0).fit(bits, labels)
    own = learner.labels(state_of(learner, TRUSTS[0], (bits, labels), tmp_path), bits)

    assert np.mean(own != peer.predict(bits)) <= 0.005


def test_a_node_of_few_people_keeps_the_label_it_had(tmp_path):
    """And is not tested."""
    bits = np.repeat([[1, 1], [0, 1], [0, 0]], [50, 45, 5], axis=0).astype(np.float32)
    labels = np.repeat([1, 0, 1], [50, 45, 5]).astype(np.float32)
    grown = [
        state_of(GrownTree(2, 2, least), TRUSTS[0], (bits, labels), tmp_path, seed)
        for seed, least in enumerate((0.0, 0.6))
    ]
    tests = [np.asarray(state.tests) for state in grown]

    assert (tests[0] >= 0).all() and tests[1][0] >= 0 and (tests[1][1:] == -1).all()
    told = [GrownTree(2, 2).labels(state, bits[[0, 60, 99]]) for state in grown]
    assert [1, 0, 1] == told[0].tolist() and [1, 0, 0] == told[1].tolist()


def left_by(labels: np.ndarray) -> np.ndarray:
    """The impurity that each bit leaves, as a share of people."""
    sides = [[labels[bit == value] for value in (0, 1)] for bit in BITS.T]
    each = [sum(2 * s.sum() * (1 - s).sum() / len(s) for s in both) for both in sides]
    return np.array(each) / len(labels)


def against(bits: Sequence[int]) -> Side:
    """These bits' cells up, which makes them impure, and the others' down."""
    sides = jnp.full((5, 4), -1.0).at[jnp.array(bits)].set(1.0).ravel()
    return lambda answers: sides


@pytest.mark.parametrize("worse", [up, down, further, against([1]), against([1, 4])])
def test_answers_within_a_tolerance_leave_little_more_impurity_than_the_least(worse, tmp_path):
    """8 t, of the root's bit: so little that no bit without use may be tested."""
    left, tolerance = left_by(LABELS), 0.015
    state = state_of(GrownTree(5, 1), WorstWithin(tolerance, worse), (BITS, LABELS), tmp_path)

    assert left[int(state.tests[0])] <= left.min() + 8 * tolerance < left[[0, 2, 3]].min()


def test_answers_that_are_twice_as_wrong_grow_another_tree(tmp_path):
    """So what is said of answers can fail, and is not far from what they can do."""
    worst = WorstWithin(0.03, against([1, 4]))
    state = state_of(GrownTree(5, 1), worst, (BITS, LABELS), tmp_path)

    assert int(state.tests[0]) in (0, 2, 3)


def test_a_person_is_in_one_cell_of_each_bit():
    """Of their node alone; below an untested node in none."""
    learner = GrownTree(3, 2)
    person = jnp.array([1.0, 0.0, 1.0]), jnp.float32(1)
    first = learner.ask(learner.init(), person).reshape(2, 3, 2, 2)
    closed = learner.init()._replace(level=jnp.int32(1))
    there = closed._replace(tests=jnp.array([0, -1, -1]))

    assert 3 == first.sum() and 3 == first[0].sum()
    assert 1 == first[0, 0, 1, 1] == first[0, 1, 0, 1] == first[0, 2, 1, 1]
    assert 0 == learner.ask(closed, person).sum()
    assert 3 == learner.ask(there, person).reshape(2, 12)[1].sum()


@pytest.mark.parametrize(
    ("dim", "depth", "least"), [(0, 1, 0.1), (3, 9, 0.1), (3, 2, 1.0), (3, 2, -0.1), (4096, 8, 0.1)]
)
def test_what_is_not_of_its_kind_is_refused(dim, depth, least):
    """In one sentence."""
    with pytest.raises(ValueError, match=r"must be|may be at most"):
        GrownTree(dim, depth, least)
