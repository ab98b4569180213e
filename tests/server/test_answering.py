"""Noise on sums for a workload is the least that keeps the promise, and its sampler is paid for."""

import pytest

import tacit
from tacit.accounting.reserve import reserve_for
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix


def server(objective, rounds=1):
    sums = tacit.Mean(tacit.OneHot(32), tacit.Everyone(), rounds, 1_000)
    plan = tacit.Central(1.0, 1e-6).plan(tacit.question.Linear(sums, Prefix(32), objective))
    return plan.server, plan.guarantees[0]


@pytest.mark.parametrize("rounds", [1, 1_000])
def test_the_multiplier_is_the_least(rounds):
    """What is promised is nearly all of the budget, less what the sampler takes in each round."""
    made, promise = server(MeanError(), rounds)
    distance = rounds * made.mechanism.tv_distance(32)

    assert 0.999 < promise.epsilon <= 1.0 and promise.delta <= 1e-6
    assert promise.delta_reserved >= reserve_for(1.0, distance) * (1 - 1e-9) > 0


def test_facts_are_of_the_objective():
    """The ratio to the least is of the sum of squares, or of the worst of them."""
    mean, most = (server(each)[0].facts for each in (MeanError(), MaxError()))

    assert mean.of_least is not None and mean.worst_of_least is None
    assert most.of_least is None and most.worst_of_least is not None
    assert mean.noise**2 > mean.error / 32 and mean.error < most.error
