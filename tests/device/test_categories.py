"""Local reports of categories: unbiased answers, with the error that is stated or less."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from measured import bias, deviation
from tacit.accounting.relation import Relation
from tacit.contribution import Counts, OneHot
from tacit.device.categories import OnCategory, OnCounts, Supporters
from tacit.device.choose import device_for, devices
from tacit.mechanisms.frequency.lowest_error import lowest_error, oracles
from tacit.noise.fixed import LIMB
from tacit.plan import Plan, Sum
from tacit.question.participation import AtMost, Everyone, Once
from tacit.question.sums import Mean
from tacit.server.means import FrequencyMean, plain_mean
from tacit.trust.local import Local
from tacit.trust.shuffled import Shuffled

TRIALS = 4_000
HELD = [0.0, 3.0, 3.0, 2.0, 0.0]
FEW = Counts(4, 2, 3)
RECORDS = [[3, 0, 0, 1], [0, 0, 0, 0], [0, 2, 0, 0], [3, 3, 0, 0], [0, 0, 0, 3]]


def counted(categories: int) -> np.ndarray:
    return np.bincount(np.int64(HELD), minlength=categories)


def ask(shape, who=Once(), rounds=1, people=5) -> Mean:
    return Mean(shape, who, rounds, people)


def with_oracle(shape, oracle) -> Plan:
    """The local plan, made with this oracle instead of the best one."""
    plan = Local(1.0).plan(ask(shape))
    device = OnCategory(oracle) if isinstance(shape, OneHot) else OnCounts(shape, oracle)
    return dataclasses.replace(
        plan,
        device=device,
        collect=Sum(device.facts.report_set),
        server=plain_mean(device, plan.question),
        error=device.facts.worst_error / len(HELD),
    )


@pytest.mark.parametrize("epsilon, categories", [(0.7, 4), (3.0, 4), (1.0, 40)])
def test_frequencies_are_unbiased_with_the_stated_error(epsilon, categories):
    """Of the oracle a plan takes: the error is exact, whatever people hold."""
    plan, total = Local(epsilon).plan(ask(OneHot(categories))), counted(categories)

    assert bias(plan, HELD, TRIALS, 1, total) < 5
    assert abs(deviation(plan, HELD, TRIALS, 1, total=total)) < 4
    alike = np.zeros(5)
    assert abs(deviation(plan, alike, TRIALS, 3, total=5 * (np.arange(categories) == 0))) < 4


@pytest.mark.parametrize("place", range(len(oracles(5))))
def test_every_oracle_keeps_the_same_promise_of_its_error(place):
    """Each way to report five categories, in the one server there is for all of them."""
    oracle = oracles(5)[place](1.5, 5)
    plan = with_oracle(OneHot(5), oracle)

    assert bias(plan, HELD, TRIALS, 4, counted(5)) < 5
    assert abs(deviation(plan, HELD, TRIALS, 4, total=counted(5))) < 4


def test_a_server_that_takes_other_chances_fails_the_same_checks():
    """Supporters counted for another epsilon are biased, and have another error."""
    plan = Local(1.5).plan(ask(OneHot(5)))
    server = plain_mean(device_for(OneHot(5), 1.0), plan.question)
    wrong = dataclasses.replace(plan, server=server)

    assert bias(wrong, HELD, TRIALS, 1, counted(5)) > 5
    assert deviation(wrong, HELD, TRIALS, 1, total=counted(5)) > 4


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize(
    "shape", [FEW, Counts(4, 1, 3), Counts(4, 4, 1)], ids=["2x3", "1x3", "4x1"]
)
def test_counts_are_unbiased_with_no_more_than_the_stated_error(shape, epsilon):
    """People with all slots filled, with some and with none; the records are those kept."""
    plan = Local(epsilon).plan(ask(shape))
    kept = np.asarray(shape.project(jnp.asarray(RECORDS, jnp.float32)))

    assert bias(plan, RECORDS, TRIALS, 1, kept.sum(axis=0)) < 5
    assert deviation(plan, RECORDS, TRIALS, 1, total=kept.sum(axis=0)) < 4


def test_the_error_of_full_slots_comes_near_the_bound():
    """So the bound is no idle one; two thirds of it are exceeded."""
    plan = Local(4.0).plan(ask(FEW))
    full = np.tile([3.0, 3.0, 0.0, 0.0], (5, 1))
    total = full.sum(axis=0)

    assert deviation(plan, full, TRIALS, 1, total=total) < 4
    assert deviation(plan, full, TRIALS, 1, total=total, error=plan.error * 2 / 3) > 4


def test_without_a_slot_for_no_record_counts_are_biased():
    """Whoever has fewer records than slots would be counted as having the others again."""
    plan = Local(4.0).plan(ask(FEW))
    held = np.asarray([[3.0, 2.0, 0.0, 0.0]] * 5)
    filled = np.asarray([[3.0, 3.0, 0.0, 0.0]] * 5)

    assert bias(plan, held, TRIALS, 1, held.sum(axis=0)) < 5
    assert bias(plan, filled, TRIALS, 1, held.sum(axis=0)) > 5


def test_slots_are_drawn_alike():
    """Five records of six slots: each category as often as its records, the rest for none."""
    device = OnCounts(FEW, lowest_error(60.0, 5))
    terms = jnp.broadcast_to(jnp.asarray([3.0, 0.0, 2.0, 0.0]), (60_000, 4))
    reports = device.sample(quick_keys.key(0), terms)
    found = np.asarray(device.oracle.supporters(reports, jnp.ones(60_000, bool))) / 10_000

    assert np.all(np.abs(found - [3, 0, 2, 0, 1]) < 0.1)


@pytest.mark.parametrize("shape", [OneHot(5), FEW], ids=["one-hot", "counts"])
def test_the_best_way_is_taken(shape):
    """No other way to report has a smaller worst error."""
    best = device_for(shape, 2.0).facts

    assert best.worst_error == min(make(2.0).facts.worst_error for make in devices(shape))
    assert best.epsilon <= 2.0 and best.blanket >= 2 / (np.exp(2.0) + 1) * (1 - 1e-9)


def test_supporters_are_counted_of_those_present_in_any_pieces():
    """How many reports support each category, and how many there are; chunks add up."""
    device = device_for(OneHot(5), 1.0)
    reports = device.sample(quick_keys.key(1), jnp.arange(200) % 5)
    shape, here = device.facts.report_set, jnp.arange(200) % 3 > 0

    def counts(total) -> list:
        return [np.int64(t.high) * LIMB + np.int64(t.low) for t in total]

    whole = counts(shape.add(shape.empty(jnp.float32(1.0)), reports, here))
    total = shape.empty(jnp.float32(1.0))
    for start, end in ((0, 1), (1, 90), (90, 200)):
        total = shape.add(total, reports[start:end], here[start:end])
    nobody = counts(shape.add(shape.empty(jnp.float32(1.0)), reports, jnp.zeros(200, bool)))

    assert int(here.sum()) == int(whole[1]) == int(counts(total)[1])
    np.testing.assert_array_equal(whole[0], counts(total)[0])
    np.testing.assert_array_equal(whole[0], device.oracle.supporters(reports, here))
    assert 0 == nobody[1] and not nobody[0].any()


def test_the_mean_is_a_linear_function_of_two_counts():
    """(supporters - reports other) / (own - other), times the weight, over the cohort."""
    shape = Supporters(lowest_error(1.0, 3), 3)
    server = FrequencyMean(own=0.75, other=0.25, weight=6.0, divisor=8.0)
    supporters, reports = shape.empty(jnp.float32(1.0))
    total = supporters.whole(jnp.full(3, 5.0)), reports.whole(jnp.float32(8.0))
    carry, answer, halted = server.step(server.init(), quick_keys.key(0), total)

    assert carry is None and halted is None and 1.0 == server.grid
    assert pytest.approx(6 * (5 - 8 * 0.25) / 0.5 / 8) == float(np.ravel(answer)[0])
    assert 0.0 == server.facts.noise == server.facts.error == server.facts.tv_distance


@pytest.mark.parametrize("who, rounds, times", [(AtMost(2), 4, 2), (Everyone(), 3, 3)])
def test_the_budget_is_divided_over_the_rounds_a_person_may_join(who, rounds, times):
    """A report of a category has its share of it, and all of them keep the promise."""
    plan = Local(3.0).plan(ask(OneHot(5), who, rounds, 40))

    assert pytest.approx(3.0 / times) == plan.device.facts.epsilon
    assert plan.guarantees[0].epsilon <= 3.0
    assert plan.collect.within == plan.device.facts.report_set


@pytest.mark.parametrize("shape", [OneHot(3), Counts(2, 1, 2)], ids=["one-hot", "counts"])
def test_shuffled_frequencies_are_the_local_ones_at_the_budget_found(shape):
    """Unbiased, with the error of the device; the promise is the event's at that budget."""
    found = Shuffled(1.0, 1e-6).plan(ask(shape, people=1000))
    data = HELD if isinstance(shape, OneHot) else [[2, 0], [0, 1], [0, 0], [0, 2], [1, 0]]
    members = shape.project(jnp.where(jnp.asarray(data, jnp.float32) > 2, 1, jnp.asarray(data)))
    total = (
        np.bincount(np.asarray(members), minlength=3)
        if isinstance(shape, OneHot)
        else np.asarray(members).sum(axis=0)
    )
    few = ask(shape)
    plan = dataclasses.replace(
        found,
        question=few,
        server=plain_mean(found.device, few),
        error=found.device.facts.worst_error / len(data),
    )

    assert found.device.facts.epsilon > 1.0 >= found.guarantees[0].epsilon
    assert found.error == pytest.approx(found.device.facts.worst_error / 1000)
    assert Relation.REPLACE_ONE is found.guarantees[0].relation
    assert bias(plan, members, TRIALS, 1, total) < 5
    assert deviation(plan, members, TRIALS, 1, total=total) < 4
    if isinstance(shape, OneHot):
        assert deviation(plan, members, TRIALS, 1, total=total) > -4
