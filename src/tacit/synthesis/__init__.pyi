from .from_pairs import FromPairs
from .from_rounds import FromRounds
from .from_small import FromSmall
from .from_tree import FromTree
from .synthesizer import Synthesizer
from .synthetic import Synthetic

__all__ = ["FromPairs", "FromRounds", "FromSmall", "FromTree", "Synthesizer", "Synthetic"]
