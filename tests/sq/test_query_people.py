"""How many people make a tolerance: by the formulas, and by people who are asked."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import tacit
from sq.queried import REPLACE
from tacit.sq.query_people import people_for

TANH = math.tanh(0.5) ** 2


def test_a_curators_pure_answers_are_laplaces_and_hoeffdings():
    """(m/(e t)) ln(2m/b) for noise, with the sampling's root; Laplace noise is a little more than
    staircase noise, so it is enough."""
    queries, tolerance, failure = 40, 0.05, 0.05
    people = people_for(tacit.Central(1.0, 0.0), queries, tolerance, failure)
    each = failure / queries

    def off(n):
        return queries * math.log(2 / each) / n + math.sqrt(2 * math.log(4 / each) / n)

    assert off(1.25 * people) < tolerance < off(0.97 * people)


def test_local_answers_take_what_one_random_bit_does_but_for_an_eighth():
    """2 m ln(2m/b)/(t tanh(e/2))², the library's report being made for people who are given."""
    for queries, tolerance in ((1, 0.02), (10, 0.02)):
        bit = 2 * queries * math.log(2 * queries / 0.05) / (TANH * tolerance**2)
        assert 1.1 < people_for(tacit.Local(1.0), queries, tolerance) / bit < 1.16


def test_noise_and_sampling_have_half_of_the_chance_each():
    """Of Gaussian noise, whose tail is known."""
    trust, queries, tolerance = tacit.Central(1.0, 1e-6), 40, 0.02
    people = people_for(trust, queries, tolerance)
    sums = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), queries, people)
    half = 0.05 / queries / 2
    noise = -norm.ppf(half / 2) * trust.plan(sums).server.facts.noise

    def off(n):
        return noise / n + math.sqrt(2 * math.log(2 / half) / n)

    assert off(people) <= tolerance * (1 + 1e-6) and tolerance < off(0.985 * people)


@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_reports_take_what_bernsteins_inequality_says(epsilon):
    """Of variances that add up and reports that lie so far from the expectation."""
    queries, tolerance = 4, 0.3
    people = people_for(tacit.Local(epsilon), queries, tolerance)
    sums = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), queries, people)
    facts = tacit.Local(epsilon).plan(sums).device.facts
    spread = facts.worst_error + 1 + (facts.report_set.bound + 1) * tolerance / 3
    least = queries * 2 * spread * math.log(2 * queries / 0.05) / tolerance**2

    assert 1 - 1e-6 <= people / least <= 1.02


def test_every_trust_has_a_number_and_more_trust_takes_fewer():
    """Nobody's noise, a curator's, a shuffler's, none but one's own."""
    order = [
        tacit.NonPrivate(),
        tacit.Central(1.0, 1e-6),
        tacit.Shuffled(1.0, 1e-6),
        tacit.Local(1.0),
    ]
    people = [people_for(trust, 4, 0.2) for trust in order]
    both = people_for(tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE)), 4, 0.2)

    assert people == sorted(people)
    assert people[1] < both


@pytest.mark.parametrize("trust", [tacit.Central(1.0, 0.0), tacit.Local(2.0)])
def test_so_many_people_make_the_tolerance_and_far_fewer_do_not(trust, tmp_path):
    """All of eight queries, nearly always: 8 of 8 runs; with a twelfth of them, rarely."""
    queries, tolerance = 8, 0.1
    enough = people_for(trust, queries, tolerance)
    right = [
        sum(_all_within(trust, people, queries, tolerance, tmp_path, seed) for seed in range(8))
        for people in (enough, enough // 12)
    ]

    assert 8 == right[0] and right[1] <= 3


def _all_within(trust, people, queries, tolerance, folder, seed) -> bool:
    numbers = np.random.default_rng(seed)
    values = np.where(numbers.random(people) < 0.6, 1.0, -1.0).astype(np.float32)
    who = tacit.Once() if isinstance(trust, tacit.Local) else tacit.Everyone()
    plan = trust.plan(tacit.Mean(tacit.Interval(-1.0, 1.0), who, queries, people))
    book = tacit.Ledger(folder / f"{people}-{seed}.db")
    book.limit_for("p", plan)
    answers = tacit.statistics.Answers(queries)
    release = tacit.Arrays(values, "p").grant(plan, answers, book, seed=seed).run()
    return bool(np.abs(np.asarray(release.answer) - 0.2).max() <= tolerance)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"queries": 0}, "queries must be"),
        ({"tolerance": math.nan}, "tolerance must lie between 0 and 2"),
        ({"failure": 1.0}, "failure must lie between 0 and 1"),
        ({"trust": "me"}, "trust must be"),
        ({"tolerance": 1e-9}, "more than 2"),
    ],
)
def test_what_is_not_of_its_kind_is_refused(changed, said):
    """In one sentence."""
    asked = {"trust": tacit.Local(1.0), "queries": 3, "tolerance": 0.1} | changed
    with pytest.raises(ValueError, match=said):
        people_for(**asked)
