from .answered import TableAnswer
from .ask import Ask
from .bins import binned, histogram
from .column_quantiles import median, quantiles
from .counted import count, count_if, people
from .covariances import covariance
from .cumulative import cdf
from .engine import EngineError
from .features import category, number
from .measured import mean, share, total
from .most_frequent import top
from .open_keys import undeclared
from .planned import TablePlan
from .spread import variance
from .table import Table
from .workloads import WorkloadAsk, linear

__all__ = [
    "Ask",
    "EngineError",
    "Table",
    "TableAnswer",
    "TablePlan",
    "WorkloadAsk",
    "binned",
    "category",
    "cdf",
    "count",
    "count_if",
    "covariance",
    "histogram",
    "linear",
    "mean",
    "median",
    "number",
    "people",
    "quantiles",
    "share",
    "top",
    "total",
    "undeclared",
    "variance",
]
