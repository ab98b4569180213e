"""Directions of public photographs: rows of one length, the same from either side, of one image."""

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

from signals import asks
from tacit.features.patch_directions import PatchDirections

RNG = np.random.default_rng(0)
PICTURES = RNG.uniform(size=(60, 11, 9, 3)).astype(np.float32)
IMAGES = RNG.uniform(size=(23, 11, 9, 3)).astype(np.float32)


@cache
def made():
    """Of the public photographs."""
    return PatchDirections.of(PICTURES, kept=4, length=3.0, patches=5)


@cache
def own_rows():
    """Of the images."""
    return made()(IMAGES)


def test_rows_are_of_one_length():
    """Of a constant image, too."""
    rows = made()(np.concatenate([IMAGES, np.zeros((1, 11, 9, 3), np.float32)]))

    assert rows.shape == (24, 4)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 3.0, rtol=1e-5)


def test_a_mirror_image_has_the_same_row():
    """For it shows the same thing."""
    np.testing.assert_allclose(made()(IMAGES[:, :, ::-1]), own_rows(), atol=1e-4)


def test_rows_point_where_whitened_comparisons_do():
    """The mean of both sides, less the public mean, along the public directions."""
    sides = [np.asarray(made().patches(jnp.asarray(each))) for each in (IMAGES, IMAGES[:, :, ::-1])]
    numbers = ((sides[0] + sides[1]) / 2).reshape(len(IMAGES), -1)
    white = (numbers - np.asarray(made().white.mean)) @ np.asarray(made().white.directions)
    expected = 3.0 * white / np.linalg.norm(white, axis=1, keepdims=True)

    np.testing.assert_allclose(own_rows(), expected, atol=1e-3)


def test_a_row_depends_on_its_own_image_alone():
    """Whoever else is in the chunk; and one that is not finite spoils no other."""
    images = IMAGES.copy()
    images[1] = np.nan

    rows = made()(images)
    assert np.isnan(rows[1]).all()
    np.testing.assert_allclose(np.delete(rows, 1, 0), np.delete(own_rows(), 1, 0), atol=1e-5)


def test_a_signal_is_heard_while_it_is_made_and_while_rows_are():
    """Before every ten pictures: of 60 public ones, and of 23 images."""
    assert asks(lambda heard: PatchDirections.of(PICTURES, 4, patches=5, heard=heard)) == 6
    assert asks(lambda heard: made()(IMAGES, heard)) == 3


def test_public_photographs_vary_most_along_the_first_direction():
    """And along each as much as the whitening leaves."""
    numbers = np.concatenate(
        [np.asarray(made().patches(PICTURES)), np.asarray(made().patches(PICTURES[:, :, ::-1]))]
    )
    both = numbers.reshape(2, len(PICTURES), -1).mean(axis=0)
    spread = np.asarray(made().white(both)).std(axis=0)

    assert (np.diff(spread) < 0).all() and (spread < 1.0).all()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"length": 0.0}, "length must be positive and finite, got 0.0"),
        ({"ridge": np.nan}, "ridge must be positive and finite, got nan"),
        ({"kept": 61}, "kept must be from 1 to the 60 of features and rows, got 61"),
        ({"patches": 0}, "patches must be from 1 to 20000, got 0"),
    ],
)
def test_what_makes_no_directions_is_refused(changed, said):
    """In one sentence."""
    with pytest.raises(ValueError) as error:
        PatchDirections.of(PICTURES, **{"kept": 4, "patches": 5, **changed})
    assert said in str(error.value)
