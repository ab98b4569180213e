from . import compare, progress, schedules
from .adaptive import AdaptiveDescent
from .cell_matrix import CellMatrix, CellMatrixRounds
from .choice import Setting, choose
from .classifiers import OnScores
from .clipping import Automatic, Flat, PerLayer, clipped
from .coordinate_descent import CoordinateDescent, CyclicOrder, RandomOrder
from .descent import Descent
from .evaluation import Evaluation, Patience, mean_of
from .frank_wolfe import FrankWolfe
from .gain import KalmanGain
from .holdings import OneEach, Several
from .linear_risk import LinearRisk
from .lloyd import Lloyd, LloydRounds
from .mirror_descent import MirrorDescent
from .mixture import Mixture
from .mixture_rounds import MixtureRounds
from .newton import Newton
from .paid_measure import PaidMeasure
from .quantile_bound import QuantileBound
from .rates import Cosine, Decay, WarmUp
from .seeking import Seeking, SeekingRounds
from .subspace import Subspace
from .subspace_rounds import SubspaceRounds
from .sufficient_statistics import SufficientStatistics
from .support import Correlations, Votes, ballots, deal
from .variance_reduction import VarianceReduction

__all__ = [
    "AdaptiveDescent",
    "Automatic",
    "CellMatrix",
    "CellMatrixRounds",
    "CoordinateDescent",
    "Correlations",
    "Cosine",
    "CyclicOrder",
    "Decay",
    "Descent",
    "Evaluation",
    "Flat",
    "FrankWolfe",
    "KalmanGain",
    "LinearRisk",
    "Lloyd",
    "LloydRounds",
    "MirrorDescent",
    "Mixture",
    "MixtureRounds",
    "Newton",
    "OnScores",
    "OneEach",
    "PaidMeasure",
    "Patience",
    "PerLayer",
    "QuantileBound",
    "RandomOrder",
    "Seeking",
    "SeekingRounds",
    "Setting",
    "Several",
    "Subspace",
    "SubspaceRounds",
    "SufficientStatistics",
    "VarianceReduction",
    "Votes",
    "WarmUp",
    "ballots",
    "choose",
    "clipped",
    "compare",
    "deal",
    "mean_of",
    "progress",
    "schedules",
]
