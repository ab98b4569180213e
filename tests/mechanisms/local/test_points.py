"""Points of a sphere in families: their units, their law, and the mean of the highest."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.local import points

OWN = quick_keys.key(3)
turned = jax.jit(points.turn, static_argnums=1)
each = jax.jit(jax.vmap(points.one, (None, None, 0)))


def unit(dim, seed=0):
    found = np.random.default_rng(seed).normal(size=dim)
    return jnp.asarray(found / np.linalg.norm(found), jnp.float32)


def made(own, dim, count):
    """So many points, one by one."""
    numbers = 2 * np.arange(count, dtype=np.uint32)
    return np.asarray(each(own, turned(quick_keys.key(8), dim), numbers), np.float64)


@pytest.mark.parametrize("many", [1, 2, 4, 8])
def test_units_take_every_vector_to_orthonormal_ones(many):
    """Products of the units have as many signs as keep lengths; one sign more, and they do not."""
    signs, which = points.signs(many), np.arange(many)
    one = np.random.default_rng(1).normal(size=many)

    def products(signs):
        return np.stack([signs[s, which ^ s] * one[which ^ s] for s in range(many)])

    def apart(signs):
        return np.abs(products(signs) @ products(signs).T - one @ one * np.eye(many)).max()

    assert apart(signs) < 1e-12
    slip = signs.copy()
    slip[-1, -1] *= -1
    assert apart(slip) > 0.1 or many == 1
    assert points.members(128 * many) == 8 and points.members(128 + many) == math.gcd(many, 8)


@pytest.mark.parametrize("dim, families", [(5, 7), (130, 4), (132, 3), (136, 3)])
def test_heights_are_those_of_the_points(dim, families):
    """One by one in the same order; each of length one, and a family's at right angles."""
    many = points.members(dim)
    found = made(OWN, dim, many * families)
    heights = jax.jit(points.heights, static_argnums=3)(
        OWN, turned(quick_keys.key(8), dim), unit(dim), families
    )

    np.testing.assert_allclose(heights, found @ np.asarray(unit(dim), np.float64), atol=1e-6)
    for family in found.reshape(families, many, dim):
        np.testing.assert_allclose(family @ family.T, np.eye(many), atol=1e-6)
    assert len(np.unique(np.round(heights, 6))) == many * families


@pytest.mark.parametrize("heights", [[0.3, -0.9, 0.1, -0.2], [0.0] * 5, [math.nan, 1.0, -math.inf]])
def test_every_number_has_one_rank(heights):
    """Whatever the heights are; where they are numbers, ranks go from the highest to the lowest."""
    heights = jnp.asarray(heights)
    ranks = jnp.arange(2 * heights.size, dtype=jnp.uint32)
    found = np.asarray([points.ranked(heights, rank) for rank in ranks])
    both = np.stack([heights, -heights], axis=1).reshape(-1)[found]

    assert sorted(found) == list(range(2 * heights.size))
    assert np.isnan(both).any() or np.all(np.diff(both) <= 0)
    assert np.array_equal(points.opposite(found), found[::-1])


def test_an_opposite_is_the_points_negative():
    """By its number."""
    point, other = np.asarray(each(OWN, turned(OWN, 128), np.array([6, 7], np.uint32)))

    assert np.array_equal(point, -other)


def test_a_persons_points_are_their_own():
    """Another key gives others."""
    assert not np.allclose(made(OWN, 136, 8), made(quick_keys.key(4), 136, 8), atol=0.01)


def test_every_member_of_a_family_is_uniform():
    """Each has the second moment of the sphere; heights of two have no correlation in square."""
    dim, count = 136, 20_000
    turn, along = points.turn(OWN, dim), unit(dim)
    keys = jax.random.split(quick_keys.key(1), count)
    found = np.asarray(jax.lax.map(lambda k: points.heights(k, turn, along, 1), keys), np.float64)
    moments = found.T @ found / count * dim

    assert found.shape == (count, 8)
    assert np.abs(moments - np.eye(8)).max() < 5.5 * math.sqrt(2 / count)
    assert np.abs(found.mean(axis=0)).max() * math.sqrt(dim) < 4.5 / math.sqrt(count)


