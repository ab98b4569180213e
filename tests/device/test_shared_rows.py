"""Rows shared by a round: norms kept, few numbers summed, errors that rounds lower, not people."""

import dataclasses
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import hadamard

import quick_keys
import tacit
from hasty import hasty
from measured import answers
from tacit.device.choose import device_for
from tacit.device.shared_rows import SharedRows
from tacit.mechanisms.local.projection import RandomProjection
from tacit.plan import Identity, Plan, Sum
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.server.means import plain_mean

DIM, KEPT, PEOPLE, TRIALS = 200, 16, 6, 1_500
BALL, WAY = tacit.Ball(DIM, 2.0), RandomProjection(DIM, KEPT)
KEYS = jax.random.split(quick_keys.key(5), 2_000)
ONCE = tacit.Mean(BALL, tacit.Everyone(), 1, PEOPLE)


def unit(dim: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=dim)
    return drawn / np.linalg.norm(drawn)


def device(typical: float | None = None) -> SharedRows:
    own = device_for(tacit.Ball(KEPT, 2.0, typical=typical), 9.0)
    return SharedRows(WAY, own, BALL.radius, typical)


def bare(dim: int, kept: int, radius: float = 1.0) -> SharedRows:
    """Without any randomness of devices."""
    return SharedRows(RandomProjection(dim, kept), Identity(tacit.Ball(kept, radius)), radius)


def planned(own: SharedRows) -> Plan:
    facts, server = own.facts, plain_mean(own, ONCE)
    error = facts.worst_error / PEOPLE + facts.shared_error
    return Plan({}, ONCE, own, Sum(facts.report_set), server, (), error)


def projected(own: SharedRows, key, terms) -> np.ndarray:
    seats = jnp.zeros(len(terms), jnp.uint32)
    return np.asarray(jax.jit(own.compressed)(key, seats, terms)[0])


def decoded(own: SharedRows, terms, keys=KEYS) -> np.ndarray:
    """The mean of the terms after its way forth and back, for each round's key."""

    def way(key):
        seats = jnp.zeros(len(terms), jnp.uint32)
        return own.lifted(key, own.compressed(key, seats, jnp.asarray(terms))[0].mean(axis=0))

    return np.asarray(jax.jit(jax.vmap(way))(keys), np.float64)


@pytest.mark.parametrize("dim", [5, 8])
def test_errors_of_one_and_of_two_people_are_within_the_stated(dim):
    """Over all signs and all rows."""
    own, both = bare(dim, 4), [unit(dim), unit(dim, 1)]
    errors = {1: [], 2: []}
    for signs in itertools.product([1.0, -1.0], repeat=8):
        turned = (hadamard(8) * np.array(signs))[:, :dim] / 2
        for choice in itertools.product(range(2), repeat=4):
            way = turned[2 * np.arange(4) + np.array(choice)]
            ends = [way.T @ (way @ one) / np.linalg.norm(way @ one) for one in both]
            for many, found in errors.items():
                apart = np.mean(ends[:many], axis=0) / own.way.shrink - np.mean(both[:many], axis=0)
                found.append(np.sum(apart**2))

    assert np.mean(errors[1]) <= own.common_error(1.0)
    assert np.mean(errors[2]) <= own.common_error(float(np.linalg.norm(np.mean(both, axis=0))))


def test_the_promise_is_that_of_the_device_of_fewer_dimensions():
    """Its epsilon, blanket, report set and bits."""
    own, facts = device().device.facts, device().facts

    assert (facts.epsilon, facts.blanket, facts.report_bits) == (9.0, own.blanket, 32 * KEPT)
    assert facts.report_set == own.report_set and not facts.numbered
    assert facts.worst_error > own.worst_error * facts.stretch


@pytest.mark.parametrize("dim, kept", [(8, 4), (5, 4), (100, 16), (64, 64)])
def test_the_way_back_is_the_transpose_of_the_way_forth(dim, kept):
    """With the same signs and rows; what is kept of a term is its length."""
    own, key = bare(dim, kept), quick_keys.key(1)
    back = np.asarray(jax.vmap(lambda row: own.lifted(key, row))(jnp.eye(kept)))
    terms = 3.0 * np.random.default_rng(1).normal(size=(6, dim)).astype(np.float32)
    forth = terms @ back.T
    norms = np.linalg.norm(terms, axis=1, keepdims=True)
    along = forth / np.linalg.norm(forth, axis=1, keepdims=True)

    np.testing.assert_allclose(projected(own, key, terms), norms * along, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e15])
