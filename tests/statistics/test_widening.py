"""Bounds are widened on one side and then on the other, each until few are outside."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.statistics.widening import PLACES, Widening, placed, places


def walked(numbers, step: float, allowed: int = 0) -> tuple[int, int, int]:
    """Both places, and the number of rounds, by exact sums."""
    learner, people = Widening(), jnp.asarray(placed(np.array(numbers, float), step))
    state, asks = learner.init(), jax.jit(jax.vmap(learner.ask, (None, 0)))
    for rounds in range(2 * PLACES):
        if int(state.side) == 2:
            return int(state.upper), int(state.lower), rounds
        total = float(asks(state, people).sum())
        state = learner.tell(state, jnp.float32(total >= -allowed))
    return int(state.upper), int(state.lower), 2 * PLACES


def test_a_number_has_the_first_place_that_it_is_not_beyond():
    """Ends belong to their place; signs are kept; what is missing stays missing."""
    numbers = [0.0, 0.1, 0.5, 0.6, 1.0, 1.1, -0.5, -7.0, np.inf, -np.inf, np.nan]
    expected = [0, 1, 1, 2, 2, 3, -1, -5, PLACES, -PLACES, np.nan]

    assert placed(np.array(numbers), 0.5) == pytest.approx(expected, nan_ok=True)
    assert list(places(0.5)[:4]) == [0.0, 0.5, 1.0, 2.0] and len(places(0.5)) == PLACES


@pytest.mark.parametrize(
    ("numbers", "ends"),
    [
        ([3.0, 2.0, 0.1], (3, 0)),
        ([-3.0, -2.0, 9.0], (5, 3)),
        ([0.0, 0.0], (0, 0)),
        ([np.nan, np.nan], (0, 0)),
        ([np.inf, -5.0], (PLACES - 1, 4)),
        ([np.inf, -np.inf], (PLACES - 1, PLACES - 1)),
    ],
)
def test_each_side_ends_where_nobody_is_outside(numbers, ends):
    """Or where no place is left, so that the other side is asked too; a NaN is outside of none."""
    upper, lower, rounds = walked(numbers, 1.0)

    assert (upper, lower) == ends and rounds <= 2 * PLACES


def test_those_who_are_allowed_outside_do_not_widen():
    """One of them on either side."""
    assert walked([3.0, 1e9, -1e9], 1.0, allowed=1)[:2] == (3, 0)


def test_a_person_is_outside_of_one_side_and_moves_sums_one_way():
    """By one at most, whoever they are and whatever is asked: no term is above zero."""
    people = jnp.asarray(placed(np.array([5.0, -5.0, 0.0, np.nan, np.inf]), 1.0))
    learner = Widening()
    for side in range(3):
        state = learner.init()._replace(side=jnp.int32(side))
        terms = np.asarray(jax.vmap(learner.ask, (None, 0))(state, people))
        outside = [[5.0, np.inf], [-5.0], []][side]

        assert set(terms) <= {0.0, -1.0} and -terms.sum() == len(outside)
