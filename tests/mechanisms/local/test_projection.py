"""A fast random projection: exact moments by enumeration, the shrinkage, and Hadamard's matrix."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from tacit.mechanisms.local.projection import RandomProjection, _transform


def unit(dim: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=dim)
    return drawn / np.linalg.norm(drawn)


def ways(way: RandomProjection):
    """Every W, over all signs and all rows."""
    blocks = way.padded // way.kept
    for signs in itertools.product([1.0, -1.0], repeat=way.padded):
        turned = (hadamard(way.padded) * np.array(signs))[:, : way.dim] / math.sqrt(way.kept)
        for choice in itertools.product(range(blocks), repeat=way.kept):
            yield turned[np.arange(way.kept) * blocks + np.array(choice)]


def test_the_shrinkage_is_that_of_a_random_rotation():
    """c is the mean norm of k coordinates of a random unit vector, and near 1 - 1/4k."""
    drawn = np.random.default_rng(0).normal(size=(200_000, 16))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    norms = 2 * np.linalg.norm(drawn[:, :4], axis=1)

    assert norms.mean() == pytest.approx(
        RandomProjection(16, 4).shrink, abs=4.5 * norms.std() / 447
    )
    assert RandomProjection(2**20, 1024).shrink == pytest.approx(1 - 1 / 4096, abs=1e-6)
    assert RandomProjection(64, 64).shrink == pytest.approx(1, 1e-12)


@pytest.mark.parametrize("size", [2, 8, 64, 2048])
def test_the_transform_is_the_hadamard_matrix(size):
    """It agrees with SciPy's matrix, and on a leading part with the Kronecker product."""
    vector = np.random.default_rng(1).normal(size=size).astype(np.float32)
    part = np.kron(hadamard(size // 2), np.eye(2)) @ vector

    assert np.allclose(_transform(vector, size), hadamard(size) @ vector, atol=1e-3)
    assert np.allclose(_transform(vector, size // 2), part, atol=1e-3)


@pytest.mark.parametrize("dim", [5, 6, 8])
def test_the_lengths_are_the_modules(dim):
    """E[X] is as stated, m between its bounds, and a unit vector's error at most what they say."""
    way, one = RandomProjection(dim, 4), unit(dim)
    back, lengths, roots = [], [], []
    for matrix in ways(way):
        short = matrix @ one
        back.append(np.sum((matrix.T @ short) ** 2))
        lengths.append(np.sum((matrix.T @ short) ** 2) / np.sum(short**2))
        roots.append(np.linalg.norm(short))
    columns = [len(range(r, dim, 2)) for r in range(2)]
    masses = [np.sum(one[r::2] ** 2) for r in range(2)]
    mean = np.mean(lengths) / way.shrink**2

    assert np.mean(back) == pytest.approx(dim / 4 + 1 - np.dot(columns, masses) / 4, 1e-9)
    assert way.shortest <= mean <= way.longest
    assert max(lengths) / way.shrink**2 <= way.most_stretch * (1 + 1e-9)
    assert 2 * np.mean(roots) / way.shrink - 1 >= way.kappa
    assert np.var(np.square(roots)) <= way.variance + 1e-12


@pytest.mark.parametrize("dim", [5, 8])
def test_the_mean_over_rows_drifts_no_further_than_stated(dim):
    """Signs by signs, and then in the mean over them: rows of its own do not average it out."""
    way, one = RandomProjection(dim, 4), unit(dim)
    drifts, many = [], (way.padded // 4) ** 4
    found = iter(ways(way))
    for _ in range(2**way.padded):
        each = [next(found) for _ in range(many)]
        ends = [w.T @ (w @ one) / np.linalg.norm(w @ one) for w in each]
        drifts.append(np.sum((np.mean(ends, axis=0) / way.shrink - one) ** 2))

    assert 0 < np.mean(drifts) <= way.drift


def test_independent_noise_comes_back_stretched_and_nothing_by_more_than_the_most():
    """The energy of each number is that of a row; all kept, nothing changes."""
    way = RandomProjection(6, 4)
    one = next(ways(way)) / way.shrink
    whole = RandomProjection(8, 8)

    np.testing.assert_allclose(np.sum(one**2, axis=1), way.stretch)
    assert np.linalg.norm(one, 2) ** 2 <= way.most_stretch * (1 + 1e-9)
    assert (whole.stretch, whole.most_stretch, whole.kappa) == pytest.approx((1, 1, 1))
    assert (whole.drift, whole.bias, whole.longest) == pytest.approx((0, 0, 1), abs=1e-9)


@pytest.mark.parametrize("dim, kept", [(10**6, 1024), (3_270_000, 1024), (10**6, 4096)])
def test_what_comes_back_of_a_vector_is_known_within_three_per_cent(dim, kept):
    """Not only below N/k, which is up to twice d/k."""
    way = RandomProjection(dim, kept)

    assert way.longest <= 1.03 * way.stretch
    assert way.returned(0.0) == way.stretch < way.returned(1.0) == way.longest < way.most_stretch


@pytest.mark.parametrize(
    "dim, kept, said",
    [
        (2, 4, "dim must be between 3 and 33554432, got 2"),
        (2**26, 4, "dim must be between 3"),
        (math.nan, 4, "got nan"),
        (100, 256, "kept must be a power of two between 4 and 128, got 256"),
        (100, 12, "kept must be a power of two between 4 and 128, got 12"),
        (100, 2, "got 2"),
    ],
)
def test_an_unusable_projection_is_refused(dim, kept, said):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=said):
        RandomProjection(dim, kept)
