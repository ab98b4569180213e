"""The step of sums: fine enough for terms and noise, and never one that squares are cut to."""

import math

import pytest

import tacit
from tacit import Everyone, Mean, Poisson
from tacit.contribution import Ball, Grid, OneHot, Outer
from tacit.server.grid import ROOM, step_in, step_of

REPLACE = tacit.Relation.REPLACE_ONE


@pytest.mark.parametrize("shape", [Ball(3, 1.5), Grid(0, 9, 0.1)])
@pytest.mark.parametrize("people", [1, 10**6, 2**30])
def test_a_step_is_a_unit_times_a_power_of_two_that_sums_fit(shape, people):
    """In 2^46 steps to either side."""
    step, unit = step_of(shape, people, 10.0), shape.unit or 1.0

    assert math.frexp(step / unit)[0] == 0.5
    assert people * shape.bound / step <= 2.0**45


@pytest.mark.parametrize("people", [1, 2**10, 2**20])
@pytest.mark.parametrize("levels", [2, 2**7, 2**12])
@pytest.mark.parametrize("noise", [0.0, 1.0, 1e12])
def test_units_of_squares_are_divided_and_never_put_together(people, levels, noise):
    """Into 2^15 steps at most, which is what their sum can be multiplied by."""
    shape = Outer(3, 0.3, levels)
    divided = shape.unit / step_of(shape, people, noise)

    assert 1 <= divided <= 2**15 and math.frexp(divided)[0] == 0.5
    assert people * shape.bound / step_of(shape, people, noise) <= 2.0**45


@pytest.mark.parametrize(
    "trust", [tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6), tacit.NonPrivate()]
)
def test_squares_of_too_many_people_are_refused(trust):
    """The sentence names how many there may be, and what lets more be summed."""
    with pytest.raises(ValueError, match=r"at most 1,048,576 people, got 2,000,000: fewer .* 2048"):
        trust.plan(tacit.Mean(Outer(3, 1.0), tacit.Everyone(), 1, 2_000_000))
    trust.plan(tacit.Mean(Outer(3, 1.0, 2048), tacit.Everyone(), 1, 2_000_000))


def test_squares_that_are_added_up_over_rounds_are_of_fewer_people():
    """Correlated noise takes ten more bits of their sums."""
    running = tacit.Running(tacit.Mean(Outer(3, 1.0), tacit.Everyone(), 4, 2_000), 1)
    with pytest.raises(ValueError, match="squares of 4,096 levels are summed over at most"):
        tacit.Central(1.0, 1e-6).plan(running)


PRIVATE = [tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6)]


@pytest.mark.parametrize("trust", PRIVATE, ids=str)
@pytest.mark.parametrize("shape", [OneHot(4), Ball(3, 1.0), Outer(2, 1.0, 2**10)], ids=str)
def test_many_more_people_than_were_declared_are_summed(trust, shape):
    """A million where a thousand were declared: their sum is within the limbs."""
    server = trust.plan(Mean(shape, Everyone(), 1, 1_000)).server

    assert 2 * ROOM * shape.bound / server.grid <= 2.0**45


@pytest.mark.parametrize("people", [1, 1_000, 2 * ROOM])
def test_room_costs_nothing_that_is_whole(people):
    """Whole numbers are not cut, and cohorts that are drawn are as they were."""
    drawn = Mean(Ball(3, 1.0), Poisson(0.1), 1, 2 * ROOM)
    wide, counts = (
        Mean(shape, Everyone(), 1, people) for shape in (Grid(0, 2**20, 1.0), OneHot(4))
    )

    assert step_in(wide, wide.contribution, 1.0) <= 1.0
    assert step_in(counts, counts.contribution, 0.0) <= 2.0**-24
    assert step_in(drawn, drawn.contribution, 0.0) == step_of(
        drawn.contribution, drawn.capacity, 0.0
    )
