"""No mechanism takes for a number what is none."""

from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

from refusals import refuse_no_numbers
from tacit.accounting.relation import Relation
from tacit.mechanisms import (
    AboveThreshold,
    AllSubsets,
    ApproximateQuantiles,
    BinghamDirection,
    BlockMean,
    ConceptChoice,
    CubeNorm,
    DiscreteGaussian,
    DiscreteLaplace,
    EuclideanNorm,
    Exponential,
    ExponentialQuantile,
    FastProjUnit,
    Folded,
    Gaussian,
    GaussianThreshold,
    HadamardResponse,
    Hybrid,
    IntervalChoice,
    JointQuantiles,
    KClosest,
    Laplace,
    LaplaceMax,
    LastIterateDescent,
    LineChoice,
    LocalHashing,
    LocalLaplace,
    MinimumDistance,
    MultiplicativeWeights,
    NoiseShare,
    ObjectivePerturbation,
    OutputPerturbation,
    ParityElimination,
    PermuteAndFlip,
    Piecewise,
    PrivUnit2,
    PrivUnitG,
    PrivUnitInfinity,
    ProjectiveGeometry,
    ProposeTestReleaseQuantile,
    PublicGrid,
    RandomisedResponse,
    Rappor,
    RuleListChoice,
    SampleAndAggregate,
    ScalarDP,
    ScalarRelDP,
    Separated,
    Shells,
    SmallDatabase,
    SmoothCauchy,
    SmoothLaplace,
    SmoothSensitivityQuantile,
    SmoothStudent,
    SmoothTrimmedMean,
    SparseVector,
    StabilityTest,
    StableMode,
    StableScale,
    Staircase,
    Stream,
    SubsetSelection,
    SymmetricUnary,
    TopK,
    TreeChoice,
    TruncatedGeometric,
    UnaryEncoding,
    VertexResponse,
    VertexSigns,
    WholeScores,
    WishartDifference,
    lowest_error,
)
from tacit.mechanisms.rows.concept_scores import Conjunctions
from tacit.mechanisms.rows.line_labelings import Thresholds
from tacit.solve.losses import Logistic
from tacit.solve.objective import Objective
from tacit.solve.regularisers import L2
from tacit.solve.table_cells import TableCells

STREAM = Stream(0.0, 1.0, 1.0)
OBJECTIVE = Objective(Logistic(), L2(8.0), 2.0, 100, 2)
GRID, SHARES = PublicGrid(0.0, 1.0, 100), (0.25, 0.5)
CELLS, SCORES = TableCells((2, 3), ((0, 1),)), WholeScores(1.0, 1)
UNITS = np.array([[2**31, 2**31], [2**32, 0]])
NOISE = DiscreteLaplace(1.0)

EPSILON, DELTA = {"epsilon": 1.0}, {"delta": 1e-6}
SUM = EPSILON | {"sensitivity": 1.0, "step": 2.0**-22}
SCORED = EPSILON | {"sensitivity": 1.0}
ANSWERS = EPSILON | {"positives": 1, "stream": STREAM}
ROUGH = EPSILON | DELTA | {"positives": 1, "stream": STREAM}
WITHIN = EPSILON | {"maximum": 1.0}
VECTOR = EPSILON | {"dim": 4}
LONG = VECTOR | {"radius": 1.0}
CATEGORY = EPSILON | {"categories": 4}
ENDS = {"lower": 0.0, "upper": 1.0}
RULE = EPSILON | {"moved": 1, "labels": 2}
AIM = EPSILON | {"objective": OBJECTIVE, "relation": Relation.REPLACE_ONE}
QUANTILES = EPSILON | {"shares": SHARES, "grid": GRID}
RANK = EPSILON | ENDS | {"q": 0.5, "cells": 100}

