"""One number a person: membership after projection, and brute-force sensitivity on the grid."""

import math
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from neighbours import alone, exact, furthest, moves, pieced, summed
from tacit.accounting.relation import Relation
from tacit.contribution import Grid, Interval
from tacit.contribution.numbers import MOST_STEPS

NAN, INF = math.nan, math.inf
MOST_FLOAT32 = (2 - 2.0**-23) * 2.0**127
REPLACE = Relation.REPLACE_ONE


@pytest.mark.parametrize(
    "term, becomes",
    [(2.0, 2.0), (-5.0, 1.0), (9.0, 4.0), (NAN, 1.0), (INF, 1.0), (-INF, 1.0)],
)
def test_interval_edge_cases_of_the_docstring(term, becomes):
    """Every term ends in [1, 4]; what is not a number becomes the member nearest to zero."""
    assert becomes == Interval(1.0, 4.0).project(jnp.array([term]))[0]


@pytest.mark.parametrize(
    "shape, term, becomes",
    [
        (Grid(-2, 6, 0.5), 1.0, 1.0),
        (Grid(-2, 6, 0.5), 1.2, 1.0),
        (Grid(-2, 6, 0.5), 1.3, 1.5),
        (Grid(-2, 6, 0.5), 7.0, 3.0),
        (Grid(-2, 6, 0.5), -1e30, -1.0),
        (Grid(-2, 6, 0.5), NAN, 0.0),
        (Grid(2, 6, 0.5), NAN, 1.0),
        (Grid(2, 6, 0.5), INF, 1.0),
        (Grid(-6, -2, 0.5), -INF, -1.0),
        (Grid(0, 100, 0.1), 0.72, 0.7),
    ],
)
def test_grid_edge_cases_of_the_docstring(shape, term, becomes):
    """Every term ends on a multiple of the step within the bounds, broken ones nearest to zero."""
    assert np.float32(becomes) == shape.project(jnp.array([term], jnp.float32))[0]


def test_whole_numbers_are_terms_too():
    """Integers and half-precision numbers are brought into the shape like any other."""
    for dtype in (jnp.int32, jnp.uint8, jnp.float16):
        terms = jnp.array([0, 3, 9], dtype)
        assert [1.0, 3.0, 4.0] == Interval(1.0, 4.0).project(terms).tolist()
        assert [1.0, 3.0, 4.0] == Grid(1, 4).project(terms).tolist()


INTERVALS = [(-1.0, 3.0), (2.0, 5.0), (-4.0, -1.0), (-0.9, 0.7), (0.12, 0.76), (0.0, 1.0)]


@pytest.mark.parametrize("lower, upper", INTERVALS)
@pytest.mark.parametrize("relation", Relation)
def test_interval_sensitivity_is_the_brute_force_one(lower, upper, relation):
    """Over all neighbouring pairs of members the sum moves as far as stated, no further."""
    members = np.linspace(lower, upper, 17)[:, None]
    squares = max(float((move**2).sum()) for move in moves(members, relation))
    shape = Interval(lower, upper)

    assert pytest.approx(shape.sensitivity(relation)) == math.sqrt(squares)
    assert shape.sensitivity(relation) == shape.l1_sensitivity(relation)


def cut_moves(lower: float, upper: float, step: float, relation: Relation) -> Fraction:
    """The furthest that sums cut to the grid can be apart, exactly."""
    shape = Interval(lower, upper)
    members = shape.project(jnp.linspace(lower, upper, 101))
    _, furthest_apart, _ = furthest(moves(alone(shape, members, step), relation))
    return furthest_apart * Fraction(step)


@pytest.mark.parametrize("lower, upper", INTERVALS)
@pytest.mark.parametrize("step", [2.0**-3, 2.0**-20])
def test_cutting_costs_a_replaced_number_one_step_and_an_added_one_nothing(lower, upper, step):
    """Terms are cut towards zero: none grows, and two are no more than a step further apart."""
    shape, step_ = Interval(lower, upper), Fraction(step)
    for relation in (Relation.ADD_REMOVE, Relation.ZERO_OUT):
        stated = Fraction(shape.sensitivity(relation))
        assert stated - step_ < cut_moves(lower, upper, step, relation) <= stated
    replaced, stated = cut_moves(lower, upper, step, REPLACE), Fraction(shape.sensitivity(REPLACE))

    assert stated - 2 * step_ < replaced < stated + step_


def test_the_step_that_cutting_costs_is_needed():
    """0.76 and 0.12 are 5.12 eighths apart, and 6 once they are cut."""
    stated = Fraction(Interval(0.12, 0.76).sensitivity(REPLACE))

    assert stated < cut_moves(0.12, 0.76, 2.0**-3, REPLACE) == Fraction(6, 8)


GRIDS = [(-1, 4, 0.5), (2, 5, 1.0), (-7, -3, 0.1), (-3, 3, 1 / 3), (0, 9, 1e-12), (0, 9, 7e11)]


@pytest.mark.parametrize("least, most, step", GRIDS)
@pytest.mark.parametrize("divided", [1, 2**10])
@pytest.mark.parametrize("relation", Relation)
def test_grid_sensitivity_is_the_brute_force_one_exactly(least, most, step, divided, relation):
    """On the step itself and on 2^-10 of it: nothing is lost to cutting, under any relation."""
    shape = Grid(least, most, step)
    members = shape.project(jnp.arange(least, most + 1) * step)
    added = alone(shape, members, step / divided)
    _, apart, _ = furthest(moves(added, relation))

    assert [[k * divided] for k in range(least, most + 1)] == added.tolist()
    stated = shape.sensitivity(relation)
    assert round(stated / step) * divided == apart and stated == shape.l1_sensitivity(relation)
    assert pytest.approx(apart * step / divided, rel=1e-15) == stated


