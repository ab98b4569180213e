from .training import Training
from .updates import GradientSteps, ProximalPoint

__all__ = [
    "GradientSteps",
    "ProximalPoint",
    "Training",
]