RIGHT = [
    (AboveThreshold.tight, ANSWERS | {"rounds": 10}),
    (AboveThreshold.monotone, ANSWERS | {"rounds": 10}),
    (AboveThreshold.concentrated, ROUGH),
    (AboveThreshold.hardt_rothblum, ROUGH),
    (AboveThreshold.at_rate, ROUGH | {"rate": 0.01}),
    (AllSubsets, CATEGORY),
    (ApproximateQuantiles, QUANTILES | {"people": 10, "replaced": True}),
    (ApproximateQuantiles.add_remove, QUANTILES | {"people": 10}),
    (ApproximateQuantiles.replace_one, QUANTILES | {"people": 10}),
    (BinghamDirection, LONG | {"levels": 2**12, "moved": 1}),
    (BlockMean, EPSILON | ENDS),
    (ConceptChoice, SCORED | {"scored": Conjunctions(2)}),
    (CubeNorm.calibrate, SUM | {"dimension": 3}),
    (DiscreteGaussian, {"sigma": 1.0, "sensitivity": 1.0}),
    (DiscreteLaplace, SCORED),
    (EuclideanNorm.calibrate, SUM | {"dimension": 3}),
    (Exponential, SCORED),
    (ExponentialQuantile.add_remove, RANK),
    (ExponentialQuantile.replace_one, RANK),
    (FastProjUnit.optimal, VECTOR | {"kept": 4}),
    (Folded.best, LONG),
    (Gaussian, {"sigma": 1024.0, "sensitivity": 1.0, "step": 1.0}),
    (Gaussian.calibrate, SUM | DELTA),
    (GaussianThreshold, {"sigma": 4.0, "threshold": 20, "at_least": 1}),
    (GaussianThreshold.reserving, {"sigma": 4.0, "alone": 1e-3, "at_least": 1}),
    (HadamardResponse, CATEGORY),
    (Hybrid.best, WITHIN),
    (IntervalChoice, SCORED),
    (JointQuantiles, QUANTILES | {"exponent": 0.5, "asking": 0.25, "people": None}),
    (JointQuantiles.declared, QUANTILES | {"people": 10}),
    (JointQuantiles.counted, QUANTILES),
    (JointQuantiles.replace_one, QUANTILES),
    (KClosest.optimal, VECTOR | {"candidates": 8}),
    (KClosest.with_closest, VECTOR | {"candidates": 8, "closest": 2}),
    (Laplace.calibrate, SUM),
    (LaplaceMax.of, SCORED),
    (LaplaceMax.monotone, SCORED),
    (LastIterateDescent.calibrate, AIM | DELTA | {"radius": 4.0, "steps": 50}),
    (LineChoice, RULE | {"labelings": Thresholds(4)}),
    (LocalHashing, CATEGORY),
    (LocalLaplace.best, WITHIN),
    (LocalLaplace.on_grid, WITHIN | {"levels": 3}),
    (MinimumDistance, EPSILON | {"units": UNITS, "digest": "two", "people": 10}),
    (
        MultiplicativeWeights,
        {"cells": CELLS, "rounds": 2, "people": 10, "repeats": 1, "choice": SCORES, "noise": NOISE},
    ),
    (NoiseShare, {"sigma": 1024.0, "step": 1.0, "shares": 3}),
    (ObjectivePerturbation.pure, AIM),
    (ObjectivePerturbation.gaussian, AIM | DELTA),
    (OutputPerturbation.pure, AIM),
    (OutputPerturbation.gaussian, AIM | DELTA),
    (ParityElimination, VECTOR | {"moved": 1, "parts": 1}),
    (ParityElimination.for_failure, VECTOR | {"moved": 1, "failure": 0.5}),
    (PermuteAndFlip, SCORED),
    (Piecewise.best, WITHIN),
    (Piecewise.on_grid, WITHIN | {"levels": 3, "width": 2}),
    (PrivUnit2.optimal, VECTOR),
    (PrivUnit2.hemisphere, VECTOR),
    (PrivUnit2.with_cap, VECTOR | {"gamma": 0.1}),
    (PrivUnitG.optimal, VECTOR),
    (PrivUnitG.with_threshold, VECTOR | {"gamma": 0.1}),
    (PrivUnitInfinity.best, LONG),
    (PrivUnitInfinity.on_all, LONG),
    (PrivUnitInfinity.with_cap, LONG | {"taken": 3, "agree": 2}),
    (ProjectiveGeometry, CATEGORY),
    (ProposeTestReleaseQuantile, EPSILON | DELTA | ENDS | {"bound": 0.1, "share": 0.5}),
    (PublicGrid, ENDS | {"cells": 100}),
    (RandomisedResponse, CATEGORY),
    (Rappor, CATEGORY | {"lifetime": 2.0}),
    (RuleListChoice, RULE | {"dim": 4, "length": 1}),
    (SampleAndAggregate, {"blocks": 2, "aggregates": (BlockMean(1.0, 0.0, 1.0),)}),
    (ScalarDP.best, WITHIN | {"squares": 1.0}),
    (ScalarDP.best_at, WITHIN | {"value": 0.5}),
    (ScalarDP.on_grid, WITHIN | {"levels": 3}),
    (ScalarRelDP.best, WITHIN | {"floor": 0.5}),
    (ScalarRelDP.on_levels, WITHIN | {"levels": 3, "first": 0.5}),
    (Separated.split, LONG),
    (Shells.best, LONG | {"middle": 0.5}),
    (Shells.with_cap, LONG | {"middle": 0.5, "steps": 2, "gamma": 0.1}),
    (SmallDatabase, {"cells": CELLS, "rows": 2, "choice": SCORES}),
    (SmoothCauchy, EPSILON),
    (SmoothLaplace, EPSILON | DELTA),
    (SmoothSensitivityQuantile, ENDS | {"noise": SmoothCauchy(1.0), "share": 0.5}),
    (SmoothStudent, EPSILON | {"degrees": 3}),
    (SmoothTrimmedMean, ENDS | {"noise": SmoothCauchy(1.0), "trim": 0.1}),
    (SparseVector.beside, EPSILON | {"compare": AboveThreshold.tight(1.0, 1, STREAM, 10)}),
    (SparseVector.concentrated, ROUGH),
    (SparseVector.hardt_rothblum, ROUGH),
    (SparseVector.at_rate, ROUGH | {"rate": 0.01}),
    (StabilityTest, EPSILON | DELTA),
    (StableMode, CATEGORY | DELTA),
    (StableScale, EPSILON | DELTA | ENDS | {"ratio": 2.0}),
    (Staircase.least_absolute, SUM),
    (Staircase.least_squares, SUM),
    (Staircase.with_floor, SUM | {"floor": 10}),
    (Stream, {"threshold": 3.0, "sensitivity": 1.0, "step": 1.0}),
    (SubsetSelection, CATEGORY),
    (SymmetricUnary, CATEGORY),
    (TopK, SCORED | {"picks": 2}),
    (TreeChoice, RULE | {"dim": 4, "depth": 1}),
    (TruncatedGeometric, EPSILON | DELTA | {"at_least": 1}),
    (UnaryEncoding, CATEGORY),
    (VertexResponse.of, LONG),
    (VertexSigns.of, LONG),
    (WholeScores, EPSILON | {"sensitivity": 1}),
    (WishartDifference.calibrate, SUM | {"dimension": 3}),
    (lowest_error, CATEGORY),
]

