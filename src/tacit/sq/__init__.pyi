from .conjunctions import KeptLiterals
from .grown_tree import GrownTree
from .halfspace import Halfspace
from .low_degree import LowDegree
from .oracle import QueryLearning
from .query_people import people_for
from .within import WorstWithin

__all__ = [
    "GrownTree",
    "Halfspace",
    "KeptLiterals",
    "LowDegree",
    "QueryLearning",
    "WorstWithin",
    "people_for",
]
