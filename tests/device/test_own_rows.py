"""Rows of each person's own: what is promised, how the sum comes back, and how wrong it is."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from measured import answers
from tacit.device.choose import device_for
from tacit.device.own_rows import OwnRows
from tacit.mechanisms.local.projection import RandomProjection
from tacit.plan import Plan, Sum
from tacit.server.means import plain_mean

DIM, KEPT, PEOPLE, TRIALS = 200, 16, 6, 1_500
BALL = tacit.Ball(DIM, 2.0)
WAY = RandomProjection(DIM, KEPT)
PUBLIC = quick_keys.key(9)
SEATS = jnp.arange(PEOPLE, dtype=jnp.uint32)


def device(epsilon: float = 9.0, typical: float | None = None) -> OwnRows:
    return OwnRows(
        WAY, device_for(tacit.Ball(KEPT, 2.0, typical=typical), epsilon), BALL.radius, typical
    )


def planned(own: OwnRows) -> Plan:
    question = tacit.Mean(BALL, tacit.Everyone(), 1, PEOPLE)
    facts = own.facts
    error = facts.worst_error / PEOPLE + facts.shared_error
    server = plain_mean(own, question)
    return Plan({}, question, own, Sum(facts.report_set), server, (), error)


def test_the_promise_is_that_of_the_device_of_fewer_dimensions():
    """Its epsilon, blanket and bits; a report's length is that of its way to all numbers."""
    own = device()
    facts, inner = own.facts, own.device.facts

    assert (facts.epsilon, facts.blanket) == (inner.epsilon, inner.blanket)
    assert facts.report_bits == 32 * KEPT and facts.numbered
    longest = math.sqrt(256 / KEPT) / WAY.shrink * inner.report_set.bound
    assert facts.report_set.bound == pytest.approx(longest)
    assert facts.report_set.shape == (256,)


def test_reports_in_their_places_come_back_by_the_persons_own_transpose():
    """What is opened and lifted of a person's numbers is W^T a/c, with rows of their own."""
    own = OwnRows(RandomProjection(12, 4), device_for(tacit.Ball(4, 2.0), 1.0), 2.0)
    terms = np.random.default_rng(1).normal(size=(2, 12)).astype(np.float32)
    short, rows = jax.jit(own.compressed)(PUBLIC, np.arange(2, dtype=np.uint32), terms)

    @jax.jit
    @jax.vmap
    def back(places, report):
        numbers, places = own.opened(report[None], places[None])
        return own.lifted(PUBLIC, jnp.zeros(16).at[places[0]].add(numbers[0]))

    units = np.tile(np.eye(4, dtype=np.float32), (2, 1))
    columns = np.reshape(back(np.repeat(rows, 4, axis=0), units), (2, 4, 12))
    for seat in (0, 1):
        along = columns[seat] @ terms[seat]
        along *= np.linalg.norm(terms[seat]) / np.linalg.norm(along)
        np.testing.assert_allclose(short[seat], along, atol=1e-4)

    assert not np.array_equal(rows[0], rows[1])


def test_people_of_one_number_have_one_projection_and_others_have_others():
    """Rows follow from the public key and the number alone."""
    compressed, term = jax.jit(device().compressed), np.ones((PEOPLE, DIM), np.float32)
    _, rows = compressed(PUBLIC, SEATS, term)
    _, again = compressed(PUBLIC, SEATS[::-1], 2 * term)
    _, other = compressed(quick_keys.key(10), SEATS, term)

    assert np.array_equal(rows, again[::-1])
    assert len(np.unique(rows, axis=0)) == PEOPLE
    assert not np.array_equal(rows, other)


@pytest.mark.parametrize("length", [0.0, 1.0])
def test_the_measured_error_is_the_stated_one(length):
    """All people alike and as long as may be, or zero: never above, and once not below half."""
    plan = planned(device())
    data = np.tile(np.random.default_rng(0).normal(size=DIM), (PEOPLE, 1)).astype(np.float32)
    data *= length * BALL.radius / np.linalg.norm(data[0])
    errors = np.sum((answers(plan, data, TRIALS, 3) - data.mean(axis=0)) ** 2, axis=1)

    assert errors.mean() < plan.error + 4.5 * errors.std() / math.sqrt(TRIALS)
    assert errors.mean() > 0.5 * plan.error


def test_the_mean_over_rounds_is_the_peoples():
    """Along it and across, within 4.5 standard errors and the bias that is stated."""
    plan = planned(device())
    data = np.random.default_rng(5).normal(size=(PEOPLE, DIM)).astype(np.float32)
    data *= BALL.radius / np.linalg.norm(data, axis=1, keepdims=True)
    true = data.mean(axis=0)
    found = answers(plan, data, TRIALS, 7) @ (true / np.linalg.norm(true))
    apart = abs(found.mean() - np.linalg.norm(true))

    assert apart < 4.5 * found.std() / math.sqrt(TRIALS) + BALL.radius / (2 * KEPT)
    assert abs(found.mean() * WAY.shrink**8 - np.linalg.norm(true)) > apart


def test_more_people_lower_the_error_of_projections_too():
    """All of it but the bias that rows of one round's signs have in common."""
    facts = device().facts

    assert facts.shared_error == BALL.radius**2 * WAY.drift
    assert facts.shared_error < 0.005 * facts.worst_error


def test_a_typical_norm_is_that_of_the_projected_terms():
    """The error at it is that of its second moment on the way back."""
    facts, inner = device(typical=0.5).facts, device(typical=0.5).device.facts
    moment = inner.typical_error + 0.25

    assert facts.typical_error == pytest.approx(
        moment * WAY.returned(inner.along) - 0.25 * WAY.kappa
    )
    assert facts.typical_shared_error == pytest.approx(facts.shared_error / 16)


def test_what_is_no_vector_counts_as_zero():
    """Zero, NaN, infinite, and a norm beyond float32; whole numbers are vectors."""
    own = OwnRows(RandomProjection(8, 4), device_for(tacit.Ball(4, 9.0), 1.0), 9.0)
    bad = np.ones((4, 8), np.float32)
    bad[0], bad[1, 3], bad[2, 0], bad[3] = 0, math.nan, math.inf, 1e30
    compressed = jax.jit(own.compressed)
    found, _ = compressed(PUBLIC, SEATS[:4], bad)
    whole, _ = compressed(PUBLIC, SEATS[:1], np.full((1, 8), 2, np.int8))

    assert not np.asarray(found).any()
    assert np.linalg.norm(whole) == pytest.approx(math.sqrt(32))
