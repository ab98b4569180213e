from .adaptive import AdaptiveTraining
from .training import Training
from .updates import Epochs, GradientSteps, ProximalPoint
from .weights import WeightedTraining, filled

__all__ = [
    "AdaptiveTraining",
    "Epochs",
    "GradientSteps",
    "ProximalPoint",
    "Training",
    "WeightedTraining",
    "filled",
]
