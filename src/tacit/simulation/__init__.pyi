from .experiment import Experiment
from .simulated import Simulated, Simulation

__all__ = ["Experiment", "Simulated", "Simulation"]
