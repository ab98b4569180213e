"""Crops and standardised pixels: where they are cut, how often mirrored, of one image each."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

from tacit.features.crops import centre_crops, random_crop, standardised

# Each number says where it stood.
IMAGE = np.arange(7 * 6 * 3, dtype=np.float32).reshape(7, 6, 3)


@cache
def noise():
    """Five images."""
    return np.asarray(random.uniform(random.key(0), (5, 8, 8, 3)))


def test_the_middle_is_as_far_from_all_edges():
    """A pixel nearer to the top and left where it cannot be."""
    images = jnp.stack([IMAGE, -IMAGE])

    np.testing.assert_array_equal(centre_crops(images, 4), images[:, 1:5, 1:5])
    np.testing.assert_array_equal(centre_crops(IMAGE, 6), IMAGE[:6])


def test_random_crops_are_uniform_over_places_and_mirrors():
    """Every one of 24 comes of 2,400 keys, each 100 times but for six deviations (of 9.8)."""
    keys = random.split(random.key(0), 2400)
    crops = np.asarray(jax.jit(jax.vmap(lambda key: random_crop(key, IMAGE, 4)))(keys))
    expected = [
        square[:, ::step]
        for top in range(4)
        for left in range(3)
        for step in (1, -1)
        for square in [np.asarray(IMAGE[top : top + 4, left : left + 4])]
    ]
    counts = [np.sum(np.all(crops == each, axis=(1, 2, 3))) for each in expected]

    assert len(expected) == 24
    assert sum(counts) == 2400
    assert 100 - 59 < min(counts) <= max(counts) < 100 + 59


def test_pixels_become_standard():
    """Mean zero and variance one over all of an image; one image knows nothing of another."""
    rows = np.asarray(standardised(jnp.asarray(noise())))

    np.testing.assert_allclose(rows.mean((1, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(rows.std((1, 2, 3)), 1, rtol=1e-5)
    alone = standardised(jnp.asarray(noise()[2]))
    np.testing.assert_allclose(rows[2], alone, rtol=1e-5, atol=1e-6)
    assert abs(rows[0, ..., 0].mean()) > 1e-3, "colours are not standardised apart"


def test_edge_cases_of_standard_pixels():
    """Constant, almost constant, not finite."""
    almost = np.full((8, 8, 3), 0.5, np.float32)
    np.testing.assert_array_equal(standardised(jnp.asarray(almost)), 0)
    almost[0, 0, 0] += 0.1
    spread = (almost - almost.mean()) * np.sqrt(192)
    np.testing.assert_allclose(standardised(jnp.asarray(almost)), spread, rtol=1e-4, atol=1e-5)
    almost[0, 0, 0] = np.nan
    assert not np.isfinite(standardised(jnp.asarray(almost))).any()


@pytest.mark.parametrize("side", [0, 7])
def test_a_crop_must_fit(side):
    """The sentence names the image."""
    with pytest.raises(ValueError, match=f"from 1 to that of the 7 x 6, got {side}"):
        centre_crops(IMAGE, side)
    with pytest.raises(ValueError, match=f"from 1 to that of the 7 x 6, got {side}"):
        random_crop(random.key(0), IMAGE, side)
