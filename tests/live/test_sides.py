"""The two sides of a round: together they are the one that is played in memory."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from live.phones import DIM, FUNCTION, MANY, VECTORS, mean
from tacit.live.sides import ReportSet, received, report_like, send
from tacit.noise import keys
from tacit.population.loop import Parts, reports_of, traced

KEY, PUBLIC = (keys.jax_key(keys.from_seed(seed)) for seed in (1, 2))
PLACES = jnp.arange(MANY, dtype=jnp.uint32)
PLANS = {
    "whole": lambda: tacit.Local(8.0).plan(mean(1)),
    "few bytes": lambda: tacit.Local(8.0, upload=20).plan(mean(1)),
    "an index": lambda: tacit.Local(8.0, upload=2).plan(mean(1)),
    "both": lambda: tacit.Federated(8.0, tacit.Central(9.0, 1e-5), upload=16).plan(mean(1)),
}


@cache
def plan_of(name):
    """Found once, by the first test that wants it."""
    return PLANS[name]()


def reports(plan):
    shape, device = traced((plan.sums.contribution, plan.device))
    state = FUNCTION.start
    return send(FUNCTION.learner, shape, device, state, VECTORS, PLACES, KEY, PUBLIC)


def added(plan, sent, present=(True,) * MANY):
    parts, within = Parts.of(plan), ReportSet.of(plan.device)
    empty = parts.collected.empty(parts.server.grid)
    given = empty, sent, PLACES, jnp.array(present), PUBLIC
    return eqx.filter_jit(received)(parts, within, *given)


@pytest.mark.parametrize("name", PLANS)
def test_both_sides_are_the_round_in_memory(name):
    """The sums are the same, before any noise, but for what two programs round in a report."""
    plan = plan_of(name)
    parts = Parts.of(plan)
    asked = FUNCTION.start, VECTORS, PLACES, KEY, PUBLIC
    whole = eqx.filter_jit(reports_of)(FUNCTION.learner, parts, *asked)
    there = jnp.ones(MANY, bool)
    one = parts.collected.add(parts.collected.empty(parts.server.grid), whole, there)
    other, taken = added(plan, reports(plan))

    assert taken.all()
    assert np.allclose(one.exact(), other.exact(), rtol=0, atol=1e-5 * parts.collected.bound)
    assert np.abs(one.exact()).max() > 0.1


@pytest.mark.parametrize("name", PLANS)
def test_a_report_is_of_the_arrays_that_are_said(name):
    """Their types and shapes, as a server expects them."""
    plan = plan_of(name)
    like = report_like(
        FUNCTION.learner, plan.sums.contribution, plan.device, FUNCTION.start, VECTORS[0]
    )
    sent = jax.tree.map(lambda leaf: (leaf.shape[1:], leaf.dtype), reports(plan))

    assert sent == jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), like)


def test_a_report_is_nobodys_vector():
    """Each is farther from its person's own than a report could be by chance."""
    assert np.abs(np.asarray(reports(plan_of("whole"))) - VECTORS).max(axis=1).min() > 1e-3


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e9, -1e9])
def test_a_report_outside_its_set_is_left_out(value):
    """Not cut to it: what was sent is no report of such a device."""
    plan = plan_of("whole")
    sent = np.asarray(reports(plan))
    wrong = sent.copy()
    wrong[2, 1] = value
    total, taken = added(plan, wrong)
    without, _ = added(plan, sent, (True, True, False, True))

    assert [True, True, False, True] == taken.tolist()
    for one, other in zip(jax.tree.leaves(total), jax.tree.leaves(without), strict=True):
        assert (np.asarray(one) == np.asarray(other)).all()


@pytest.mark.parametrize("factor, taken", [(1.0, True), (1.00005, True), (1.0005, False)])
def test_a_report_is_off_its_set_by_what_is_rounded_at_most(factor, taken):
    """The longest have the norm of the ball; one that is longer by more is no report."""
    plan = plan_of("whole")
    sent, bound = np.asarray(reports(plan)), plan.device.facts.report_set.bound
    longest = sent / np.linalg.norm(sent, axis=1, keepdims=True) * np.float32(factor * bound)
    _, found = added(plan, longest)

    assert [taken] * MANY == found.tolist()


def test_a_report_is_taken_though_the_server_projects_it():
    """Where a plan cuts reports to a radius, the longest are still reports."""
    public = tacit.Central(100.0, 1e-5, tacit.Relation.ZERO_OUT)
    plan = tacit.Federated(8.0, public, radius=0.5).plan(mean(1))
    _, taken = added(plan, reports(plan))

    assert taken.all() and DIM == len(plan.device.facts.report_set.shape) * DIM
