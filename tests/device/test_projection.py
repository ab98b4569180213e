"""A projection shared by a round: exact moments by enumeration, norms kept, stated errors met."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import hadamard

from tacit.device.projection import SharedProjection

ROUNDS = 2_000
KEYS = jax.random.split(jax.random.key(5), ROUNDS)


def unit(dim: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=dim)
    return drawn / np.linalg.norm(drawn)


def decoded(projection: SharedProjection, terms) -> np.ndarray:
    """The mean of the terms after its way forth and back, for each round's key."""

    def way(key):
        return projection.lift(key, projection.project(key, jnp.asarray(terms)).mean(axis=0))

    return np.asarray(jax.jit(jax.vmap(way))(KEYS), np.float64)


def ways(dim: int, kept: int):
    """Every W, over all signs and all rows."""
    padded = 1 << (dim - 1).bit_length()
    blocks = padded // kept
    for signs in itertools.product([1.0, -1.0], repeat=padded):
        turned = (hadamard(padded) * np.array(signs))[:, :dim] / math.sqrt(kept)
        for choice in itertools.product(range(blocks), repeat=kept):
            yield turned[np.arange(kept) * blocks + np.array(choice)]


@pytest.mark.parametrize("dim", [5, 6, 8])
def test_the_lengths_are_the_modules(dim):
    """E[X] is as stated; E|W^T w|² and the errors of one and of two people are within theirs."""
    projection, both = SharedProjection(dim, 4), [unit(dim), unit(dim, 1)]
    back, lengths, errors = [], [], {1: [], 2: []}
    for way in ways(dim, 4):
        short = [way @ one for one in both]
        back.append(np.sum((way.T @ short[0]) ** 2))
        ends = [way.T @ w / np.linalg.norm(w) for w in short]
        lengths.append(np.sum(ends[0] ** 2))
        for many, found in errors.items():
            apart = np.mean(ends[:many], axis=0) / projection._shrink - np.mean(both[:many], axis=0)
            found.append(np.sum(apart**2))
    columns = [len(range(r, dim, 2)) for r in range(2)]
    masses = [np.sum(both[0][r::2] ** 2) for r in range(2)]

    assert np.mean(back) == pytest.approx(dim / 4 + 1 - np.dot(columns, masses) / 4, 1e-9)
    assert np.mean(lengths) <= projection.stretch * projection._shrink**2 + 1e-9
    assert np.mean(errors[1]) <= projection.error(1.0, 1.0)
    assert np.mean(errors[2]) <= projection.error(np.linalg.norm(np.mean(both, axis=0)), 1.0)


@pytest.mark.parametrize("dim, kept", [(8, 4), (5, 4), (100, 16), (64, 64)])
def test_the_way_back_is_the_transpose_of_the_way_forth(dim, kept):
    """With the same signs and rows; what is kept of a term is its length."""
    projection, key = SharedProjection(dim, kept), jax.random.key(1)
    back = np.asarray(jax.vmap(lambda row: projection.lift(key, row))(jnp.eye(kept)))
    terms = 3.0 * np.random.default_rng(1).normal(size=(6, dim)).astype(np.float32)
    forth = terms @ back.T
    norms = np.linalg.norm(terms, axis=1, keepdims=True)
    along = forth / np.linalg.norm(forth, axis=1, keepdims=True)

    np.testing.assert_allclose(projection.project(key, terms), norms * along, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e15])
def test_norms_are_kept(scale):
    """So a term of a ball is one of a ball of the same radius."""
    terms = scale * np.random.default_rng(2).normal(size=(50, 300)).astype(np.float32)
    found = SharedProjection(300, 16).project(KEYS[0], terms)
    norms = np.linalg.norm(terms.astype(np.float64), axis=1)

    np.testing.assert_allclose(np.linalg.norm(np.float64(found), axis=1), norms, rtol=2e-6)


def test_what_is_no_vector_counts_as_zero():
    """Zero, and what a device's own projection makes zero of; whole numbers are vectors."""
    bad = np.ones((4, 8), np.float32)
    bad[0], bad[1, 3], bad[2, 0], bad[3] = 0, math.nan, math.inf, 1e30
    found = np.asarray(SharedProjection(8, 4).project(KEYS[0], bad))
    whole = np.asarray(SharedProjection(8, 4).project(KEYS[0], np.full((1, 8), 2, np.int8)))

    assert not found.any()
    assert np.linalg.norm(whole) == pytest.approx(math.sqrt(32))


def test_over_rounds_the_decoded_mean_is_the_mean():
    """Along a vector of many coordinates, and across; without the shrinkage it is too short."""
    projection, true = SharedProjection(1_000, 4), unit(1_000).astype(np.float32)
    along = decoded(projection, true[None]) @ true
    across = decoded(projection, true[None]) @ unit(1_000, 7)
    off = true @ unit(1_000, 7)
    within = 4.5 / math.sqrt(ROUNDS)

    assert abs(along.mean() - 1) < within * along.std()
    assert abs(across.mean() - off) < within * across.std()
    assert abs(along.mean() * projection._shrink - 1) > within * along.std()


def test_the_bias_is_within_its_bound():
    """Of the vector that signs and Hadamard turn worst, one basis vector."""
    projection, true = SharedProjection(64, 16), np.eye(1, 64, dtype=np.float32)[0]
    mean = decoded(projection, true[None]).mean(axis=0)

    assert np.linalg.norm(mean - true) < projection.bias


@pytest.mark.parametrize("dim, kept", [(256, 16), (200, 16), (130, 16), (1_000, 64)])
def test_the_error_is_the_stated_one(dim, kept):
    """At its worst, all people alike: within 4.5 standard errors, and not below half."""
    projection, true = SharedProjection(dim, kept), unit(dim).astype(np.float32)
    errors = np.sum((decoded(projection, true[None]) - true) ** 2, axis=1)
    stated = projection.error(1.0, 1.0)

    assert errors.mean() < stated + 4.5 * errors.std() / math.sqrt(ROUNDS)
    assert errors.mean() > 0.5 * stated


def test_the_error_falls_with_the_norm_of_the_mean():
    """Of people who disagree it is within what their mean's norm allows, far below the worst."""
    projection, terms = SharedProjection(250, 64), np.random.default_rng(3).normal(size=(200, 250))
    terms /= np.linalg.norm(terms, axis=1, keepdims=True)
    mean = terms.mean(axis=0)
    errors = np.sum((decoded(projection, terms.astype(np.float32)) - mean) ** 2, axis=1)

    assert errors.mean() < projection.error(float(np.linalg.norm(mean)), 1.0)
    assert projection.error(float(np.linalg.norm(mean)), 1.0) < projection.error(1.0, 1.0) / 4


@pytest.mark.parametrize(
    "dim, kept, said",
    [
        (3, 4, "dim must be a whole number from 4 to 33554432, got 3"),
        (2**26, 4, "dim must be a whole number from 4"),
        (8.5, 4, "got 8.5"),
        (100, 256, "kept must be a power of two from 4 to 128, got 256"),
        (100, 12, "kept must be a power of two from 4 to 128, got 12"),
        (100, 2, "got 2"),
        (100, math.nan, "got nan"),
    ],
)
def test_an_unusable_projection_is_refused(dim, kept, said):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=said):
        SharedProjection(dim, kept)