@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3, 0.7113435864448547, 1e-12, 1e11])
@pytest.mark.parametrize("most", [2**16, MOST_STEPS - 1, MOST_STEPS])
def test_the_largest_members_of_a_grid_add_exactly_their_own_steps(most, step):
    """Also where the steps are so many that float32 rounds their multiples; compiled, as it runs.

    A member that added one step more would move the sum by more than the sensitivity.
    """
    shape = jax.tree.map(jnp.asarray, Grid(-most, most, step))
    ends = np.concatenate([np.arange(most - 50, most + 1), np.arange(-most, -most + 51)])

    @jax.jit
    def added(shape, terms):
        total = shape.empty(jnp.broadcast_to(shape.step, ()))
        return jax.vmap(lambda t: shape.add(total, shape.project(t[None]), jnp.ones(1, bool)))(
            terms
        )

    total = added(shape, jnp.asarray(ends * step, jnp.float32))
    assert most == np.abs(exact(total)).max()
    assert 0 == np.count_nonzero(exact(total) != ends)


@pytest.mark.parametrize("shape", [Interval(-1.0, 3.0), Grid(-5, 9, 0.3)])
def test_the_sum_is_of_those_present_in_any_pieces(shape):
    """Chunks add up to the whole, absent places add nothing whatever lies there."""
    step = shape.unit or 2.0**-10
    terms = np.random.default_rng(0).uniform(-2, 4, 40).astype(np.float32)
    members = shape.project(jnp.asarray(terms))
    whole = summed(shape, members, step)
    in_pieces = pieced(shape, (members[:13], members[13:14], members[14:27], members[27:]), step)
    spoilt = jnp.where(jnp.arange(80) < 40, jnp.concatenate([members, members]), 1e30)

    assert whole == alone(shape, members, step).sum()
    assert whole == in_pieces
    assert whole == summed(shape, spoilt, step, np.arange(80) < 40)
    assert 0 == summed(shape, members, step, np.zeros(40))


@pytest.mark.parametrize(
    "bounds",
    [
        (1.0, 1.0),
        (2.0, 1.0),
        (NAN, 1.0),
        (0.0, INF),
        (0.0, 1e-40),
        ("0", "1"),
        (None, 1.0),
        (0.0, [1.0]),
        (False, True),
    ],
)
def test_an_interval_without_finite_ordered_bounds_is_refused(bounds):
    """The sentence says what an interval needs."""
    with pytest.raises(ValueError, match="finite bounds with lower < upper"):
        Interval(*bounds)


@pytest.mark.parametrize("bounds", [(0.1, 0.7), (0.7, 1.1), (-1.1, -0.7), (-0.7, -0.1)])
def test_an_intervals_bounds_are_float32_numbers_inside_those_given(bounds):
    """So the bound that noise is scaled to is the bound that is kept."""
    (lower, upper), shape = bounds, Interval(*bounds)

    assert lower <= shape.lower < lower + 1e-7 and upper - 1e-7 < shape.upper <= upper
    assert shape.lower == float(np.float32(shape.lower))
    assert shape.upper == float(np.float32(shape.upper))


@pytest.mark.parametrize(
    "bounds, kept",
    [
        ((1e-40, 1.0), (2.0**-126, 1.0)),
        ((-1e-40, 1.0), (0.0, 1.0)),
        ((-1.0, 1e-40), (-1.0, 0.0)),
        ((-1.0, -1e-46), (-1.0, -(2.0**-126))),
        ((-1e300, 1e39), (-MOST_FLOAT32, MOST_FLOAT32)),
    ],
)
def test_bounds_at_the_ends_of_float32(bounds, kept):
    """Subnormal and too large ones move inwards, and what is projected lies between them."""
    shape = Interval(*bounds)
    terms = jnp.array([-INF, -3e38, -1.0, -1e-40, 0.0, 1e-40, 1.0, 3e38, INF, NAN], jnp.float32)
    for project in (shape.project, jax.jit(shape.project)):
        found = np.asarray(project(terms), np.float64)
        assert (shape.lower <= found).all() and (found <= shape.upper).all()
    assert (shape.lower, shape.upper) == kept


@pytest.mark.parametrize(
    "bounds",
    [(1, 1), (2, 1), (0, MOST_STEPS + 1), (-MOST_STEPS - 1, 0), (0, 2.5), ("0", 9), (0, None)],
)
def test_a_grid_without_ordered_whole_bounds_is_refused(bounds):
    """The sentence says what a grid needs."""
    with pytest.raises(ValueError, match="whole numbers least < most within"):
        Grid(*bounds)


@pytest.mark.parametrize("step", [0.0, -1.0, NAN, INF, 1e-13, 1e13, "1", None, True])
def test_a_grid_whose_step_is_out_of_range_is_refused(step):
    """The sentence says what a step must be."""
    with pytest.raises(ValueError, match=r"step must be between 1e-12 and 1e12"):
        Grid(0, 5, step)


def test_numbers_of_numpy_and_jax_make_the_same_shapes():
    """A length may be either's; counts are kept as Python's."""
    assert Interval(np.float32(0), np.int8(1)) == Interval(0.0, 1.0)
    assert 1.0 == Interval(0.0, jnp.float32(1)).upper
    assert Grid(np.int8(0), np.int8(9)) == Grid(0, 9)


def test_traced_shapes_are_taken_apart_and_put_together():
    """A compiled function gets them with tracers for numbers, and a partition with None."""

    @jax.jit
    def width(shape):
        arrays, rest = eqx.partition(shape, eqx.is_array)
        whole = eqx.combine(arrays, rest)
        return whole.upper - whole.lower

    assert 3.0 == width(Interval(-1.0, 2.0))
