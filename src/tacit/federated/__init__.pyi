from .adaptive import AdaptiveTraining
from .personalised import Personalised
from .training import Training
from .updates import Epochs, GradientSteps, ProximalPoint
from .weights import WeightedTraining, filled

__all__ = [
    "AdaptiveTraining",
    "Epochs",
    "GradientSteps",
    "Personalised",
    "ProximalPoint",
    "Training",
    "WeightedTraining",
    "filled",
]
