"""What the rounds that are done cost: a plan for so many rounds alone, and never less."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import small
import tacit
from tacit.accounting import accountant, events
from tacit.population.so_far import epsilon_so_far

ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE
PEOPLE, ROUNDS = 1000, 12


def promise(who, relation=ADD, rounds=ROUNDS, trust=None):
    trust = trust or tacit.Central(2.0, 1e-6, relation)
    sums = tacit.Mean(tacit.Ball(3, 1.0), who, rounds, PEOPLE)
    return trust.plan(sums).guarantees[-1], sums


# In how many of the first rounds a person reports at most, round by round.
EACH, PASS = list(range(1, 13)), [1] * 4 + [2] * 4 + [3] * 4
SEEN = [
    (tacit.Everyone(), ADD, EACH),
    (tacit.Poisson(0.1), ADD, EACH),
    (tacit.Fixed(50), REPLACE, EACH),
    (tacit.Available(0.3), ADD, EACH),
    (tacit.Cyclic(3), REPLACE, PASS),
    (tacit.AtMost(3), REPLACE, PASS),
    (tacit.Once(), REPLACE, [1] * 12),
]


@pytest.mark.parametrize("who, relation, seen", SEEN, ids=lambda each: str(each)[:20])
def test_it_is_what_so_many_releases_of_one_person_cost(who, relation, seen):
    """Of the rounds played, or of the passes that have begun."""
    made, sums = promise(who, relation)
    for done in (1, 4, 5, 11):
        event = events.repeated(made.event.event, seen[done - 1])
        expected = accountant.epsilon(event, made.delta_of_event, relation).epsilon
        assert epsilon_so_far(made, sums, done) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("who, relation, seen", SEEN, ids=lambda each: str(each)[:20])
def test_nobody_reports_more_often_than_that(who, relation, seen):
    """Counted in cohorts as they are drawn."""
    del relation
    often = np.zeros(PEOPLE, int)
    streams = np.random.default_rng
    for done, cohort in enumerate(who.cohorts(streams, PEOPLE, ROUNDS, 0), 1):
        often[cohort] += 1
        assert often.max() <= seen[done - 1]


def test_it_grows_from_nothing_to_the_promise():
    """Round by round, and ends at what was charged."""
    made, sums = promise(tacit.Poisson(0.1))
    path = [epsilon_so_far(made, sums, done) for done in range(ROUNDS + 1)]

    assert path[0] == 0.0 and path[-1] == made.epsilon
    assert all(before < after for before, after in pairwise(path))


def test_reports_add_up_to_the_servers_promise():
    """Locally private reports of equal budgets: so many of them."""
    made, sums = promise(tacit.Everyone(), trust=tacit.Local(6.0))

    assert epsilon_so_far(made, sums, 4) == pytest.approx(2.0, rel=1e-6)


def test_a_stream_that_pays_for_positives_is_said_to_cost_all():
    """Both may have come in the first two rounds."""
    sums = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), ROUNDS, PEOPLE)
    plan = tacit.Central(1.0, 0.0).plan(tacit.Above(sums, threshold=0.5, positives=2))

    assert epsilon_so_far(plan.guarantees[0], sums, 2) == plan.guarantees[0].epsilon


def test_a_stream_whose_payments_are_not_spread_is_said_to_cost_all():
    """Two releases of twelve rounds, which may both be in the first."""
    made, sums = promise(tacit.Everyone())
    twice = replace(made, event=events.repeated(made.event.event, 2))

    assert epsilon_so_far(twice, sums, 2) == made.epsilon


def test_one_round_is_the_whole_promise():
    """Whatever its event is."""
    (made,) = small.plan(1).guarantees

    assert epsilon_so_far(made, small.plan(1).sums, 1) == made.epsilon
