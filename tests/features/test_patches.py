"""Patches: the comparison by hand, of public windows alone, and what it does at its edges."""

from functools import cache

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.features.patches import Patches

RNG = np.random.default_rng(0)
PICTURES = RNG.uniform(size=(40, 11, 9, 3)).astype(np.float32)
IMAGES = RNG.uniform(size=(4, 11, 9, 3)).astype(np.float32)


@cache
def made():
    """Of the public pictures."""
    return Patches.of(PICTURES, 5)


@cache
def own_responses():
    """Of the images."""
    return np.asarray(eqx.filter_jit(made())(IMAGES))


def by_hand(image):
    """Window by window, in float64."""
    kernel = np.asarray(made().kernel, float)
    total, windows = np.zeros((3, 3, 10)), np.zeros((3, 3, 1))
    fields = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2]
    for row, down in enumerate(fields[0]):
        for column, across in enumerate(fields[1]):
            window = image[row : row + 6, column : column + 6].astype(float)
            standard = (window - window.mean()) / np.sqrt(window.var() + 1e-3)
            like = np.tensordot(standard, kernel, 3)
            total[down, across] += np.maximum(0, np.r_[like, -like] - 1.5)
            windows[down, across] += 1
    return np.sqrt(total / windows)


def test_responses_are_their_definition():
    """Also where fields are not as large as each other."""
    assert own_responses().shape == (4, 3, 3, 10)
    assert np.mean(own_responses() > 0) > 0.1
    for image, responses in zip(IMAGES, own_responses(), strict=True):
        np.testing.assert_allclose(responses, by_hand(image), rtol=0, atol=1e-3)


def test_patches_are_as_loud_as_each_other_and_blind_to_brightness():
    """Responses to public windows deviate by one together; noise has no louder patches."""
    kernel = np.asarray(made().kernel, float).reshape(-1, 5)
    windows = np.lib.stride_tricks.sliding_window_view(PICTURES, (6, 6), (1, 2))
    rows = windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, 108).astype(float)
    standard = rows - rows.mean(1, keepdims=True)
    standard /= np.sqrt(standard.var(1, keepdims=True) + 1e-3)
    deviations = (standard @ kernel).std(0)

    np.testing.assert_allclose(np.sqrt(np.mean(deviations**2)), 1, rtol=0.03)
    assert deviations.max() <= 1.5 * deviations.min()
    np.testing.assert_allclose(
        eqx.filter_jit(made())(0.5 * IMAGES + 0.4), own_responses(), rtol=0, atol=0.15
    )


def test_it_is_a_constant_of_its_pictures():
    """Made twice it is the same; of others it is another."""
    np.testing.assert_array_equal(Patches.of(PICTURES, 5).kernel, made().kernel)
    assert np.abs(Patches.of(PICTURES[::-1], 5).kernel - made().kernel).max() > 0.1


def test_edge_cases():
    """A constant image has no response; one that is not finite spoils itself alone."""
    images = IMAGES.copy()
    images[0], images[2, 5, 4, 0] = 0.7, np.nan
    responses = np.asarray(eqx.filter_jit(made())(images))

    np.testing.assert_array_equal(responses[0], 0)
    assert np.isnan(responses[2]).any()
    np.testing.assert_allclose(responses[[1, 3]], own_responses()[[1, 3]], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "shape, patches, message",
    [
        ((4, 7, 8, 3), 5, "pictures must be of 8 pixels a side or more, got 7 x 8"),
        ((4, 8, 8, 3), 0, "patches must be from 1 to 20000, got 0"),
        ((4, 8, 8, 3), 20_001, "patches must be from 1 to 20000, got 20001"),
    ],
)
def test_what_makes_no_patches_is_refused(shape, patches, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        Patches.of(np.asarray(jnp.zeros(shape)), patches)
