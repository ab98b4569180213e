from .synthesizer import Synthesizer
from .synthetic import Synthetic

__all__ = ["Synthesizer", "Synthetic"]
