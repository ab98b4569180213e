"""Squares of vectors: members on their grid, exact sums, and brute-force sensitivities."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hasty import hasty
from neighbours import alone, exact, furthest, moves, pieced, summed
from tacit.accounting.relation import Relation
from tacit.contribution import Outer
from tacit.contribution.outer import ROOM, ROWS, levels_for

NAN, INF = math.nan, math.inf
REPLACE = Relation.REPLACE_ONE
SHAPES = [Outer(1, 1.5), Outer(2, 1.0), Outer(3, 0.7, 2**5), Outer(4, 1 / 3, 2**13)]
IDS = [f"{shape.dim}" for shape in SHAPES]


def whole(shape: Outer, members) -> np.ndarray:
    """Members in their own units."""
    return np.rint(np.asarray(members, np.float64) * shape.levels / shape.radius).astype(np.int64)


def tried(shape: Outer, seed: int = 0) -> jnp.ndarray:
    """Random vectors of all lengths, and extreme ones: axes, diagonals, and what is too long."""
    host, dim = np.random.default_rng(seed), shape.dim
    extreme = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=dim)))
    lengths = shape.radius / np.maximum(np.linalg.norm(extreme, axis=1, keepdims=True), 1)
    random = host.normal(size=(150, dim)) * shape.radius * host.uniform(0, 1, (150, 1))
    return jnp.asarray(np.concatenate([extreme * lengths, 3 * extreme, random]), jnp.float32)


@pytest.mark.parametrize(
    "term, becomes",
    [
        ([0.5, 0.25], [0.5, 0.25]),
        ([3.0, 4.0], [1.125, 1.5]),
        ([0.14, 0.1], [0.125, 0.125]),
        ([2.0, 2.0], [1.375, 1.375]),
        ([0.0, -2.0], [0.0, -2.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([1e-30, 0.0], [0.0, 0.0]),
        ([NAN, 1.0], [0.0, 0.0]),
        ([1.0, -INF], [0.0, 0.0]),
        ([1e30, 1e30], [0.0, 0.0]),
    ],
)
def test_edge_cases_of_the_docstring(term, becomes):
    """Sixteen levels to a radius of two: multiples of an eighth."""
    projected = Outer(2, 2.0, 16).project(jnp.array([term], jnp.float32))[0]
    assert becomes == projected.tolist()


@pytest.mark.parametrize("dim", [1, 2, 3, 100, 1000])
@pytest.mark.parametrize("radius", [1e-9, 0.1, 1.0, 1e9])
def test_members_are_whole_multiples_no_longer_than_the_radius(dim, radius):
    """In whole numbers, where no rounding hides a unit; and they stay as they are."""
    shape, host = Outer(dim, radius), np.random.default_rng(dim)
    terms = host.normal(size=(500, dim))
    terms *= shape.radius / np.linalg.norm(terms, axis=1, keepdims=True)
    terms[:100] *= host.uniform(0, 2, (100, 1))
    own = shape.project(jnp.asarray(terms, jnp.float32))
    steps = whole(shape, own)

    assert (steps**2).sum(axis=1).max() <= shape.levels**2
    assert np.array_equal(own, shape.project(own)) and np.array_equal(
        own, (steps.astype(np.float32) * (np.float32(shape.radius) / shape.levels))
    )
    # Never moved by more than a unit a coordinate, beside what is shortened.
    shortened = terms * np.minimum(1, shape.radius / np.linalg.norm(terms, axis=1, keepdims=True))
    apart = np.abs(np.asarray(own, np.float64) - shortened).max()
    assert apart <= 1.05 * shape.radius / shape.levels


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_sensitivities_are_the_brute_force_ones(shape, relation):
    """Over random and extreme pairs, in three norms, of what is summed: no pair is further apart.

    Some are as far as stated, in L1 where it is exact.
    """
    own = shape.project(tried(shape))
    moved = moves(alone(shape, own, shape.unit), relation).astype(np.float64) * shape.unit
    matrices = moved.reshape(-1, shape.dim, shape.dim)
    frobenius = np.linalg.norm(moved, axis=1).max()
    nuclear = np.abs(np.linalg.eigvalsh(matrices)).sum(axis=1).max()
    absolute = np.abs(moved).sum(axis=1).max()
    near = 1 - 1e-9 - 3 * math.sqrt(shape.dim) / shape.levels

    assert (
        near * shape.sensitivity(relation) <= frobenius <= shape.sensitivity(relation) * (1 + 1e-9)
    )
    stated = shape.nuclear_sensitivity(relation)
    assert near * stated <= nuclear <= stated * (1 + 1e-9)
    assert absolute <= shape.l1_sensitivity(relation) * (1 + 1e-9)
    if shape.dim == 1 or relation is not REPLACE:
        assert absolute >= near * shape.l1_sensitivity(relation)


def test_sensitivities_are_the_closed_forms():
    """Of two vectors of length two: their squares are four apart, or their root of two times."""
    one, many = Outer(1, 2.0), Outer(5, 2.0)
    for relation in Relation:
        far = (4.0, 4.0, 4.0) if relation is not REPLACE else (4.0, 4 * math.sqrt(2), 8.0)
        assert (4.0, 4.0) == (one.sensitivity(relation), one.nuclear_sensitivity(relation))
        assert far[1:] == pytest.approx(
            (many.sensitivity(relation), many.nuclear_sensitivity(relation))
        )


@pytest.mark.parametrize("levels", [2**5, 2**12, 2**13])
@pytest.mark.parametrize(
    "seats, people", [(ROWS, (1, 100, ROWS)), (3 * ROWS - 1, (ROWS + 1, 3 * ROWS - 1))]
)
def test_sums_are_exact_at_their_largest(levels, seats, people):
    """Everybody has the longest vector along one axis, or along the diagonal, or any of random."""
    shape, host = Outer(3, 1.0, levels), np.random.default_rng(seats)
    project, add = jax.jit(shape.project), jax.jit(shape.add)
    axis = np.zeros((seats, 3))
    axis[:, 1] = 1
    for terms in (axis, -np.ones((seats, 3)) * 3, host.normal(size=(seats, 3))):
        own = project(jnp.asarray(terms, jnp.float32))
        for many in people:
            steps, there = whole(shape, own)[:many], np.arange(seats) < many
            for finer in (1, 2 ** min(15, int(math.log2(ROOM / (many * levels**2))))):
                found = exact(add(shape.empty(jnp.float32(shape.unit / finer)), own, there))
                assert np.array_equal(found, finer * (steps.T @ steps))


def test_the_sum_is_of_those_present_in_any_pieces_and_order():
    """Chunks add up to the whole, absent places add nothing whatever lies there."""
    shape = Outer(3, 0.3)
    own = shape.project(jnp.asarray(np.random.default_rng(0).normal(size=(40, 3)), jnp.float32))
    step = shape.unit / 4
    all_at_once = summed(shape, own, step)
    in_pieces = pieced(shape, (own[27:], own[:13], own[14:27], own[13:14]), step)
    spoilt = jnp.where(jnp.arange(80)[:, None] < 40, jnp.concatenate([own, own]), NAN)

    assert all_at_once.ravel().tolist() == alone(shape, own, step).sum(axis=0).tolist()
    assert all_at_once.tolist() == in_pieces.tolist() == all_at_once.T.tolist()
    assert all_at_once.tolist() == summed(shape, spoilt, step, np.arange(80) < 40).tolist()
    assert not summed(shape, own, step, np.zeros(40)).any()


def test_compiled_and_traced_sums_are_the_same():
    """A traced radius is the float32 number that the plan's own grid is made of."""
    normal, add = np.random.default_rng(1).normal(size=(50, 4)), hasty(Outer.add)
    for radius in (0.1, 1 / 3, 7e-5, 123456.7):
        shape, terms = Outer(4, radius), jnp.asarray(radius * normal, jnp.float32)
        total = shape.empty(jnp.float32(shape.unit / 8))
        traced = jax.tree.map(jnp.asarray, shape)
        own, there = hasty(shape.project)(terms), jnp.ones(50, bool)
        once = exact(add(traced, total, own, there))
        assert np.array_equal(once, exact(hasty(shape.add)(total, own, there)))
        assert 8 * 50 * shape.levels**2 >= np.trace(once) > 0


