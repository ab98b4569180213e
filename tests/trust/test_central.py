"""The central model: noise for the relation, an epsilon that never passes its target, the error."""

import dataclasses
import itertools
import math

import equinox as eqx
import numpy as np
import pytest

from measured import deviation
from tacit.accounting import calibration, events, receipt
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Interval
from tacit.participation import AtMost, Available, Everyone, Fixed, Once, Poisson
from tacit.population.grant import Release
from tacit.question import Mean
from tacit.trust.central import Central

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
NUMBER, BALL = Interval(2.0, 5.0), Ball(4, 1.5)


def ask(shape=NUMBER, who=Everyone(), rounds=3, people=500) -> Mean:
    return Mean(shape, who, rounds, people)


@pytest.mark.parametrize(
    "shape, relation, distance",
    [
        (NUMBER, ADD, 5.0),
        (NUMBER, ZERO, 5.0),
        (NUMBER, REPLACE, 3.0),
        (BALL, ADD, 1.5),
        (BALL, ZERO, 1.5),
        (BALL, REPLACE, 3.0),
    ],
)
def test_noise_is_the_multiplier_times_the_distance_of_neighbours(shape, relation, distance):
    """One calibrated multiplier, scaled to how far the sum moves: at least, and to rounding."""
    plan = Central(1.0, 1e-5, relation).plan(ask(shape))
    multiplier = calibration.noise_multiplier(
        lambda z: events.repeated(events.gaussian(z), 3), 1.0, 1e-5, relation
    )

    assert multiplier * distance <= plan.server.noise <= multiplier * distance * (1 + 1e-4)


def test_the_event_charged_is_the_noise_added():
    """The promise's event, made again from the noise that is drawn, is the same event."""
    for who, relation in ((Everyone(), REPLACE), (Fixed(9), REPLACE)):
        plan = Central(1.0, 1e-5, relation).plan(ask(BALL, who))
        drawn = plan.server.noise / BALL.sensitivity(relation)
        multiplier = plan.server.gaussian.noise_multiplier

        assert multiplier <= drawn <= multiplier * (1 + 1e-4)
        event = plan.question.event(events.gaussian(multiplier), relation)
        again = certified_epsilon(event, 1e-5, relation).epsilon
        assert pytest.approx(plan.guarantees[0].epsilon, rel=1e-9) == again


@pytest.mark.parametrize("epsilon, delta", itertools.product((0.1, 1.0, 6.0), (1e-9, 1e-5)))
def test_epsilon_is_never_above_its_target_and_within_a_thousandth(epsilon, delta):
    """Over rounds and participations: calibration stops on the side that keeps the promise."""
    pairs = [(Everyone(), ADD), (Once(), ZERO), (AtMost(2), REPLACE), (Available(0.5), REPLACE)]
    for (who, relation), rounds in itertools.product(pairs, (2, 30)):
        promise = Central(epsilon, delta, relation).plan(ask(who=who, rounds=rounds)).guarantees[0]

        assert epsilon * 0.999 <= promise.epsilon <= epsilon


@pytest.mark.parametrize("who, relation", [(Poisson(0.1), ADD), (Fixed(50), REPLACE)])
@pytest.mark.parametrize("epsilon, rounds", [(0.3, 30), (1.5, 5)])
def test_sampled_epsilon_is_never_above_its_target(who, relation, epsilon, rounds):
    """The same where a secret sample amplifies the promise."""
    promise = Central(epsilon, 1e-6, relation).plan(ask(who=who, rounds=rounds)).guarantees[0]

    assert epsilon * 0.999 <= promise.epsilon <= epsilon


def test_sampling_is_charged_as_sampling():
    """A tenth of the people a round needs less noise on the sum, and more rounds need more."""
    all_, tenth, longer = (
        Central(1.0, 1e-6).plan(ask(who=who, rounds=rounds)).server.noise
        for who, rounds in ((Everyone(), 5), (Poisson(0.1), 5), (Poisson(0.1), 50))
    )

    assert tenth < longer < all_


