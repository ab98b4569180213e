from .conjunctions import KeptLiterals
from .grown_tree import GrownTree
from .halfspace import Halfspace
from .low_degree import LowDegree
from .oracle import Asked
from .query_people import people_for
from .within import Within

__all__ = [
    "Asked",
    "GrownTree",
    "Halfspace",
    "KeptLiterals",
    "LowDegree",
    "Within",
    "people_for",
]