# One way to make each kind of mechanism that nobody calls by its own name.
CALLED = {call for call, _ in RIGHT}
MADE = {call.__self__: (call, right) for call, right in RIGHT if hasattr(call, "__self__")}
BY_HAND = [MADE[kind] for kind in MADE if kind not in CALLED]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)


@pytest.mark.parametrize("call, right", BY_HAND, ids=lambda each: getattr(each, "__qualname__", ""))
def test_no_field_is_replaced_by_what_is_no_number(call, right):
    """Nor is a mechanism made by hand of what its own makers refuse."""
    made = call(**right)
    held = {each.name: getattr(made, each.name) for each in fields(made)}
    refuse_no_numbers(partial(replace, made), held)


@pytest.mark.parametrize("shares", ["half", None, 0.5, (), ("half",), (None,), (0.5, True), {0.5}])
@pytest.mark.parametrize("make", [JointQuantiles.replace_one, ApproximateQuantiles.replace_one])
def test_only_shares_are_shares(make, shares):
    """Of a tuple each; sets have no order."""
    others = {"people": 10} if make == ApproximateQuantiles.replace_one else {}
    with pytest.raises(ValueError, match="shares must be"):
        make(**QUANTILES | others | {"shares": shares})


@pytest.mark.parametrize("other", ["many", None, 1.0, AboveThreshold])
def test_values_stand_beside_answers(other):
    """Which are a mechanism of their own."""
    with pytest.raises(ValueError, match="compare must be an AboveThreshold, got"):
        SparseVector.beside(other, 1.0)