def test_on_a_coarser_grid_nothing_is_summed():
    """Squares would be cut there, each on its own, and no proof knows of it."""
    shape = Outer(2, 1.0)
    assert not summed(shape, shape.project(jnp.ones((5, 2))), 2 * shape.unit).any()


def test_a_broken_person_changes_only_their_own_term():
    """A NaN in one row counts as a row of zeros."""
    shape, terms = Outer(3, 1.0), np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    broken = terms.copy()
    broken[2, 1] = NAN
    whole_, hurt = (np.asarray(shape.project(jnp.asarray(x))) for x in (terms, broken))

    np.testing.assert_array_equal(np.delete(whole_, 2, 0), np.delete(hurt, 2, 0))
    np.testing.assert_array_equal(np.zeros(3), hurt[2])


def test_the_farthest_squares_are_orthogonal_ones():
    """Not opposite ones, whose squares are equal."""
    shape = Outer(2, 1.0)
    rows = alone(shape, jnp.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), shape.unit)

    assert np.array_equal(rows[0], rows[1])
    assert furthest(rows[:1] - rows[2:])[0] == 2 * shape.levels**4


@pytest.mark.parametrize("people", [1, 2**20, 2**20 + 1, 2**24, 2**40, 2**42])
def test_levels_are_the_finest_that_so_many_people_bear(people):
    """Up to a million people the default's; one more halves them."""
    levels = levels_for(people)

    assert people * levels**2 <= ROOM and Outer(2, 1.0, levels).most_people >= people
    assert levels == 2**12 or people * (2 * levels) ** 2 > ROOM


def test_more_people_than_any_levels_bear_are_refused():
    """With how many there may be."""
    with pytest.raises(ValueError, match="at most 4,398,046,511,104 people, got 4,398,046,511,105"):
        levels_for(2**42 + 1)


@pytest.mark.parametrize("radius", [0.0, -1.0, 1e-10, 1e10, NAN, INF, "1", None, True, [1.0]])
def test_a_radius_out_of_range_is_refused(radius):
    """The sentence names the range."""
    with pytest.raises(ValueError, match="radius of second moments must be from 1e-09 to 1e"):
        Outer(3, radius)


@pytest.mark.parametrize("levels", [0, 1, 3, 2**14, 2.5, NAN, "4", None])
def test_levels_that_are_no_power_of_two_are_refused(levels):
    """The sentence names the range."""
    with pytest.raises(ValueError, match="levels must be a power of two from 2 to 8,192, got"):
        Outer(3, 1.0, levels)
    assert type(Outer(3, 1.0, 16.0).levels) is int


@pytest.mark.parametrize("dim", [0, -1, 2.5, NAN, "3", None, True])
def test_no_dimension_is_refused(dim):
    """The sentence says so."""
    with pytest.raises(ValueError, match=f"at least one dimension.*, got dim={dim!r}"):
        Outer(dim, 1.0)
    assert type(Outer(np.int8(3), 1.0).dim) is int
