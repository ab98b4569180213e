from .category_tables import CategoryTables, CategoryTablesInTurn
from .conjunctions import KeptLiterals
from .grown_tree import GrownTree
from .halfspace import Halfspace
from .local_transcripts import LocalTranscript
from .low_degree import LowDegree
from .moment_tables import MomentTables, MomentTablesInTurn
from .oracle import QueryLearning
from .parity_adversary import ParityAdversary, queries_needed
from .parity_in_turn import ParityInTurn, parity_failure, parity_people
from .query_people import people_for
from .simulated_reports import ReportQueries, as_statistical_queries
from .smooth_boosting import SmoothBoosting
from .within import WorstWithin

__all__ = [
    "CategoryTables",
    "CategoryTablesInTurn",
    "GrownTree",
    "Halfspace",
    "KeptLiterals",
    "LocalTranscript",
    "LowDegree",
    "MomentTables",
    "MomentTablesInTurn",
    "ParityAdversary",
    "ParityInTurn",
    "QueryLearning",
    "ReportQueries",
    "SmoothBoosting",
    "WorstWithin",
    "as_statistical_queries",
    "parity_failure",
    "parity_people",
    "people_for",
    "queries_needed",
]
