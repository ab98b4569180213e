from .conjunctions import KeptLiterals
from .grown_tree import GrownTree
from .halfspace import Halfspace
from .low_degree import LowDegree
from .oracle import QueryLearning
from .query_people import people_for
from .simulated_reports import ReportQueries, as_statistical_queries
from .within import WorstWithin

__all__ = [
    "GrownTree",
    "Halfspace",
    "KeptLiterals",
    "LowDegree",
    "QueryLearning",
    "ReportQueries",
    "WorstWithin",
    "as_statistical_queries",
    "people_for",
]
