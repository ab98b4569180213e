"""Categories: membership after projection, and brute-force sensitivity in whole counts."""

import itertools
import math
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest

from neighbours import alone, furthest, moves, pieced, summed
from tacit.accounting.relation import Relation
from tacit.contribution import Counts, OneHot

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    "term, becomes",
    [
        (0.0, 0),
        (4.0, 4),
        (5.0, -1),
        (-1.0, -1),
        (-0.0, 0),
        (2.5, -1),
        (1e30, -1),
        (NAN, -1),
        (INF, -1),
        (-INF, -1),
        (3, 3),
        (5, -1),
        (-7, -1),
        (2**31 - 1, -1),
    ],
)
def test_one_hot_edge_cases_of_the_docstring(term, becomes):
    """A category's number stays; anything else is in no category and adds nothing."""
    shape = OneHot(5)
    projected = shape.project(jnp.array([term]))

    assert [becomes] == projected.tolist() and jnp.int32 == projected.dtype
    expected = np.eye(5, dtype=int)[becomes].tolist() if becomes >= 0 else [0] * 5
    assert expected == summed(shape, projected, 1.0).tolist()


@pytest.mark.parametrize("dtype", [jnp.int8, jnp.uint8, jnp.int16, jnp.uint32, jnp.float16])
def test_categories_come_in_every_type_of_number(dtype):
    """Also in types that hold no -1 for a person in none, or not the number of categories."""
    terms = jnp.array([0, 4, 5, 100], dtype)

    assert [0, 4, -1, -1] == OneHot(5).project(terms).tolist()
    for categories in (255, 300, 70_000, 2**17):
        assert [0, 4, 5, 100] == OneHot(categories).project(terms).tolist()


def test_the_largest_category_is_told_from_its_neighbour():
    """2^24 categories are as many as float32 tells apart."""
    most = 2**24

    assert [most - 1, most - 2, -1] == OneHot(most).project(
        jnp.array([most - 1, most - 2, most], jnp.float32)
    ).tolist()


@pytest.mark.parametrize(
    "shape, term, becomes",
    [
        (Counts(4, 2, 3), [1, 0, 2, 0], [1, 0, 2, 0]),
        (Counts(4, 2, 3), [1.9, 0.9, 0.0, 0.0], [1, 0, 0, 0]),
        (Counts(4, 2, 3), [7.0, 0.0, INF, 0.0], [3, 0, 3, 0]),
        (Counts(4, 2, 3), [-2.0, NAN, -INF, 1.0], [0, 0, 0, 1]),
        (Counts(4, 2, 3), [1, 2, 3, 2], [0, 2, 3, 0]),
        (Counts(4, 2, 3), [9, 3, 5, 4], [3, 3, 0, 0]),
        (Counts(4, 1, 3), [1, 1, 1, 1], [1, 0, 0, 0]),
        (Counts(4, 4, 3), [1, 1, 9, 1], [1, 1, 3, 1]),
        (Counts(4, 2, 2**20), [2**20, 2**21, 5, 6], [2**20, 2**20, 0, 0]),
    ],
)
def test_counts_edge_cases_of_the_docstring(shape, term, becomes):
    """Whole numbers up to linf, the l0 largest of them, the earlier where they tie."""
    assert becomes == shape.project(jnp.array([term], jnp.float32))[0].tolist()
    if all(math.isfinite(x) and x == int(x) for x in term):
        assert becomes == shape.project(jnp.array([term], jnp.int32))[0].tolist()


SHAPES = [
    OneHot(2),
    OneHot(4),
    Counts(2, 1, 2),
    Counts(4, 1, 3),
    Counts(4, 2, 2),
    Counts(4, 3, 2),
    Counts(4, 4, 1),
]
IDS = [str(shape).replace(" ", "") for shape in SHAPES]


def members(shape) -> jnp.ndarray:
    """Every member there is."""
    if isinstance(shape, OneHot):
        return jnp.arange(-1, shape.categories)
    every = itertools.product(range(shape.linf + 1), repeat=shape.categories)
    kept = [counts for counts in every if np.count_nonzero(counts) <= shape.l0]
    return jnp.asarray(kept, jnp.float32)


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_members_stay_as_they_are(shape):
    """Every member is its own projection."""
    np.testing.assert_array_equal(members(shape), shape.project(members(shape)))


