"""The federated model: two promises, and noise for the smaller of two bounds."""

import dataclasses
import math
from unittest import mock

import numpy as np
import pytest
from scipy.stats import norm

from measured import deviation
from tacit.accounting import accountant, calibration, events
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Interval, OneHot, Product
from tacit.device.choose import Split, devices_for
from tacit.noise import keys
from tacit.question.dropouts import DropOuts
from tacit.question.participation import AtMost, Cyclic, Everyone, Poisson
from tacit.question.running import Running
from tacit.question.sums import Mean
from tacit.server.correlated import CorrelatedMean
from tacit.trust import federated
from tacit.trust.central import Central
from tacit.trust.federated import Federated

REPLACE, ZERO_OUT = Relation.REPLACE_ONE, Relation.ZERO_OUT
BALL = Ball(4, 1.0)
SPLIT = Split(6.0, 3.0)


def ask(shape=BALL, who=Everyone(), rounds=2, people=50) -> Mean:
    return Mean(shape, who, rounds, people)


def plan(radius=math.inf, relation=Relation.ADD_REMOVE, question=None, local=SPLIT, epsilon=1.0):
    trust = Federated(local, Central(epsilon, 1e-5, relation), radius)
    return trust.plan(question or ask())


def test_public_and_server_are_promised_their_own():
    """The central promise against the public, the local budget of every report to the server."""
    public, server = plan(question=ask(rounds=3)).guarantees

    assert ("public", Relation.ADD_REMOVE, 1e-5) == (public.observer, public.relation, public.delta)
    assert 0.999 <= public.epsilon <= 1.0
    assert ("server", REPLACE, 0.0) == (server.observer, server.relation, server.delta)
    assert pytest.approx(3 * 9.0) == server.epsilon


@pytest.mark.parametrize("who, times", [(AtMost(2), 2), (Everyone(), 4), (Poisson(0.1), 4)])
def test_the_server_is_promised_no_amplification(who, times):
    """It knows whom it asked: every round a person may join is counted in full."""
    relation = REPLACE if isinstance(who, AtMost) else Relation.ADD_REMOVE
    server = plan(relation=relation, question=ask(who=who, rounds=4)).guarantees[1]

    assert pytest.approx(times * 9.0) == server.epsilon


def test_the_public_promise_is_the_central_one():
    """Reports are only longer: the multiplier and the event are those of the central model.

    What the samplers take depends on how the noise lies on its grid, and is next to nothing.
    """
    central = Central(1.0, 1e-5).plan(ask())
    made = plan()

    theirs, ours = central.guarantees[0], made.guarantees[0]
    assert dataclasses.replace(theirs, delta_reserved=ours.delta_reserved) == ours
    assert 0 < ours.delta_reserved < 2.0**-60
    assert central.server.mechanism.noise_multiplier == pytest.approx(
        made.server.mechanism.noise_multiplier
    )


@pytest.mark.parametrize(
    "relation, factor", [(Relation.ADD_REMOVE, 1), (REPLACE, 2), (ZERO_OUT, 2)]
)
@pytest.mark.parametrize("share", [0.1, 0.999, 1.0, 7.0])
def test_noise_is_scaled_to_the_smaller_of_bound_and_radius(relation, factor, share):
    """Replacing a person moves the sum by twice that; so does zeroing one, who still reports."""
    bound = plan().device.facts.report_set.bound
    made = plan(share * bound, relation)
    smaller = min(share, 1.0) * bound
    multiplier = made.server.mechanism.noise_multiplier

    assert pytest.approx(smaller) == made.collect.within.bound
    least = factor * smaller * multiplier
    assert least * (1 - 1e-9) <= made.server.facts.noise <= least * (1 + 1e-4)


