from .from_pairs import FromPairs
from .from_rounds import FromRounds
from .from_small import FromSmall
from .synthesizer import Synthesizer
from .synthetic import Synthetic

__all__ = ["FromPairs", "FromRounds", "FromSmall", "Synthesizer", "Synthetic"]
