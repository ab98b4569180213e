"""Dead leaves: pictures of the key alone, in [0, 1], of leaves that hide one another."""

from functools import cache

import jax
import numpy as np
import pytest
from jax import random

from tacit.features.dead_leaves import OPPONENT, coloured_leaves, dead_leaves


@cache
def keys():
    """Of two hundred pictures."""
    return random.split(random.key(0), 200)


@cache
def colours():
    """In colour."""
    return np.asarray(jax.jit(jax.vmap(lambda key: coloured_leaves(key, 16, 24)))(keys()))


@cache
def pictures():
    """In grey."""
    return np.asarray(jax.jit(jax.vmap(lambda key: dead_leaves(key, 16, 24)))(keys()))


def test_values_are_those_of_a_picture():
    """In [0, 1], of the size asked for, and most of what grey there is."""
    assert pictures().shape == (200, 16, 24)
    assert 0 <= pictures().min() <= 0.02
    assert 0.98 <= pictures().max() <= 1


def test_the_key_alone_decides():
    """The same key, the same picture; another, another."""
    again = dead_leaves(keys()[3], 16, 24)

    np.testing.assert_allclose(again, pictures()[3], rtol=0, atol=1e-5)
    assert np.abs(pictures()[4] - pictures()[3]).max() > 0.1


def test_the_last_leaf_lies_on_top():
    """Painted again leaf by leaf, by the definition and in float64."""
    u = np.asarray(random.uniform(keys()[0], (6, 48)), np.float64)
    picture = np.full((16, 24), 0.5)
    y, x = np.mgrid[:16, :24]
    for size, down, across, turn, thin, grey in u.T:
        radius = 0.7 * 24 / (1 + 9 * np.sqrt(size))
        top, left = y - (-2 + 20 * down), x - (-3 + 30 * across)
        point = np.exp(-1j * np.pi * turn) * (top + 1j * left)
        reach = np.hypot(point.real, point.imag / (0.3 + 0.7 * thin))
        inside = 1 / (1 + np.exp(-2 * (radius - reach)))
        picture = (1 - inside) * picture + inside * grey

    np.testing.assert_allclose(pictures()[0], picture, rtol=0, atol=1e-4)


def test_neighbours_are_alike_and_edges_are_sharp():
    """Unlike noise, of which neighbours differ as much as any two pixels; unlike a blur, too."""
    steps = np.abs(np.diff(pictures(), axis=2))

    assert np.mean(steps) <= 0.4 * np.mean(np.abs(pictures() - pictures()[:, ::-1, ::-1]))
    assert np.quantile(steps, 0.99) >= 0.3


def test_axes_of_colours_are_a_rotation():
    """Brightness is what greys differ in; the others are at right angles to it."""
    np.testing.assert_allclose(OPPONENT @ OPPONENT.T, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(OPPONENT @ np.ones(3), [np.sqrt(3), 0, 0], atol=1e-6)


def test_coloured_leaves_are_the_grey_ones_in_colour():
    """As bright on average, but for what is cut to [0, 1]; other leaves were far off."""
    gap = np.abs(colours().mean(axis=3) - pictures())

    assert colours().shape == (200, 16, 24, 3)
    assert 0 <= colours().min() <= colours().max() <= 1
    assert gap.mean() <= 0.02 < 0.2 <= np.abs(colours().mean(axis=3) - pictures()[::-1]).mean()


def test_colours_differ_along_opponent_axes():
    """Most in brightness, then red against blue, then green; half the drawn deviations and more.

    Grounds have no colour, edges mix theirs and bounds cut them, so they deviate by less.
    """
    spread = np.std((colours() - 0.5) @ OPPONENT.T, axis=(0, 1, 2))
    shares = spread / [0.29 * np.sqrt(3), 0.15, 0.07]

    assert np.all(shares >= 0.5) and np.all(shares <= 1)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((0, 8), "height must be a whole number of at least 1, got 0"),
        ((8, 0), "width must be a whole number of at least 1, got 0"),
        ((8, 8, 0), "leaves must be a whole number of at least 1, got 0"),
        ((8, 8, "many"), "leaves must be a whole number of at least 1, got 'many'"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    """With what is allowed."""
    for picture in (dead_leaves, coloured_leaves):
        with pytest.raises(ValueError, match=message):
            picture(keys()[0], *arguments)
