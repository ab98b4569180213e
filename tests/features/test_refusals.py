"""Nothing that makes rows of people's values takes for a number what is none."""

import jax
import numpy as np
import pytest

from refusals import NO_NUMBERS, refuse_no_numbers, traced
from tacit.features import (
    Bins,
    Patches,
    PrincipalWhitening,
    RandomFourier,
    Scaled,
    Scattering,
    Whitening,
    centre_crops,
    dead_leaves,
    random_crop,
)
from tacit.features.scattering import group_normalised

KEY = {"key": jax.random.key(0)}
ROWS = {"rows": np.eye(3, dtype=np.float32)}
PICTURES = {"pictures": np.random.default_rng(0).random((2, 10, 10, 1), np.float32)}
IMAGE = np.zeros((4, 4, 3), np.float32)
SIDES = {"height": 8, "width": 8}
RIGHT = [
    (Patches.of, PICTURES | {"patches": 2}),
    (traced(PrincipalWhitening.of), ROWS | {"kept": 1, "ridge": 0.1}),
    (RandomFourier, {"inputs": 2, "pairs": 2, "gamma": 1.0} | KEY),
    (Scaled, {"lower": 0.0, "upper": 1.0}),
    (Scattering, SIDES | {"scale": 1, "angles": 2}),
    (Whitening.of, ROWS | {"ridge": 0.1, "length": 1.0}),
    (centre_crops, {"images": IMAGE[None], "side": 2}),
    (traced(dead_leaves.dead_leaves), SIDES | {"leaves": 2} | KEY),
    (group_normalised, {"features": np.ones((4, 2, 2), np.float32), "groups": 2}),
    (traced(random_crop), {"image": IMAGE, "side": 2} | KEY),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)


@pytest.mark.parametrize("other", NO_NUMBERS, ids=lambda each: type(each).__name__)
def test_only_numbers_are_edges(other):
    """Of bins each."""
    for edges in [(0.0, other)] + [other] * (not isinstance(other, list)):
        with pytest.raises(ValueError, match="edges must be finite and increasing, got"):
            Bins(edges)
