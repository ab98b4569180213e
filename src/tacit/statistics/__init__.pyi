from .answer import Answer
from .answers import Answers
from .average import Average
from .bounded_mean import BoundedMean, mean
from .categories import Histogram, histogram
from .counting import Count, count
from .covariance_answers import Covariances, FoundCovariance, FoundLaw
from .covariances import BoundedCovariance, covariance
from .cumulative import Cumulative, cdf
from .directions import MeanByDirections, mean_by_directions
from .found_bounds import BoundsSearch, FoundBounds, find_bounds
from .frequencies import Frequencies
from .gaussian_mean import GaussianMean
from .knocking_out import HypothesisKnockOut
from .laws import LawsOfCategories, LawsOfNumbers
from .limits import Limits
from .normal_covariance import NormalCovariance
from .normal_law import NormalLaw
from .ranks import BoundedQuantiles, median, quantiles
from .selected import SelectedHypothesis
from .selecting import HypothesisSelection, select_hypothesis
from .signs import MeanBySigns, mean_by_signs

__all__ = [
    "Answer",
    "Answers",
    "Average",
    "BoundedCovariance",
    "BoundedMean",
    "BoundedQuantiles",
    "BoundsSearch",
    "Count",
    "Covariances",
    "Cumulative",
    "FoundBounds",
    "FoundCovariance",
    "FoundLaw",
    "Frequencies",
    "GaussianMean",
    "Histogram",
    "HypothesisKnockOut",
    "HypothesisSelection",
    "LawsOfCategories",
    "LawsOfNumbers",
    "Limits",
    "MeanByDirections",
    "MeanBySigns",
    "NormalCovariance",
    "NormalLaw",
    "SelectedHypothesis",
    "cdf",
    "count",
    "covariance",
    "find_bounds",
    "histogram",
    "mean",
    "mean_by_directions",
    "mean_by_signs",
    "median",
    "quantiles",
    "select_hypothesis",
]
