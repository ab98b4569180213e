"""Chunks of a round: where people come or go, nobody's number is rounded as others make it."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.population.cohorts import LANES, MOST_ROUNDS, Cohorts
from tacit.population.loop import Keys, Parts, _sum_reports
from tacit.population.placement import seated
from tacit.statistics import NormalCovariance

DIM, DECLARED = 6, 1_000
KEYS = Keys(*3 * [jax.random.key(0)])
SEVERAL = (1, 7, 56, 224, 225, 896, 1_024, 1_025, 2_049)


@jax.jit
def summed(learner, parts, state, data, cohort):
    """A round's sum, before its noise."""
    return _sum_reports(learner, parts, state, data, cohort, KEYS)


@cache
def covariance() -> NormalCovariance:
    """Squares of products, on a grid on which a last digit is 2^-12 of all that one may change."""
    trust = tacit.Central(1.0, 1e-6, tacit.Relation.ADD_REMOVE)
    return NormalCovariance(DIM, (1.0, 30.0), trust, DECLARED)


@pytest.mark.parametrize("people", SEVERAL)
def test_a_chunk_is_of_a_public_size(people):
    """Whoever is there; as many as are declared, in lanes that are full, and never just one."""
    cohorts = Cohorts(covariance().plan, people, 2**16, False)

    assert (cohorts.chunk, cohorts.chunk % LANES) == (1_024, 0)
    assert cohorts.chunks == max(2, -(-people // 1_024))


@pytest.mark.parametrize("declared", [200, 40_000])
def test_rounds_come_in_blocks_whoever_is_there(declared):
    """Another number of people, far more or fewer than declared, is no other program."""
    sums = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 300, declared)
    plan = tacit.Central(1.0, 1e-6).plan(sums)

    blocks = {Cohorts(plan, people, 64, False).block for people in (1, 200, 40_000)}
    assert blocks == {MOST_ROUNDS if declared == 200 else 1}


def test_chunks_of_few_have_full_lanes():
    """However few are declared: no place of a chunk is worked on by itself."""
    plan = tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, 20))

    assert Cohorts(plan, 19, 2**16, False).chunk == LANES


def test_chunks_that_are_no_longer_than_may_be_have_full_lanes_too():
    """If they are longer than one; shorter ones are as they were asked for."""
    plan = covariance().plan

    assert [Cohorts(plan, 500, most, False).chunk for most in (10, 64, 100, 130)] == [
        10,
        64,
        64,
        128,
    ]


def test_where_the_number_of_people_is_public_a_chunk_has_room_for_them_alone():
    """Nobody comes or goes, so a small round is a small program."""
    trust = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    plan = trust.plan(tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, 20))

    cohorts = Cohorts(plan, 20, 2**16, False)

    assert (cohorts.chunk, cohorts.chunks) == (20, 1)


@pytest.mark.parametrize("who", [tacit.Poisson(0.999999), tacit.Available(0.999999)])
def test_each_round_of_those_who_come_and_go_has_an_order_of_its_own(who):
    """Drawn by a key of the round: of one order for all, a round would tell the others' chunks."""
    plan = tacit.Central(1.0, 1e-6).plan(tacit.Mean(tacit.Ball(3, 1.0), who, 5, 30))
    rounds = list(Cohorts(plan, 30, 7, True).rows(bytes(32), 0))

    assert all(sorted(rows) == list(range(30)) for rows in rounds)
    assert len({rows.tobytes() for rows in rounds}) == 5


def test_a_persons_part_of_a_sum_does_not_follow_from_who_else_is_there():
    """Of people whose terms lie where a grid's steps meet, sums are so many times that of one, to
    the last digit: of programs for their own numbers some are not."""
    asked, digits = covariance(), np.random.default_rng(0)
    learner = asked.learner()
    state = learner.init()
    inverse = jnp.asarray(digits.normal(size=(DIM, DIM)) / 10, jnp.float32)
    last = jnp.int32(asked.plan.sums.rounds - 1)
    state = state._replace(inverse=inverse, rounds=last)
    for row in near_a_step(inverse, 24):
        sums = [exact_sum(asked, learner, state, np.tile(row, (each, 1))) for each in SEVERAL]

        for each, found in zip(SEVERAL[1:], sums[1:], strict=True):
            np.testing.assert_array_equal(found, each * sums[0])


def near_a_step(inverse: jax.Array, many: int) -> np.ndarray:
    """Rows some number of whose term is half a step from the next, but for a last digit."""
    learner = covariance().learner()
    last = jax.tree.map(lambda each: each[-1], learner.rungs)
    levels = covariance().plan.sums.contribution.levels
    rows = (np.random.default_rng(1).normal(size=(100_000, DIM)) * 3).astype(np.float32)
    terms = rows.astype(np.float64) @ np.asarray(inverse, np.float64).T
    steps = levels * terms / np.sqrt(float(last.bound))
    apart = np.abs(steps - np.floor(steps) - 0.5).min(axis=1)
    return rows[np.argsort(apart)[:many]]


def exact_sum(asked: NormalCovariance, learner, state, rows: np.ndarray) -> np.ndarray:
    """What the last round's noise is added to."""
    plan = asked.plan
    cohorts = Cohorts(plan, len(rows), 2**16, False)
    cohort = jax.tree.map(lambda leaf: leaf[0], cohorts.seats([np.arange(len(rows))]))
    return summed(learner, Parts.of(plan), state, seated(rows), cohort).exact()