def test_the_noise_hides_one_zeroed_persons_report_from_another():
    """Zero is reported as nearly anything: half of the noise would not hide what was drawn."""
    question = ask(Interval(-1.0, 1.0), rounds=3)
    made = plan(relation=ZERO_OUT, question=question, local=1.0)
    key = keys.jax_key(keys.from_seed(1))
    of_zero = np.asarray(made.device.sample(key, np.zeros(1_000, np.float32)))
    allowed = made.collect.within.upper - made.collect.within.lower
    apart = float(of_zero.max() - of_zero.min())
    noise = made.server.facts.noise / math.sqrt(3)

    assert apart <= allowed
    assert gaussian_delta(noise / allowed, 1.0) <= 1e-5
    assert gaussian_delta(noise / 2 / apart, 1.0) > 10 * 1e-5


@pytest.mark.parametrize("who", [Poisson(0.1), DropOuts(Poisson(0.1), 0.1)])
@pytest.mark.parametrize("shape", [BALL, Interval(100.0, 101.0)])
def test_a_secret_coin_hides_nobody_who_is_zeroed_and_reports(who, shape):
    """Of numbers about 100 noise of a few would show who came; everybody else may be asked."""
    with pytest.raises(ValueError, match="proved for add/remove, not for zero-out, where who is"):
        plan(relation=ZERO_OUT, question=ask(shape, who), local=2.0)

    assert plan(question=ask(shape, who), local=2.0).server.facts.noise > 1.0
    assert plan(relation=ZERO_OUT, question=ask(shape), local=2.0).server.facts.noise > 1.0


@pytest.mark.parametrize("noise", [0.7, 2.0])
def test_zeroed_reports_of_drawn_people_do_not_compose_like_people_who_come_or_go(noise):
    """What step 2 says: in one round they are what is accounted for, and in two beyond it."""
    rate, shift, outcomes = 0.9, 0.5 / noise, np.linspace(-9.0, 9.0, 361)
    one, other = (
        (1 - rate) * norm.pdf(outcomes) + rate * norm.pdf(outcomes - sign * shift)
        for sign in (1, -1)
    )
    accounted = [
        accountant.delta(
            events.repeated(events.poisson(rate, events.gaussian(noise)), rounds), 0.0, ZERO_OUT
        ).delta
        for rounds in (1, 2)
    ]
    apart = np.outer(one, one) - np.outer(other, other)
    real = np.maximum(one - other, 0).sum() * 0.05, np.maximum(apart, 0).sum() * 0.05**2

    assert real[0] == pytest.approx(accounted[0], rel=1e-3)
    assert real[1] > accounted[1] * 1.0009


def test_noise_is_found_once_for_every_way_of_reporting():
    """In units of what it hides it is of the promise, the rounds and who comes, and of no shape."""
    question, found = ask(who=Poisson(0.125), rounds=7), calibration.noise_multiplier
    with mock.patch.object(calibration, "noise_multiplier", side_effect=found) as searched:
        plans = [plan(question=question, local=6.0), plan(question=question, radius=0.25)]
        searched.assert_called_once()
        other = plan(question=ask(who=Poisson(0.25), rounds=7))

    assert 2 == searched.call_count
    assert 1 == len({each.guarantees[0].epsilon for each in plans})
    assert other.guarantees[0].event != plans[0].guarantees[0].event


@pytest.mark.parametrize("people", [6, 1_000])
def test_people_report_in_the_way_of_the_least_error(people):
    """Device and server together: that of few is not that of many, who hide in less noise each."""
    asked = ask(people=people)
    made = plan(question=asked, local=8.0)
    errors = []
    for way in devices_for(BALL, 8.0):
        with mock.patch.object(federated, "devices_for", return_value=[way]):
            errors.append(plan(question=asked, local=8.0).error)

    assert len(set(errors)) > 1 and made.error == min(errors)


def test_the_error_is_unknown_exactly_where_reports_are_cut():
    """A projection that cuts makes a bias that depends on the data, so nothing is predicted."""
    bound = plan().device.facts.report_set.bound

    assert plan(0.999 * bound).error is None
    assert plan(bound).error == plan().error == plan(2 * bound).error > 0


def test_every_collected_report_is_as_long_as_was_allowed():
    """Reports are all of one length beyond the radius, so each is cut to it exactly."""
    made = plan(0.5)
    terms = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    lengths = np.linalg.norm(np.asarray(made.collect.within.project(terms)), axis=1)

    assert made.device.facts.report_set.bound > 0.5
    assert lengths.max() <= 0.5 * (1 + 1e-6)


