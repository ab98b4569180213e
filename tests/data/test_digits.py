"""Scikit-learn's digits are all there, in [0, 1], and no test image is a training image."""

import numpy as np
from sklearn.datasets import load_digits

from tacit.data import digits


def as_rows(images):
    """The set of images as hashable rows."""
    return {image.tobytes() for image in images}


def test_parts_have_the_promised_shapes():
    """Four fifths train, one fifth tests."""
    dataset = digits.load(split_seed=0)
    assert dataset.train_images.shape == (1437, 8, 8)
    assert dataset.test_images.shape == (360, 8, 8)
    assert dataset.classes == 10


def test_every_image_keeps_its_label():
    """Both parts together are scikit-learn's images over 16, each with its own label."""
    dataset = digits.load(split_seed=5)
    pixels, labels = load_digits(return_X_y=True)
    expected = {
        (p.astype(np.float32) / 16).tobytes(): label
        for p, label in zip(pixels, labels, strict=True)
    }
    images = np.concatenate([dataset.train_images, dataset.test_images])
    found = np.concatenate([dataset.train_labels, dataset.test_labels])
    assert expected == {image.tobytes(): label for image, label in zip(images, found, strict=True)}


def test_no_leakage():
    """No image is in both parts, and the 1,797 images are distinct, so none has a copy there."""
    dataset = digits.load(split_seed=0)
    train, test = as_rows(dataset.train_images), as_rows(dataset.test_images)
    assert (len(train), len(test)) == (1437, 360)
    assert not train & test


def test_seed_fixes_the_split():
    """The same seed gives the same split, another seed another."""
    first = digits.load(split_seed=0)
    np.testing.assert_array_equal(first.test_images, digits.load(split_seed=0).test_images)
    assert as_rows(first.test_images) != as_rows(digits.load(split_seed=1).test_images)


def test_full_range():
    """The darkest pixel is 1 and the lightest 0, in 1/16 steps."""
    images = digits.load(split_seed=0).train_images
    np.testing.assert_array_equal(np.arange(17) / 16, np.unique(images))
