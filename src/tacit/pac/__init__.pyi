from .learning import ConceptLearning, learn
from .learnt import LearntConcept
from .sample_sizes import agnostic_people, realisable_people

__all__ = [
    "ConceptLearning",
    "LearntConcept",
    "agnostic_people",
    "learn",
    "realisable_people",
]
