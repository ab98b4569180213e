"""What all shapes share: what one is, and an exact sum of those who are present."""

import math
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hasty import OPTIONS
from neighbours import exact
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Outer, Product, Sphere
from tacit.contribution.shape import Contribution, Scored, added, is_length, refuse_no_shape
from tacit.noise.fixed import FixedPoint

SHAPES = [
    Interval(0, 1),
    Grid(0, 9),
    OneHot(4),
    Counts(4, 2, 3),
    Ball(3, 1.0),
    Sphere(3),
    Cube(3, -1.0, 1.0),
    Outer(3, 1.0),
    Product(Interval(0, 1), OneHot(2)),
]


# Its own annotations know of no options. All but one test add three people's two numbers.
in_haste: Any = cast(Any, eqx.filter_jit)(added, compiler_options=OPTIONS)


def total(shape: tuple[int, ...], step: float) -> FixedPoint:
    return FixedPoint.of(np.zeros(shape), step)


def test_shapes_are_shapes():
    """Every one that the refusal names, and no class of one, which has all its names."""
    for shape in SHAPES:
        refuse_no_shape("what is summed", shape)
        assert isinstance(shape, Contribution)
    scored = [type(shape).__name__ for shape in SHAPES if isinstance(shape, Scored)]
    assert scored == ["OneHot", "Counts", "Cube"]


@pytest.mark.parametrize("other", [Ball, 3, None, "Ball", {"a": Interval(0, 1)}, (Ball(2, 1.0),)])
def test_what_is_no_shape_is_refused(other: Any):
    """In a sentence that says what it was for, what there is, and what was got."""
    with pytest.raises(ValueError, match=r"^terms must be an Interval, Grid, .* or Product, got "):
        refuse_no_shape("terms", other)


def test_a_length_is_a_number_or_an_array():
    """A traced one too; a truth value, a word and a NumPy array are none."""
    seen = []

    def traced(length: jax.Array) -> jax.Array:
        seen.append(is_length(length))
        return length

    jax.eval_shape(traced, jnp.float32(1))
    lengths = 1, 1.5, np.float32(2), jnp.float32(2), math.nan
    assert seen == [True] and all(map(is_length, lengths))
    assert not any(map(is_length, (True, "1", None, [1.0], np.ones(1))))


def test_terms_are_cut_towards_zero_each_alone():
    """To whole steps before they are added: none grows, whatever its sign and whoever else adds."""
    terms = np.array([[0.99, -0.99], [0.99, -0.99], [0.24, -0.26]], np.float32)
    found = in_haste(total((2,), 0.25), terms, np.ones(3, bool))
    assert exact(found).tolist() == [3 + 3 + 0, -3 - 3 - 1]


def test_who_is_absent_adds_nothing_whatever_lies_there():
    """NaN and infinities of empty places are never looked at; with nobody the total stays."""
    terms = np.array([[1.0, 2.0], [math.nan, math.inf], [-math.inf, 3.0]], np.float32)
    first = in_haste(total((2,), 1.0), terms, np.array([True, False, False]))
    again = in_haste(first, terms, np.zeros(3, bool))
    assert exact(first).tolist() == exact(again).tolist() == [1, 2]


@pytest.mark.parametrize("shape", [(), (2, 3)], ids=str)
def test_terms_of_any_rank_are_there_or_not_as_a_whole(shape):
    """Who is present is one mark a person, for a number as for a matrix."""
    terms = np.arange(1.0, 1 + 3 * math.prod(shape), dtype=np.float32).reshape(3, *shape)
    found = in_haste(total(shape, 1.0), terms, np.array([True, False, True]))
    assert exact(found).tolist() == (terms[0] + terms[2]).tolist()


def test_a_sum_goes_on_from_the_total_it_is_given():
    """Beyond what a float32 can hold, to the last step, on the total's own grid."""
    start = FixedPoint.of([2.0**24 + 1, -1.0], 0.5)
    found = in_haste(start, np.full((3, 2), 0.75, np.float32), np.ones(3, bool))
    assert exact(found).tolist() == [2**25 + 2 + 3, -2 + 3]
    assert float(found.step) == 0.5
