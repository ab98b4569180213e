"""Numbers in places: exact sums of members that collide, their moves, and broken numbers."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from neighbours import exact
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, SparseBall
from tacit.noise.fixed import MOST_AT_ONCE, Tall

SHAPE = SparseBall(8, Ball(3, 2.0))
PLACES = jnp.array([[0, 3, 7], [7, 1, 0], [3, 4, 5]], jnp.uint32)
NUMBERS = np.array([[1.0, -0.5, 0.25], [0.5, -1.5, 0.75], [-0.25, 1.0, 0.5]], np.float32)
STEP = jnp.float32(2.0**-20)


def dense(numbers, places) -> np.ndarray:
    whole = np.zeros((len(numbers), 8))
    np.put_along_axis(whole, np.asarray(places, np.int64), numbers, axis=1)
    return whole


@pytest.mark.parametrize("of", [lambda x: x, Tall.of], ids=["two limbs", "three"])
def test_a_sum_is_that_of_the_whole_vectors(of):
    """Of those present, where several have numbers in one place too."""
    present = jnp.array([True, True, False])
    total = SHAPE.add(of(SHAPE.empty(STEP)), (jnp.asarray(NUMBERS), PLACES), present)
    found = total.cut() if isinstance(total, Tall) else total

    assert (exact(found) * float(STEP)).tolist() == dense(NUMBERS, PLACES)[:2].sum(0).tolist()


def test_as_many_people_as_may_be_in_one_place_do_not_wrap():
    """With the largest low limbs there are."""
    one, step = SparseBall(4, Ball(1, 1.0)), jnp.float32(1.0)
    numbers = jnp.full((MOST_AT_ONCE, 1), 2.0**15 - 1)
    start = one.empty(step).shifted((jnp.zeros(4, jnp.int32), jnp.full(4, 2**15 - 1)))
    here = jnp.ones(MOST_AT_ONCE, bool)
    total = one.add(start, (numbers, jnp.ones((MOST_AT_ONCE, 1), jnp.uint32)), here)

    assert exact(total).tolist() == [2**15 - 1, (MOST_AT_ONCE + 1) * (2**15 - 1)] + 2 * [2**15 - 1]


def test_numbers_are_brought_into_their_ball_and_keep_their_places():
    """What is broken becomes zero."""
    bad = np.array([[3.0, 4.0, 0.0], [math.nan, 1.0, 0.0], [0.0, math.inf, 0.0]], np.float32)
    numbers, places = SHAPE.project((jnp.asarray(bad), PLACES))

    np.testing.assert_allclose(numbers, [[1.2, 1.6, 0.0], [0, 0, 0], [0, 0, 0]], rtol=1e-6)
    assert places is PLACES


@pytest.mark.parametrize("relation", Relation)
def test_a_sum_moves_by_no_more_than_stated_and_up_to_it(relation):
    """In both norms: two people of one direction, and of all numbers equal in other places."""
    ball = SHAPE.numbers
    equal = np.full((2, 3), ball.radius / math.sqrt(3))
    apart = dense(equal, jnp.array([[0, 1, 2], [3, 4, 5]]))
    move = apart[0] - apart[1] if relation.people_moved == 2 else apart[0]

    assert SHAPE.sensitivity(relation) == relation.people_moved * ball.radius
    assert SHAPE.l1_sensitivity(relation) == pytest.approx(np.abs(move).sum())
    assert (SHAPE.shape, SHAPE.answer_shape, SHAPE.bound, SHAPE.unit) == ((8,), (8,), 2.0, 0.0)
