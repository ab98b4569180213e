"""Noise of sums whose promise has no delta: what is refused is what was given."""

import pytest

import tacit

SHAPES = [
    tacit.L1Ball(2, 1.0),
    tacit.L1Ball(10_000, 1.0),
    tacit.Ball(3, 1.0),
    tacit.Cube(5, 0.0, 1.0),
    tacit.OneHot(100),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_epsilon_too_small_for_the_grid_is_refused_by_name(shape):
    """Nobody gave a step. What the sentence says would do does, with noise that is not infinite."""
    sums = tacit.Mean(shape, tacit.Everyone(), 1, 5_000)
    said = r"epsilon must leave noise without a delta at most 2\^40 .* as .+ does, got 1e-14$"
    with pytest.raises(ValueError, match=said) as refused:
        tacit.Central(1e-14, 0.0).plan(sums)

    enough = float(str(refused.value).partition(" as ")[2].partition(" does")[0])
    assert 0 < (tacit.Central(enough, 0.0).plan(sums).error or 0) < float("inf")
