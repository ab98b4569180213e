"""No learner or schedule takes for a number what is none."""

import numpy as np
import optax
import pytest

from refusals import refuse_no_numbers
from tacit import Central, NonPrivate
from tacit.learning import (
    Automatic,
    CellMatrixRounds,
    CoordinateDescent,
    Correlations,
    Cosine,
    Decay,
    Flat,
    FrankWolfe,
    KalmanGain,
    LinearRisk,
    LloydRounds,
    MirrorDescent,
    MixtureRounds,
    Newton,
    Patience,
    QuantileBound,
    RandomOrder,
    SubspaceRounds,
    SufficientStatistics,
    VarianceReduction,
    Votes,
    WarmUp,
    deal,
    schedules,
)
from tacit.learning.averaging import averaged
from tacit.learning.choice import part_of, question
from tacit.learning.compare import refuse_out_of_range
from tacit.learning.component_shapes import AllProducts, Shapes
from tacit.solve.losses import Logistic
from tacit.solve.regularisers import L2

CURATOR = Central(1.0, 1e-6)
RISK = LinearRisk(Logistic(), 3, 1.0)
SMOOTH = schedules.Smooth(2.0, 1.0, 1.0)
ROWS, LABELS = np.ones((4, 3)), np.ones(4)
RIGHT = [
    (Automatic, {"bound": 1.0, "offset": 0.01}),
    (CellMatrixRounds, {"trust": CURATOR, "rows": 3, "columns": 3, "rank": 2}),
    (CoordinateDescent, {"loss": Logistic(), "bounds": (1.0,), "period": 2}),
    (Correlations, {"risk": RISK, "size": 2}),
    (Cosine, {"first": 1.0, "rounds": 9.0, "last": 0.1}),
    (Decay, {"first": 1.0, "offset": 9.0, "power": 0.5}),
    (Flat, {"bound": 1.0}),
    (FrankWolfe, {"risk": RISK, "rounds": 9}),
    (FrankWolfe(RISK, 9).excess, {"shortfall": 0.1}),
    (KalmanGain, {"curvature": 1.0, "radius": 1.0, "noise": 1.0}),
    (LinearRisk, {"loss": Logistic(), "dim": 3, "radius": 1.0, "largest": 1.0}),
    (
        LloydRounds,
        {"trust": CURATOR, "people": 100, "clusters": 2, "sides": (0.6, 0.8), "moves": 2},
    ),
    (
        MixtureRounds,
        {
            "trust": CURATOR,
            "people": 100,
            "shapes": Shapes(AllProducts(2), 4),
            "sides": (0.6, 0.8),
            "cells": None,
            "moves": 2,
        },
    ),
    (MirrorDescent, {"risk": RISK, "rounds": 9, "noise": 0.1}),
    (
        Newton,
        {
            "features": 3,
            "loss": Logistic(),
            "bound": 1.0,
            "penalty": L2(1.0),
            "share": 0.5,
            "damping": 1.0,
            "noise": 0.1,
        },
    ),
    (Patience, {"measure": "loss", "looks": 2, "least": 0.1}),
    (QuantileBound, {"start": 0.1, "quantile": 0.5, "pace": 0.2, "share": 0.01}),
    (RandomOrder, {"seed": 1}),
    (
        SubspaceRounds,
        {
            "trust": NonPrivate(),
            "people": 100,
            "dim": 5,
            "known": 1,
            "many": 2,
            "columns": 3,
            "shares": (1.0,),
        },
    ),
    (SufficientStatistics, {"features": 3, "bound": 1.0, "label_bound": 1.0}),
    (
        VarianceReduction,
        {"features": 3, "loss": Logistic(), "bound": 1.0, "radius": 1.0, "period": 2, "rate": 0.1},
    ),
    (Votes, {"features": 3, "size": 2}),
    (WarmUp, {"rounds": 9.0, "then": Decay(1.0, 9.0, 0.5)}),
    (deal, {"features": ROWS, "labels": LABELS, "blocks": 2}),
    (schedules.Convex, {"diameter": 1.0, "norm": 1.0, "rounds": 9}),
    (schedules.StronglyConvex, {"modulus": 1.0, "norm": 1.0, "rounds": 9}),
    (schedules.Smooth, {"smoothness": 2.0, "modulus": 1.0, "start": 1.0}),
    (SMOOTH.excess, {"rounds": 9, "error": 0.1}),
    (SMOOTH.best_rounds, {"error": 0.1}),
    (schedules.answer_norm, {"lipschitz": 1.0, "error": 0.1, "cohort": 9.0}),
    (schedules.enough_rounds, {"lipschitz": 1.0, "error": 0.1}),
    (averaged, {"optimizer": optax.sgd(1.0), "power": 1}),
    (part_of, {"person": "anybody", "parts": 3, "salt": "public"}),
    (question, {"settings": 2, "people": 100}),
    (refuse_out_of_range, {"repeats": 2, "seed": None}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
