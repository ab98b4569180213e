"""Components' shapes: how long what a person gives for them is, and what is read off the sums."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.learning.component_shapes import AllProducts, AxisSquares, Shapes, SquaredLength

KINDS = [AllProducts, AxisSquares, SquaredLength]
DIM, CLUSTERS = 3, 4


def units() -> np.ndarray:
    """In the ball: random ones, an axis, the longest in L1, and none."""
    host = np.random.default_rng(0)
    inside = host.normal(size=(200, DIM))
    inside /= np.maximum(1, np.linalg.norm(inside, axis=1, keepdims=True))
    ends = np.eye(DIM)[:1], np.full((1, DIM), DIM**-0.5), np.zeros((1, DIM))
    return np.concatenate([inside, *ends]).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_is_no_longer_than_said(kind):
    """In L2 one and in L1 `most`, and somebody's is that long; in one dimension, too."""
    numbers = np.asarray(kind(DIM).asked(units()))
    line = np.asarray(kind(1).asked(jnp.ones((1, 1))))

    assert (len(units()), kind(DIM).numbers) == numbers.shape
    assert np.linalg.norm(numbers, axis=1).max() == pytest.approx(1, abs=1e-6)
    assert np.abs(numbers).sum(axis=1).max() == pytest.approx(kind(DIM).most, abs=1e-6)
    assert np.abs(line).sum() == pytest.approx(kind(1).most) == 1


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_shares_of_several_components_are_no_longer_than_one(kind, shared):
    """Whoever they are of, in L2 and in L1."""
    host, own = np.random.default_rng(1), Shapes(kind(DIM), CLUSTERS, shared)
    for shares in (*host.dirichlet(np.ones(CLUSTERS), 50), np.eye(CLUSTERS)[1]):
        given = units()[host.integers(0, 203, CLUSTERS)]
        term = np.asarray(own.term(jnp.asarray(shares, jnp.float32), jnp.asarray(given)))
        assert own.numbers == term.size
        assert np.linalg.norm(term) <= 1 + 1e-6
        assert np.abs(term).sum() <= own.asked.most + 1e-6


def test_moments_are_the_persons_own():
    """All of x x', or its diagonal, or its trace on every axis alike."""
    person = np.array([[0.5, -0.25, 0.75]], np.float32)
    square = np.outer(person, person)
    read = [np.asarray(kind(DIM).moments(kind(DIM).asked(person)))[0] for kind in KINDS]

    np.testing.assert_allclose(read[0], square, atol=1e-7)
    np.testing.assert_allclose(read[1], np.diag(np.diag(square)), atol=1e-7)
    np.testing.assert_allclose(read[2], np.trace(square) / 3 * np.eye(3), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_as_long_as_said(kind):
    """Of deviation one on each number: its level's variance, and the mean square of the rest."""
    own = kind(DIM)
    each = np.asarray(own.moments(jnp.eye(own.numbers)), np.float64)
    levels = np.trace(each, axis1=1, axis2=2) / DIM
    rest = each - levels[:, None, None] * np.eye(DIM)

    assert np.square(levels).sum() == pytest.approx(own.on_level**2, rel=1e-6)
    assert np.square(rest).sum() == pytest.approx(own.loose, rel=1e-6, abs=1e-12)


def test_components_know_whose_shape_is_theirs():
    """One each, or all the same."""
    each, all_one = (Shapes(AllProducts(DIM), CLUSTERS, shared) for shared in (False, True))

    assert ([0, 1, 2, 3], [0, 1, 2, 3]) == (list(each.groups), list(each.firsts))
    assert ([0, 0, 0, 0], [0]) == (list(all_one.groups), list(all_one.firsts))
    assert each.numbers == CLUSTERS * all_one.numbers == CLUSTERS * 6
