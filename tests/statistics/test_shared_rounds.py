"""Rounds of one promise: who is asked, and what noise each has."""

import math

import pytest

import tacit
from tacit.contribution import Ball, L1Ball
from tacit.statistics.shared_rounds import deviations_of, shared_plan, unit_ball

BALL, PEOPLE, SHARES = Ball(6, 1.0), 900, (0.2, 0.3, 0.5)
CURATOR, PURE = tacit.Central(2.0, 1e-6), tacit.Central(2.0, 0.0)


def test_a_curator_asks_everybody_in_rounds_of_their_shares():
    """Gaussian noise grows with the root of one over a share, pure noise with one over it."""
    for trust, shape, power in ((CURATOR, BALL, 0.5), (PURE, L1Ball(6, 1.0), 1.0)):
        plan = shared_plan(trust, shape, PEOPLE, SHARES)
        noise = deviations_of(plan)

        assert plan.sums.participation == tacit.Everyone() and 3 == plan.sums.rounds
        assert noise == plan.server.deviations
        assert noise[0] / noise[2] == pytest.approx(2.5**power, rel=1e-6)
        assert noise[1] / noise[2] == pytest.approx((5 / 3) ** power, rel=1e-6)


def test_a_curators_noise_without_a_delta_is_least_in_l1():
    """Everybody else's in L2."""
    assert L1Ball(6, 1.0) == unit_ball(PURE, 6)
    assert all(BALL == unit_ball(trust, 6) for trust in (CURATOR, tacit.Local(1.0)))


def test_people_who_report_by_themselves_are_in_one_round_each():
    """With all of their promise; every round has the noise that the plan predicts."""
    plan = shared_plan(tacit.Local(4.0), BALL, PEOPLE, SHARES)

    assert plan.sums.participation == tacit.Once() and 3 == plan.sums.rounds
    assert deviations_of(plan) == (math.sqrt(plan.error / 6),) * 3


def test_nobody_has_noise_who_promises_nothing():
    """It is zero, and not unknown."""
    assert (0.0,) * 3 == deviations_of(shared_plan(tacit.NonPrivate(), BALL, PEOPLE, SHARES))


def test_noise_that_is_not_known_is_refused():
    """A projection of reports leaves a bias that depends on people."""
    central = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    plan = shared_plan(tacit.Federated(4.0, central, radius=0.5), BALL, PEOPLE, SHARES)

    with pytest.raises(ValueError, match="noise of these reports is not known"):
        deviations_of(plan)
