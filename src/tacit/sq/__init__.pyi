from .category_tables import CategoryTables, CategoryTablesInTurn
from .conjunctions import KeptLiterals
from .grown_tree import GrownTree
from .halfspace import Halfspace
from .low_degree import LowDegree
from .moment_tables import MomentTables, MomentTablesInTurn
from .oracle import QueryLearning
from .query_people import people_for
from .simulated_reports import ReportQueries, as_statistical_queries
from .within import WorstWithin

__all__ = [
    "CategoryTables",
    "CategoryTablesInTurn",
    "GrownTree",
    "Halfspace",
    "KeptLiterals",
    "LowDegree",
    "MomentTables",
    "MomentTablesInTurn",
    "QueryLearning",
    "ReportQueries",
    "WorstWithin",
    "as_statistical_queries",
    "people_for",
]