TRIALS, PEOPLE = 4_000, 6
# Two rounds have normal noise, of a size to be seen beside the devices' own.
LOUD = 12.0


@pytest.mark.parametrize("seed", [1, 2])
def test_the_error_of_uncut_reports_is_the_measured_one(seed):
    """Devices and server together, at the worst length, within four standard errors."""
    made = plan(question=ask(rounds=2, people=PEOPLE), epsilon=LOUD)
    lengths = np.linspace(0.0, 1.0, 1001)
    worst = lengths[np.argmax([made.device.mechanism.error(length) for length in lengths])]
    data = np.tile(worst * np.full(4, 0.5), (PEOPLE, 1)).astype(np.float32)

    assert abs(deviation(made, data, TRIALS, seed)) < 4


def test_the_same_check_sees_either_part_missing():
    """Without the server's noise, or without the devices', the measured error is not this."""
    made = plan(question=ask(rounds=2, people=PEOPLE), epsilon=LOUD)
    data = np.tile(np.full(4, 0.5), (PEOPLE, 1)).astype(np.float32)
    device = made.device.facts.worst_error / PEOPLE
    server = made.error - device

    assert deviation(made, data, TRIALS, 1, error=device) > 4
    assert deviation(made, data, TRIALS, 1, error=server) > 4


def test_a_number_is_collected_whole():
    """Numbers have no direction to keep: only an infinite or idle radius is allowed."""
    question = ask(Interval(0.0, 1.0))
    whole = plan(question=question, local=2.0)
    bound = whole.device.facts.report_set.bound

    assert whole.error > 0 and bound == whole.collect.within.bound
    assert whole.error == plan(bound, question=question, local=2.0).error
    with pytest.raises(ValueError, match="only vectors in a Ball are projected, got Interval"):
        plan(0.99 * bound, question=question, local=2.0)


@pytest.mark.parametrize("relation", [REPLACE, ZERO_OUT])
@pytest.mark.parametrize("radius", [math.inf, 0.5])
def test_means_that_are_added_up_get_correlated_noise_for_reports(relation, radius):
    """A person's report is another one, and twice as far away as it is long, in two rounds."""
    asked = Running(ask(who=Cyclic(2), rounds=8), bands=4)
    made = plan(radius, relation, asked)
    central = Central(1.0, 1e-5, relation).plan(asked)
    noise, reports = made.server.mechanism, made.collect.within
    multiplier = made.guarantees[0].event.event.noise_multiplier

    assert isinstance(made.server, CorrelatedMean)
    assert made.guarantees[0].event == central.guarantees[0].event
    assert made.guarantees[0].epsilon == central.guarantees[0].epsilon <= 1.0
    assert made.guarantees[1].epsilon == pytest.approx(2 * SPLIT.epsilon)
    assert 1.0 <= noise.variance**0.5 / (multiplier * 2 * reports.bound) < 1.01
    assert (made.error is None) == (radius == 0.5)


def test_correlated_noise_leaves_less_in_sums_than_fresh_noise_does():
    """Of forty rounds of one pass: less than half of it."""
    sums = ask(who=Cyclic(1), rounds=40)
    fresh, correlated = (
        plan(relation=REPLACE, question=question) for question in (sums, Running(sums, 40))
    )

    assert correlated.server.running_error < 0.25 * 40 * fresh.server.facts.error


def test_sums_of_other_numbers_in_every_round_are_not_added_up():
    """What one round keeps of a vector, noise of another round does not cancel in."""
    sums = Mean(Ball(4096, 1.0), Cyclic(1), 4, 50)
    trust = Federated(8.0, Central(1.0, 1e-5, REPLACE), upload=1024)

    assert trust.plan(sums).error > 0
    with pytest.raises(ValueError, match="ask Mean, or leave upload out"):
        trust.plan(Running(sums, 2))


