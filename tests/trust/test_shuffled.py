"""The shuffled model: everybody hides everybody, and only where everybody is shuffled."""

import math
from dataclasses import replace

import numpy as np
import pytest

from measured import deviation
from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import SPARED
from tacit.contribution import Ball, Cube, Interval, OneHot
from tacit.question.linear import Linear
from tacit.question.participation import AtMost, Available, Everyone, Fixed, Once, Poisson
from tacit.question.sums import Mean
from tacit.question.workloads import Prefix
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled

NUMBER = Interval(-1.0, 1.0)


def plan(people=2_000, who=Once(), rounds=4, epsilon=1.0, shape=NUMBER):
    return Shuffled(epsilon, 1e-6).plan(Mean(shape, who, rounds, people))


@pytest.mark.parametrize("who", [Everyone(), Poisson(0.1), Fixed(5), Available(0.5)])
def test_people_who_are_not_in_a_secret_order_are_refused(who):
    """The sentence names the participations allowed."""
    with pytest.raises(ValueError, match=f"Once or AtMost, got {type(who).__name__}"):
        plan(who=who)


def test_the_local_budget_grows_with_the_people_one_hides_among():
    """More people, more local epsilon for the same promise, and always more than the promise."""
    budgets = [plan(people).device.facts.epsilon for people in (100, 1_000, 10_000)]

    assert sorted(budgets) == budgets and budgets[0] >= 1.0 * 0.999
    assert budgets[2] > 2 * budgets[0]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("rounds", [1, 3])
def test_answers_to_a_workload_are_promised_no_more_than_was_asked_for(epsilon, rounds):
    """Its table is that of a rounded local epsilon, which is never the larger one beside it."""
    asked = Linear(Mean(OneHot(5), Once(), rounds, 2_000), Prefix(5))
    promised = Shuffled(epsilon, 1e-6).plan(asked).guarantees[0].epsilon

    assert 0.9 * epsilon < promised <= epsilon


def test_all_people_hide_one_another_however_many_rounds_there_are():
    """One order cut into ten rounds hides as well as one cut into two."""
    assert plan(rounds=2).device.facts.epsilon == plan(rounds=10).device.facts.epsilon


def test_one_round_hides_better_because_all_run_one_randomiser():
    """The bound of one round is the blanket's, which allows reports of more local budget."""
    alone, many = plan(rounds=1), plan(rounds=10)
    assert alone.device.facts.epsilon > 1.1 * many.device.facts.epsilon
    assert isinstance(alone.guarantees[0].event.event, events.BlanketDpEvent)
    assert isinstance(many.guarantees[0].event.event, events.ShuffledDpEvent)


@pytest.mark.parametrize("rounds", [1, 4])
def test_vectors_of_a_typical_norm_are_shuffled_the_way_of_the_least_error_there(rounds):
    """Within the promise; the error at that norm is less than without saying which it is."""
    made, worst = (
        plan(rounds=rounds, epsilon=2.0, shape=Ball(20, 1.0, typical)) for typical in (0.25, None)
    )

    assert made.device.facts.typical_error < 0.8 * worst.device.mechanism.error(0.25)
    assert made.guarantees[0].epsilon <= 2.0
    assert made.typical_error == pytest.approx(made.device.facts.typical_error / made.sums.cohort)


@pytest.mark.parametrize("epsilon", [4.0, 100.0])
def test_a_search_for_the_largest_budget_asks_no_report_for_more_than_it_may_have(epsilon):
    """Those of a cube go to 64, and the search goes on to 100."""
    made = plan(30_000, rounds=1, epsilon=epsilon, shape=Cube(6, -1.0, 1.0))

    assert 4 < made.device.facts.epsilon <= 64 and made.guarantees[0].epsilon <= epsilon


@pytest.mark.parametrize(("people", "promised"), [(100, 3.0), (4_000, 0.1), (10**5, 1.0)])
def test_what_may_be_reported_is_found_by_few_questions(people, promised, monkeypatch):
    """Of what hides whom: less than nine for each of three searches, on average."""
    asked = []

    def counted(*arguments):
        asked.append(arguments)
        return blanket(*arguments)

    blanket = events.blanket
    monkeypatch.setattr(events, "blanket", counted)
    plan(people, rounds=1, epsilon=promised)
    assert len(asked) <= 26


