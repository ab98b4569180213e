"""No question takes for a number what is none."""

import pytest

from refusals import refuse_no_numbers
from tacit import Everyone
from tacit.contribution import Interval
from tacit.question import (
    Above,
    AtMost,
    Available,
    BlockMeans,
    BlockMedians,
    Conjunction,
    Cyclic,
    DecisionTree,
    DropOuts,
    Fixed,
    LastIterate,
    LineInterval,
    LinePieces,
    LineThreshold,
    Mean,
    MonotoneConjunction,
    NearDatabase,
    NoisyParity,
    OfRows,
    Parity,
    Poisson,
    Prefix,
    ProposedQuantile,
    Quantile,
    Quantiles,
    Ranges,
    RuleList,
    Running,
    SmoothQuantile,
    TaughtShares,
    TrimmedMean,
)
from tacit.solve.losses import Logistic
from tacit.solve.regularisers import L2
from tacit.solve.table_cells import TableCells

UNIT = Interval(0.0, 1.0)
SUMS = Mean(UNIT, Everyone(), 10, 1000)
CELLS = TableCells((2, 3), ((0,), (1,)))
BLOCKS = {"function": lambda rows: rows.mean(), "outputs": (UNIT,)}
RIGHT = [
    (Above, {"sums": SUMS, "threshold": 0.5, "positives": 2}),
    (AtMost, {"limit": 3}),
    (Available, {"turnout": 0.5}),
    (BlockMeans, {**BLOCKS, "blocks": 10}),
    (BlockMedians, {**BLOCKS, "blocks": 10}),
    (Conjunction, {"dim": 3}),
    (Cyclic, {"passes": 2}),
    (DecisionTree, {"dim": 3, "depth": 2, "labels": 2}),
    (DropOuts, {"asked": Everyone(), "rate": 0.1, "least": 3}),
    (Fixed, {"size": 10}),
    (LastIterate, {"loss": Logistic(), "penalty": L2(1.0), "radius": 1.0, "steps": 10}),
    (LineInterval, {"points": 9}),
    (LinePieces, {"points": 9, "pieces": 2, "labels": 2}),
    (LineThreshold, {"points": 9}),
    (Mean, {"contribution": UNIT, "participation": Everyone(), "rounds": 1, "people": 9}),
    (MonotoneConjunction, {"dim": 3}),
    (NearDatabase, {"cells": CELLS, "rows": 3}),
    (NoisyParity, {"dim": 3}),
    (OfRows, {"contribution": UNIT, "people": 9, "statistic": Quantile()}),
    (Parity, {"dim": 3, "failure": 0.1}),
    (Poisson, {"rate": 0.1}),
    (Prefix, {"cells": 8}),
    (ProposedQuantile, {"bound": 0.1, "share": 0.5}),
    (Quantile, {"share": 0.5, "cells": 2**10}),
    (Quantiles, {"shares": (0.5,), "cells": 2**10}),
    (Ranges, {"cells": 8}),
    (RuleList, {"dim": 3, "length": 2, "labels": 2}),
    (Running, {"sums": SUMS, "bands": 1}),
    (SmoothQuantile, {"share": 0.5}),
    (TaughtShares, {"cells": CELLS, "rounds": 3, "repeats": 2}),
    (TrimmedMean, {"trim": 0.1}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
