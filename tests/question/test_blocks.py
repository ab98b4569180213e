"""Functions of blocks: how many blocks, and which outputs."""

import math

import numpy as np
import pytest

from tacit.contribution import Ball, Interval
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.rows import OfRows

UNIT = Interval(0.0, 1.0)


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
@pytest.mark.parametrize("blocks", [0, -1, 31, 2.5, math.nan, "5", True])
def test_blocks_are_a_whole_number_of_people_or_fewer(kind, blocks):
    """One person a block is the most there can be; the sentence says so."""
    said = "from 1 to the 30 people" if blocks == 31 else "of at least 1"
    with pytest.raises(ValueError, match=f"whole number {said}, got {blocks!r}"):
        OfRows(UNIT, 30, kind(np.mean, blocks, (UNIT,)))
    for most in (1, 30):
        asked = kind(np.mean, most, (UNIT,))
        assert OfRows(UNIT, 30, asked).statistic is asked and asked.blocks == most


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_without_outputs_is_refused(kind):
    """There is nothing that it could be asked."""
    with pytest.raises(ValueError, match="needs at least one output, got none"):
        kind(np.mean, 5, ())


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_of_blocks_has_intervals_for_outputs(kind):
    """The sentences say that, and that a function is one."""
    for outputs in (UNIT, (Ball(2, 1.0),), (0.0, 1.0), None):
        with pytest.raises(ValueError, match="outputs must be a tuple of Intervals, got"):
            kind(np.mean, 5, outputs)
    with pytest.raises(ValueError, match="function must be one of a block's rows, got 3"):
        kind(3, 5, (UNIT,))
    assert kind(np.mean, 5, (UNIT,)) == kind(np.mean, np.int8(5), [UNIT])
