"""Conjunctions by statistical queries: one learner, everywhere; and Kearns' theorem as a test."""

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from sq.queried import TRUSTS, bits_of, named, state_of
from tacit.sq.conjunctions import Contradicted, KeptLiterals, labels_of
from tacit.sq.oracle import QueryLearning
from tacit.sq.within import WorstWithin, down, further, nearer, up

DIM = 5
RULE = np.zeros((DIM, 2), np.int64)
RULE[1, 0] = RULE[3, 1] = 1


def people_of(many: int, rule=RULE, seed=0) -> tuple[np.ndarray, np.ndarray]:
    bits = bits_of(many, rule.shape[0], seed)
    return bits, labels_of(rule, bits).astype(np.float32)


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_the_very_rule_is_found_under_every_trust(trust, tmp_path):
    """A bit and another's opposite, of 30,000 people."""
    learner = KeptLiterals(DIM, 1 / 16)
    found = learner.rule(state_of(learner, trust, people_of(30_000), tmp_path))

    np.testing.assert_array_equal(RULE, found)


@pytest.mark.parametrize("worse", [up, down, nearer, further, lambda a: jnp.array([0, -1, 1.0])])
@pytest.mark.parametrize(("seed", "has"), [(0, 0.85), (1, 0.93), (2, 0.965)])
def test_answers_within_the_tolerance_make_a_rule_within_the_error(worse, seed, has, tmp_path):
    """Of people of any law: no more than 2 dim threshold are told another label than their own.
    Bits that nearly everybody has may be kept though they are not of the rule."""
    rule = np.zeros((DIM, 2), np.int64)
    rule[seed, seed % 2] = 1
    bits = (np.random.default_rng(seed).random((4_000, DIM)) < has).astype(np.float32)
    labels = labels_of(rule, bits)
    learner = KeptLiterals(DIM, 0.02)
    state = state_of(learner, WorstWithin(0.01, worse), (bits, labels.astype(np.float32)), tmp_path)
    found = learner.rule(state)

    assert (found >= rule).all()
    assert np.mean(labels_of(found, bits) != labels) <= 2 * DIM * 0.02


def test_answers_that_are_four_times_as_wrong_lose_the_rule(tmp_path):
    """So the theorem's test can fail."""
    learner = KeptLiterals(DIM, 1 / 16)
    found = learner.rule(state_of(learner, WorstWithin(1 / 8, down), people_of(2_000), tmp_path))

    assert not (found == RULE).all()


def test_a_round_asks_about_one_bit():
    """In one of three places: a label of zero is in the first, whatever the bits."""
    learner = KeptLiterals(2, 0.1)
    state = learner.init()
    person = jnp.array([1.0, 0.0])
    places = [learner.ask(state, (person, jnp.float32(label))) for label in (0, 1)]
    later = learner.tell(state, jnp.zeros(3))

    assert [0, 1] == [int(place) for place in places]
    assert 2 == learner.ask(later, (person, jnp.float32(1)))


@pytest.mark.parametrize(
    ("dim", "threshold", "said"),
    [(0, 0.1, "dim must be"), (5_000, 0.1, "dim must"), (3, 0.0, "threshold"), (3, 1.0, "between")],
)
def test_what_is_not_of_its_kind_is_refused(dim, threshold, said):
    """In one sentence."""
    with pytest.raises(ValueError, match=said):
        KeptLiterals(dim, threshold)


def test_a_literal_is_kept_that_few_labels_of_one_contradict():
    """In 0.1 and 0.02 of people a bit is lacking where the label is one, in 0.3 and 0.38 it is
    there."""
    state = Contradicted(jnp.array([0.3, 0.38]), jnp.array([0.1, 0.02]), jnp.int32(2))

    for threshold, kept in ((0.015, [0, 0]), (0.06, [0, 1]), (0.15, [1, 1])):
        found = KeptLiterals(2, threshold).rule(state)
        assert kept == found[:, 0].tolist() and not found[:, 1].any()


def test_no_literal_is_always_one():
    """And a bit kept with its opposite always zero."""
    bits = bits_of(8, 2)

    assert labels_of(np.zeros((2, 2), np.int64), bits).all()
    assert not labels_of(np.array([[1, 1], [0, 0]]), bits).any()


@pytest.mark.parametrize("columns", [5, 7, 1])
def test_people_of_other_bits_are_refused_before_the_charge(tmp_path, columns):
    """No bit is left out, and none is made up."""
    learning = QueryLearning(KeptLiterals(6, 0.1), tacit.Central(1.0, 0.0), 20)
    book = tacit.Ledger(tmp_path / "p.db")
    book.limit_for("people", learning.plan)
    bits = np.zeros((20, columns), np.float32)
    with pytest.raises(ValueError, match="rows of 6 numbers and a label each"):
        learning.of((bits, np.zeros(20, np.float32)), book, "people", seed=0)

    assert all(each.epsilon == 0 for each in book.spent("people"))
