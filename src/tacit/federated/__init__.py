"""Private federated learning: what a person's device runs."""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
