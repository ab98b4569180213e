from .conjunctions import Conjunctions
from .oracle import Asked
from .query_people import people_for
from .within import Within

__all__ = ["Asked", "Conjunctions", "Within", "people_for"]