@pytest.mark.parametrize("divided", [1, 2**12])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_sensitivities_are_the_brute_force_ones_exactly(shape, relation, divided):
    """Over all members and pairs of members, in whole counts and in 4096ths of them."""
    moved = moves(alone(shape, members(shape), 1 / divided), relation)
    squares, absolute, spread = furthest(moved)

    assert math.sqrt(Fraction(squares, divided**2)) == pytest.approx(
        shape.sensitivity(relation), rel=1e-15
    )
    assert Fraction(absolute, divided) == Fraction(shape.l1_sensitivity(relation))
    assert Fraction(spread, divided) == Fraction(shape.spread(relation))


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_no_member_adds_more_than_the_bound(shape):
    """And some member adds as much."""
    squares, _, _ = furthest(alone(shape, members(shape), 1.0))

    assert math.sqrt(squares) == pytest.approx(shape.bound, rel=1e-15)
    assert shape.candidates == shape.categories == shape.answer_shape[0]


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_every_pair_of_neighbours_differs_by_one_persons_own(shape):
    """Whole data sets of three, with one of them left out, zeroed, or replaced by any other.

    Their sums are made from scratch, and differ by what single members add.
    """
    own = members(shape)
    rows = alone(shape, own, 0.5)
    base = np.array([0, len(own) // 2, len(own) - 1])
    whole = summed(shape, own[base], 0.5)
    for place, leaves in enumerate(base):
        others = np.delete(base, place)
        fewer = summed(shape, own[others], 0.5)
        silent = summed(shape, own[base], 0.5, np.arange(3) != place)
        assert (whole - fewer).tolist() == rows[leaves].tolist()
        assert fewer.tolist() == silent.tolist()
        for comes in range(min(len(own), 12)):
            changed = summed(shape, own[np.append(others, comes)], 0.5)
            assert (changed - whole).tolist() == (rows[comes] - rows[leaves]).tolist()


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_the_sum_is_of_those_present_in_any_pieces(shape):
    """Chunks add up to the whole, absent places add nothing whatever lies there."""
    own = shape.project(members(shape)[np.random.default_rng(0).integers(0, 4, 40)])
    whole = summed(shape, own, 1.0)
    in_pieces = pieced(shape, (own[:13], own[13:14], own[14:27], own[27:]), 1.0)
    twice = jnp.concatenate([own, own])

    assert whole.tolist() == alone(shape, own, 1.0).sum(axis=0).tolist()
    assert whole.tolist() == in_pieces.tolist()
    assert whole.tolist() == summed(shape, twice, 1.0, np.arange(80) < 40).tolist()
    assert [0] * shape.categories == summed(shape, own, 1.0, np.zeros(40)).tolist()


def test_a_full_chunk_of_one_category_is_counted_exactly():
    """65,536 people in one place, on the finest grid that so many have."""
    people = 2**16
    counted = summed(OneHot(3), jnp.full(people, 2), 2.0**-28)

    assert [0, 0, people * 2**28] == counted.tolist()


@pytest.mark.parametrize("categories", [0, 1, 2**24 + 1, 2.5, "3", None, True])
def test_too_few_or_too_many_categories_are_refused(categories):
    """The sentence names the values allowed."""
    for make in (lambda: OneHot(categories), lambda: Counts(categories, 1, 1)):
        with pytest.raises(
            ValueError, match="categories must be a whole number from 2 to 16,777,216"
        ):
            make()


@pytest.mark.parametrize(
    "l0, linf, sentence",
    [
        (0, 1, "l0 must be a whole number from 1 to 5, got 0"),
        (6, 1, "l0 must be a whole number from 1 to 5, got 6"),
        (1.5, 1, "l0 must be a whole number from 1 to 5, got 1.5"),
        (2, 0, "linf must be a whole number from 1 to 1,048,576, got 0"),
        (2, 2**20 + 1, "linf must be a whole number from 1 to 1,048,576, got 1048577"),
        (2, "3", "linf must be a whole number from 1 to 1,048,576, got '3'"),
    ],
)
def test_unusable_counts_are_refused(l0, linf, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        Counts(5, l0, linf)


def test_numpys_counts_are_kept_as_pythons():
    """The shapes are equal, and the same to whatever compares or writes them."""
    assert OneHot(np.int8(4)) == OneHot(4) and type(OneHot(np.int8(4)).categories) is int
    assert Counts(*np.array([5, 2, 3])) == Counts(5, 2, 3)
