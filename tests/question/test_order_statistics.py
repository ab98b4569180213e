"""Quantiles and trimmed means: what they refuse when they are made."""

import math

import numpy as np
import pytest

from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)


@pytest.mark.parametrize("share", [50, -0.1, 1.1, math.nan, "0.5", None, True])
@pytest.mark.parametrize(
    "make", [Quantile, SmoothQuantile, lambda share: ProposedQuantile(1.0, share)]
)
def test_a_share_is_no_percentage(make, share):
    """It is from 0 to 1, both of which are allowed, and refused where it is written."""
    with pytest.raises(ValueError, match=f"share must be a number from 0 to 1, .* got {share!r}"):
        make(share)
    assert (make(0).share, make(1).share, make(np.float32(0.5)).share) == (0, 1, 0.5)


@pytest.mark.parametrize(
    "kind, own, sentence",
    [
        (Quantile, (0.5, 2.5), r"cells must be a whole number from 1 to 2\^30 - 1, got 2.5"),
        (Quantile, (0.5, 2**30), r"cells must be a whole number from 1 to 2\^30 - 1, got 10"),
        (Quantile, (0.5, "8"), r"cells must be a whole number from 1 to 2\^30 - 1, got '8'"),
        (TrimmedMean, (0.5,), "trim must be a share of at least 0 and below 1/2, got 0.5"),
        (TrimmedMean, ("0.1",), "trim must be a share of at least 0 and below 1/2, got '0.1'"),
        (ProposedQuantile, (0.0,), "bound must be positive and finite, got 0.0"),
        (ProposedQuantile, ("1",), "bound must be positive and finite, got '1'"),
    ],
)
def test_unusable_statistics_are_refused_when_they_are_made(kind, own, sentence):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match=sentence):
        kind(*own)
