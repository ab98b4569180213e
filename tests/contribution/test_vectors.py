"""Vectors: membership after projection, and brute-force sensitivity on the grid."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ill_conditioned import PICTURES, SIZE, gradient
from neighbours import alone, furthest, moves, pieced, summed
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Cube, L1Ball, Sphere

NAN, INF = math.nan, math.inf
REPLACE = Relation.REPLACE_ONE
# What a projection to a norm may leave too long, relatively.
ROUNDING = 1e-6


@pytest.mark.parametrize(
    "shape, term, becomes",
    [
        (Ball(2, 2.0), [0.3, 0.4], [0.3, 0.4]),
        (Ball(2, 2.0), [3.0, 4.0], [1.2, 1.6]),
        (Ball(2, 2.0), [0.0, 0.0], [0.0, 0.0]),
        (Ball(2, 2.0), [1e-40, 0.0], [0.0, 0.0]),
        (Ball(2, 1e-12), [6e18, -8e18], [6e-13, -8e-13]),
        (Ball(2, 1e300), [1e19, 1.0], [1e19, 1.0]),
        (Ball(2, 2.0), [NAN, 1.0], [0.0, 0.0]),
        (Ball(2, 2.0), [INF, 1.0], [0.0, 0.0]),
        (Ball(2, 2.0), [1e30, 1e30], [0.0, 0.0]),
        (L1Ball(2, 2.0), [0.5, -1.5], [0.5, -1.5]),
        (L1Ball(2, 2.0), [3.0, -5.0], [0.75, -1.25]),
        (L1Ball(2, 2.0), [0.0, 0.0], [0.0, 0.0]),
        (L1Ball(2, 2.0), [1e38, 5e37], [4 / 3, 2 / 3]),
        (L1Ball(2, 2.0), [1e38, 2e38], [0.0, 0.0]),
        (L1Ball(2, 1e300), [1e38, -1.0], [1e38, -1.0]),
        (L1Ball(2, 2.0), [NAN, 1.0], [0.0, 0.0]),
        (L1Ball(2, 2.0), [1.0, -INF], [0.0, 0.0]),
        (L1Ball(2, 2.0), [3e38, 3e38], [0.0, 0.0]),
        (Sphere(2), [3.0, 4.0], [0.6, 0.8]),
        (Sphere(2), [-1e-3, 0.0], [-1.0, 0.0]),
        (Sphere(2), [0.0, 0.0], [0.0, 0.0]),
        (Sphere(2), [0.0, 9e-13], [0.0, 0.0]),
        (Sphere(2), [0.0, 1e-30], [0.0, 0.0]),
        (Sphere(2), [NAN, 1.0], [0.0, 0.0]),
        (Sphere(2), [INF, 1.0], [0.0, 0.0]),
        (Sphere(2), [1e30, 1.0], [0.0, 0.0]),
        (Cube(2, -1.0, 3.0), [0.5, 2.0], [0.5, 2.0]),
        (Cube(2, -1.0, 3.0), [-7.0, 9.0], [-1.0, 3.0]),
        (Cube(2, -1.0, 3.0), [NAN, INF], [0.0, 0.0]),
        (Cube(2, 1.0, 3.0), [NAN, 2.0], [1.0, 2.0]),
    ],
)
def test_edge_cases_of_the_docstrings(shape, term, becomes):
    """Every term ends in its set; a broken one becomes what the table says."""
    projected = np.asarray(shape.project(jnp.array([term], jnp.float32))[0])
    np.testing.assert_allclose(becomes, projected, rtol=ROUNDING)


SHAPES = [
    Ball(2, 1.5),
    Ball(3, 0.7),
    L1Ball(2, 1.5),
    L1Ball(3, 0.7),
    Sphere(1),
    Sphere(2),
    Sphere(3),
    Cube(2, -1.0, 2.0),
    Cube(3, 0.3, 0.7),
]
IDS = [f"{type(shape).__name__}-{shape.answer_shape[0]}" for shape in SHAPES]


def members(shape) -> jnp.ndarray:
    """The points of a lattice, all signs and all axes among them, brought into the shape."""
    ticks = np.array([-1.0, -0.55, -0.3, 0.0, 0.3, 0.55, 1.0]) * 3 * shape.bound
    if isinstance(shape, Cube):
        ticks = np.linspace(shape.side.lower, shape.side.upper, 6)
    points = np.array(list(itertools.product(ticks, repeat=shape.shape[0])))
    return shape.project(jnp.asarray(points, jnp.float32))


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_sensitivities_are_the_brute_force_ones(shape, relation):
    """Over all neighbouring pairs the sum moves as far as stated, in L2 and in L1, no further."""
    moved = moves(np.asarray(members(shape), np.float64), relation)

    assert pytest.approx(shape.sensitivity(relation), rel=ROUNDING) == np.sqrt(
        (moved**2).sum(axis=1).max()
    )
    assert pytest.approx(shape.l1_sensitivity(relation), rel=ROUNDING) == (
        np.abs(moved).sum(axis=1).max()
    )


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shape", [s for s in SHAPES if isinstance(s, Cube)])
def test_the_spread_of_a_cube_is_the_brute_force_one(shape, relation):
    """One coordinate rises by a side while another does not, or falls by one."""
    moved = moves(np.asarray(members(shape), np.float64), relation)
    spread = (moved.max(axis=1) - moved.min(axis=1)).max()

    assert pytest.approx(spread, rel=ROUNDING) == shape.spread(relation)


@pytest.mark.parametrize("step", [2.0**-4, 2.0**-20])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_cutting_costs_a_step_a_coordinate_under_replacement_and_else_nothing(
    shape, relation, step
):
    """Whole steps are compared: what `add` makes of members that lie between them."""
    squares, absolute, spread = furthest(moves(alone(shape, members(shape), step), relation))
    dim = shape.answer_shape[0]
    extra = 1 if relation is REPLACE else 0
    l2, l1 = (own(relation) / step for own in (shape.sensitivity, shape.l1_sensitivity))

    assert (1 + ROUNDING) * l2 + extra * math.sqrt(dim) >= math.sqrt(squares)
    assert (1 + ROUNDING) * l1 + extra * dim >= absolute
    # Each of two terms loses less than a step a coordinate.
    assert math.sqrt(squares) > (1 - ROUNDING) * l2 - 2 * math.sqrt(dim)
    assert absolute > (1 - ROUNDING) * l1 - 2 * dim
    if isinstance(shape, Cube):
        assert spread <= (1 + ROUNDING) * shape.spread(relation) / step + 1 + extra


def test_the_step_a_coordinate_is_needed():
    """A cube from 0.12 to 0.76: 5.12 eighths a side, and 6 once its corners are cut."""
    shape = Cube(2, 0.12, 0.76)
    corners = jnp.array([[0.12, 0.12], [0.76, 0.76]])
    squares, absolute, _ = furthest(moves(alone(shape, corners, 2.0**-3), REPLACE))

    assert (2 * 6**2, 2 * 6) == (squares, absolute)
    assert (
        shape.sensitivity(REPLACE) * 8
        < math.sqrt(72)
        < (shape.sensitivity(REPLACE) * 8 + math.sqrt(2))
    )


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_the_sum_is_of_those_present_in_any_pieces(shape):
    """Chunks add up to the whole, absent places add nothing whatever lies there."""
    step, dim = 2.0**-16, shape.shape[0]
    terms = jnp.asarray(np.random.default_rng(0).normal(size=(40, dim)), jnp.float32)
    own = shape.project(terms)
    whole = summed(shape, own, step)
    in_pieces = pieced(shape, (own[:13], own[13:14], own[14:27], own[27:]), step)
    spoilt = jnp.where(jnp.arange(80)[:, None] < 40, jnp.concatenate([own, own]), NAN)

    assert whole.tolist() == alone(shape, own, step).sum(axis=0).tolist()
    assert whole.tolist() == in_pieces.tolist()
    assert whole.tolist() == summed(shape, spoilt, step, np.arange(80) < 40).tolist()
    assert [0] * dim == summed(shape, own, step, np.zeros(40)).tolist()


def test_one_broken_person_changes_only_their_own_term():
    """A NaN in one row leaves every other row as it was."""
    terms = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    broken = terms.copy()
    broken[2] = NAN
    for shape in (Ball(3, 1.0), L1Ball(3, 1.0), Sphere(3)):
        whole, hurt = (np.asarray(shape.project(jnp.asarray(x))) for x in (terms, broken))
        np.testing.assert_array_equal(np.delete(whole, 2, 0), np.delete(hurt, 2, 0))
        np.testing.assert_array_equal(np.zeros(3), hurt[2])


@pytest.mark.parametrize("order, shape", [(2, Ball), (1, L1Ball)])
def test_projected_norm_is_at_most_the_radius(order, shape):
    """At a million coordinates the norm exceeds the radius by rounding alone."""
    terms = jnp.asarray(np.random.default_rng(1).normal(size=(3, 10**6)), jnp.float32)
    own = np.asarray(shape(10**6, 1.5).project(terms), np.float64)
    norms = np.linalg.norm(own, ord=order, axis=1)

    assert np.all(norms <= 1.5 * (1 + ROUNDING)) and np.all(norms >= 1.5 * (1 - 1e-5))


@pytest.mark.parametrize("relation", Relation)
def test_a_typical_norm_changes_nothing_about_a_ball(relation):
    """Its members, its bound and its sensitivities are those of the ball without one."""
    plain, told = Ball(3, 2.0), Ball(3, 2.0, typical=np.float32(0.5))
    terms = jnp.asarray([[3.0, 4.0, 0.0], [0.1, 0.2, 0.3], [NAN, 1.0, 1.0]], jnp.float32)

    assert (0.5, float) == (told.typical, type(told.typical)) and plain != told
    assert np.array_equal(plain.project(terms), told.project(terms))
    assert plain.bound == told.bound and plain.unit == told.unit
    assert plain.sensitivity(relation) == told.sensitivity(relation)
    assert plain.l1_sensitivity(relation) == told.l1_sensitivity(relation)


@pytest.mark.parametrize("typical", [0.0, -1.0, 1e-13, 2.1, NAN, INF, "1", True, [1.0]])
def test_a_typical_norm_outside_the_ball_is_refused(typical):
    """The sentence names the radius; None and the radius itself are allowed."""
    with pytest.raises(ValueError, match=r"at least 1e-12 and at most its radius, 2\.0, got "):
        Ball(2, 2.0, typical)
    assert (None, 2.0) == (Ball(2, 2.0).typical, Ball(2, 2.0, 2.0).typical)


@pytest.mark.parametrize("radius", [0.0, -1.0, NAN, INF, 1e-13, "1", None, True, [1.0]])
def test_a_ball_without_a_positive_radius_is_refused(radius):
    """The sentence says what a radius must be."""
    for shape in (Ball, L1Ball):
        with pytest.raises(ValueError, match="positive and finite"):
            shape(3, radius)


@pytest.mark.parametrize(
    "make", [lambda d: Ball(d, 1.0), lambda d: L1Ball(d, 1.0), Sphere, lambda d: Cube(d, 0.0, 1.0)]
)
def test_a_vector_without_a_coordinate_is_refused(make):
    """The sentence says so."""
    for dim in (0, -1, 2.5, NAN, "3", None, True):
        said = f"at least one dimension, and a whole number of them, got dim={dim!r}"
        with pytest.raises(ValueError, match=said):
            make(dim)
    assert type(make(np.int8(3)).dim) is int and (3,) == make(3.0).shape


@pytest.mark.parametrize("shape", [Ball(SIZE, 1e-3), L1Ball(SIZE, 1e-3), Sphere(SIZE)], ids=repr)
def test_what_is_shortened_is_what_was_measured(shape):
    """In a program that makes the vectors, too, and may make them anew for each reader."""

    @jax.jit
    def across(pictures):
        return shape.project(jax.vmap(gradient)(pictures)).T

    made = np.asarray(across(PICTURES), np.float64)
    order = 1 if isinstance(shape, L1Ball) else 2
    assert np.linalg.norm(made, order, axis=0).max() <= shape.bound * (1 + 1e-5)
