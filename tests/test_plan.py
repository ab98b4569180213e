"""A plan: public, made without data, and honest about its error and size."""

import dataclasses
import math

import numpy as np
import pytest

import quick_keys
import tacit
from tacit.contribution import OneHot
from tacit.device.choose import device_for
from tacit.ledger.accounts import OBSERVERS
from tacit.plan import Identity
from tacit.record import plain
from tacit.server.means import PlainMean
from tacit.trust.sums import mean_squared_error

QUESTION = tacit.Mean(tacit.Ball(5, 2.0), tacit.Available(0.5), 3, 40)
CENTRAL = tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE)


def test_error_is_the_devices_over_the_cohort_and_the_servers_over_its_square():
    """Twenty reports are expected, and five coordinates of noise on their sum."""
    plan = tacit.Federated(tacit.Split(4.0, 2.0), CENTRAL).plan(QUESTION)
    device, sigma = plan.device.facts.worst_error, plan.server.facts.noise

    assert pytest.approx(device / 20 + 5 * sigma**2 / 400) == plan.error
    assert pytest.approx(device / 20) == mean_squared_error(
        QUESTION, plan.device, PlainMean(20.0, 2.0**-20)
    )


@pytest.mark.parametrize(
    "trust",
    [
        tacit.Local(6.0),
        tacit.Federated(2.0, CENTRAL),
        tacit.Federated(tacit.Split(4.0, 2.0), CENTRAL),
    ],
)
def test_the_typical_error_is_the_error_of_typical_terms(trust):
    """That at worst stays what it is; where the error is not known, neither is this."""
    question = dataclasses.replace(QUESTION, contribution=tacit.Ball(5, 2.0, typical=0.5))
    plan = trust.plan(question)
    device, noise = plan.device.facts, plan.server.facts.error

    assert plan.typical_error == pytest.approx(device.typical_error / 20 + noise / 400)
    assert plan.error == pytest.approx(device.worst_error / 20 + noise / 400)
    assert trust.plan(QUESTION).typical_error is None
    assert tacit.Federated(2.0, CENTRAL, 0.1).plan(question).typical_error is None


@pytest.mark.parametrize("trust", [CENTRAL, tacit.Central(1.0, 0.0), tacit.NonPrivate()])
def test_a_typical_norm_changes_no_plan_without_local_reports(trust):
    """Noise, promises and error are the same; it is in the record, as any public number."""
    asked = dataclasses.replace(QUESTION, participation=tacit.Everyone())
    told = dataclasses.replace(asked, contribution=tacit.Ball(5, 2.0, typical=0.5))
    one, other = (plain(trust.plan(question)) for question in (asked, told))

    assert one["server"] == other["server"] and one["guarantees"] == other["guarantees"]
    assert one["error"] == other["error"] and trust.plan(told).typical_error is None
    assert 0.5 == other["question"]["contribution"]["typical"]


@pytest.mark.parametrize("typical", [0.01, 0.5, 2.0])
def test_promises_do_not_depend_on_a_typical_norm(typical):
    """A budget is spent on every member of the ball, wherever most of them are thought to be."""
    told = dataclasses.replace(QUESTION, contribution=tacit.Ball(5, 2.0, typical=typical))
    for budget in (0.3, 6.0, 60.0):
        one, other = (tacit.Local(budget).plan(q).guarantees for q in (QUESTION, told))

        assert [p.epsilon for p in one] == pytest.approx([p.epsilon for p in other], rel=1e-12)
        assert all(p.epsilon <= budget and p.delta == 0 for p in other)


@pytest.mark.parametrize("shape, size", [(tacit.Interval(0.0, 1.0), 4), (tacit.Ball(5, 1.0), 20)])
def test_a_person_uploads_four_bytes_a_number(shape, size):
    """As float32, in every trust model."""
    question = dataclasses.replace(QUESTION, contribution=shape)

    assert size == CENTRAL.plan(question).upload_bytes
    assert size == tacit.Local(2.0).plan(question).upload_bytes


@pytest.mark.parametrize("categories, size", [(2, 1), (300, 2), (65_536, 2)])
def test_a_category_is_sent_in_as_many_bytes_as_its_report_needs(categories, size):
    """Bits are what an oracle says, rounded up to whole bytes."""
    question = dataclasses.replace(QUESTION, contribution=OneHot(categories))
    plan = tacit.Local(30.0 * QUESTION.rounds).plan(question)

    assert math.ceil(plan.device.facts.report_bits / 8) == plan.upload_bytes == size


def test_more_categories_than_a_report_can_name_are_refused():
    """By every oracle, so by the plan: a curator counts them all the same."""
    question = dataclasses.replace(QUESTION, contribution=OneHot(65_537))
    with pytest.raises(ValueError, match="between 2 and 65536, got 65537"):
        tacit.Local(30.0).plan(question)

    assert CENTRAL.plan(question).server.size == 65_537


def test_a_plan_is_private_exactly_if_it_promises_something():
    """No privacy is the only model without a promise."""
    assert CENTRAL.plan(QUESTION).private and tacit.Local(1.0).plan(QUESTION).private
    assert not tacit.NonPrivate().plan(QUESTION).private


def test_the_identity_hands_on_the_term_and_claims_no_privacy():
    """To the bit, whatever the key; its reports lie where the terms do."""
    shape = tacit.Ball(3, 1.0)
    device, terms = Identity(shape), np.eye(3, dtype=np.float32)

    np.testing.assert_array_equal(terms, device.sample(quick_keys.key(1), terms))
    assert (
        math.isinf(device.facts.epsilon) and 0.0 == device.facts.worst_error == device.facts.blanket
    )
    assert shape is device.facts.report_set


def test_the_same_question_makes_the_same_plan():
    """Nothing in it is drawn: two plans print alike, and their promises are equal."""
    for trust in (CENTRAL, tacit.Local(2.0), tacit.Federated(3.0, CENTRAL, 0.5)):
        first, second = trust.plan(QUESTION), trust.plan(QUESTION)
        assert str(first) == str(second) and first.guarantees == second.guarantees


def test_plans_and_promises_cannot_be_changed():
    """What was charged is what is run."""
    plan = CENTRAL.plan(QUESTION)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.error = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.guarantees[0].epsilon = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.server.divisor = 1.0


def test_a_device_states_the_privacy_it_was_built_for():
    """A plan's local promise is the device's, and a device is public: it prints its numbers."""
    device = device_for(tacit.Interval(0.0, 1.0), 1.5)

    assert "1.5" in str(device)


def test_promises_are_made_against_observers_that_have_accounts():
    """Of every trust model; and there is no observer that none of them names."""
    sums = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 1000)
    central = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    trusts = central, tacit.Local(1.0), tacit.Shuffled(1.0, 1e-6), tacit.Federated(1.0, central)
    named = {promise.observer for trust in trusts for promise in trust.plan(sums).guarantees}

    assert set(OBSERVERS) == named


def test_contrasts_are_read_in_lengths_of_a_record():
    """The noise on one is its multiplier, whatever weights sums have inside."""
    tables = tacit.queries.Marginals.asked(
        {"a": [0, 1], "b": [0, 1, 2]}, ways=2, trust=tacit.Central(1.0, 1e-6), people=100
    )
    server, page = tables.plan.server, tables.plan.page

    assert page.noise == pytest.approx(
        math.sqrt(server.mechanism.variance) / tables.tables.shape.bound
    )
    assert page.errors[0] == pytest.approx(6 * (page.noise / 100) ** 2)
