from .learning import ConceptLearning, learn
from .learnt import LearntConcept
from .sample_sizes import agnostic_people, labelings, realisable_people

__all__ = [
    "ConceptLearning",
    "LearntConcept",
    "agnostic_people",
    "labelings",
    "learn",
    "realisable_people",
]
