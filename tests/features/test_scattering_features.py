"""Features of pictures: of one image and of public constants, all of one norm."""

from functools import cache

import jax
import numpy as np
import pytest

from signals import asks
from tacit.features import scattering_features
from tacit.features.scattering import Scattering, group_normalised
from tacit.features.scattering_features import ScatteringFeatures

IMAGES = np.random.default_rng(0).uniform(size=(60, 8, 8)).astype(np.float32)


@cache
def features():
    """Of small pictures."""
    return ScatteringFeatures(8, 8, length=2.0, pictures=480)


@cache
def own_rows():
    """Of the images."""
    return features()(IMAGES)


def test_rows_are_scattering_normalised_and_white():
    """The three steps by hand, 324 numbers for 8 x 8 pixels."""
    scattered = jax.jit(lambda images: group_normalised(Scattering(8, 8)(images), 27))
    normal = scattered(IMAGES).reshape(60, -1) / 18
    by_hand = features().whitening(normal)

    assert own_rows().shape == (60, features().features) == (60, 324)
    np.testing.assert_allclose(own_rows(), by_hand, rtol=0, atol=1e-4)


def test_every_row_has_the_length():
    """Noise, one grey, black."""
    plain = np.stack([np.zeros((8, 8)), np.ones((8, 8)), IMAGES[0]]).astype(np.float32)

    np.testing.assert_allclose(np.linalg.norm(own_rows(), axis=1), 2.0, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(features()(plain), axis=1), 2.0, rtol=1e-5)


def test_an_image_has_features_of_its_own(monkeypatch):
    """In whatever company and in chunks of any size; one with a NaN is alone in having NaN."""
    images = IMAGES[::-1].copy()
    images[1, 2, 3] = np.nan
    monkeypatch.setattr(scattering_features, "_ROWS", 40)
    rows = features()(images)[::-1]
    finite = np.isfinite(rows).all(axis=1)

    np.testing.assert_array_equal(np.flatnonzero(~finite), [58])
    np.testing.assert_allclose(rows[finite], own_rows()[finite], rtol=0, atol=1e-4)


def test_it_is_a_constant_of_the_library():
    """Made twice it is the same map: nothing is drawn afresh, and nothing is read."""
    again = ScatteringFeatures(8, 8, length=2.0, pictures=480)

    np.testing.assert_array_equal(again.whitening.lower, features().whitening.lower)
    np.testing.assert_array_equal(again.whitening.mean, features().whitening.mean)


def test_a_signal_is_heard_while_it_is_made_and_while_rows_are():
    """Before every sixty pictures: of 120 leaves, and of 130 images."""
    images = np.concatenate([IMAGES, IMAGES, IMAGES[:10]])

    assert asks(lambda heard: ScatteringFeatures(8, 8, pictures=120, heard=heard)) == 2
    assert asks(lambda heard: features()(images, heard)) == 3


@pytest.mark.parametrize("shape", [(0, 8, 8), (8, 8), (2, 8, 12), (2, 8, 8, 3)])
def test_other_images_are_refused(shape):
    """None at all, one without an axis for people, another size; colours have their own."""
    with pytest.raises(ValueError, match=r"more of 8 x 8, .* ColourFeatures\), got shape"):
        features()(np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"height": 10}, "sides must be multiples of 4"),
        ({"groups": 10}, "groups must divide the 81 channels, got 10"),
        ({"pictures": 1}, "pictures must be a whole number of at least 2, got 1"),
        ({"pictures": None}, "pictures must be a whole number of at least 2, got None"),
        ({"ridge": 0.0}, "ridge must be positive and finite, got 0.0"),
        ({"length": np.nan}, "length must be positive and finite, got nan"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        ScatteringFeatures(**{"height": 8, "width": 8, "pictures": 60, **arguments})