def test_overflowing_cohorts_are_paid_for_out_of_delta():
    """Noise is calibrated to what is left of delta, and the promise is stated at all of it."""
    question = ask(who=Poisson(0.1), rounds=50)
    spill = overflow_delta(1.0, question.overflow())
    plan = Central(1.0, 2 * spill).plan(question)
    promise = plan.guarantees[0]
    left = certified_epsilon(promise.event, spill, ADD).epsilon

    assert 0 < spill and 2 * spill == promise.delta
    assert left <= promise.epsilon <= 1.0
    assert promise.epsilon > certified_epsilon(promise.event, 2 * spill, ADD).epsilon


def test_a_delta_below_the_cost_of_overflow_is_refused():
    """The sentence names the least delta."""
    question = ask(who=Poisson(0.1), rounds=50)
    spill = overflow_delta(1.0, question.overflow())
    with pytest.raises(ValueError, match=f"delta must exceed {spill:.3g}"):
        Central(1.0, spill).plan(question)


@pytest.mark.parametrize("delta", [1e-9, 1e-6])
def test_the_receipt_of_a_plan_that_may_overflow_verifies(tmp_path, delta):
    """What overflow costs is part of the claim, and recomputing the claim allows for it."""
    plan = Central(1.0, delta).plan(ask(who=Poisson(0.1), rounds=50))
    receipt.write(tmp_path / "receipt.json", [Release("g", plan, None, True).receipt()])

    assert [""] == [f.wrong for f in receipt.verify(tmp_path / "receipt.json").findings]


@pytest.mark.parametrize(
    "who, relation",
    [(Poisson(0.1), REPLACE), (Fixed(5), ADD), (Fixed(5), ZERO), (Once(), ADD), (AtMost(3), ADD)],
)
def test_a_relation_without_a_proof_for_the_participation_is_refused(who, relation):
    """No plan is made, and the sentence names both."""
    with pytest.raises(ValueError, match=f"{type(who).__name__} .* not for {relation.value}"):
        Central(1.0, 1e-5, relation).plan(ask(who=who))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_an_unusable_epsilon_is_refused(epsilon):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        Central(epsilon, 1e-5)


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_an_unusable_delta_is_refused(delta):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
        Central(1.0, delta)


TRIALS = 20_000
DATA = [
    (Interval(-1.0, 1.0), np.array([0.3, -0.9, 1.0], np.float32)),
    (Ball(3, 1.0), np.eye(3, dtype=np.float32) * 0.9),
]


@pytest.mark.parametrize("shape, data", DATA, ids=["interval", "ball"])
def test_the_predicted_error_is_the_measured_one(shape, data):
    """Mean squared error of the answer about its cohort's mean, within four standard errors."""
    plan = Central(1.0, 1e-2, REPLACE).plan(ask(shape, rounds=2, people=len(data)))

    assert abs(deviation(plan, data, TRIALS, 1)) < 4


@pytest.mark.parametrize("shape, data", DATA, ids=["interval", "ball"])
def test_two_thirds_of_the_noise_fail_the_same_check(shape, data):
    """The check of the error would catch a quieter server."""
    plan = Central(1.0, 1e-2, REPLACE).plan(ask(shape, rounds=2, people=len(data)))
    gaussian = plan.server.gaussian
    quiet = dataclasses.replace(gaussian, sigma=gaussian.sigma * 2 / 3)
    server = eqx.tree_at(lambda s: s.gaussian, plan.server, quiet)

    assert deviation(dataclasses.replace(plan, server=server), data, TRIALS, 1) < -4


def test_what_the_public_sees_is_the_only_promise():
    """The curator holds the data: there is nothing to promise against it."""
    plan = Central(1.0, 1e-5).plan(ask())

    assert ["public"] == [g.observer for g in plan.guarantees]
    assert math.isinf(plan.device.epsilon) and plan.private
    assert plan.collected is plan.question.contribution
