"""Features of photographs: of one image and of public constants, all of one norm."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from signals import asks
from tacit.features import colour_features
from tacit.features.colour_features import ColourFeatures
from tacit.features.dead_leaves import OPPONENT
from tacit.features.scattering import Scattering, group_normalised

SMALL = {"height": 8, "width": 8, "patches": 8, "kept": 20, "kept_of_patches": 20, "pictures": 60}
IMAGES = np.random.default_rng(0).uniform(size=(12, 8, 8, 3)).astype(np.float32)


@cache
def features():
    """Of small photographs."""
    return ColourFeatures(8, 8, length=2.0, kept=20, patches=8, kept_of_patches=30, pictures=120)


@cache
def own_rows():
    """Of the images."""
    return features()(IMAGES)


def scattered(plane):
    """One plane of each image, normalised."""
    return np.asarray(_scattered(jnp.asarray(plane))).reshape(12, -1)


@jax.jit
def _scattered(plane):
    return group_normalised(Scattering(8, 8)(plane), 27)


def compared(images):
    """With patches of leaves, 144 numbers."""
    return np.asarray(eqx.filter_jit(features().numbers.patches)(images)).reshape(12, -1)


def test_rows_are_their_definition():
    """Plane by plane and by patches, from either side: ninety numbers."""
    planes = np.moveaxis(IMAGES @ OPPONENT.T, 3, 0)
    both = [(scattered(plane) + scattered(plane[:, :, ::-1])) / 2 for plane in planes]
    both.append((compared(IMAGES) + compared(IMAGES[:, :, ::-1])) / 2)
    *waves, patches = (white(rows) for white, rows in zip(features().white, both, strict=True))
    halves = np.concatenate(waves, axis=1), np.asarray(patches)
    even = [half * np.sqrt(2) / np.linalg.norm(half, axis=1, keepdims=True) for half in halves]

    assert own_rows().shape == (12, features().features) == (12, 90)
    np.testing.assert_allclose(own_rows(), np.concatenate(even, axis=1), rtol=0, atol=1e-4)


def test_every_row_has_the_length():
    """Noise, one grey, black, red."""
    plain = np.zeros((3, 8, 8, 3), np.float32)
    plain[0], plain[2, ..., 0] = 0.5, 1

    np.testing.assert_allclose(np.linalg.norm(own_rows(), axis=1), 2.0, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(features()(plain), axis=1), 2.0, rtol=1e-5)


def test_a_mirror_image_has_the_same_row():
    """Left and right; not so top and bottom, or red and blue."""
    np.testing.assert_allclose(features()(IMAGES[:, :, ::-1]), own_rows(), rtol=0, atol=1e-4)
    for other in (IMAGES[:, ::-1], IMAGES[..., ::-1]):
        assert np.abs(features()(other) - own_rows()).max() > 0.1


def test_an_image_has_features_of_its_own(monkeypatch):
    """In whatever company and in chunks of any size; one with a NaN is alone in having NaN."""
    images = IMAGES[::-1].copy()
    images[1, 2, 3, 0] = np.nan
    monkeypatch.setattr(colour_features, "_IMAGES", 5)
    rows = features()(images)[::-1]
    finite = np.isfinite(rows).all(axis=1)

    np.testing.assert_array_equal(np.flatnonzero(~finite), [10])
    np.testing.assert_allclose(rows[finite], own_rows()[finite], rtol=0, atol=1e-4)


def test_a_signal_is_heard_while_it_is_made_and_while_rows_are():
    """Before every ten pictures: 60 leaves are drawn and then looked at; and of 12 images."""
    assert asks(lambda heard: ColourFeatures(**SMALL, heard=heard)) == 6 + 6
    assert asks(lambda heard: features()(IMAGES, heard)) == 2


def test_it_is_a_constant_of_the_library():
    """Made twice it is the same map: nothing is drawn afresh, and nothing is read."""
    again = ColourFeatures(8, 8, 2.0, kept=20, patches=8, kept_of_patches=30, pictures=120)

    for one, other in zip(again.white, features().white, strict=True):
        np.testing.assert_array_equal(one.directions, other.directions)
        np.testing.assert_array_equal(one.mean, other.mean)


@pytest.mark.parametrize("shape", [(0, 8, 8, 3), (8, 8, 3), (2, 8, 8), (2, 8, 8, 4), (2, 8, 12, 3)])
def test_other_images_are_refused(shape):
    """None at all, one without an axis for people, grey ones, four colours, another size."""
    with pytest.raises(ValueError, match="images must be one or more of 8 x 8 x 3, got shape"):
        features()(np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"height": 10}, "sides must be multiples of 4"),
        ({"groups": 10}, "groups must divide the 81 channels, got 10"),
        ({"pictures": 1}, "pictures must be a whole number of at least 2, got 1"),
        ({"pictures": None}, "pictures must be a whole number of at least 2, got None"),
        ({"patches": 0}, "patches must be from 1 to 20000, got 0"),
        ({"kept_of_patches": 61}, "kept must be from 1 to the 60 of features and rows, got 61"),
        ({"kept": 61}, "kept must be from 1 to the 60 of features and rows, got 61"),
        ({"ridge": 0.0}, "ridge must be positive and finite, got 0.0"),
        ({"length": np.nan}, "length must be positive and finite, got nan"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        ColourFeatures(**{**SMALL, **arguments})
