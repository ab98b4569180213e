"""Dead leaves: pictures of the key alone, in [0, 1], of leaves that hide one another."""

import jax
import numpy as np
import pytest
from jax import random

from tacit.features.dead_leaves import dead_leaves

KEYS = random.split(random.key(0), 200)
PICTURES = np.asarray(jax.jit(jax.vmap(lambda key: dead_leaves(key, 16, 24)))(KEYS))


def test_values_are_those_of_a_picture():
    """In [0, 1], of the size asked for, and most of what grey there is."""
    assert PICTURES.shape == (200, 16, 24)
    assert 0 <= PICTURES.min() <= 0.02
    assert 0.98 <= PICTURES.max() <= 1


def test_the_key_alone_decides():
    """The same key, the same picture; another, another."""
    again = dead_leaves(KEYS[3], 16, 24)

    np.testing.assert_allclose(again, PICTURES[3], rtol=0, atol=1e-5)
    assert np.abs(PICTURES[4] - PICTURES[3]).max() > 0.1


def test_the_last_leaf_lies_on_top():
    """Painted again leaf by leaf, by the definition and in float64."""
    u = np.asarray(random.uniform(KEYS[0], (6, 48)), np.float64)
    picture = np.full((16, 24), 0.5)
    y, x = np.mgrid[:16, :24]
    for size, down, across, turn, thin, grey in u.T:
        radius = 0.7 * 24 / (1 + 9 * np.sqrt(size))
        top, left = y - (-2 + 20 * down), x - (-3 + 30 * across)
        point = np.exp(-1j * np.pi * turn) * (top + 1j * left)
        reach = np.hypot(point.real, point.imag / (0.3 + 0.7 * thin))
        inside = 1 / (1 + np.exp(-2 * (radius - reach)))
        picture = (1 - inside) * picture + inside * grey

    np.testing.assert_allclose(PICTURES[0], picture, rtol=0, atol=1e-4)


def test_neighbours_are_alike_and_edges_are_sharp():
    """Unlike noise, of which neighbours differ as much as any two pixels; unlike a blur, too."""
    steps = np.abs(np.diff(PICTURES, axis=2))

    assert np.mean(steps) <= 0.4 * np.mean(np.abs(PICTURES - PICTURES[:, ::-1, ::-1]))
    assert np.quantile(steps, 0.99) >= 0.3


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((0, 8), "height must be at least 1, got 0"),
        ((8, 0), "width must be at least 1, got 0"),
        ((8, 8, 0), "leaves must be at least 1, got 0"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    """With what is allowed."""
    with pytest.raises(ValueError, match=message):
        dead_leaves(KEYS[0], *arguments)
