"""Several shapes at once: each part's members, sums and sensitivities, side by side."""

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hasty import hasty
from neighbours import alone, exact, moves
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product

NAN = math.nan
PAIR = Product(Interval(-1.0, 3.0), OneHot(3))
NESTED = Product(Product(Grid(-2, 2, 0.5), OneHot(2)), Cube(2, -1.0, 2.0), Counts(3, 2, 2))
STEPS = {PAIR: (2.0**-10, 1.0), NESTED: ((0.5, 1.0), 2.0**-10, 1.0)}


def flat(tree) -> list:
    """The leaves of nested tuples, in order."""
    return [leaf for branch in tree for leaf in flat(branch)] if isinstance(tree, tuple) else [tree]


def leaves(product: Product) -> list:
    parts = [leaves(p) if isinstance(p, Product) else [p] for p in product.parts]
    return [leaf for part in parts for leaf in part]


def terms(count: int = 40) -> dict:
    """Terms for either product, good and bad."""
    generator = np.random.default_rng(0)
    number, pair = generator.uniform(-5, 5, (count, 3)), generator.integers(-1, 4, (count, 5))
    first = np.column_stack([number[:, 0], pair[:, 0]])
    second = np.column_stack([number[:, 0], pair[:, 0], number[:, 1:], pair[:, 1:4]])
    for each in (first, second):
        each[3] = NAN
    return {PAIR: jnp.asarray(first, jnp.float32), NESTED: jnp.asarray(second, jnp.float32)}


def sums(product: Product, members, present=None) -> list[np.ndarray]:
    """The exact sum of each leaf, in steps of its own."""
    here = jnp.ones(len(members), bool) if present is None else jnp.asarray(present, bool)
    total = adding(product)(product.empty(grid_of(product)), members, here)
    return [exact(leaf) for leaf in flat(total)]


def grid_of(product: Product) -> tuple:
    return tuple(
        tuple(map(jnp.float32, s)) if isinstance(s, tuple) else jnp.float32(s)
        for s in STEPS[product]
    )


@functools.cache
def adding(product: Product):
    """One program for as many people."""
    return hasty(product.add)


def by_hand(product: Product, members, present=None) -> list[np.ndarray]:
    """The same from each leaf's own slice, alone."""
    widths = [math.prod(leaf.shape) for leaf in leaves(product)]
    slices = np.split(np.asarray(members), np.cumsum(widths)[:-1], axis=1)
    found = []
    for leaf, own, step in zip(leaves(product), slices, flat(STEPS[product]), strict=True):
        rows = brought(leaf, own.tobytes(), len(own), step)
        kept = rows if present is None else rows[np.asarray(present, bool)]
        found.append(kept.sum(axis=0).reshape(leaf.answer_shape))
    return found


@functools.cache
def brought(leaf, numbers: bytes, people: int, step: float) -> np.ndarray:
    """What each person adds to a leaf's own sum."""

    def add(member):
        own = leaf.project(member[None])
        return leaf.add(leaf.empty(jnp.float32(step)), own, jnp.ones(1, bool))

    own = np.frombuffer(numbers, np.float32).reshape(people, *leaf.shape)
    return exact(hasty(jax.vmap(add))(own)).reshape(people, -1)


def test_a_slice_is_brought_into_its_own_part():
    """The second term's number is cut, the third has no category, a broken one is near zero."""
    given = jnp.array([[0.5, 2.0], [9.0, 0.0], [-0.5, 7.0], [NAN, NAN]])
    becomes = [[0.5, 2.0], [3.0, 0.0], [-0.5, -1.0], [0.0, -1.0]]

    assert becomes == PAIR.project(given).tolist()
    assert becomes == PAIR.project(PAIR.project(given)).tolist()


def test_one_broken_part_leaves_the_others_as_they_were():
    """A NaN in the number does not take the person's category away."""
    assert [0.0, 2.0] == PAIR.project(jnp.array([[NAN, 2.0]]))[0].tolist()


@pytest.mark.parametrize("product", [PAIR, NESTED], ids=["pair", "nested"])
def test_shapes_are_those_of_the_parts_one_after_the_other(product):
    """Of the terms and of the sum, which need not be as long."""
    assert (sum(math.prod(leaf.shape) for leaf in leaves(product)),) == product.shape
    assert (sum(math.prod(leaf.answer_shape) for leaf in leaves(product)),) == product.answer_shape
    assert ((2,), (4,)) == (PAIR.shape, PAIR.answer_shape)
    assert ((7,), (8,)) == (NESTED.shape, NESTED.answer_shape)


