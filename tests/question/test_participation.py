"""Cohorts are what the accounting believes they are."""

import numpy as np
import pytest
from dp_accounting import SelfComposedDpEvent
from scipy import stats

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Fixed, Once, Poisson

RELEASE = events.gaussian(1.0)


def streams(index: int) -> np.random.Generator:
    return np.random.default_rng([7, index])


def drawn(who, people, rounds, start=0):
    return list(who.cohorts(streams, people, rounds, start))


@pytest.mark.parametrize(
    "who, rounds",
    [
        (Everyone(), 3),
        (Poisson(0.3), 6),
        (Fixed(4), 6),
        (Once(), 5),
        (AtMost(2), 6),
        (Cyclic(2), 6),
        (Available(0.5), 4),
    ],
)
def test_a_resumed_run_draws_the_same_cohorts(who, rounds):
    """Starting at round t gives the rounds from t on, whatever was drawn before."""
    whole = drawn(who, 20, rounds)
    for start in range(rounds):
        late = drawn(who, 20, rounds, start)
        assert rounds - start == len(late)
        for a, b in zip(whole[start:], late, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("times, rounds, people", [(1, 5, 23), (1, 1, 8), (3, 9, 10), (2, 8, 4)])
def test_at_most_gives_everybody_exactly_their_rounds(times, rounds, people):
    """Over all rounds each person reports `times` times, and never twice in one pass."""
    cohorts = drawn(AtMost(times), people, rounds)
    counts = np.bincount(np.concatenate(cohorts), minlength=people)
    length = rounds // times

    np.testing.assert_array_equal(np.full(people, times), counts)
    for first in range(0, rounds, length):
        one_pass = np.concatenate(cohorts[first : first + length])
        assert people == len(set(one_pass.tolist()))


@pytest.mark.parametrize("passes, rounds, people", [(1, 5, 23), (3, 9, 10), (2, 8, 4)])
def test_cyclic_passes_repeat_one_order(passes, rounds, people):
    """Everybody once in a pass, and always a whole pass after the last time."""
    who, length = Cyclic(passes), rounds // passes
    cohorts = drawn(who, people, rounds)

    assert people == len(set(np.concatenate(cohorts[:length]).tolist()))
    assert length == who.separation(rounds)
    for earlier, later in zip(cohorts, cohorts[length:], strict=False):
        np.testing.assert_array_equal(earlier, later)
    assert max(map(len, cohorts)) <= who.capacity(people, rounds)


def test_at_most_cohorts_are_of_the_public_size():
    """Sizes differ by at most one from each other and never exceed the capacity."""
    sizes = [len(c) for c in drawn(Once(), 23, 5)]

    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) == Once().capacity(23, 5)


def test_once_orders_people_uniformly():
    """Each person is as likely in the first round as in any (chi-square, exact p > 1e-6)."""
    counts = np.zeros(6)
    for seed in range(3000):
        first = next(Once().cohorts(lambda i, s=seed: np.random.default_rng([s, i]), 6, 3, 0))
        counts[first] += 1

    assert stats.chisquare(counts).pvalue > 1e-6


def test_poisson_cohorts_have_independent_members():
    """Size is binomial and no pair of people comes together more often than by chance."""
    rounds, people, rate = 4000, 10, 0.3
    joined = np.zeros((rounds, people), bool)
    for t, rows in enumerate(Poisson(rate).cohorts(streams, people, rounds, 0)):
        assert len(set(rows.tolist())) == len(rows)
        joined[t, rows] = True
    total = stats.binomtest(int(joined.sum()), rounds * people, rate)
    pair = stats.binomtest(int((joined[:, 0] & joined[:, 1]).sum()), rounds, rate**2)
    wrong = stats.binomtest(int(joined.sum()), rounds * people, rate * 2 / 3)

    assert min(total.pvalue, pair.pvalue) > 1e-6
    assert wrong.pvalue < 1e-6


def test_poisson_capacity_bounds_the_overflow():
    """The chance of a larger cohort is at most what `overflow` adds up."""
    who, people, rounds = Poisson(0.1), 1437, 80
    room = who.capacity(people, rounds)

    assert room < people
    assert rounds * stats.binom.sf(room, people, 0.1) <= who.overflow(people, rounds) < 1e-11


