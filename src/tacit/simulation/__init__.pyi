from .simulated import Experiment, Simulated, Simulation

__all__ = ["Experiment", "Simulated", "Simulation"]
