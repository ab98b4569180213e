from .answered import TableAnswer
from .ask import Ask
from .bins import binned, histogram
from .counted import count, count_if, people
from .covariances import covariance
from .cumulative import cdf
from .engine import EngineError
from .features import category, number
from .measured import mean, share, total
from .open_keys import undeclared
from .planned import TablePlan
from .quantiles import median, quantiles
from .spread import variance
from .table import Table
from .top import top

__all__ = [
    "Ask",
    "EngineError",
    "Table",
    "TableAnswer",
    "TablePlan",
    "binned",
    "category",
    "cdf",
    "count",
    "count_if",
    "covariance",
    "histogram",
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
