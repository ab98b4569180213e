"""No statistic takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit import Central, Local, NonPrivate, Relation
from tacit.statistics import (
    BoundedCovariance,
    BoundedMean,
    BoundedQuantiles,
    BoundsSearch,
    Count,
    Cumulative,
    GaussianMean,
    Histogram,
    HypothesisKnockOut,
    HypothesisSelection,
    LawsOfCategories,
    MeanByDirections,
    MeanBySigns,
    NormalCovariance,
    NormalLaw,
)

CURATOR, REPLACING = Central(1.0, 1e-6), Central(1.0, 1e-6, Relation.REPLACE_ONE)
BOUNDS = {"bounds": (0.0, 1.0), "trust": CURATOR, "people": 1000}
NORMAL = {"dim": 3, "trust": REPLACING, "people": 100_000}
LAWS = LawsOfCategories({"young": [0.5, 0.5], "old": [0.1, 0.9]}, ("yes", "no"))
RIGHT = [
    (BoundedMean, {**BOUNDS, "confidence": 0.9}),
    (BoundedQuantiles, {**BOUNDS, "shares": (0.5,), "confidence": 0.9}),
    (BoundedCovariance, {**BOUNDS, "columns": 2}),
    (BoundsSearch, {"step": 1.0, "trust": NonPrivate(), "people": 1000, "confidence": 0.9}),
    (Count, {"trust": CURATOR, "people": 1000, "confidence": 0.9}),
    (Cumulative, {**BOUNDS, "at": (0.5,)}),
    (GaussianMean, {**NORMAL, "radius": 10.0, "spread": 1.0}),
    (
        Histogram,
        {"categories": ("yes", "no"), "trust": CURATOR, "people": 1000, "confidence": 0.9},
    ),
    (
        HypothesisKnockOut,
        {"hypotheses": LAWS, "trust": Local(1.0), "people": 1000, "confidence": 0.9},
    ),
    (
        HypothesisSelection,
        {"hypotheses": LAWS, "trust": REPLACING, "people": 1000, "confidence": 0.9},
    ),
    (MeanByDirections, {**NORMAL, "radius": 10.0, "spread": 1.0}),
    (MeanBySigns, {"radius": 10.0, "spread": 1.0, "trust": Local(1.0), "people": 1000}),
    (NormalCovariance, {**NORMAL, "deviations": (1.0, 10.0)}),
    (NormalLaw, {**NORMAL, "radius": 10.0, "deviations": (1.0, 10.0)}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