@pytest.mark.parametrize("product", [PAIR, NESTED], ids=["pair", "nested"])
def test_sums_are_the_parts_sums(product):
    """To the step, with broken terms among them, of all people, of some and of nobody."""
    members = hasty(product.project)(terms()[product])
    some = np.random.default_rng(1).random(40) < 0.5
    for present in (np.ones(40), some, np.zeros(40)):
        for ours, theirs in zip(
            sums(product, members, present), by_hand(product, members, present), strict=True
        ):
            np.testing.assert_array_equal(theirs, ours)


def test_chunks_add_up_to_the_whole():
    """Whatever is summed first."""
    members = hasty(PAIR.project)(terms()[PAIR])
    total = PAIR.empty(grid_of(PAIR))
    for piece in (members[20:], members[:20]):
        total = adding(PAIR)(total, piece, jnp.ones(len(piece), bool))

    for whole, pieces in zip(sums(PAIR, members), flat(total), strict=True):
        np.testing.assert_array_equal(whole, exact(pieces))


TRIPLE = Product(Grid(-1, 2, 0.5), OneHot(3), Counts(2, 1, 2))
EVERY = [np.arange(-1, 3) * 0.5, np.arange(-1, 3), [[0, 0], [1, 0], [2, 0], [0, 1], [0, 2]]]


@pytest.mark.parametrize("relation", Relation)
def test_sensitivities_are_the_brute_force_ones(relation):
    """Over all members, each of them a member of every part, and all pairs of them."""
    members = TRIPLE.project(
        jnp.asarray([np.hstack(each) for each in itertools.product(*EVERY)], jnp.float32)
    )
    columns, start = [], 0
    for part, unit in zip(TRIPLE.parts, (0.5, 1.0, 1.0), strict=True):
        width = math.prod(part.shape)
        own = part.project(members[:, start : start + width].reshape(-1, *part.shape))
        columns.append(alone(part, own, unit) * unit)
        start += width
    moved = moves(np.hstack(columns), relation)

    assert pytest.approx(TRIPLE.sensitivity(relation), rel=1e-14) == math.sqrt(
        (moved**2).sum(axis=1).max()
    )
    assert TRIPLE.l1_sensitivity(relation) == np.abs(moved).sum(axis=1).max()
    assert pytest.approx(TRIPLE.bound, rel=1e-14) == math.sqrt(
        (np.hstack(columns) ** 2).sum(axis=1).max()
    )


def test_noise_shares_are_equal_unless_declared():
    """They are of the budget for noise; both add up to one."""
    parts = (Interval(0.0, 1.0), OneHot(3), Ball(2, 1.0))

    assert (1 / 3,) * 3 == Product(*parts).noise_shares and Product(*parts).shares is None
    assert (0.5, 0.25, 0.25) == Product(*parts, shares=(0.5, 0.25, 0.25)).noise_shares


def test_a_product_needs_two_parts():
    """The sentence says so."""
    for parts in ((), (OneHot(3),)):
        with pytest.raises(ValueError, match=f"at least two parts, got {len(parts)}"):
            Product(*parts)


@pytest.mark.parametrize("part", [OneHot, 3, "OneHot", None, (0.0, 1.0)])
def test_parts_are_shapes(part):
    """The sentence names them, and says that one was not called."""
    with pytest.raises(ValueError, match=r"every part of a product must be an Interval, .* got "):
        Product(OneHot(3), part)


@pytest.mark.parametrize(
    "shares",
    [
        0.5,
        "half",
        ("0.5", "0.5"),
        (1.0,),
        (0.5, 0.5, 0.0),
        (0.0, 1.0),
        (-0.5, 1.5),
        (0.5, 0.6),
        (0.5, 0.4),
        (NAN, 0.5),
    ],
)
def test_shares_that_are_none_are_refused(shares):
    """One positive share for each part, adding up to one."""
    with pytest.raises(ValueError, match="one positive share of the budget for each part"):
        Product(*PAIR.parts, shares=shares)
