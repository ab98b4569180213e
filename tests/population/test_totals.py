"""Sums that an engine has added up: held exactly, with the plan's own noise, once."""

import numpy as np
import pytest

import tacit
from tacit.contribution import Tally
from tacit.population import program, totals
from tacit.population.run import Run
from tacit.population.totals import NoisySums, TotalRounds, Totals, staged_on
from tacit.question.sums import Mean

NOTHING = tacit.NonPrivate()


def _plan(shape, trust=NOTHING, people=1000, rounds=1):
    return trust.plan(Mean(shape, tacit.Everyone(), rounds, people))


def _released(plan, sums):
    found = Totals.of(plan, sums, b"rows")
    staged = staged_on(plan, "asked", found)
    return Run(staged, "name", bytes(32), None).played(None)[0]


@pytest.mark.parametrize("people", [10, 10**7])
def test_sums_come_out_as_they_went_in(people):
    """Whole numbers, of each part, however fine the grid is; no float has a part in it."""
    shape = tacit.Product(Tally(3, 2, 5), tacit.Grid(0, 7), Tally(2, 2**20, 2**20))
    plan = _plan(shape, people=people)
    sums = [np.array([0, 5, 1]), np.array(2**17 + 1), np.array([2**40 + 3, 1])]

    found = _released(plan, sums).answer
    assert all(map(np.array_equal, sums[:2], found[:2]))
    assert np.all(np.abs(sums[2] - found[2]) < max(plan.server.grid[2], 1.0))


def test_sums_beyond_the_grid_are_held_at_its_end():
    """They do not wrap around to small ones, on either side."""
    plan = _plan(Tally(3, 1, 1))
    found = _released(plan, [np.array([2**62, 3, -(2**62)])]).answer[0]

    assert [2.0**45, 3.0, -(2.0**45)] == found.tolist()


def test_the_noise_is_that_of_the_plans_server():
    """Of the deviation that the plan states, in every cell, by the law of a mean square."""
    plan = _plan(Tally(4000, 3, 5), tacit.Central(1.0, 1e-6))
    noise = _released(plan, [np.zeros(4000, np.int64)]).answer[0]

    assert (noise**2).mean() == pytest.approx(plan.server.facts.noise**2, rel=6 * (2 / 4000) ** 0.5)


TRUSTS = [
    tacit.Central(1.0, 0.0),
    tacit.Central(1.0, 1e-6),
    tacit.Central(1e-4, 0.0),
    tacit.Central(1e-4, 1e-9),
    NOTHING,
]


@pytest.mark.parametrize("trust", TRUSTS, ids=str)
def test_few_numbers_get_the_same_noise_without_a_compiler(trust, monkeypatch):
    """Bit for bit, of one digit and of several, of large numbers and below zero."""
    plan = _plan(tacit.Product(Tally(3, 2, 5), Tally(1, 7, 2**20)), trust)
    sums = [np.array([0, -5, 2**40]), np.array([2**17 + 1])]
    program.forget()
    at_once = _released(plan, sums).answer
    assert 0 == program.compiles()
    monkeypatch.setattr(totals, "MOST_AT_ONCE", 3)
    compiled = _released(plan, sums).answer

    assert 1 == program.compiles()
    assert all(map(np.array_equal, at_once, compiled))


def test_what_an_engine_cannot_answer_is_refused():
    """Several rounds, and questions about rows."""
    shape = Tally(3, 1, 1)
    several = _plan(shape, rounds=2)
    with pytest.raises(ValueError, match="one round"):
        TotalRounds.of(several, "asked", Totals.of(several, [np.zeros(3, np.int64)], b""))
    chosen = tacit.Central(1.0, 0.0).plan(
        tacit.Select(Mean(tacit.OneHot(3), tacit.Everyone(), 1, 1000))
    )
    with pytest.raises(ValueError, match="whole steps"):
        TotalRounds.of(chosen, "asked", NoisySums(None))
