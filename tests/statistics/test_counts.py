"""Counts that were released: whole where they can be, with limits that hold what float32 lost."""

import math
from typing import Any
from unittest import mock

import numpy as np
import pytest

import tacit
from tacit.contribution import Counts, Grid, Interval, OneHot
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.server.reach import reach
from tacit.statistics import counts
from tacit.statistics.answer import CallTerms
from tacit.statistics.counts import answered, rmse_of

TERMS = CallTerms("people", "never opened.db", None, None, "a count")
PURE = tacit.Central(1.0, 0.0)


def plan(trust: Any, shape: Any = None, people: int = 300) -> Plan:
    """For how many people say yes, or are of each category."""
    return trust.plan(tacit.Mean(shape or Grid(0, 1), tacit.Everyone(), 1, people))


def read(asked: Plan, shares: Any, confidence: float = 0.95) -> tuple[list, list, list]:
    """What is read off these shares of the people, as they were released."""
    release = mock.Mock(spec=Release, answer=np.asarray(shares, np.float32))
    with mock.patch.object(counts, "released", lambda *given: release):
        own, low, high, made = answered(asked, np.zeros(3), TERMS, confidence)
    assert made is release
    return own.tolist(), low.tolist(), high.tolist()


@pytest.mark.parametrize("shape", [Grid(0, 1), OneHot(5), Counts(4, 1, 1)], ids=repr)
def test_an_error_is_of_one_count(shape):
    """That of all is shared among as many as there are, and is of people, not of their share."""
    small, large = (plan(PURE, shape, people) for people in (300, 300_000))
    squared = small.error or 0.0
    counted = math.prod(shape.answer_shape)

    assert rmse_of(small) ** 2 * counted == pytest.approx(300**2 * squared, rel=1e-12)
    assert rmse_of(small) == pytest.approx(rmse_of(large), rel=1e-9)
    assert rmse_of(plan(tacit.NonPrivate(), shape)) == 0


def test_a_pure_count_is_whole_and_within_the_noises_reach():
    """Of 300 declared people 104 and noise 2: 106, and three to each side at epsilon 1."""
    assert read(plan(PURE), 106 / 300) == ([106.0], [103.0], [109.0])
    assert read(plan(PURE), 106 / 300, 0.999) == ([106.0], [99.0], [113.0])


@pytest.mark.parametrize("true", [1, 333_333_331, 999_999_999])
def test_limits_hold_what_float32_lost(true):
    """Without noise, of a thousand million people: the released share is off by tens of them."""
    own, low, high = read(plan(tacit.NonPrivate(), people=10**9), true / 10**9)
    assert low[0] <= true <= high[0] and low[0] <= own[0] <= high[0]
    assert high[0] - low[0] < 1e-6 * 10**9


def test_limits_are_whole_and_not_below_zero_where_a_count_is():
    """An estimate that noise brought below zero is kept, so that sums of many are right."""
    own, low, high = read(plan(PURE, OneHot(3)), [-2 / 300, -9 / 300, 5 / 300])
    assert own == [-2.0, -9.0, 5.0]
    assert all(each == round(each) >= 0 for each in (*low, *high))
    assert low[:2] == [0.0, 0.0] and low[1] == high[1] == 0.0 and high[0] >= 1


def test_a_gaussian_count_is_whole_only_where_its_grid_is():
    """On a grid of fractions noise is none of whole people, and is not rounded away."""
    asked = plan(tacit.Central(1.0, 1e-6))
    assert asked.server.grid < 1
    own, low, high = read(asked, 104.375 / 300)
    assert own == [pytest.approx(104.375, abs=1e-3)]
    far = reach(asked, 0.05)
    assert low == [math.ceil(104.375 - far)] and high == [math.floor(104.375 + far)]
    assert read(plan(PURE, Interval(0.0, 1.0)), 104.375 / 300)[0] != [104.0]


def test_reports_have_their_exact_limits():
    """Local counts are people times frequencies: a hundred reports of 300 for one category."""
    asked = plan(tacit.Local(2.0), OneHot(2))
    assert asked.device.__class__.__name__ == "OnCategory"
    device: Any = asked.device
    chances = float(device.oracle.support.own), float(device.oracle.support.other)
    share = (100 / 300 - chances[1]) / (chances[0] - chances[1])
    own, low, high = read(asked, [share, 1 - share])
    each = counts.Frequencies(np.array([share, 1 - share], np.float32), 300, *chances, 0.95).each

    assert own[0] == pytest.approx(300 * share, abs=1e-3)
    for place in (0, 1):
        near = 300 * np.asarray(each.lower)[place], 300 * np.asarray(each.upper)[place]
        assert low[place] == max(0, math.ceil(near[0])) and high[place] == math.floor(near[1])
