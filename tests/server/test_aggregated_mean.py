"""Means whose noise the devices added: as loud as was said, on a grid that holds it."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
import tacit
from measured import answers
from tacit.contribution import Ball, Grid, Interval, OneHot, Outer, Product, Tally
from tacit.noise.fixed import LIMB, FixedPoint
from tacit.question.participation import AtMost, Everyone
from tacit.question.sums import Mean
from tacit.server.aggregated_mean import AggregatedMean, aggregated_mean
from tacit.server.reach import reach, sums_reach

REPLACE = tacit.Relation.REPLACE_ONE
BUDGET = tacit.Central(1.0, 1e-6, REPLACE)
SHAPES = [
    Interval(-3.0, 5.0),
    Ball(200, 2.0),
    OneHot(7),
    Grid(0, 10, 0.3),
    Tally(5, 2, 4),
]


def made(shape=Ball(4, 1.0), who=Everyone(), rounds=1, people=1_000, honest=800):
    device, server, _ = aggregated_mean(BUDGET, Mean(shape, who, rounds, people), honest)
    return device, server


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
@pytest.mark.parametrize("people, honest", [(10, 3), (1_000, 800), (10**7, 9 * 10**6)])
def test_the_honest_alone_add_the_noise_of_a_curator(shape, people, honest):
    """No less than is promised, and hardly more: two thirds of it would not do."""
    _, server = made(shape, people=people, honest=honest)
    own = math.sqrt(honest * server.share.variance)
    curator = BUDGET.plan(Mean(shape, Everyone(), 1, people)).server.facts.noise

    assert curator * (1 - 1e-6) <= own <= curator * (1 + 2e-3)
    assert pytest.approx(own * math.sqrt(people / honest)) == server.facts.noise


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
@pytest.mark.parametrize("people", [10, 1_000, 10**7])
def test_sums_do_not_reach_their_modulus_and_steps_are_fine(shape, people):
    """Half of it is beyond all terms and eight deviations; a bit less, and it would not be."""
    _, server = made(shape, people=people, honest=max(people // 2, 1))
    largest = people * shape.bound / server.grid
    noise = 8 * server.facts.noise / server.grid

    assert largest + noise < 2 ** (server.bits - 1)
    assert server.bits <= 16 or 2 ** (server.bits - 2) < (largest + 1.2 * noise) * 1.01
    assert server.share.sigma >= 2.0**16 * server.grid
    curator = BUDGET.plan(Mean(shape, Everyone(), 1, people)).server
    assert server.rounding <= max(server.share.sigma / 16, curator.rounding)


def test_a_report_is_as_long_as_its_numbers():
    """Of all parts; a modulus of whole bits for each."""
    shape = Product(Ball(10, 1.0), Interval(0.0, 1.0))
    device, server = made(shape)
    ball, number = server.parts

    assert 10 * ball.bits + number.bits == device.facts.report_bits


def test_what_is_summed_wraps_at_the_modulus():
    """Half of it and more comes out as what is left of it, below zero too."""
    server = AggregatedMean(made()[1].share, 1.0, 1, 1, 0.0, 2**3)
    nothing = FixedPoint.zero((5,), jnp.asarray(server.grid))
    sums = np.array([2**18 - 1, 2**18, -(2**18), -(2**18) - 1, 5 * 2**19 + 7])
    high, low = (jnp.asarray(limb, jnp.int32) for limb in np.divmod(sums, LIMB))
    left = server.noisy(quick_keys.key(0), nothing.shifted((high, low)))
    steps = np.asarray(left.high, np.int64) * LIMB + np.asarray(left.low)

    np.testing.assert_array_equal([2**18 - 1, -(2**18), -(2**18), 2**18 - 1, 7], steps)
    assert 19 == server.bits


@pytest.mark.parametrize("chance", [0.3, 0.05])
def test_answers_are_off_by_no_more_than_their_reach(chance):
    """With the chance that is said, by exact binomial limits; nine tenths of it are too few."""
    plan = tacit.Aggregated(1.0, 1e-6).plan(Mean(Interval(-1.0, 1.0), Everyone(), 1, 40))
    trials, data = 4_000, np.linspace(-1.0, 1.0, 40)
    off = np.abs(answers(plan, data, trials, 5) - data.mean()) * plan.sums.cohort
    least, most = binom.ppf([1e-4, 1 - 1e-4], trials, chance)

    assert least <= np.sum(off > reach(plan, chance)) <= most
    assert np.sum(off > 0.9 * reach(plan, chance)) > most
    one = sums_reach(plan.server, chance, np.ones(1), np.ones(1), np.ones(1))
    assert pytest.approx(reach(plan, chance)) == float(one[0])


def test_a_pass_of_uneven_rounds_counts_its_largest():
    """Of ten people in four rounds three are in the largest."""
    _, server = made(who=AtMost(1), rounds=4, people=10, honest=1)

    assert 3 == server.most
    assert 2.5 == server.divisor


def test_squares_are_refused():
    """Their noise is another."""
    with pytest.raises(ValueError, match="numbers, vectors and counts, got Outer"):
        made(Outer(3, 1.0, 64))