PAIR = Product(BALL, Interval(-0.5, 0.5), shares=(0.7, 0.3))


@pytest.mark.parametrize("relation, factor", [(Relation.ADD_REMOVE, 1), (REPLACE, 2)])
def test_parts_of_a_product_get_the_noise_of_their_shares(relation, factor):
    """How far one report moves each sum, over its noise, in squares: shares of what is charged."""
    made = plan(relation=relation, question=ask(PAIR), local=12.0)
    multiplier = made.guarantees[0].event.event.noise_multiplier
    reports = made.device.facts.report_set.parts
    moved = [part.sensitivity(relation) for part in reports]
    noises = [part.facts.noise for part in made.server.parts]

    assert reports[0].bound > 1.0 and reports[1].bound > 0.5
    np.testing.assert_allclose(moved[0], factor * reports[0].bound, rtol=1e-6)
    for far, noise, share in zip(moved, noises, (0.7, 0.3), strict=True):
        assert far / noise <= math.sqrt(share) / multiplier
        assert far / noise > 0.99 * math.sqrt(share) / multiplier


def test_the_error_of_a_product_is_the_measured_one():
    """At a vector and a number of the worst length, within four standard errors."""
    made = plan(question=ask(PAIR, people=PEOPLE), epsilon=LOUD, local=12.0)
    vector, number = made.device.devices
    lengths = np.linspace(0.0, 1.0, 1001)
    worst = lengths[np.argmax([vector.mechanism.error(length) for length in lengths])]
    values = np.linspace(0.0, 1.0, 2001)
    far = values[np.argmax([number.scalar.error(value) for value in values])] - 0.5
    one = np.append(worst * np.full(4, 0.5), far)
    data = np.tile(one, (PEOPLE, 1)).astype(np.float32)

    assert abs(deviation(made, data, TRIALS, 1)) < 4


def test_of_a_product_vectors_are_cut():
    """Noise on their sum falls with the radius, and what is said of the error is nothing."""
    whole, cut = (plan(radius, question=ask(PAIR), local=12.0) for radius in (math.inf, 0.5))
    (first, second), (short, same) = ([p.facts.noise for p in m.server.parts] for m in (whole, cut))

    assert cut.collect.within.parts[0].bound == 0.5 and cut.error is None and whole.error > 0
    np.testing.assert_allclose(short, first * 0.5 / whole.collect.within.parts[0].bound, rtol=1e-3)
    assert second == same


def test_a_product_of_what_noise_cannot_be_added_to_is_refused():
    """And a radius for one without a vector."""
    with pytest.raises(ValueError, match="federated reports are numbers or vectors"):
        plan(question=ask(Product(BALL, OneHot(3))), local=12.0)
    with pytest.raises(ValueError, match="only vectors in a Ball are projected"):
        numbers = Product(Interval(0.0, 1.0), Interval(0.0, 1.0))
        plan(0.1, question=ask(numbers), local=12.0)


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, "1", None, True])
def test_an_unusable_radius_is_refused(radius):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match="projection radius must be positive"):
        plan(radius)


@pytest.mark.parametrize("local", [0.0, math.nan, math.inf, "1", None, True, Split])
def test_an_unusable_local_budget_is_refused(local):
    """When it is given, not when something is planned with it."""
    with pytest.raises(ValueError, match="must be a Split, or a number that is positive and fin"):
        Federated(local, Central(1.0, 1e-5))


@pytest.mark.parametrize("part", [0.0, math.nan, math.inf, "1", None, True])
def test_an_unusable_part_of_a_split_is_refused(part):
    """Both are budgets of their own."""
    for make in (lambda: Split(part, 1.0), lambda: Split(1.0, part)):
        with pytest.raises(ValueError, match="both parts of a local budget must be positive"):
            make()


@pytest.mark.parametrize("central", [2.0, Central, None, Split(1.0, 1.0)], ids=str)
def test_the_public_is_promised_by_central(central):
    """Nothing else says what it is promised."""
    with pytest.raises(ValueError, match="the promise to the public must be Central, got"):
        Federated(1.0, central)
