"""Counts are made consistent by least squares, and their error is what was said."""

import numpy as np
import pytest

from tacit.statistics.cells import BRANCHES, CellTree, sizes_of, split


def noisy(tree, truth, rng):
    """Every level's shares with noise of its variance."""
    found = []
    for size, variance in zip(sizes_of(tree.branches), tree.variances, strict=True):
        exact = truth.reshape(size, -1).sum(axis=1)
        found.append(exact + rng.normal(0, np.sqrt(variance), size))
    return found


@pytest.mark.parametrize("whole", [True, False])
def test_consistent_counts_are_the_least_squares(whole):
    """Of two levels, by the normal equations; known to be one in all, or not."""
    tree = CellTree((BRANCHES, BRANCHES), (1.0, 4.0), whole)
    rng = np.random.default_rng(0)
    estimates = noisy(tree, np.full(256, 1 / 256), rng)
    rows = np.concatenate([np.kron(np.eye(BRANCHES), np.ones(BRANCHES)), np.eye(256) / 2])
    given = np.concatenate([estimates[0], estimates[1] / 2])
    if whole:
        rows, given = np.vstack([rows, 1e6 * np.ones(256)]), np.append(given, 1e6)
    expected = np.linalg.lstsq(rows, given, rcond=None)[0]

    np.testing.assert_allclose(tree.consistent(estimates), expected, atol=1e-6)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("variances", [(1e-6,) * 3, (1e-4, 1e-6, 1e-6), (1e-6, 1e-5)])
def test_the_error_is_that_of_what_is_below_a_place(variances, whole):
    """Root mean square over places and draws, within a tenth; the last level's alone is not it."""
    tree, rng = CellTree((BRANCHES,) * len(variances), variances, whole), np.random.default_rng(1)
    truth = rng.dirichlet(np.ones(tree.cells))
    off, flat = [], []
    for _ in range(150):
        estimates = noisy(tree, truth, rng)
        off.append(np.cumsum(tree.consistent(estimates) - truth))
        flat.append(np.cumsum(estimates[-1] - truth))

    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(tree.rmse, rel=0.1)
    assert np.sqrt(np.mean(np.square(flat))) > 1.3 * tree.rmse


def test_without_noise_counts_are_exact():
    """And what is below rises from 0."""
    tree, truth = (
        CellTree((BRANCHES, BRANCHES), (1e-18, 1e-18), True),
        np.random.default_rng(2).dirichlet(np.ones(256)),
    )
    exact = [truth.reshape(size, -1).sum(axis=1) for size in sizes_of(tree.branches)]

    np.testing.assert_allclose(tree.below(exact)[1:], np.cumsum(truth), atol=1e-12)


def test_what_is_below_rises():
    """Though counts are negative here and there; it is never below 0."""
    tree, rng = CellTree((BRANCHES, BRANCHES), (1.0, 1.0), False), np.random.default_rng(3)
    below = tree.below(noisy(tree, np.zeros(256), rng))

    assert len(below) == 257 and below[0] >= 0 and (np.diff(below) >= 0).all()


def test_an_answer_is_split_into_its_levels():
    """In order."""
    assert [part.tolist() for part in split(np.arange(5), (2, 3))] == [[0, 1], [2, 3, 4]]


def test_levels_may_have_branches_of_their_own_and_trees_be_several():
    """Least squares of each, and the error of what is below is theirs."""
    tree, rng = CellTree((3, 5), (1.0, 2.0), False), np.random.default_rng(4)
    estimates = [rng.normal(size=(400, size)) * each for size, each in ((3, 1.0), (15, 2**0.5))]
    rows = np.concatenate([np.kron(np.eye(3), np.ones(5)), np.eye(15) / 2**0.5])
    given = np.concatenate([estimates[0], estimates[1] / 2**0.5], axis=1)
    expected = np.linalg.lstsq(rows, given.T, rcond=None)[0].T
    found = tree.consistent(estimates)

    np.testing.assert_allclose(found, expected, atol=1e-9)
    off = np.cumsum(found, axis=1)
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(tree.rmse, rel=0.1)


def test_of_no_trees_there_are_no_counts():
    """Any number of trees is read at once, none too."""
    tree = CellTree((4, 4), (1.0, 1.0), False)
    none = [np.zeros((0, 4)), np.zeros((0, 16))]

    assert ((0, 16), (0, 17)) == (tree.consistent(none).shape, tree.below(none).shape)
