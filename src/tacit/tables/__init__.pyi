from .answered import TableAnswer
from .ask import Ask, TablePlan
from .bins import histogram
from .counted import count, people
from .engine import EngineError
from .measured import mean, share, total
from .spread import variance
from .table import Table

__all__ = [
    "Ask",
    "EngineError",
    "Table",
    "TableAnswer",
    "TablePlan",
    "count",
    "histogram",
    "mean",
    "people",
    "share",
    "total",
    "variance",
]
