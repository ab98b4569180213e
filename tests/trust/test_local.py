"""The local model: one budget for all of a person's reports, and the exact worst-case error."""

import dataclasses
import math
import re

import numpy as np
import pytest

from measured import deviation
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import reserve_for
from tacit.contribution import Ball, Cube, Interval
from tacit.device.choose import device_for
from tacit.plan import Sum
from tacit.question.participation import AtMost, Everyone, Once, Poisson
from tacit.question.sums import Mean
from tacit.trust.local import Local

NUMBER, BALL = Interval(-1.0, 3.0), Ball(3, 2.0)
PEOPLE, TRIALS = 4, 4_000


def ask(shape=NUMBER, who=Once(), rounds=1, people=PEOPLE) -> Mean:
    return Mean(shape, who, rounds, people)


@pytest.mark.parametrize(
    "who, rounds, times",
    [(Once(), 6, 1), (AtMost(3), 6, 3), (Everyone(), 6, 6), (Poisson(0.1), 6, 6)],
)
def test_the_budget_is_divided_over_the_rounds_a_person_may_join(who, rounds, times):
    """Sampling amplifies nothing here: the budget is for the worst luck."""
    plan = Local(6.0).plan(ask(who=who, rounds=rounds, people=60))

    assert pytest.approx(6.0 / times) == plan.device.facts.epsilon
    assert pytest.approx(6.0) == plan.guarantees[0].epsilon


def test_both_observers_are_promised_the_same():
    """Pure epsilon, for a person replaced by any other, against the server and the public."""
    plan = Local(2.0).plan(ask())
    server, public = plan.guarantees

    assert ("server", "public") == (server.observer, public.observer)
    assert dataclasses.replace(server, observer="public") == public
    assert (2.0, 0.0, Relation.REPLACE_ONE) == (public.epsilon, public.delta, public.relation)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.0, 2.3, 8.0])
def test_the_promise_never_exceeds_the_budget(epsilon):
    """Not by a rounding either: a ledger with exactly that much room must take the plan."""
    promised = [
        Local(epsilon).plan(ask(who=AtMost(k), rounds=k, people=60)).guarantees[0].epsilon
        for k in range(1, 50)
    ]

    assert max(promised) <= epsilon
    assert min(promised) >= epsilon * (1 - 1e-9)


def test_every_report_adds_its_samplers_distance_to_delta():
    """Three reports of a cube's vector take three times what one does, on either neighbour."""
    plan = Local(3.0).plan(ask(Cube(4, -1.0, 1.0), AtMost(3), rounds=6, people=60))
    reserve = reserve_for(3.0, 3 * plan.device.facts.tv_distance)

    assert 0 < reserve
    for each in plan.guarantees:
        assert pytest.approx(reserve, rel=1e-9, abs=0) == each.delta_reserved == each.delta


def worst_number(device) -> float:
    """The number whose report has the largest error, found by search."""
    distances = np.linspace(0.0, NUMBER.upper - NUMBER.lower, 2001)
    errors = [device.scalar.error(d) for d in distances]
    assert max(errors) == pytest.approx(device.facts.worst_error, rel=1e-4)
    return float(distances[np.argmax(errors)]) + device.lower


def worst_length(device) -> float:
    """The length whose report has the largest error, found by search."""
    lengths = np.linspace(0.0, device.mechanism.magnitude.maximum, 2001)
    errors = [device.mechanism.error(length) for length in lengths]
    assert max(errors) == pytest.approx(device.facts.worst_error, rel=1e-4)
    return float(lengths[np.argmax(errors)])


@pytest.mark.parametrize("epsilon", [0.8, 5.0])
def test_a_numbers_error_is_the_predicted_one_at_the_worst_number(epsilon):
    """Within four standard errors; and no other number does worse."""
    plan = Local(epsilon).plan(ask())
    worst = worst_number(plan.device)

    assert abs(deviation(plan, np.full(PEOPLE, worst, np.float32), TRIALS, 1)) < 4
    for other in (-1.0, 0.4, 1.0, 3.0):
        assert deviation(plan, np.full(PEOPLE, other, np.float32), TRIALS, 2) < 4


def test_a_vectors_error_is_the_predicted_one_at_the_worst_length():
    """Within four standard errors; a shorter vector does no worse."""
    plan = Local(6.0).plan(ask(BALL))
    unit = np.array([2.0, -1.0, 2.0], np.float32) / 3
    data = np.tile(worst_length(plan.device) * unit, (PEOPLE, 1)).astype(np.float32)

    assert abs(deviation(plan, data, TRIALS, 1)) < 4
    assert deviation(plan, data / 4, TRIALS, 2) < 4


@pytest.mark.parametrize("shape, value", [(NUMBER, 3.0), (BALL, [0.0, 0.0, 2.0])])
def test_devices_that_spend_more_fail_the_check_of_the_error(shape, value):
    """Three halves of the budget make an error that the check tells from the plan's."""
    plan = Local(4.0).plan(ask(shape))
    more = dataclasses.replace(plan, device=device_for(shape, 6.0))
    more = dataclasses.replace(more, collect=Sum(more.device.facts.report_set))
    data = np.tile(np.asarray(value, np.float32), (PEOPLE,) + (1,) * np.ndim(value))

    assert deviation(more, data, TRIALS, 1) < -4


def test_the_server_adds_nothing_and_cuts_nothing():
    """What arrives is private already: reports are collected whole and averaged."""
    plan = Local(1.0).plan(ask(who=Once(), rounds=2, people=10))

    assert 0.0 == plan.server.facts.noise
    assert plan.collect.within == plan.device.facts.report_set
    assert plan.error == pytest.approx(plan.device.facts.worst_error / 5)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, "1", None, True])
def test_an_unusable_epsilon_is_refused(epsilon):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        Local(epsilon)


def test_an_epsilon_beyond_what_a_sampler_bears_is_refused():
    """A cube's reports come from a table, whose rounding a large epsilon makes a delta of."""
    question = ask(Cube(6, -1.0, 1.0))
    with pytest.raises(
        ValueError, match=r"against the server must exceed \S+ or 0 with an"
    ) as refused:
        Local(50.0).plan(question)
    named = re.search(r"at most about (\d[\d.]*), got 0: ", str(refused.value))
    assert named is not None
    (server, _) = Local(0.99 * float(named[1])).plan(question).guarantees

    assert 0 < server.delta_reserved == server.delta <= 1e-9
    with pytest.raises(ValueError, match=r"against the server must exceed \S+ or 0 with an"):
        Local(1.01 * float(named[1])).plan(question)
