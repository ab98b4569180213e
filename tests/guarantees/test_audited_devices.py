"""A device's reports, as they cross the network, against what it promises of one.

Two devices hold two categories, and each answers the same orders. How often a report is the second
bounds the privacy loss from below, but for a chance of one in ten million; from fixed keys.
"""

import math
from dataclasses import replace
from itertools import count
from unittest import mock

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from scipy import stats

import tacit
from tacit import live
from tacit.live import client as module
from tacit.live.function import state_message
from tacit.live.order import Reply, RoundOrder, hashed
from tacit.live.own_ledger import Ready
from tacit.live.reporting import Reporting, digest
from tacit.noise import keys

EPSILON, REPORTS, CHANCE = 1.0, 600, 1e-7


class Own(eqx.Module):
    """Asks for a person's category."""

    def init(self):
        return jnp.zeros(2)

    def ask(self, state, person):
        return person

    def tell(self, state, answer):
        return answer


class Book:
    """Charges nothing, and hands out fixed keys."""

    cap = live.Cap(1e9, 7.0)

    def __init__(self, first: int):
        self._seeds = count(first)

    def charge(self, *asked: object) -> Ready:
        return Ready(keys.from_seed(next(self._seeds)), None)

    def keep(self, number: bytes, report: bytes) -> bytes:
        return report


OWN = live.Function("own category", 1, Own(), np.int32(0))
PLAN = tacit.Local(EPSILON).plan(tacit.Mean(tacit.OneHot(2), tacit.Everyone(), 1, 100))
STATE = state_message(OWN.start).packed()


def order(plan: tacit.Plan) -> RoundOrder:
    ways = Reporting.of(plan)
    said = OWN.text, ways.text, digest(plan.device), hashed(STATE)
    return RoundOrder(bytes(32), "phones", 1, 1, 0, *said)


def second(category: int, first: int, plan: tacit.Plan) -> int:
    """How many reports of this category are the second."""
    one = live.Client(np.int32(category), [OWN], Book(first))  # pyright: ignore[reportArgumentType]
    asked = [replace(order(plan), number=t.to_bytes(32, "big")) for t in range(REPORTS)]
    replies = [Reply.read(one.answer(each.packed(), STATE)) for each in asked]
    return sum(int(reply.report[0]) for reply in replies)


def least_loss(plan: tacit.Plan = PLAN) -> float:
    """A lower bound on the privacy loss of one report."""
    often, seldom = second(1, 1, plan), second(0, 100_001, plan)
    low = stats.beta.ppf(CHANCE / 2, often, REPORTS - often + 1)
    high = stats.beta.ppf(1 - CHANCE / 2, seldom + 1, REPORTS - seldom)
    return math.log(low / high)


def test_reports_off_the_wire_keep_their_promise():
    """And the audit sees much of what is spent."""
    assert EPSILON / 3 < least_loss() <= EPSILON


def test_a_device_that_randomises_too_little_is_caught():
    """With twice the budget, which nobody agreed to."""
    louder = tacit.Local(2 * EPSILON).plan(PLAN.sums)

    assert least_loss(louder) > EPSILON


def test_a_device_that_skips_its_randomiser_is_caught():
    """It sends the person's category, and the loss is as large as so many reports can show."""

    def plain(learner, shape, device, state, people, *others):
        return people.astype(jnp.uint32)

    with mock.patch.object(module, "send", plain):
        assert least_loss() > 3 * EPSILON