def test_across_a_vector_turns_spread_evenly():
    """Of e_s e_r^T, turned by P, the second moment is that of the sphere across the vector."""
    dim, count, few = 136, 10_000, 4
    spike = jnp.zeros(dim).at[:few].set(jnp.asarray([0.8, 0.4, -0.4, 0.2]))

    def one(key):
        order, flips = points.turn(key, dim)
        ends = points._along((order, flips), spike)
        # What the first unit takes to x_1, the second takes to P^T e_2 e_1^T P u.
        signs = jnp.asarray(points.signs(8))[1]
        numbers = ends[0].reshape(8, -1)[jnp.arange(8) ^ 1]
        back = (signs[jnp.arange(8) ^ 1][:, None] * numbers).reshape(-1)
        return jnp.zeros(dim).at[order].set(back * flips)[:few]

    found = np.asarray(jax.lax.map(one, jax.random.split(OWN, count), batch_size=500), np.float64)
    u = np.asarray(spike[:few], np.float64)
    expected = (np.eye(few) - np.outer(u, u)) / (dim - 1)
    spread = np.einsum("ni,nj->nij", found, found)

    assert np.abs(spread.mean(axis=0) - expected).max() < 4.5 * spread.std(
        axis=0
    ).max() / math.sqrt(count)


@pytest.mark.parametrize("dim, count, closest", [(3, 5, 2), (8, 32, 3), (40, 16, 10), (6, 4, 4)])
def test_the_mean_of_the_highest_is_that_of_sorted_points(dim, count, closest):
    """The quadrature agrees with sorted random points, whatever their sign."""
    drawn = np.random.default_rng(0).normal(size=(20_000, count, dim))
    heights = np.sort(np.abs(drawn[..., 0]) / np.linalg.norm(drawn, axis=2), axis=1)
    means = heights[:, -closest:].mean(axis=1)
    exact = points.mean_of_highest(dim, closest, count)
    error = means.std() / math.sqrt(len(means))

    assert abs(means.mean() - exact) < 4.5 * error
    assert abs(means.mean() - 1.05 * exact) > 6 * error


def test_the_mean_of_the_highest_in_closed_form():
    """In three dimensions |t| is uniform, so the mean is 1 - (k+1)/(2m+2), at every k and m."""
    for count, closest in [(1, 1), (9, 4), (1000, 1), (32_768, 5000), (32_768, 32_767), (9, 9)]:
        exact = 1 - (closest + 1) / (2 * count + 2)
        assert points.mean_of_highest(3, closest, count) == pytest.approx(exact, 1e-9)


@pytest.mark.parametrize("dim, mass", [(3, 0.4), (20, 0.05), (1024, 0.006), (7, 1.0)])
def test_caps_hold_their_mass(dim, mass):
    """By points of the sphere: how many are so high, and how high these are in the mean."""
    lowest, mean = points.caps(dim, mass)
    rng = np.random.default_rng(2)
    along = rng.normal(size=400_000)
    heights = np.abs(along) / np.sqrt(along**2 + rng.chisquare(dim - 1, along.size))
    high = heights[heights >= lowest]

    assert high.size / along.size == pytest.approx(mass, abs=4.5 * math.sqrt(mass / along.size))
    assert mean == pytest.approx(high.mean(), abs=5 * high.std() / math.sqrt(high.size))


@pytest.mark.parametrize("dim, closest, families", [(128, 3, 4), (136, 5, 2)])
def test_the_highest_of_families_lie_between_the_bounds(dim, closest, families):
    """No lower in the mean than of independent points, and no higher than a cap of their mass."""
    turn, along = points.turn(OWN, dim), unit(dim)
    keys = jax.random.split(quick_keys.key(2), 5_000)
    heights = jax.lax.map(lambda k: points.heights(k, turn, along, families), keys, batch_size=500)
    means = np.sort(np.abs(np.asarray(heights, np.float64)), axis=1)[:, -closest:].mean(axis=1)
    error, count = means.std() / math.sqrt(len(means)), 8 * families

    assert means.mean() > points.mean_of_highest(dim, closest, count) - 4.5 * error
    assert means.mean() < points.caps(dim, closest / count)[1]
    assert means.mean() < 1.02 * points.mean_of_highest(dim, closest, count)
