"""The release of all pairs: what is asked, for which noise."""

from itertools import combinations

import numpy as np
import pytest

import tacit
from tacit.queries import Domain, ForGaussian, ForLaplace
from tacit.queries.weighting import Quieter, l1_of
from tacit.synthesis import FromPairs
from tacit.synthesis.from_pairs import (
    by_noise,
    heard,
    mixture_for,
    sparing,
    weighed,
    with_independent,
)

DOMAIN = Domain.of({"a": [0, 1], "b": list(range(9)), "c": list(range(40))})


def test_weights_are_those_of_the_promises_noise():
    """Gaussian with a delta, of all pairs; Laplace without, of pairs that it leaves visible."""
    normal = FromPairs().asked(DOMAIN, tacit.Central(1.0, 1e-6), 1_000)
    pure = FromPairs().asked(DOMAIN, tacit.Central(1.0, 0.0), 10**7)

    assert normal.tables.weighting == ForGaussian() and len(normal.tables.sets) == 3
    assert isinstance(pure.tables.weighting, Quieter)
    assert pure.tables.weighting.rule == ForLaplace() and len(pure.tables.sets) == 6
    assert pure.plan is pure.marginals.plan


def test_large_tables_are_less_important():
    """Of pairs that are asked together: a cell of theirs, and all of them, count less."""
    tables = FromPairs().asked(DOMAIN, tacit.Central(1.0, 1e-6), 1_000).tables
    importance = dict(zip(tables.sets, tables.importance, strict=True))

    assert importance[(0, 1)] > importance[(0, 2)] > importance[(1, 2)]
    cells = dict(zip(tables.sets, (18, 80, 360), strict=True))
    noise = np.sqrt(tables.least_variances())
    scaled = [importance[own] * cells[own] ** 1.1 for own in tables.sets] * noise
    assert scaled == pytest.approx(scaled[0] * np.ones(3), rel=1e-3)


PURE = tacit.Central(1.0, 0.0)
MANY = tuple(combinations(range(8), 2))


def test_without_a_delta_no_pair_is_asked_that_noise_would_drown():
    """More people make more pairs heard, the smallest first; few make none."""
    sizes = (2, 3, 4, 6, 9, 14, 30, 70)
    asked = [heard(sizes, MANY, PURE, people) for people in (100, 20_000, 10**9)]
    pairs = [[own for own in each.sets if len(own) == 2] for each in asked]

    assert len(pairs[0]) == 0 < len(pairs[1]) < len(pairs[2]) == len(MANY)
    assert by_noise(asked[1], 1.0, 20_000) <= 0.03 and (0, 1) in pairs[1] and (6, 7) not in pairs[1]
    assert all((i,) in each.sets for each in asked for i in range(8))


def test_noise_is_foreseen_as_it_is_planned():
    """The pair that is moved most, by the deviation of the plan, as its report will have it."""
    domain = Domain.of({"a": [0, 1, 2], "b": list(range(9)), "c": [0, 1]})
    asked = FromPairs().asked(domain, PURE, 10**6)
    tables, deviation = asked.tables, asked.marginals.deviation
    pairs = [own for own in tables.sets if len(own) == 2]
    each = [np.sqrt(tables.variances(own, deviation)).sum() for own in pairs]

    assert 3 == len(pairs)
    foreseen = np.sqrt(2 / np.pi) * max(each) / 10**6 / 2
    assert by_noise(tables, 1.0, 10**6) == pytest.approx(foreseen, rel=1e-3)


def test_single_columns_have_half_without_a_delta():
    """Pairs take no more of what one record moves all sums by; which is what noise is scaled to."""
    found = heard((2, 3, 4, 6, 9, 14, 30, 70), MANY, PURE, 10**9)
    moved = {True: 0.0, False: 0.0}
    for own, weight in zip(found.shape.sets, found.shape.weights, strict=True):
        moved[len(own) > 1] += weight * l1_of(tuple(found.sizes[i] for i in own))
    whole = found.shape.l1_sensitivity(tacit.Relation.ADD_REMOVE)

    # Weights are whole numbers: so the share of pairs, which would take more, is half within 1%.
    assert 0.49 <= moved[True] / sum(moved.values()) <= 0.51 and sum(
        moved.values()
    ) == pytest.approx(whole)


def test_pairs_that_were_not_asked_are_of_independent_columns():
    """And those that were are left as they are."""
    shares = [np.array([0.25, 0.75]), np.array([0.5, 0.5]), np.array([1.0, 0.0])]
    known = {(0, 1): np.array([[0.25, 0.0], [0.25, 0.5]])}
    every = with_independent((2, 2, 2), known, shares)

    assert set(every) == {(0, 1), (0, 2), (1, 2)} and every[0, 1] is known[0, 1]
    np.testing.assert_allclose(every[0, 2], [[0.25, 0.0], [0.75, 0.0]])


def test_the_same_pairs_make_the_same_mixture():
    """Whenever it is fitted: rows of one release are of one law."""
    shares = [np.array([0.25, 0.75]), np.array([0.5, 0.5])]
    pairs = {(0, 1): np.array([[0.25, 0.0], [0.25, 0.5]])}
    first, again = (mixture_for((2, 2), pairs, shares) for _ in range(2))

    np.testing.assert_array_equal(first.shares, again.shares)


def test_noise_moves_more_the_more_pairs_are_asked():
    """As bisection takes for granted, here of up to all 28: one after the other, smallest first."""
    sizes = (2, 3, 4, 6, 9, 14, 30, 70)
    ordered = sorted(MANY, key=lambda own: (sizes[own[0]] * sizes[own[1]], own))
    singles = tuple((i,) for i in range(8))
    moved = [
        by_noise(sparing(weighed(sizes, (*ordered[:many], *singles), ForLaplace())), 1.0, 10**6)
        for many in range(1, 29)
    ]
    assert (np.diff(moved) > 0).all()