def test_norms_are_kept(scale):
    """So a term of a ball is one of a ball of the same radius."""
    terms = scale * np.random.default_rng(2).normal(size=(50, 300)).astype(np.float32)
    found = projected(bare(300, 16), KEYS[0], terms)
    norms = np.linalg.norm(terms.astype(np.float64), axis=1)

    np.testing.assert_allclose(np.linalg.norm(np.float64(found), axis=1), norms, rtol=2e-6)


def test_over_rounds_the_decoded_mean_is_the_mean():
    """Along a vector of many coordinates, and across; without the shrinkage it is too short."""
    own, true = bare(1_000, 4), unit(1_000).astype(np.float32)
    found = decoded(own, true[None])
    along, across = found @ true, found @ unit(1_000, 7)
    within = 4.5 / math.sqrt(len(KEYS))

    assert abs(along.mean() - 1) < within * along.std()
    assert abs(across.mean() - true @ unit(1_000, 7)) < within * across.std()
    assert abs(along.mean() * own.way.shrink - 1) > within * along.std()


@pytest.mark.parametrize("dim, kept", [(200, 16), (1_000, 64)])
def test_the_projections_error_is_the_stated_one(dim, kept):
    """At its worst, all people alike: within 4.5 standard errors, and not below half."""
    own, true = bare(dim, kept), unit(dim).astype(np.float32)
    errors = np.sum((decoded(own, true[None]) - true) ** 2, axis=1)
    stated = own.common_error(1.0)

    assert errors.mean() < stated + 4.5 * errors.std() / math.sqrt(len(KEYS))
    assert errors.mean() > 0.5 * stated


def test_the_error_falls_with_the_norm_of_the_mean():
    """Of people who disagree it is within what their mean's norm allows, far below the worst."""
    own, terms = bare(250, 64), np.random.default_rng(3).normal(size=(200, 250))
    terms /= np.linalg.norm(terms, axis=1, keepdims=True)
    mean = terms.mean(axis=0)
    # They spread by a tenth, and the worst is two hundred times as large.
    found = decoded(own, terms.astype(np.float32), KEYS[:100])
    errors = np.sum((found - mean) ** 2, axis=1)
    stated = own.common_error(float(np.linalg.norm(mean)))

    assert errors.mean() < stated < own.common_error(1.0) / 4


def test_the_measured_error_is_the_stated_one():
    """Of reports too: all people alike, or zero: never above, and once not below half."""
    plan = planned(device())
    alike = np.tile(unit(DIM), (PEOPLE, 1)).astype(np.float32) * BALL.radius
    shares = []
    for data in (alike, 0 * alike):
        errors = np.sum((answers(plan, data, TRIALS, 3) - data.mean(axis=0)) ** 2, axis=1)
        shares.append(errors.mean() / plan.error)
        assert shares[-1] < 1 + 4.5 * errors.std() / math.sqrt(TRIALS) / plan.error

    assert max(shares) > 0.5


@pytest.mark.parametrize("chunks", [1, 3])
def test_a_round_projects_sums_and_lifts_with_its_public_key(chunks):
    """All of its people with one key: the answer is their projected mean, on the way back."""
    own = bare(DIM, KEPT, BALL.radius)
    plan = dataclasses.replace(
        planned(device()),
        device=own,
        collect=Sum(own.facts.report_set),
        server=plain_mean(own, ONCE),
    )
    data = np.random.default_rng(4).normal(size=(PEOPLE, DIM)).astype(np.float32) / 10
    rows = jnp.arange(PEOPLE).reshape(chunks, -1)
    cohort = Cohort(rows, jnp.ones(rows.shape, bool), jnp.asarray(chunks, jnp.int32))
    keys = Keys(*map(jax.random.key, range(3)))
    learner = tacit.statistics.Average((DIM,))

    @hasty
    def run(data):
        return run_round(learner, Parts.of(plan), learner.init(), None, data, cohort, keys)[0]

    @hasty
    def by_hand(data):
        seats = jnp.zeros(PEOPLE, jnp.uint32)
        short, _ = own.compressed(keys.public, seats, BALL.project(data))
        return own.lifted(keys.public, short.mean(axis=0))

    np.testing.assert_allclose(run(data)[0], by_hand(data), atol=1e-5)


def test_a_typical_norm_is_that_of_the_projected_terms():
    """All parts of the error at it are stated."""
    facts, inner = device(0.5).facts, device(0.5).device.facts
    moment = inner.typical_error + 0.25

    assert facts.typical_error == pytest.approx(
        moment * WAY.returned(inner.along) - 0.25 * WAY.shortest
    )
    assert facts.typical_shared_error == pytest.approx(facts.shared_error / 16)
