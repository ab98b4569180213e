from .dropouts import DropOuts
from .laws import NearestLaw
from .participation import AtMost, Available, Cyclic, Everyone, Fixed, Once, Participation, Poisson
from .rows import (
    BlockMeans,
    BlockMedians,
    LastIterate,
    Minimiser,
    OfRows,
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from .sums import Above, Mean, Question, Running, Select
from .uneven import Uneven

__all__ = [
    "Above",
    "AtMost",
    "Available",
    "BlockMeans",
    "BlockMedians",
    "Cyclic",
    "DropOuts",
    "Everyone",
    "Fixed",
    "LastIterate",
    "Mean",
    "Minimiser",
    "NearestLaw",
    "OfRows",
    "Once",
    "Participation",
    "Poisson",
    "ProposedQuantile",
    "Quantile",
    "Quantiles",
    "Question",
    "Running",
    "Select",
    "SmoothQuantile",
    "TrimmedMean",
    "Uneven",
]
