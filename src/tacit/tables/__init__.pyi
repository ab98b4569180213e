from .answered import TableAnswer
from .ask import Ask, TablePlan
from .bins import histogram
from .counted import count, count_if, people
from .engine import EngineError
from .features import category, number
from .measured import mean, share, total
from .spread import variance
from .table import Table

__all__ = [
    "Ask",
    "EngineError",
    "Table",
    "TableAnswer",
    "TablePlan",
    "category",
    "count",
    "count_if",
    "histogram",
    "mean",
    "number",
    "people",
    "share",
    "total",
    "variance",
]
