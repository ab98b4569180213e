"""No layer and no network takes for a number what is none."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from refusals import NO_NUMBERS, refuse_no_numbers, traced
from tacit.models import (
    GRU,
    LSTM,
    Attention,
    Convolution,
    Dense,
    Embedding,
    GroupNorm,
    LayerNorm,
    NextWord,
    Softmax,
    max_pool,
)

KEY = {"key": jax.random.key(0)}
BETWEEN = {"inputs": 2, "width": 2} | KEY
RIGHT = [
    (GRU, BETWEEN),
    (LSTM, BETWEEN),
    (Attention, {"width": 2, "heads": 1} | KEY),
    (Convolution, {"channels": 1, "filters": 2, "size": (2, 2)} | KEY),
    (Dense, {"inputs": 2, "outputs": 3} | KEY),
    (Dense.at_zero, {"inputs": 2, "outputs": 3}),
    (Embedding, {"size": 3, "width": 2} | KEY),
    (GroupNorm, {"channels": 4, "groups": 2}),
    (LayerNorm, {"width": 2}),
    (NextWord, {"words": 3, "width": 2} | KEY),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(traced(call), right)


@pytest.mark.parametrize("other", NO_NUMBERS, ids=lambda each: type(each).__name__)
def test_only_two_numbers_are_the_sides_of_a_kernel(other):
    """Its size, how far it moves, and the zeros around."""
    for name in ("size", "stride", "padding"):
        for pair in (other, (2, other)):
            with pytest.raises(ValueError, match="two whole numbers"):
                given: Any = {"channels": 1, "filters": 2, "size": (2, 2), name: pair} | KEY
                Convolution(**given)


def test_true_is_no_side_of_a_window():
    """Though Python counts it as one."""
    with pytest.raises(ValueError, match=r"1 to 127 entries .* got \(True, 2\) and \(1, 1\)"):
        max_pool(jnp.zeros((1, 4, 4, 1)), (True, 2), (1, 1))


@pytest.mark.parametrize("centre", [math.nan, -math.inf])
def test_a_centre_is_finite(centre):
    """Every score would be none otherwise."""
    with pytest.raises(ValueError, match="centre must be a finite number, got"):
        Softmax(2, 2, centre)
