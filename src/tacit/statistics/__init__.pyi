from .answer import Answer
from .answers import Answers
from .average import Average
from .bounded_mean import BoundedMean, mean
from .categories import Histogram, histogram
from .counting import Count, count
from .frequencies import Frequencies
from .limits import Limits
from .ranks import BoundedQuantiles, quantiles

__all__ = [
    "Answer",
    "Answers",
    "Average",
    "BoundedMean",
    "BoundedQuantiles",
    "Count",
    "Frequencies",
    "Histogram",
    "Limits",
    "count",
    "histogram",
    "mean",
    "quantiles",
]
