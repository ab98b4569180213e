"""A tree of pairs is exact on the tree, and everywhere where the law is one of a tree."""

import itertools

import numpy as np
import pytest

from tacit.synthesis.pair_tree import proportional, spanning, tied, tree_of

SIZES = (3, 4, 2, 5)
PAIRS = tuple(itertools.combinations(range(4), 2))


def pairs_of(law: np.ndarray) -> dict:
    others = {pair: tuple({0, 1, 2, 3} - set(pair)) for pair in PAIRS}
    return {pair: law.sum(axis) for pair, axis in others.items()}


def shares_of(law: np.ndarray) -> list:
    return [law.sum(tuple({0, 1, 2, 3} - {i})) for i in range(4)]


def found(law: np.ndarray):
    return tree_of(SIZES, pairs_of(law), shares_of(law))


def chain() -> np.ndarray:
    """The third column follows the first, and the second and the last follow the third."""
    rng = np.random.default_rng(0)
    first, second, last = (rng.dirichlet(np.full(n, 0.4), m) for n, m in ((2, 3), (4, 2), (5, 2)))
    root = rng.dirichlet(np.ones(3))
    return np.einsum("a,ac,cb,cd->abcd", root, first, second, last)


def test_a_law_along_a_tree_comes_back():
    """All its pairs, those off the tree too, but for the millionth that tables are mixed with."""
    law = chain()
    tree = found(law)

    assert {frozenset(edge) for edge in tree.edges} == set(map(frozenset, ((0, 2), (1, 2), (2, 3))))
    for pair, table in pairs_of(law).items():
        np.testing.assert_allclose(tree.pair(pair), table, atol=1e-5)
        np.testing.assert_allclose(tree.pair(pair[::-1]), table.T, atol=1e-5)


def test_independent_columns_stay_so():
    """Whatever tree is taken where nothing ties: the product of single columns."""
    rng = np.random.default_rng(1)
    shares = [rng.dirichlet(np.ones(n)) for n in SIZES]
    law = np.einsum("a,b,c,d->abcd", *shares)
    tree = found(law)

    assert len(tree.edges) == 3
    for first, second in PAIRS:
        own = np.outer(shares[first], shares[second])
        np.testing.assert_allclose(tree.pair((first, second)), own, atol=1e-12)


def test_rows_have_the_trees_pairs():
    """Along the tree each cell within as many rows as quotas are of, off it within a hundredth."""
    law, many = chain(), 20_000
    tree = found(law)
    rows = tree.rows(many, np.random.default_rng(0))
    assert rows.shape == (many, 4)
    for pair in PAIRS:
        counted = np.zeros([SIZES[i] for i in pair])
        np.add.at(counted, tuple(rows[:, i] for i in pair), 1)
        on = pair in tree.edges or pair[::-1] in tree.edges
        off = np.abs(counted - many * tree.pair(pair)).max()
        assert off <= (8 if on else many / 100)
    assert len(tree.rows(1, np.random.default_rng(0))) == 1


def test_a_value_that_nobody_has_is_followed_by_everybodys():
    """No share of it leaves nothing undefined."""
    law = chain()
    law[1] = 0
    tree = found(law / law.sum())

    assert np.isfinite(tree.pair((1, 3))).all() and tree.pair((0, 1))[1].sum() == 0
    np.testing.assert_allclose(tree._given(0, 2)[1], tree.shares[2])
    assert not (tree.rows(1_000, np.random.default_rng(0))[:, 0] == 1).any()


def test_the_tree_has_the_most_ties():
    """Of all spanning trees of four columns: the sum of the three it takes is the largest."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        ties = dict(zip(PAIRS, rng.random(6), strict=True))
        trees = [each for each in itertools.combinations(PAIRS, 3) if connects(each)]
        best = max(sum(ties[edge] for edge in each) for each in trees)
        edges = spanning(4, ties)
        assert sum(ties[min(e), max(e)] for e in edges) == pytest.approx(best)
        assert [child for _, child in edges] == list(dict.fromkeys(child for _, child in edges))


def connects(edges) -> bool:
    reached = {0}
    for _ in range(4):
        reached |= {i for edge in edges if set(edge) & reached for i in edge}
    return len(reached) == 4


def test_ties_are_mutual_information():
    """None of independent columns; of two that are one, the entropy."""
    assert tied(np.outer([0.2, 0.8], [0.5, 0.0, 0.5])) == pytest.approx(0, abs=1e-12)
    assert tied(np.diag([0.25, 0.25, 0.5])) == pytest.approx(1.5 * np.log(2))


def test_tables_agree_in_the_columns_they_share():
    """Whatever noise was in them; what ties a pair, its odds ratios, stays. Nearly where cells that
    columns need were left empty."""
    rng = np.random.default_rng(3)
    table, first, second = rng.dirichlet(np.ones(6)).reshape(2, 3), [0.3, 0.7], [0.2, 0.2, 0.6]
    own = proportional(table, np.array(first), np.array(second))
    odds = [t[0, 0] * t[1, 1] / t[0, 1] / t[1, 0] for t in (own, table)]

    np.testing.assert_allclose(own.sum(0), second, atol=1e-12)
    np.testing.assert_allclose(own.sum(1), first, atol=1e-12)
    assert odds[0] == pytest.approx(odds[1], rel=1e-4)
    empty = proportional(np.diag([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(empty.sum(1), [0.5, 0.5], atol=1e-12)
    np.testing.assert_allclose(empty.sum(0), [0.5, 0.5], atol=5e-3)