@pytest.mark.parametrize("shape", [NUMBER, OneHot(2)])
def test_one_round_is_charged_with_the_blanket_its_reports_have(shape):
    """Their own, or what the worst randomiser of their budget has, which lies about two answers."""
    made = plan(rounds=1, shape=shape)
    least = 2 / (1 + math.exp(made.device.facts.epsilon))

    assert made.guarantees[0].event.event.blanket == pytest.approx(
        max(made.device.facts.blanket, least)
    )


@pytest.mark.parametrize("who, rounds", [(Once(), 4), (AtMost(3), 6)])
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_the_public_promise_is_the_event_of_the_reports_that_are_sent(who, rounds, epsilon):
    """Recomputed from the devices' own budget it is the promise, at or below its target."""
    made = plan(who=who, rounds=rounds, epsilon=epsilon)
    public, server, shuffler = made.guarantees
    event = events.repeated(events.shuffled(made.device.facts.epsilon, 2_000), who.limit)
    again = certified_epsilon(event, 1e-6, Relation.REPLACE_ONE).epsilon

    assert ("public", 1e-6, Relation.REPLACE_ONE) == (
        public.observer,
        public.delta,
        public.relation,
    )
    assert pytest.approx(again, rel=1e-9) == public.epsilon
    assert replace(public, observer="server") == server
    assert epsilon * 0.998 <= public.epsilon <= epsilon
    assert pytest.approx(who.limit * made.device.facts.epsilon) == shuffler.epsilon
    assert ("shuffler", 0.0) == (shuffler.observer, shuffler.delta)


@pytest.mark.parametrize("who, rounds", [(Once(), 2), (AtMost(3), 6)])
def test_every_report_of_every_pass_adds_its_samplers_distance_to_delta(who, rounds):
    """Any of n reports a pass may be unlike its law, on either neighbour: (1 + e^epsilon) as much.

    So of a delta that spares twice what one pass needs, three passes reserve more than is spared.
    """
    made = plan(people=200, who=who, rounds=rounds, shape=Cube(4, -1.0, 1.0))
    needed = 200 * who.limit * made.device.facts.tv_distance * (1 + math.e)
    delta = 2 * 200 * made.device.facts.tv_distance * (1 + math.e) / SPARED
    question = Mean(Cube(4, -1.0, 1.0), who, rounds, 200)

    assert 0 < needed < 1e-6 * SPARED
    for hidden in made.guarantees[:2]:
        assert pytest.approx(needed, rel=1e-9, abs=0) == hidden.delta_reserved
    again = Shuffled(1.0, delta).plan(question).guarantees[0]
    assert again.epsilon <= 1.0
    assert (again.delta_reserved > SPARED * delta) == (who.limit == 3)


def test_the_error_is_the_local_models_at_the_same_budget():
    """Shuffling adds no noise of its own."""
    made = plan()
    same = Local(made.device.facts.epsilon).plan(made.question)

    assert pytest.approx(same.error) == made.error
    assert 0.0 == made.server.facts.noise


def test_the_predicted_error_bounds_the_measured_one():
    """At the ends and in the middle of the interval, within four standard errors."""
    made = plan(people=4, rounds=1)
    deviations = [
        deviation(made, np.full(4, value, np.float32), 4_000, 1) for value in (-1.0, 0.1, 1.0)
    ]

    assert max(deviations) < 4


def test_a_vectors_reports_keep_the_calibrated_budget():
    """Direction and magnitude together spend what was calibrated."""
    made = plan(shape=Ball(5, 1.0))
    number = plan()

    assert pytest.approx(number.device.facts.epsilon, rel=1e-9) == made.device.facts.epsilon
    assert made.guarantees[0].epsilon <= 1.0


@pytest.mark.parametrize(
    "epsilon, delta, sentence",
    [
        (0.0, 1e-6, "epsilon must be positive"),
        (math.nan, 1e-6, "epsilon must be positive"),
        (math.inf, 1e-6, "epsilon must be positive"),
        ("1", 1e-6, "epsilon must be positive and finite, got '1'"),
        (1.0, "1e-6", "delta must lie strictly between 0 and 1, got '1e-6'"),
        (1.0, 0.0, "delta must lie strictly"),
        (1.0, math.nan, "delta must lie strictly"),
    ],
)
def test_an_unusable_promise_is_refused(epsilon, delta, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        Shuffled(epsilon, delta)