class Crowded:
    """A stream in which every coin comes up."""

    def binomial(self, people, rate):
        return people

    def choice(self, people, size, replace, shuffle):
        return np.arange(people)[:size]


def test_a_cohort_is_cut_to_its_capacity():
    """However many the coins would send; those who stay are different people."""
    who = Poisson(0.1)
    (cohort,) = who.cohorts(lambda t: Crowded(), 1437, 1, 0)

    assert who.capacity(1437, 1) == len(set(cohort.tolist())) == len(cohort)


def test_passes_have_orders_of_their_own():
    """Who was together in one pass need not be in the next."""
    cohorts = drawn(AtMost(2), 30, 6)

    assert not np.array_equal(np.concatenate(cohorts[:3]), np.concatenate(cohorts[3:]))


def test_relations_are_those_of_the_proofs():
    """Coins hide who comes or goes; a size or an order that is public hides who is replaced."""
    coming, replaced = {Relation.ADD_REMOVE, Relation.ZERO_OUT}, {Relation.REPLACE_ONE}

    assert coming == set(Poisson(0.1).relations)
    assert replaced == set(Fixed(5).relations)
    for ordered in (Once(), AtMost(2), Cyclic(2)):
        assert replaced | {Relation.ZERO_OUT} == set(ordered.relations)


def test_fixed_draws_exactly_that_many_different_people():
    """Every cohort has `size` members, all different."""
    for rows in drawn(Fixed(4), 9, 50):
        assert 4 == len(set(rows.tolist())) == len(rows)


def test_events_charge_what_one_person_can_lose():
    """All rounds where a person may be in all; one for each pass where they are in one."""
    assert events.repeated(RELEASE, 8) == Everyone().event(RELEASE, 50, 8)
    assert events.repeated(RELEASE, 8) == Available(0.1).event(RELEASE, 50, 8)
    assert events.repeated(RELEASE, 1) == Once().event(RELEASE, 50, 8)
    assert events.repeated(RELEASE, 2) == AtMost(2).event(RELEASE, 50, 8)
    assert events.repeated(RELEASE, 2) == Cyclic(2).event(RELEASE, 50, 8)
    poisson = Poisson(0.2).event(RELEASE, 50, 8)
    assert SelfComposedDpEvent(events.poisson(0.2, RELEASE), 8) == poisson
    fixed = Fixed(5).event(RELEASE, 50, 8)
    assert SelfComposedDpEvent(events.without_replacement(50, 5, RELEASE), 8) == fixed


def test_expected_cohorts_are_public_numbers():
    """The divisor is a function of the declared numbers alone."""
    assert 50.0 == Everyone().expected(50, 8)
    assert 10.0 == Poisson(0.2).expected(50, 8)
    assert 5.0 == Fixed(5).expected(50, 8)
    assert 6.25 == Once().expected(50, 8)
    assert 12.5 == AtMost(2).expected(50, 8)
    assert 25.0 == Available(0.5).expected(50, 8)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Poisson(0.0), "strictly between 0 and 1"),
        (lambda: Poisson(float("nan")), "strictly between 0 and 1"),
        (lambda: Poisson("0.5"), "a number strictly between 0 and 1, got '0.5'"),
        (lambda: Fixed(0), "at least one person"),
        (lambda: Fixed(2.5), "a whole number of people, at least one person, got size=2.5"),
        (lambda: Fixed("3"), "a whole number of people, .* got size='3'"),
        (lambda: Fixed(True), "a whole number of people, .* got size=True"),
        (lambda: AtMost(0), "at least once"),
        (lambda: AtMost(2.5), "a whole number of times, got a limit of 2.5"),
        (lambda: Cyclic(0), "at least one pass"),
        (lambda: Cyclic(None), "at least one pass, and a whole number of them, got None"),
        (lambda: Available(1.5), r"in \(0, 1\]"),
        (lambda: Available("all"), r"a number in \(0, 1\], got 'all'"),
        (lambda: drawn(AtMost(2), 10, 5), "divides"),
    ],
)
def test_unusable_participation_is_refused(make, sentence):
    """The sentence names the value allowed."""
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("made", [Fixed, AtMost, Cyclic])
def test_numpys_counts_are_kept_as_pythons(made):
    """They do not overflow in what is computed of them."""
    (kept,) = vars(made(np.int8(3))).values()

    assert type(kept) is int and made(3) == made(np.int8(3)) == made(3.0)
