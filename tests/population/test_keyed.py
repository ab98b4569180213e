"""Rounds by keys that nobody declared: sums of kept keys come out, and nothing of the others."""

import jax
import numpy as np
import pytest

import tacit
from tacit.contribution import Tally
from tacit.population import keyed
from tacit.population.keyed import KeyedTotals, PartSums, staged_by_key
from tacit.population.run import Run
from tacit.population.totals import TotalRounds
from tacit.question.keyed import Keyed
from tacit.server.keyed import KeyedMean

NOTHING = tacit.NonPrivate()
NONE = np.zeros(0, np.int64)
NAMES = ["ä", "b|", "", "dd"]


def plan_of(trust=NOTHING, most=3, at_least=1):
    """A count and, of three more cells, two that are told one by one."""
    shape = tacit.Product(Tally(most, 1, 1), Tally(3 * most, 5, 5))
    return trust.plan(Keyed(tacit.Mean(shape, tacit.Everyone(), 1, 100), most, 1, at_least, 0.25))


def totals(people):
    texts = [name.encode() for name in NAMES]
    ends = np.cumsum([len(each) for each in texts])
    counts = PartSums(np.array([0]), np.array([[7], [8], [9], [10]]), NONE, NONE, NONE)
    others = np.array([3, 1, 1]), np.array([2, 1, 2]), np.array([30, 11, 12])
    more = PartSums(np.array([0]), np.array([[1], [2], [3], [4]]), *others)
    joined = np.frombuffer(b"".join(texts), np.uint8)
    return KeyedTotals(joined, ends, np.array(people), [counts, more], np.zeros(3, np.uint8))


def key_bits(key):
    return np.asarray(jax.random.key_data(key))


def played(plan, people, root=bytes(32)):
    return Run(staged_by_key(plan, "asked", totals(people)), "name", root, None).played(None)[0]


def test_sums_of_kept_keys_come_out_as_they_went_in():
    """Each with its own text, whichever cells had columns; keys without people enough do not."""
    found = played(plan_of(at_least=2), [5, 9, 1, 2])

    assert ["ä", "b|", "dd"] == found.texts and [7, 8, 10] == found.answer[0].tolist()
    assert [[1, 0, 0], [2, 11, 12], [4, 0, 30]] == found.answer[1].reshape(3, 3).tolist()


def test_of_more_keys_than_there_is_room_for_the_first_are_released():
    """And of none, none."""
    few = played(plan_of(most=2), [5, 9, 1, 2])
    assert ["ä", "b|"] == few.texts and (2, 6) == tuple(each.size for each in few.answer)
    none = played(plan_of(at_least=99), [5, 9, 1, 2])
    assert [] == none.texts and (0, 0) == tuple(each.size for each in none.answer)


def test_a_root_key_repeats_the_keys_and_the_noise():
    """And another one draws others; of keys of many people each is kept, with noise."""
    plan, people = plan_of(tacit.Central(1.0, 1e-6)), [500, 500, 1, 500]
    one, again, other = (played(plan, people, root) for root in (b"1" * 32, b"1" * 32, b"2" * 32))

    assert ["ä", "b|", "dd"] == one.texts == again.texts == other.texts
    assert all(map(np.array_equal, one.answer, again.answer))
    assert not any(map(np.array_equal, one.answer, other.answer))
    assert not np.array_equal(one.answer[0], [7, 8, 10])


def test_another_table_is_another_run():
    """Whatever of it changed: a grant is bound to all that the engine found."""
    plan, one = plan_of(), totals([5, 9, 1, 2])
    changed = [one._replace(people=one.people + 1), one._replace(fingerprint=np.ones(3, np.uint8))]
    changed += [one._replace(texts=one.texts[::-1].copy())]
    bound = {staged_by_key(plan, "asked", each).bound["data"] for each in (one, *changed)}

    assert 4 == len(bound)
    with pytest.raises(ValueError, match="no keys are asked for"):
        staged_by_key(NOTHING.plan(plan.sums), "asked", one)


def test_sums_of_many_keys_get_noise_of_their_own(monkeypatch):
    """However many are given theirs at once, sums come out in their places; and no two times the
    noise is the same."""
    monkeypatch.setattr(keyed, "NUMBERS_AT_ONCE", 4)
    found = played(plan_of(most=4), [5, 9, 1, 2])
    assert NAMES == found.texts and [7, 8, 9, 10] == found.answer[0].tolist()
    assert [[1, 0, 0], [2, 11, 12], [3, 0, 0], [4, 0, 30]] == found.answer[1].reshape(4, 3).tolist()

    noisy = played(plan_of(tacit.Central(1.0, 1e-6), most=4), [500] * 4)
    off = noisy.answer[0] - [7, 8, 9, 10]
    assert 4 == len(set(off.tolist())) == len(noisy.texts)


def test_which_keys_are_kept_says_nothing_of_the_noise(monkeypatch):
    """Both are drawn from keys of their own: neither is the other's, or made from it."""
    drawn, noisy, kept = [], TotalRounds.noisy, KeyedMean.kept

    def draws(mean, key, people):
        drawn.append(key)
        return kept(mean, key, people)

    def adds(rounds, sums, keys):
        drawn.extend(keys)
        return noisy(rounds, sums, keys)

    monkeypatch.setattr(KeyedMean, "kept", draws)
    monkeypatch.setattr(TotalRounds, "noisy", adds)
    played(plan_of(tacit.Central(1.0, 1e-6)), [500] * 4)
    choice, noise = drawn
    others = [choice, *jax.random.split(choice), *(jax.random.fold_in(choice, n) for n in range(9))]

    assert all((key_bits(noise) != key_bits(other)).any() for other in others)
