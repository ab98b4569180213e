"""Agreements: of an order that is what it says, and of no other, whoever sends it."""

from dataclasses import replace

import numpy as np
import pytest

import tacit
from live.phones import CAP, DIM, FUNCTION, RUN, both, mean
from tacit import live
from tacit.live import agreement
from tacit.live.agreement import Agreement
from tacit.live.charge import Cost, OverCap
from tacit.live.function import state_message
from tacit.live.masked.sharing import Sharing
from tacit.live.message import Message, MessageError
from tacit.live.order import RoundOrder, hashed
from tacit.live.reporting import Reporting, digest

PLAN = both()
STATE = state_message(FUNCTION.start).packed()
WAYS = Reporting.of(PLAN)
ORDER = RoundOrder(
    bytes(32), "phones", 1, 2, 0, FUNCTION.text, WAYS.text, digest(PLAN.device), hashed(STATE)
)


def reporting(**changes):
    """Another way to report, with the digest of what it makes: by a server that hides nothing."""
    ways = replace(WAYS, **changes)
    return {"reporting": ways.text, "randomiser": digest(ways.device())}


def test_an_order_that_is_what_it_says_is_agreed_to():
    """The device is made here, and its epsilon is what that one has."""
    agreed = Agreement.to(ORDER, STATE, [FUNCTION], CAP)

    assert digest(PLAN.device) == digest(agreed.device)
    assert Cost(8.0, 0.0) == agreed.cost
    assert "round 1 of 2 of towards@1, epsilon 8" == str(agreed)


@pytest.mark.parametrize(
    "change, why",
    [
        ({"function": {**FUNCTION.text, "name": "secrets"}}, "not on this device's list: it has"),
        (
            {"function": {**FUNCTION.text, "version": 2}},
            "that version is not on this device's list: it has towards@1, and towards@2 is asked",
        ),
        (
            {"function": {**FUNCTION.text, "digest": "ab"}},
            "towards@1 is another function here, by its digest, which is of its code and the num",
        ),
        (
            {"reporting": {**WAYS.text, "shape": {**WAYS.text["shape"], "dim": 2**24}}},
            r"terms of shape \(6,\)",
        ),
        ({"reporting": {**WAYS.text, "shape": {"type": "OneHot", "categories": 3}}}, "of shape"),
        ({"reporting": {**WAYS.text, "way": 77}}, "no device reports like this"),
        ({"reporting": {**WAYS.text, "budget": 1e9}}, "no device reports|another randomiser"),
        ({"reporting": {**WAYS.text, "budget": 800.0}}, "another randomiser"),
        ({"randomiser": "ab"}, "another randomiser"),
        ({"state": "ab"}, "the state that came"),
    ],
    ids=str,
)
def test_an_order_for_something_else_is_refused(change, why):
    """Unknown functions, other shapes, huge dimensions, noise that is not what it is said to be."""
    with pytest.raises(MessageError, match=why):
        Agreement.to(replace(ORDER, **change), STATE, [FUNCTION], live.Cap(1e12, 7.0))


def test_a_louder_budget_is_seen_as_what_it_is():
    """A plan with hardly any noise is agreed to with its own epsilon, for the cap to refuse."""
    agreed = Agreement.to(replace(ORDER, **reporting(budget=800.0)), STATE, [FUNCTION], CAP)

    assert 800.0 == agreed.cost.epsilon


def test_what_no_cap_has_room_for_is_not_made(monkeypatch):
    """A randomiser takes the longer to make the larger its epsilon is, and is not charged."""
    monkeypatch.setattr(agreement, "_made", lambda *_: pytest.fail("it was made"))
    loud = replace(ORDER, **reporting(budget=800.0))
    masked = replace(
        ORDER, reporting=Sharing.of(tacit.Aggregated(60.0, 1e-5).plan(mean()), RUN).text
    )
    for order in (loud, masked):
        with pytest.raises(OverCap, match="device's cap, epsilon 50 and delta 1e-09 in any 7 days"):
            Agreement.to(order, STATE, [FUNCTION], live.Cap(50.0, 7.0))


@pytest.mark.parametrize(
    "arrays", [(), (np.zeros(DIM + 1, "f4"),), (np.zeros(DIM, "i4"),), (np.zeros(DIM, "f4"),) * 2]
)
def test_a_state_of_other_arrays_is_refused(arrays):
    """Though the order names it."""
    state = Message({}, arrays).packed()
    with pytest.raises(MessageError, match="of other arrays"):
        Agreement.to(replace(ORDER, state=hashed(state)), state, [FUNCTION], CAP)


def test_a_device_with_an_empty_list_agrees_to_nothing():
    """Nothing is on it by itself."""
    with pytest.raises(MessageError, match="not on this device's list"):
        Agreement.to(ORDER, STATE, [], CAP)


def test_two_versions_of_a_function_are_two():
    """The one that is asked for answers."""
    second = live.Function("towards", 2, FUNCTION.learner, FUNCTION.person)
    agreed = Agreement.to(replace(ORDER, function=second.text), STATE, [FUNCTION, second], CAP)

    assert second is agreed.function


def test_an_epsilon_that_counts_for_nothing_is_refused():
    """So small that as a float it is zero: charged as nothing, in any number of runs."""
    plan = tacit.Aggregated(1e-12, 1e-5).plan(mean())
    ways = Sharing.of(plan, RUN)
    order = replace(ORDER, reporting=ways.text, randomiser=digest(plan.device))

    assert 0.0 == ways.cost(plan.device).epsilon
    with pytest.raises(MessageError, match="an epsilon that is positive and finite"):
        Agreement.to(order, STATE, [FUNCTION], CAP)
