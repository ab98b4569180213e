from .blocks import BlockMeans, BlockMedians
from .composed_workloads import Kronecker, Union
from .concepts import (
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
    RuleList,
)
from .databases import NearDatabase, TaughtShares
from .dropouts import DropOuts
from .keyed import Keyed
from .laws import NearestLaw
from .line_concepts import LineInterval, LinePieces, LineThreshold
from .linear import Linear
from .linear_models import LastIterate, Minimiser
from .objectives import MaxError, MeanError
from .order_statistics import (
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from .participation import AtMost, Available, Cyclic, Everyone, Fixed, Once, Participation, Poisson
from .rows import LeadingDirection, OfRows
from .running import Running
from .sums import Above, Mean, Question, Select
from .uneven import Uneven
from .workloads import Prefix, Queries, Ranges, Workload

__all__ = [
    "Above",
    "AtMost",
    "Available",
    "BlockMeans",
    "BlockMedians",
    "Conjunction",
    "Cyclic",
    "DecisionTree",
    "DropOuts",
    "Everyone",
    "Fixed",
    "Keyed",
    "Kronecker",
    "LastIterate",
    "LeadingDirection",
    "LineInterval",
    "LinePieces",
    "LineThreshold",
    "Linear",
    "MaxError",
    "Mean",
    "MeanError",
    "Minimiser",
    "MonotoneConjunction",
    "NearDatabase",
    "NearestLaw",
    "NoisyParity",
    "OfRows",
    "Once",
    "Parity",
    "Participation",
    "Poisson",
    "Prefix",
    "ProposedQuantile",
    "Quantile",
    "Quantiles",
    "Queries",
    "Question",
    "Ranges",
    "RuleList",
    "Running",
    "Select",
    "SmoothQuantile",
    "TaughtShares",
    "TrimmedMean",
    "Uneven",
    "Union",
    "Workload",
]
