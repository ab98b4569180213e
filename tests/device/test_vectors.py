"""Randomisers fitted to shapes: what they report is finite, or they are not made."""

import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.device.choose import devices

NEAR = "a report's numbers must be at most 1e\\+38, got up to"
LARGE = [
    (tacit.Ball(6, 1.0), 0, 2.0, 1e37, 1e38),
    (tacit.L1Ball(6, 1.0), 0, 2.0, 1e37, 1e38),
    (tacit.L1Ball(6, 1.0), 1, 2.0, 1e37, 1e38),
    (tacit.L1Ball(6, 1.0), 1, 1e-6, 1e30, 1e33),
    (tacit.Cube(6, 0.0, 1.0), 0, 2.0, 1e36, 1e38),
    (tacit.Cube(6, 0.0, 1.0), 0, 1e-6, 1e29, 1e33),
]


def sized(shape, size):
    if isinstance(shape, tacit.Cube):
        return tacit.Cube(shape.dim, 0.0, size)
    return type(shape)(shape.dim, size)


@pytest.mark.parametrize("shape, way, epsilon, largest, too_large", LARGE)
def test_reports_are_finite(shape, way, epsilon, largest, too_large):
    """Of a shape that is too large for that no device is made, and of a smaller budget sooner."""
    device = devices(sized(shape, largest))[way](epsilon)
    reports = device.sample(quick_keys.key(1), jnp.zeros((50, 6), jnp.float32))
    assert np.isfinite(np.asarray(reports)).all()

    with pytest.raises(ValueError, match=NEAR):
        devices(sized(shape, too_large))[way](epsilon)


def test_a_cube_far_from_zero_is_as_large_as_its_place():
    """Its reports are about its middle."""
    with pytest.raises(ValueError, match=NEAR):
        devices(tacit.Cube(6, 2e38, 2.1e38))[0](2.0)


def test_reports_in_an_index_are_finite():
    """What an index stands for too."""
    with pytest.raises(ValueError, match=NEAR):
        devices(tacit.Ball(200, 3e38), 2)[-1](2.0)
